package upload_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer"
	"docketsync/importer/console/upload"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

func newStore(t *testing.T) *upload.Store {
	t.Helper()
	return &upload.Store{Dir: filepath.Join(t.TempDir(), "uploads"), Limit: 1 << 20, Switches: func() (mapping.Options, error) { return mapping.Options{}, nil }}
}

func tables(ctx context.Context, job importer.Job) (map[string]*lookup.Table, error) {
	return (&importer.Importer{}).Lookups(ctx, job)
}

func take(t *testing.T, s *upload.Store, text string) *upload.Upload {
	t.Helper()
	u, err := s.Take(t.Context(), upload.Arrival{Who: "Ines", Name: "export.csv"}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func change(t *testing.T, u *upload.Upload, old, by string) string {
	t.Helper()
	before, err := u.Text()
	if err != nil {
		t.Fatal(err)
	}
	err = u.Change(upload.DigestOf(before), func(text string) (string, error) {
		if !strings.Contains(text, old) {
			t.Fatalf("the draft has no %q:\n%s", old, text)
		}
		return strings.Replace(text, old, by, 1), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := u.Text()
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
	u := take(t, newStore(t), matters)
	text, err := u.Text()
	if err != nil {
		t.Fatal(err)
	}
	trial, err := u.Try(t.Context(), text, tables)
	if err != nil || len(trial.Faults) > 0 {
		t.Fatalf("%v %v", err, trial.Faults)
	}
	if trial.Rows != 4 || trial.Made != 4 || trial.Rejected != 2 || trial.Waiting != 2 || len(trial.Records) != 4 {
		t.Errorf("%d rows, %d made, %d rejected, %d waiting, %d shown", trial.Rows, trial.Made, trial.Rejected, trial.Waiting, len(trial.Records))
	}
	var fields []string
	for _, trouble := range trial.Troubles {
		fields = append(fields, trouble.Field+": "+trouble.Message)
	}
	if diff := cmp.Diff([]string{`name: "Matter" is empty; name is required`, "key: the key is empty, so the record cannot be identified", `number: "Ref" is empty; number is required`}, fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	trial, err = u.Try(t.Context(), strings.Replace(text, "name: Matter", "name: Mattter", 1), tables)
	if err != nil || len(trial.Faults) != 1 || !strings.Contains(trial.Faults[0].Hint, "Matter") || len(trial.Records) != 4 {
		t.Errorf("a column that is not there: %v %v, %d records", err, trial.Faults, len(trial.Records))
	}
	trial, err = u.Try(t.Context(), strings.Replace(text, "operation:", "oberation:", 1), tables)
	if err != nil || len(trial.Faults) == 0 || len(trial.Records) > 0 {
		t.Errorf("a mistake in the draft: %v %v", err, trial.Faults)
	}
}

// TestTryGroups puts the rows of a folder together wherever they stand.
func TestTryGroups(t *testing.T) {
	t.Parallel()
	u := take(t, newStore(t), "Folder,Client,Matter,Matter No\nF1,Acme,One,1\nF2,Beta,Two,2\nF1,Acme,Three,3\nF2,Beta,Four,TM-4\n")
	text, err := u.Text()
	if err != nil {
		t.Fatal(err)
	}
	trial, err := u.Try(t.Context(), text, tables)
	if err != nil || len(trial.Faults) > 0 {
		t.Fatalf("%v %v\n%s", err, trial.Faults, text)
	}
	if trial.Rows != 4 || trial.Made != 2 || trial.Rejected != 1 || trial.Waiting != 1 {
		t.Errorf("%+v", trial)
	}
}

// TestFootersLeaveNoMatterOut leaves out the rows that somebody named by their first cells: totals with numbers behind the word, and no client
// whose name begins with it. What stands where it is not so is shown, and a total that is said to be a record is one.
func TestFootersLeaveNoMatterOut(t *testing.T) {
	t.Parallel()
	const file = "Client,Matter,Ref,Opened\nTotal War Ltd,Lease,M-1,2024-01-02\nTotalEnergies,Sale,M-2,2024-01-03\ntotal: 2 (100 %),,,\nTOTAL,,,2\nSumme GmbH,Will,M-3,2024-02-03\n" +
		"Printed by Ines on 3 May,,,\nSumme 3,,,3\n"
	for _, test := range []struct {
		footers []string
		totals  string
		left    []int // the numbers of the rows
	}{
		{nil, "", nil},
		{[]string{"Total"}, "", []int{4, 5}},
		{[]string{"Total", "Summe"}, "", []int{4, 5, 8}},
		{[]string{"Summe", "Printed by *"}, "", []int{7, 8}},
		{[]string{"Total.*"}, "", nil}, // as it stands, but for the *
		{[]string{"Total *"}, "", []int{2}},
		{nil, "keep", nil},
	} {
		read := upload.Reading{Footers: test.footers, Totals: test.totals}
		u, err := newStore(t).Take(t.Context(), upload.Arrival{Name: "export.csv", Read: read}, strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		look, err := u.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var left []int
		for _, row := range look.Left {
			left = append(left, row.Number)
		}
		if diff := cmp.Diff(test.left, left); diff != "" {
			t.Errorf("%q leaves out other rows (-want +got):\n%s", test.footers, diff)
		}
		text, err := u.Text()
		if keeps := !strings.Contains(text, "totals:"); err != nil || keeps != (test.totals == "keep") {
			t.Errorf("%q and %q: the mapping keeps totals: %v, %v\n%s", test.footers, test.totals, keeps, err, text)
		}
	}
}

// TestNames lists the names of all rows, those of a lookup that the draft was given later too, and keeps what is filled in.
func TestNames(t *testing.T) {
	t.Parallel()
	u := take(t, newStore(t), matters)
	text := change(t, u, "lookups:\n", "lookups:\n  people: lookups/people.csv\n")
	text = change(t, u, text[strings.Index(text, "  user_id:"):strings.Index(text, "  client_id:")], "  user_id: {column: Responsible, lookup: people}\n")
	list, err := u.Names(t.Context(), text, tables)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]upload.Line{}
	for _, names := range list {
		got[names.Lookup] = names.Lines
	}
	if diff := cmp.Diff([]upload.Line{{Name: "jd", Count: 2}, {Name: "kl", Count: 2}}, got["people"]); diff != "" {
		t.Errorf("people (-want +got):\n%s", diff)
	}
	const id, other = "6f0c2d7e-1111-4222-8333-444455556666", "6f0c2d7e-1111-4222-8333-444455557777"
	faults, err := u.FillIn(text, "people", map[string]string{"jd": " " + id + " ", "kl": "7", "nobody": id}, nil)
	if err != nil || len(faults) != 1 || faults[0].Name != "kl" {
		t.Errorf("%v %v", faults, err)
	}
	files, err := u.Files(text)
	if err != nil || string(files["lookups/people.csv"]) != "\ufeffname,count,id\r\njd,2,"+id+"\r\nkl,2,\r\n" {
		t.Errorf("%v\n%s", err, files["lookups/people.csv"])
	}
	stale, err := u.FillIn(text, "people", map[string]string{"jd": other, "kl": other}, map[string]string{"jd": "", "kl": ""})
	if err != nil || len(stale) != 1 || stale[0].Name != "jd" || !strings.Contains(stale[0].Message, "somebody else has set this to "+id) {
		t.Errorf("written over what somebody else wrote: %v %+v", err, stale)
	}
	if faults, err = u.FillIn(text, "people", map[string]string{"jd": id, "kl": ""}, map[string]string{"jd": id, "kl": other}); err != nil || len(faults) > 0 {
		t.Errorf("as it was shown: %v %+v", err, faults)
	}
	if list, err = u.Names(t.Context(), text, tables); err != nil || list[0].Lookup != "people" || list[0].Open() != 1 {
		t.Errorf("asked again: %v %+v", err, list)
	}
}

// TestStore keeps what is taken, and nothing of what is not.
func TestStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	u := take(t, s, matters)
	again, err := s.Open(u.ID)
	if err != nil || again.Name != "export.csv" || again.Size != int64(len(matters)) {
		t.Fatalf("%v %+v", err, again)
	}
	kept, err := os.ReadFile(again.Path())
	if err != nil || string(kept) != matters {
		t.Errorf("%v: the file is not what was uploaded", err)
	}
	if err := u.Change("another", func(string) (string, error) { return "", nil }); !errors.Is(err, upload.ErrChanged) {
		t.Errorf("a draft that nobody saw was changed: %v", err)
	}
	var unreadable *format.Error
	if _, err := s.Take(t.Context(), upload.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader("only,a,header\n")); !errors.As(err, &unreadable) || unreadable.File != "a.csv" {
		t.Errorf("a file without rows: %v", err)
	}
	var large *upload.LargeError
	if _, err := s.Take(t.Context(), upload.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader(strings.Repeat("a,b\n", 1<<18)+"a")); !errors.As(err, &large) {
		t.Errorf("a file that is too large: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Take(cancelled, upload.Arrival{Who: "Ines", Name: "a.csv"}, strings.NewReader(matters)); !errors.Is(err, context.Canceled) {
		t.Errorf("an upload that was broken off: %v", err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 {
		t.Errorf("%d are kept, %v", len(list), err)
	}
	if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) != 1 {
		t.Errorf("%v in the folder, %v", entries, err)
	}
	err = u.Became("job")
	if now, unread := u.Digest(); err != nil || unread != nil || u.Discard(now) == nil {
		t.Errorf("the file of a job was taken away: %v", err)
	}
	if _, err := s.Open("../" + u.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path was opened: %v", err)
	}
}

// What is wrong with a lookup is told by the name that its file has in the mapping, not by where it is on the server.
func TestFaultsOfLookupsNameTheFileAlone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	u := take(t, s, "Matter,Ref,Owner\nSmith v Jones,M-1,Ann\n")
	text, err := u.Text()
	if err != nil {
		t.Fatal(err)
	}
	refuses := func(_ context.Context, job importer.Job) (map[string]*lookup.Table, error) {
		return nil, fmt.Errorf("%s has no column with ids\nName it in %[1]s", filepath.Join(job.MappingDir, "lookups", "owners.csv"))
	}
	trial, err := u.Try(t.Context(), text, refuses)
	if err != nil || len(trial.Faults) != 1 {
		t.Fatalf("%+v, %v", trial, err)
	}
	f := trial.Faults[0]
	if own := filepath.Join("lookups", "owners.csv"); f.Message != own+" has no column with ids" || f.Hint != "Name it in "+own {
		t.Errorf("told is %+v", f)
	}
}

// Uploads that nothing has changed or read for long are taken away, and nothing else of the folder.
func TestOldUploadsAreTakenAway(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	now := time.Now()
	aged := func(dir string, days int) {
		t.Helper()
		at := now.AddDate(0, 0, -days)
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error { return errors.Join(err, os.Chtimes(path, at, at)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	const text = "Matter,Ref\nSmith v Jones,M-1\n"
	corrected := func() string {
		t.Helper()
		path, _, err := s.KeepCorrected("rejects.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, read, edited := take(t, s, text), take(t, s, text), take(t, s, text)
	ran, resumed, young := corrected(), corrected(), corrected()
	foreign := filepath.Join(s.Dir, "kept-by-hand", "notes.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(foreign), 0o700), os.WriteFile(foreign, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	aged(s.Dir, 400)
	aged(filepath.Dir(young), 1)
	change(t, edited, "operation:", "# looked at\noperation:")
	used := func(path string) bool { return path == read.Path() || path == resumed }
	removed, err := upload.Expire(s.Dir, now.AddDate(0, 0, -300), used)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(removed)
	want := []string{filepath.Dir(old.Path()), filepath.Dir(ran)}
	slices.Sort(want)
	if diff := cmp.Diff(want, removed); diff != "" {
		t.Error(diff)
	}
	for path, there := range map[string]bool{old.Path(): false, ran: false, read.Path(): true, edited.Path(): true, resumed: true, young: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	if removed, err := upload.Expire(filepath.Join(s.Dir, "none"), now, used); err != nil || len(removed) > 0 {
		t.Errorf("where there is no folder: %v, %v", removed, err)
	}
}

// A table of ids is read as people have it: with or without a header, in either order of columns, and each bad line is named.
func TestTablesOfIDs(t *testing.T) {
	t.Parallel()
	const id, other = "6f0c2d7e-1111-4222-8333-444455556666", "6f0c2d7e-1111-4222-8333-444455556667"
	for name, test := range map[string]struct {
		text   string
		pairs  []upload.Pair
		faults string
	}{
		"tabs":                        {"Acme, Inc.\t" + id + "\nBeta\t" + other, []upload.Pair{{"Acme, Inc.", id}, {"Beta", other}}, ""},
		"one line":                    {"Acme;" + id, []upload.Pair{{"Acme", id}}, ""},
		"commas and quotes":           {"name,id\r\n\"Acme, Inc.\"," + id + "\r\n", []upload.Pair{{"Acme, Inc.", id}}, ""},
		"semicolons, commas in names": {"Acme, Inc.;" + id + "\nB, C;" + other, []upload.Pair{{"Acme, Inc.", id}, {"B, C", other}}, ""},
		"ids first":                   {id + "\tAcme\n" + other + "\tBeta\n", []upload.Pair{{"Acme", id}, {"Beta", other}}, ""},
		"a header in German":          {"Kunde;Kennung\nAcme;" + id, []upload.Pair{{"Acme", id}}, ""},
		"as it was downloaded":        {"name,count,id\n'=Acme,3," + id + "\nBeta,2,\n", []upload.Pair{{"=Acme", id}}, ""},
		"a mistake in the first line": {"Acme;" + id[1:] + "\nBeta;" + other, []upload.Pair{{"Beta", other}}, "1: " + id[1:] + " is not an id"},
		"more cells than two":         {"Acme, Inc.," + id + "\nBeta," + other, []upload.Pair{{"Beta", other}}, "1: there are 3 cells"},
		"a name alone":                {"Beta\t" + other + "\nAcme\n", []upload.Pair{{"Beta", other}}, "2: there is one cell"},
		"an id alone":                 {"Beta\t" + other + "\n\t" + id, []upload.Pair{{"Beta", other}}, "2: there is an id and no name"},
		"two ids for one name":        {"Beta\t" + other + "\n\nbeta\t" + id, []upload.Pair{{"Beta", other}}, "3: beta has another id in line 1"},
		"the same twice":              {"Beta\t" + other + "\nBeta\t" + other, []upload.Pair{{"Beta", other}, {"Beta", other}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, err := upload.PastedIDs(t.Context(), test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.pairs, table.Pairs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var faults []string
			for _, f := range table.Faults {
				faults = append(faults, fmt.Sprintf("%d: %s", f.Line, f.Message))
			}
			if got := strings.Join(faults, "|"); !strings.HasPrefix(got, test.faults) || test.faults == "" && got != "" {
				t.Errorf("the faults are %q, want %q", got, test.faults)
			}
		})
	}
	for _, text := range []string{"Land;Kunde;Nummer\nDE;Acme;1\n", "a\tb\tc\nx\ty\t" + id} {
		var unusable *format.Error
		if table, err := upload.PastedIDs(t.Context(), text); !errors.As(err, &unusable) && len(table.Pairs) > 0 {
			t.Errorf("%q was taken as %+v", text, table)
		}
	}
}
