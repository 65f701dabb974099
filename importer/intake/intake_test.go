package intake_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer"
	"docketsync/importer/intake"
	"docketsync/importer/source"
	"docketsync/mapping"
)

func newStore(t *testing.T) *intake.Store {
	t.Helper()
	return &intake.Store{Dir: filepath.Join(t.TempDir(), "uploads"), Limit: 1 << 20, Switches: func() (mapping.Options, error) { return mapping.Options{}, nil }}
}

func tables(ctx context.Context, job importer.Job) (map[string]*mapping.Lookup, error) {
	return (&importer.Importer{}).Lookups(ctx, job)
}

func take(t *testing.T, s *intake.Store, text string) *intake.Intake {
	t.Helper()
	i, err := s.Take(t.Context(), intake.Arrival{Who: "Ines", Name: "export.csv"}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func change(t *testing.T, i *intake.Intake, old, by string) string {
	t.Helper()
	err := i.Change(func(string) bool { return true }, func(text string) (string, error) {
		if !strings.Contains(text, old) {
			t.Fatalf("the draft has no %q:\n%s", old, text)
		}
		return strings.Replace(text, old, by, 1), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := i.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const matters = "Ref,Matter,Client,Responsible,Active\n" +
	"M-1,Smith v Jones,Acme,jd,yes\nM-2,Doe v Roe,Acme,jd,no\nM-3,,Beta,kl,yes\n,No ref,Beta,kl,yes\n"

// TestTry maps the first rows: what waits for an id is told apart from what is wrong.
func TestTry(t *testing.T) {
	t.Parallel()
	i := take(t, newStore(t), matters)
	text, err := i.Text()
	if err != nil {
		t.Fatal(err)
	}
	trial, err := i.Try(t.Context(), text, tables)
	if err != nil || len(trial.Faults) > 0 {
		t.Fatalf("%v %v", err, trial.Faults)
	}
	if trial.Rows != 4 || trial.Made != 4 || trial.Rejected != 2 || trial.Waiting != 2 || len(trial.Records) != 4 {
		t.Errorf("%d rows, %d made, %d rejected, %d waiting, %d shown", trial.Rows, trial.Made, trial.Rejected, trial.Waiting, len(trial.Records))
	}
	var fields []string
	for _, trouble := range trial.Troubles {
		fields = append(fields, trouble.Field+" "+trouble.Code)
	}
	if diff := cmp.Diff([]string{"name required_empty", "key key_empty", "number required_empty"}, fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	trial, err = i.Try(t.Context(), strings.Replace(text, "name: Matter", "name: Mattter", 1), tables)
	if err != nil || len(trial.Faults) != 1 || !strings.Contains(trial.Faults[0].Hint, "Matter") || len(trial.Records) != 4 {
		t.Errorf("a column that is not there: %v %v, %d records", err, trial.Faults, len(trial.Records))
	}
	trial, err = i.Try(t.Context(), strings.Replace(text, "operation:", "oberation:", 1), tables)
	if err != nil || len(trial.Faults) == 0 || len(trial.Records) > 0 {
		t.Errorf("a mistake in the draft: %v %v", err, trial.Faults)
	}
}

// TestTryGroups puts the rows of a folder together wherever they stand.
func TestTryGroups(t *testing.T) {
	t.Parallel()
	i := take(t, newStore(t), "Folder,Client,Matter,Matter No\nF1,Acme,One,1\nF2,Beta,Two,2\nF1,Acme,Three,3\nF2,Beta,Four,TM-4\n")
	text, err := i.Text()
	if err != nil {
		t.Fatal(err)
	}
	trial, err := i.Try(t.Context(), text, tables)
	if err != nil || len(trial.Faults) > 0 {
		t.Fatalf("%v %v\n%s", err, trial.Faults, text)
	}
	if trial.Rows != 4 || trial.Made != 2 || trial.Rejected != 1 || trial.Waiting != 1 {
		t.Errorf("%+v", trial)
	}
}

// TestNames lists the names of all rows, those of a lookup that the draft was given later too, and keeps what is filled in.
func TestNames(t *testing.T) {
	t.Parallel()
	i := take(t, newStore(t), matters)
	text := change(t, i, "lookups:\n", "lookups:\n  people: lookups/people.csv\n")
	text = change(t, i, text[strings.Index(text, "  user_id:"):strings.Index(text, "  client_id:")], "  user_id: {column: Responsible, lookup: people}\n")
	list, err := i.Names(t.Context(), text, tables)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]intake.Line{}
	for _, names := range list {
		got[names.Lookup] = names.Lines
	}
	if diff := cmp.Diff([]intake.Line{{Name: "jd", Count: 2}, {Name: "kl", Count: 2}}, got["people"]); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	const id = "6f0c2d7e-1111-4222-8333-444455556666"
	faults, err := i.FillIn(text, "people", map[string]string{"jd": " " + id + " ", "kl": "7", "nobody": id})
	if err != nil || len(faults) != 1 || faults[0].Name != "kl" {
		t.Errorf("%v %v", faults, err)
	}
	files, err := i.Files(text)
	if err != nil || string(files["lookups/people.csv"]) != "\ufeffname,count,id\r\njd,2,"+id+"\r\nkl,2,\r\n" {
		t.Errorf("%v\n%s", err, files["lookups/people.csv"])
	}
	if list, err = i.Names(t.Context(), text, tables); err != nil || list[0].Lookup != "people" || list[0].Open() != 1 {
		t.Errorf("asked again: %v %+v", err, list)
	}
}

// TestStore keeps what is taken, and nothing of what is not.
func TestStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	i := take(t, s, matters)
	again, err := s.Open(i.ID)
	if err != nil || again.Name != "export.csv" || again.Size != int64(len(matters)) {
		t.Fatalf("%v %+v", err, again)
	}
	kept, err := os.ReadFile(again.Path())
	if err != nil || string(kept) != matters {
		t.Errorf("%v: the file is not what was uploaded", err)
	}
	if err := i.Change(func(string) bool { return false }, func(string) (string, error) { return "", nil }); !errors.Is(err, intake.ErrChanged) {
		t.Errorf("a draft that nobody saw was changed: %v", err)
	}
	var unreadable *source.Error
	if _, err := s.Take(t.Context(), intake.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader("only,a,header\n")); !errors.As(err, &unreadable) || unreadable.File != "a.csv" {
		t.Errorf("a file without rows: %v", err)
	}
	var large *intake.LargeError
	if _, err := s.Take(t.Context(), intake.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader(strings.Repeat("a,b\n", 1<<18)+"a")); !errors.As(err, &large) {
		t.Errorf("a file that is too large: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Take(cancelled, intake.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader(matters)); !errors.Is(err, context.Canceled) {
		t.Errorf("an upload that was broken off: %v", err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 {
		t.Errorf("%d are kept, %v", len(list), err)
	}
	if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) != 1 {
		t.Errorf("%v in the folder, %v", entries, err)
	}
	if err := i.Became("job"); err != nil || i.Discard() == nil {
		t.Errorf("the file of a job was taken away: %v", err)
	}
	if _, err := s.Open("../" + i.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path was opened: %v", err)
	}
}
