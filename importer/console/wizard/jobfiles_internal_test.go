package wizard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kept is work that keeps jobs in a folder.
type kept struct {
	Work
	dir string
}

func (k kept) PlaceOf(job NewJob) (Place, error) {
	at := Place{Folder: filepath.Join(k.dir, job.Name)}
	if !job.Known {
		at.File, at.Text = filepath.Join(k.dir, "jobs.d", job.Name+".yml"), []byte("name: "+job.Name+"\n")
	}
	return at, nil
}

// filesIn are the texts of the files in a folder; the time in the name of a copy is left out.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name := strings.TrimPrefix(path, dir+string(filepath.Separator))
		if at := strings.Index(name, ".2"); at > 0 {
			name = name[:at] + ".TIME"
		}
		texts[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// All files of a job are written or none, and one that holds something else only when somebody says so; it is kept then.
func TestFilesOfJobs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &Pages{Work: kept{dir: dir}}
	job := NewJob{Name: "cases", Mapping: "one", Files: map[string][]byte{"lookups/users.csv": []byte("users")}}
	is := func(what string, want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if _, err := p.plan(job); err != nil {
		t.Fatal(err)
	}
	is("a plan writes nothing", map[string]string{})
	if err := os.WriteFile(filepath.Join(dir, "jobs.d"), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.save(job, ""); err == nil {
		t.Error("it was saved through a file")
	}
	is("what cannot be written as a whole", map[string]string{"jobs.d": "in the way"})
	if err := os.Remove(filepath.Join(dir, "jobs.d")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.save(job, ""); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"cases/mapping.yaml": "one", "cases/lookups/users.csv": "users", "jobs.d/cases.yml": "name: cases\n"}
	is("a new job", all)

	mapping := filepath.Join(dir, "cases", "mapping.yaml")
	job.Known, job.Mapping = true, "two"
	pl, err := p.save(job, "another.yaml")
	if err != nil || len(pl.Taken) != 1 {
		t.Errorf("saved again without asking: %+v, %v", pl, err)
	}
	is("without asking", all)
	if diff := cmp.Diff(taken{Path: mapping, Lines: "one", Then: "two"}, pl.Taken[0], cmpopts.IgnoreUnexported(taken{})); diff != "" {
		t.Errorf("what is replaced (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(mapping, []byte("by a colleague"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := p.save(job, pl.Replaces())
	if err != nil || again.Replaces() == pl.Replaces() {
		t.Errorf("what a colleague has saved since the page was loaded: %+v, %v", again, err)
	}
	all["cases/mapping.yaml"] = "by a colleague"
	is("what nobody has seen", all)
	if err := os.WriteFile(mapping, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.save(job, pl.Replaces()); err != nil {
		t.Fatal(err)
	}
	all["cases/mapping.yaml"], all["cases/mapping.yaml.TIME"] = "two", "one"
	is("replaced", all)
	files, err := p.saved(job)
	if diff := cmp.Diff(map[string][]byte{"mapping.yaml": []byte("two"), "lookups/users.csv": []byte("users")}, files); err != nil || diff != "" {
		t.Errorf("what is saved: %v (-want +got):\n%s", err, diff)
	}
	for _, name := range []string{"", "../evil", "A", "a/b", "jobs d"} {
		if pl, err := p.plan(NewJob{Name: name}); err != nil || pl.Wrong == "" {
			t.Errorf("a job called %q: %+v, %v", name, pl, err)
		}
	}
}

// Only lines that differ are shown of a file that is to be replaced.
func TestWhatIsReplaced(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 100)
	for _, test := range [][4]string{
		{"a\nb\nc\n", "a\nB\nc\n", "b\n", "B\n"},
		{"a\nc\n", "a\nb\nc\n", "", "b\n"},
		{"# by an editor\na\n", "a\n", "# by an editor\n", ""},
		{"a\n", "a", "a\n", "a"},
		{"a\na\n", "a\n", "a\n", ""},
		{long, "y", long[:2*shownLines], "y"},
	} {
		if got := takenBy("", test[0], test[1]); got.Lines != test[2] || got.Then != test[3] {
			t.Errorf("%q -> %q: %q, %q", test[0], test[1], got.Lines, got.Then)
		}
	}
}
