package importer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// oldMarksMapping has everything that the ledger must remember: repeatable updates, and goods and services entries,
// which are not repeatable.
const oldMarksMapping = `
operation: update_trademark
key: Ref
fields:
  id:                 Id
  registry_id:        {value: ` + registry + `}
  mark_text:          Mark
  application_number: {value: "018123456"}
  do_not_create_file: {value: true}
  good_and_services:
    item: {search_class_id: Class, language_id: Language, text: Goods}
`

// nights is a firm whose exports change every night, and whose service misbehaves on some of them.
type nights struct {
	*world
	random *rand.Rand
	clock  time.Time
	cases  int
}

var firstNight = time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)

// exports returns the jobs of the next night: some more cases, and marks with one of few texts and goods each.
func (n *nights) exports() []importer.Job {
	n.cases += n.random.IntN(3)
	var marks strings.Builder
	marks.WriteString("Ref,Id,Mark,Language,Class,Goods\n")
	for number, id := range []string{mark1, mark2, mark3} {
		if n.random.IntN(5) == 0 {
			continue
		}
		fmt.Fprintf(&marks, "T-%d,%s,TEXT %d,%s,%s,goods %d\n", number, id, n.random.IntN(2), language, class9, n.random.IntN(2))
	}
	closed := strings.Replace(cases(0, 2+n.cases), "Case 1,Open", fmt.Sprintf("Case 1,%s", []string{"Open", "Closed", "Dead", "?"}[n.random.IntN(4)]), 1)
	return []importer.Job{n.job("cases", casesMapping, closed), n.job("marks", oldMarksMapping, marks.String())}
}

// through returns an importer that works in a ledger at the time of the night, with a client that gives up soon.
func (n *nights) through(book *ledger.Ledger) *importer.Importer {
	i := n.with(func(o *apiclient.Options) { o.Retry.Total = 5 * time.Millisecond })
	i.Ledger, i.Now = book, func() time.Time { return n.clock }
	return i
}

// pass runs the jobs of a night with faults of its own, and settles some of the doubts.
func (n *nights) pass() {
	n.t.Helper()
	if n.random.IntN(2) == 0 {
		n.box.SetFaults(sandbox.Faults{Seed: n.random.Uint64(), DropAfter: 0.15, FailAfter: 0.15, BusyBefore: 0.15, BusyAfter: 0.1, Refuse: 0.1})
	}
	i := n.through(n.book)
	for _, job := range n.exports() {
		if n.random.IntN(6) == 0 {
			_, err := i.Plan(n.t.Context(), job)
			n.must(err)
		}
		_, err := i.Run(n.t.Context(), job)
		n.must(err)
	}
	n.box.SetFaults(sandbox.Faults{})
	n.decide(func() bool { return n.random.IntN(3) == 0 })
	n.clock = n.clock.AddDate(0, 0, 1)
}

// decide says for each doubt whether the record is in the service, or that nobody knows.
func (n *nights) decide(certain func() bool) {
	n.t.Helper()
	books, err := n.box.Snapshot()
	n.must(err)
	there := map[string]bool{}
	for _, c := range books.Cases {
		there[c.Number] = true
	}
	for _, d := range n.doubts(n.book) {
		word := ledger.Absent
		switch {
		case !certain():
			word = ledger.Leave
		case there[d.Key] || d.Scope != "create_case":
			word = ledger.Exists
		}
		n.must(n.book.Resolve(n.t.Context(), d.Run, d.Seq, word, "", "Ada", ""))
	}
}

// copied returns a copy of the ledger.
func (n *nights) copied(name string) *ledger.Ledger {
	n.t.Helper()
	path := filepath.Join(n.dir, name)
	_, err := n.book.Backup(n.t.Context(), path)
	n.must(err)
	book, err := ledger.Open(n.t.Context(), path)
	n.must(err)
	n.t.Cleanup(func() { _ = book.Close() })
	return book
}

// TestPruningChangesNothingThatIsSent lets nights pass, prunes a copy of the ledger at some age, and plans the next
// night with both: the same must be planned, known, in doubt and asked of people. The following nights run with the
// pruned copy only, and a last one without faults must leave the service as the export says.
func TestPruningChangesNothingThatIsSent(t *testing.T) {
	t.Parallel()
	var all importer.Pruned
	// Which requests the faults hit depends on the order in which they arrive, so these firms may end up without a
	// doubt.
	everything := func() bool { return all.Runs > 0 && all.Records > 0 && all.Plans > 0 && all.InDoubt > 0 }
	for seed := uint64(0); seed < uint64(longer(3, 8)) || seed < 64 && !everything(); seed++ {
		n := &nights{world: newWorld(t, sandbox.Faults{}), random: rand.New(rand.NewPCG(seed, 6)), clock: firstNight}
		for range 3 + n.random.IntN(5) {
			n.pass()
		}
		done := n.pruneAndCompare(seed)
		all.Runs, all.Records, all.Plans, all.InDoubt = all.Runs+done.Runs, all.Records+done.Records, all.Plans+done.Plans, all.InDoubt+done.InDoubt
		for range 2 {
			n.pass()
		}
		n.settledLast()
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
	if !everything() {
		t.Errorf("the nights did not have everything: %+v", all)
	}
	t.Logf("%+v", all)
}

// pruneAndCompare prunes a copy, and continues with it if it plans the next night as the whole ledger does.
func (n *nights) pruneAndCompare(seed uint64) importer.Pruned {
	n.t.Helper()
	pruned := n.copied("pruned.db")
	before := firstNight.AddDate(0, 0, n.random.IntN(10)).Add(time.Hour)
	done, err := importer.Prune(n.t.Context(), pruned, before)
	n.must(err)
	for _, job := range n.exports() {
		whole, rest := n.planned(n.copied("whole.db"), job), n.planned(pruned, job)
		if diff := cmp.Diff(whole, rest, cmpopts.IgnoreFields(ledger.Record{}, "Run")); diff != "" {
			n.t.Errorf("seed %d, pruned before %v: the plan of %s differs\n%s", seed, before, job.Name, diff)
		}
		keys := []string{"T-0", "T-1", "T-2"}
		for c := range n.cases + 2 {
			keys = append(keys, fmt.Sprintf("M-%05d", c))
		}
		if diff := cmp.Diff(n.known(n.book, job, keys), n.known(pruned, job, keys)); diff != "" {
			n.t.Errorf("seed %d: what is known of %s differs\n%s", seed, job.Name, diff)
		}
	}
	if diff := cmp.Diff(n.doubts(n.book), n.doubts(pruned)); diff != "" {
		n.t.Errorf("seed %d: what is in doubt differs\n%s", seed, diff)
	}
	n.sameTallies(pruned, before)
	n.must(n.book.Close())
	n.book = pruned
	return done
}

func (n *nights) planned(book *ledger.Ledger, job importer.Job) []ledger.Record {
	n.t.Helper()
	run, err := n.through(book).Plan(n.t.Context(), job)
	n.must(err)
	var list []ledger.Record
	for record, err := range book.Records(n.t.Context(), run.ID, ledger.RecordFilter{}) {
		n.must(err)
		list = append(list, record)
	}
	return list
}

func (n *nights) known(book *ledger.Ledger, job importer.Job, keys []string) map[string]ledger.LastAccepted {
	n.t.Helper()
	known, err := book.Known(n.t.Context(), job.Mapping.Scope(), keys)
	n.must(err)
	return known
}

func (n *nights) doubts(book *ledger.Ledger) []ledger.Record {
	n.t.Helper()
	doubts, err := book.Doubts(n.t.Context(), "")
	n.must(err)
	return doubts
}

// sameTallies checks that every run still counts its records, and that the runs to keep are complete.
func (n *nights) sameTallies(pruned *ledger.Ledger, before time.Time) {
	n.t.Helper()
	runs, err := pruned.Runs(n.t.Context(), ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}})
	n.must(err)
	compared := map[string]bool{} // jobs whose newest finished export was seen; the next export is compared with that one
	for _, run := range runs {
		whole, err := n.book.Tally(n.t.Context(), run.ID)
		n.must(err)
		rest, err := pruned.Tally(n.t.Context(), run.ID)
		n.must(err)
		if diff := cmp.Diff(whole, rest); diff != "" {
			n.t.Errorf("run %s counts otherwise\n%s", run.ID, diff)
		}
		if run.Phase != ledger.Finished {
			continue // a stopped run may be resumed, which another test covers
		}
		last := !compared[run.Job] && run.Export.Rows > 0
		compared[run.Job] = compared[run.Job] || last
		inDoubt := slices.ContainsFunc(n.doubts(n.book), func(r ledger.Record) bool { return r.Run == run.ID })
		if is, should := !run.Pruned.IsZero(), run.Ended.Before(before) && !last && !inDoubt; is != should {
			n.t.Errorf("run %s of %v: pruned is %t (newest %t, in doubt %t, before %v)", run.ID, run.Ended, is, last, inDoubt, before)
		}
	}
}

// settledLast settles all doubts by looking into the service, and runs a last night without faults. After it nothing is
// left to send, and nothing exists twice.
func (n *nights) settledLast() {
	n.t.Helper()
	n.decide(func() bool { return true })
	jobs := n.exports()
	for night := range 2 {
		for _, job := range jobs {
			run, err := n.through(n.book).Run(n.t.Context(), job)
			n.must(err)
			for _, r := range n.records(run) {
				if night == 1 && r.State != ledger.Unchanged && r.State != ledger.Rejected && r.State != ledger.Refused {
					n.t.Errorf("%s %s is %s on a night on which nothing changed: %s", job.Name, r.Key, r.State, r.Message)
				}
			}
		}
	}
	for _, r := range n.state().Repeated {
		if r.Kind == "case" {
			n.t.Errorf("%s %s exists %d times in the service", r.Kind, r.Key, r.Count)
		}
	}
}

func TestRunThatMayBeGoneOnWithIsNotPruned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("cases", casesMapping, cases(0, 5))
	w.run(job)
	w.box.SetFaults(sandbox.Faults{BusyBefore: 1})
	second := w.job("cases", casesMapping, cases(0, 20))
	i := w.with(func(o *apiclient.Options) {
		o.Pace.Trip, o.Pace.GiveUp, o.Retry.Total = 2, time.Millisecond, time.Millisecond
	})
	run, err := i.Run(t.Context(), second)
	w.must(err)
	if run.Phase != ledger.Stopped {
		t.Fatalf("the run is %s, want it stopped", run.Phase)
	}
	w.box.SetFaults(sandbox.Faults{})
	w.run(w.job("other", strings.Replace(casesMapping, "key: Ref", "key: Ref\nscope: other", 1), cases(100, 1)))
	later := time.Now().AddDate(1, 0, 0)
	done, err := importer.Prune(t.Context(), w.book, later)
	w.must(err)
	if done.Runs != 0 {
		t.Errorf("%+v", done)
	}
	resumed := w.run(w.job("cases", casesMapping, cases(0, 20)))
	if resumed.ID != run.ID {
		t.Error("the run was not resumed")
	}
	w.onceEach()
	if done, err = importer.Prune(t.Context(), w.book, later); err != nil || done.Runs != 1 {
		t.Errorf("%+v, %v: want the first run pruned, the newest of each job kept", done, err)
	}
	release, err := w.book.Lock(t.Context(), "prune")
	w.must(err)
	if _, err := importer.Prune(t.Context(), w.book, later); err == nil {
		t.Error("two prunes go on at once")
	}
	w.must(release())
}

// Automatic retention uses a clock only once runs have confirmed it for a week.
func TestAClockThatLeaptAheadPrunesNothing(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return firstNight.AddDate(0, 0, n) }
	for _, test := range []struct {
		name  string
		runs  []int // the days on which runs ended
		today int
		keep  int
		leapt bool
	}{
		{"the first night", []int{0}, 0, 400, false},
		{"nothing is old", []int{0, 1, 2}, 3, 400, false},
		{"a night of many", []int{0, 1, 408, 409, 415}, 416, 400, false},
		{"a clock that shows another century", []int{0, 1, 2, 3, 27_000}, 27_000, 400, true},
		{"and does so still the next night", []int{0, 1, 2, 3, 27_000, 27_001}, 27_001, 400, true},
		{"a machine that was off for two years", []int{0, 1, 700, 703}, 705, 400, true},
		{"and has run for a week since", []int{0, 1, 700, 703, 707}, 708, 400, false},
		{"runs that are kept for two days", []int{0, 1, 2, 3}, 4, 2, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = book.Close() })
			for n, ended := range test.runs {
				run := ledger.Run{ID: fmt.Sprint("run-", n), Job: "cases", Kind: ledger.Push, Operation: "create_case", Scope: "create_case",
					Phase: ledger.Finished, Started: day(ended).Add(-time.Hour), Ended: day(ended)}
				if err := book.Begin(t.Context(), run); err != nil {
					t.Fatal(err)
				}
				if err := book.SaveRun(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			err = importer.ProveClock(t.Context(), book, day(test.today-test.keep), day(test.today).Add(time.Minute))
			if errors.Is(err, importer.ErrLeap) != test.leapt || err != nil && !test.leapt {
				t.Errorf("it is said: %v", err)
			}
		})
	}
}
