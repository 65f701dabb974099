package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/ledger"
	"docketsync/importer/revert"
)

// TestRevertedRunLeavesWhatWasBefore imports a first edition, then a second, takes the second's updates back, and finds the
// service as it was after the first: field by field, but for the entries that the second one created. It is taken back under
// the records' own keys: running the second edition again sends it again.
func TestRevertedRunLeavesWhatWasBefore(t *testing.T) {
	t.Parallel()
	f, box := calmService(t, 12, sandbox.Faults{})
	books := func() map[string][]holding {
		t.Helper()
		b, err := box.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return holdings(t, b)
	}
	f.export(t, 0)
	f.run(t, nil)
	before := books()
	f.export(t, 1)
	f.run(t, nil, "updates", "marks")
	if cmp.Equal(before, books(), cmp.AllowUnexported(holding{})) {
		t.Fatal("the second edition changed nothing")
	}
	cases := f.revert(t, f.newest(t, "updates"), exit.AllIn)
	marks := f.revert(t, f.newest(t, "marks"), exit.AllIn)
	if cases.SendBack != 12 || marks.SendBack != 6 || marks.Remaining != 6 || cases.Remaining != 0 {
		t.Errorf("the cases: %+v, the marks: %+v", cases, marks)
	}
	if code := f.run(t, nil, cases.Job, marks.Job); code != exit.Rejects { // of the goods that stay
		t.Fatalf("taking it back ended with %d", code)
	}
	after := books()
	for name, held := range after {
		if strings.HasPrefix(name, "update_trademark T") {
			// What the second edition created stays, as left.csv says.
			held[0].text = strings.Replace(held[0].text, `,{"id":"","language_id":"`+stormID(stormLanguage)+`","search_class_id":"`+stormID(stormClasses+36)+`","text":"goods of 36"}`, "", 1)
		}
	}
	if diff := cmp.Diff(before, after, cmp.AllowUnexported(holding{})); diff != "" {
		t.Errorf("before and after (-before +after):\n%s", diff)
	}
	left, err := os.ReadFile(filepath.Join(marks.Dir, revert.LeftFile))
	if n := strings.Count(string(left), "this run created the entry"); err != nil || n != 6 {
		t.Errorf("%d entries are said to stay: %v\n%s", n, err, left)
	}
	if code := f.run(t, nil, "updates"); code != exit.Stopped { // it would take back what was reverted
		t.Fatalf("the second edition, sent again, ended with %d", code)
	}
	in, err := quietApp(os.LookupEnv, filepath.Join(f.dir, installation.DefaultConfig)).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = runner.Accepted(t.Context(), in, []string{"updates"})
	if err = errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	f.open(t, func(book *ledger.Ledger) error {
		counts, err := book.Tally(t.Context(), f.newestIn(t, book, "updates"))
		if diff := cmp.Diff([]ledger.Count{{Action: ledger.Update, State: ledger.Accepted, N: 12}}, counts); diff != "" {
			t.Errorf("the second edition, sent again (-want +got):\n%s", diff)
		}
		return err
	})
}

// TestRevertNamesWhatItCannotTakeBack is about first updates, creates, and records that another run has changed since.
func TestRevertNamesWhatItCannotTakeBack(t *testing.T) {
	t.Parallel()
	f, box := calmService(t, 8, sandbox.Faults{})
	f.export(t, 0)
	f.run(t, nil)
	if r := f.revert(t, f.newest(t, "cases"), exit.AllIn); r.Created != 8 || r.SendBack != 0 || len(f.files(t, r)) != 2 {
		t.Errorf("the creates: %+v %v", r, f.files(t, r))
	}
	first := f.revert(t, f.newest(t, "updates"), exit.Rejects)
	if left, err := os.ReadFile(filepath.Join(first.Dir, revert.LeftFile)); err != nil || first.Left != 8 || strings.Count(string(left), "not_known") != 8 {
		t.Errorf("the first updates: %+v %v\n%s", first, err, left)
	}
	f.export(t, 1)
	f.run(t, nil, "updates")
	second := f.newest(t, "updates")
	f.put(t, map[string]string{"updates.csv": "Ref,Title\nM-0003,changed by hand\n"})
	f.run(t, nil, "updates")
	r := f.revert(t, second, exit.Rejects)
	if diff := cmp.Diff([]string{"M-0003"}, r.Changed); diff != "" || r.SendBack != 7 || r.Left != 1 {
		t.Errorf("%+v\n%s", r, diff)
	}
	f.run(t, nil, r.Job)
	books, err := box.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) func(sandbox.Case) bool {
		return func(c sandbox.Case) bool { return c.Name == name }
	}
	if !slices.ContainsFunc(books.Cases, named("changed by hand")) || !slices.ContainsFunc(books.Cases, named("Case 2 of edition 0")) {
		t.Errorf("the service holds %+v", books.Cases)
	}
	forced := f.revert(t, second, exit.AllIn, "--force", "--dir", filepath.Join(f.dir, "forced"))
	if forced.SendBack != 1 || forced.Left != 0 { // the others are back already
		t.Errorf("by force: %+v", forced)
	}
}

// revert writes what takes a run back, and adds its job to the configuration.
func (f stormFirm) revert(t *testing.T, run string, want int, flags ...string) (r revert.Result) {
	t.Helper()
	config := filepath.Join(f.dir, installation.DefaultConfig)
	tell := func(args ...string) []byte {
		var out, trouble bytes.Buffer
		if code := Main(append([]string{"revert-file", run, "--config", config}, args...), &out, &trouble); code != want {
			t.Fatalf("revert-file ended with %d:\n%s%s", code, out.String(), trouble.String())
		}
		return out.Bytes()
	}
	if err := json.Unmarshal(tell(append(flags, "--json")...), &r); err != nil {
		t.Fatal(err)
	}
	if len(flags) > 0 {
		return r
	}
	words := string(tell("--dir", r.Dir+"-in-words"))
	_, job, found := strings.Cut(words, "before you run it:\n\n")
	if found != (r.SendBack > 0) {
		t.Fatalf("revert-file says:\n%s", words)
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if found {
		f.put(t, map[string]string{installation.DefaultConfig: string(text) + job})
	}
	return r
}

func (f stormFirm) files(t *testing.T, r revert.Result) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// newest is the newest run of a job.
func (f stormFirm) newest(t *testing.T, job string) (id string) {
	t.Helper()
	f.open(t, func(book *ledger.Ledger) error {
		id = f.newestIn(t, book, job)
		return nil
	})
	return id
}

func (f stormFirm) newestIn(t *testing.T, book *ledger.Ledger, job string) string {
	t.Helper()
	runs, err := book.Runs(t.Context(), ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if err != nil || len(runs) == 0 {
		t.Fatalf("there is no run of %s: %v", job, err)
	}
	return runs[0].ID
}

// TestRevertLeavesOutWhatDoesNotComeBack is about payloads that one sheet cannot hold together: an empty cell would have to
// mean that the field is left out in one row, and empty in another.
func TestRevertLeavesOutWhatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	f, _ := calmService(t, 8, sandbox.Faults{})
	f.export(t, 0)
	f.run(t, nil, "cases", "updates") // leaves the number out
	mapping, err := os.ReadFile(filepath.Join(f.dir, "updates.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sent := func(number, rows string) {
		t.Helper()
		f.put(t, map[string]string{"updates.yaml": string(mapping) + number, "updates.csv": "Ref,Title,No\n" + rows})
		if code := f.run(t, nil, "updates"); code != exit.AllIn {
			t.Fatalf("the updates ended with %d", code)
		}
	}
	sent("  number: {column: No, empty: keep}\n", "M-0000,emptied,\n")
	sent("  number: No\n", "M-0000,x,7\nM-0001,x,7\nM-0002,x,7\n")
	r := f.revert(t, f.newest(t, "updates"), exit.Rejects)
	left, err := os.ReadFile(filepath.Join(r.Dir, revert.LeftFile))
	if err != nil || r.SendBack != 2 || r.Left != 1 || !strings.Contains(string(left), "M-0000,") || !strings.Contains(string(left), "come back the same") {
		t.Errorf("%+v %v\n%s", r, err, left)
	}
	if code := f.run(t, nil, r.Job); code != exit.AllIn {
		t.Errorf("taking it back ended with %d", code)
	}
}

// TestRevertCountsOne names one update as one, and the run by its name.
func TestRevertCountsOne(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printRevert(&out, revert.Result{SendBack: 1, Created: 1}, "cases-12", "")
	if want := "1 update of run cases-12 can be reverted, 0 cannot; 1 record was created.\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %s", &out)
	}
}
