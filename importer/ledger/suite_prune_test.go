package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/prune"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/varint"
)

var pruneCases = cases{
	"a pruned run keeps its counts, what was sent and what is known":       aPrunedRunKeepsItsCounts,
	"a run that is not over is not pruned":                                 aRunThatIsNotOverIsNotPruned,
	"what is in doubt is not pruned, nor what waits for it":                whatIsInDoubtIsNotPrunedNorWhatWaitsForIt,
	"a decision about a record stays with it":                              aDecisionAboutARecordStaysWithIt,
	"what was sent without a certain end is unsettled after pruning too":   whatWasSentWithoutACertainEndIsUnsettledAfterPruningToo,
	"what a pruned run holds is gone, but for the payloads that are known": whatAPrunedRunHoldsIsGone,
	"what an adopted record would have been outlives its run and its key":  whatAnAdoptedRecordWouldHaveBeenStays,
	"a prune that was cut off is finished by the next":                     aPruneThatWasCutOffIsFinishedByTheNext,
}

// night writes a finished run with five keys: one new, one changed, one refused, one rejected, and many unchanged.
func night(t testing.TB, l *Ledger, id string, unchanged int) {
	t.Helper()
	begin(t, l, id)
	list := []Record{planned(id, 1, "new"), planned(id, 2, "changed"), planned(id, 3, "refused")}
	list[1].Previous, list[1].Body, list[1].Action = json.RawMessage(`{"old":1}`), json.RawMessage(`{"b":1}`), Update
	list[1].Notes = []Reason{{Code: "n", Message: "noted"}}
	list = append(list, Record{Run: id, Seq: 4, Scope: "create_case", State: Rejected, Action: None, Rows: list[0].Rows, Reasons: []Reason{{Code: "c", Message: "m"}}})
	for n := range unchanged {
		list = append(list, Record{Run: id, Seq: int64(5 + n), Scope: "create_case", Key: fmt.Sprint("same ", n), State: Unchanged, Action: None, Rows: []Row{{Number: 9}}})
	}
	add(t, l, list...)
	send(t, l, id, 1, 2, 3)
	for seq, state := range map[int64]State{1: Accepted, 2: Accepted, 3: Refused} {
		settle(t, l, Outcome{Run: id, Seq: seq, State: state, ServiceID: fmt.Sprint("id ", seq), Message: "said",
			Attempts: []Attempt{{Started: noon, Status: 200, Verdict: "v", Answer: "the beginning of a long answer"}}})
	}
	finish(t, l, id, Finished)
}

func finish(t testing.TB, l *Ledger, id string, phase Phase) {
	t.Helper()
	run, err := l.Run(t.Context(), id)
	must(t, err)
	run.Phase, run.Ended = phase, noon.Add(time.Minute)
	must(t, l.SaveRun(t.Context(), run))
}

func prune1(t testing.TB, l *Ledger, id string) int {
	t.Helper()
	removed, err := l.Prune(t.Context(), id)
	must(t, err)
	return removed
}

func tally(t testing.TB, l *Ledger, id string) []Count {
	t.Helper()
	counts, err := l.Tally(t.Context(), id)
	must(t, err)
	return counts
}

func aPrunedRunKeepsItsCounts(t *testing.T, l *Ledger) {
	const many = 2*prune.Chunk + 7
	night(t, l, "1", many)
	before, knew := tally(t, l, "1"), known(t, l, "changed")
	if removed := prune1(t, l, "1"); removed != many+1 {
		t.Errorf("%d records were removed, want %d", removed, many+1)
	}
	same(t, tally(t, l, "1"), before)
	same(t, known(t, l, "changed"), knew)
	want := Record{Run: "1", Seq: 2, Scope: "create_case", Key: "changed", Action: Update, State: Accepted, Digest: "d-changed-1", Rows: []Row{},
		ServiceID: "id 2", Message: "said", Attempts: 1, Settled: noon}
	same(t, record(t, l, "1", 2), want)
	history, err := l.History(t.Context(), "create_case", "changed", 0)
	must(t, err)
	same(t, history, []Record{want})
	if _, err := l.Record(t.Context(), "1", 4); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("the rejected record: %v", err)
	}
	attempts, err := l.Attempts(t.Context(), "1", 2)
	must(t, err)
	same(t, attempts, []Attempt(nil))
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	same(t, run.Pruned, noon)
	if removed := prune1(t, l, "1"); removed != 0 {
		t.Errorf("a second time %d records were removed", removed)
	}
	unpruned, err := l.Runs(t.Context(), RunFilter{Unpruned: true})
	must(t, err)
	same(t, unpruned, []Run(nil))
}

func aRunThatIsNotOverIsNotPruned(t *testing.T, l *Ledger) {
	for _, phase := range []Phase{Reading, Ready, Pushing} {
		id := "in " + string(phase)
		beginAs(t, l, id, Push, phase)
		add(t, l, planned(id, 1, "k"))
		if _, err := l.Prune(t.Context(), id); !errors.Is(err, prune.ErrOpen) {
			t.Errorf("%s: %v", phase, err)
		}
		state(t, l, id, 1, Planned)
	}
}

func whatIsInDoubtIsNotPrunedNorWhatWaitsForIt(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "k"), planned("1", 2, "other"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt})
	_, err := l.Hold(t.Context(), "1")
	must(t, err)
	finish(t, l, "1", Stopped)
	if _, err := l.Prune(t.Context(), "1"); !errors.Is(err, prune.ErrOpen) {
		t.Errorf("the run that sent it: %v", err)
	}
	// A later night that found the key in doubt is pruned except for that.
	begin(t, l, "2")
	echo := planned("2", 1, "k")
	echo.State = InDoubt
	add(t, l, echo, Record{Run: "2", Seq: 2, Scope: "create_case", Key: "same", State: Unchanged, Rows: []Row{{Number: 3}}})
	finish(t, l, "2", Finished)
	same(t, prune1(t, l, "2"), 1)
	same(t, record(t, l, "2", 1), echo)
	must(t, l.Resolve(t.Context(), "2", 1, decisions.Exists, "id", "Ada", "seen"))
	state(t, l, "1", 1, Accepted)
	state(t, l, "2", 1, Failed)
	same(t, tally(t, l, "2"), []Count{{Action: "", State: Unchanged, N: 1}, {Action: Create, State: Failed, N: 1}})
	same(t, prune1(t, l, "1"), 1) // the doubt is settled, so the other record goes
	state(t, l, "1", 1, Accepted)
}

func aDecisionAboutARecordStaysWithIt(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "k"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt})
	must(t, l.Resolve(t.Context(), "1", 1, decisions.Absent, "", "Ada", "looked"))
	finish(t, l, "1", Finished)
	whole := record(t, l, "1", 1)
	same(t, prune1(t, l, "1"), 0)
	same(t, record(t, l, "1", 1), whole)
	decisions, err := l.Decisions(t.Context(), "1", 1)
	must(t, err)
	same(t, len(decisions), 1)
}

func whatWasSentWithoutACertainEndIsUnsettledAfterPruningToo(t *testing.T, l *Ledger) {
	night(t, l, "1", 0)
	begin(t, l, "2")
	add(t, l, planned("2", 1, "changed"), planned("2", 2, "new"))
	send(t, l, "2", 1, 2)
	settle(t, l, Outcome{Run: "2", Seq: 1, State: Failed})
	settle(t, l, Outcome{Run: "2", Seq: 2, State: Held})
	finish(t, l, "2", Finished)
	same(t, prune1(t, l, "1"), 1)
	same(t, prune1(t, l, "2"), 0)
	for _, key := range []string{"changed", "new"} {
		if k := known(t, l, key); !k.Unsettled || k.Run != "1" || len(k.Payload) == 0 {
			t.Errorf("%s: %+v", key, k)
		}
	}
}

func aPruneThatWasCutOffIsFinishedByTheNext(t *testing.T, l *Ledger) {
	night(t, l, "1", 3*prune.Chunk)
	before := tally(t, l, "1")
	ctx, cancel := context.WithCancel(t.Context())
	p := prune.Step{Run: 1, At: noon}
	must(t, l.w.Do(ctx, true, p.Step)) // the first part, and then the process is gone
	cancel()
	same(t, tally(t, l, "1"), before)
	if _, err := l.Prune(ctx, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	unpruned, err := l.Runs(t.Context(), RunFilter{Unpruned: true, Before: noon.Add(time.Hour)})
	must(t, err)
	if len(unpruned) != 1 || unpruned[0].Pruned.IsZero() {
		t.Errorf("half pruned: %+v", unpruned)
	}
	same(t, p.Removed+prune1(t, l, "1"), 3*prune.Chunk+1)
	same(t, tally(t, l, "1"), before)
}

// held returns the seqs for which a run's bundles hold anything, and whether that is more than a payload.
func held(t *testing.T, l *Ledger, run int64) map[int64]bool {
	t.Helper()
	found := map[int64]bool{}
	least, most := bundle.NumbersOf(run)
	list, err := store.List(t.Context(), l.h.Read, store.Column[[]byte], `select content from bundles where number >= $1 and number <= $2`, least, most)
	must(t, err)
	for _, stored := range list {
		text, err := s2.Decode(nil, stored)
		must(t, err)
		must(t, bundle.Each(text, func(seq int64, content []byte) error {
			read := varint.Reader{Rest: content}
			read.Part()
			more := false
			for len(read.Rest) > 0 {
				more = len(read.Part()) > 0 || more
			}
			found[seq] = more
			return nil
		}))
	}
	return found
}

func whatAPrunedRunHoldsIsGone(t *testing.T, l *Ledger) {
	const many = 3 * bundle.Size
	var keys []string
	for _, id := range []string{"1", "2"} {
		begin(t, l, id)
		var list []Record
		for n := range int64(many) {
			list = append(list, planned(id, n+1, fmt.Sprint("k", n)))
		}
		add(t, l, list...)
		for n := range int64(many) {
			if id == "2" && n%2 == 0 {
				continue // held, so that the first run's payload stays known
			}
			send(t, l, id, n+1)
			settle(t, l, Outcome{Run: id, Seq: n + 1, State: Accepted})
		}
		_, err := l.Hold(t.Context(), id)
		must(t, err)
		finish(t, l, id, Stopped)
		if id == "1" {
			prune1(t, l, id)
			same(t, len(held(t, l, 1)), many)
		}
	}
	for n := range many {
		keys = append(keys, fmt.Sprint("k", n))
	}
	before, err := l.Known(t.Context(), "create_case", keys)
	must(t, err)
	prune1(t, l, "2")
	after, err := l.Known(t.Context(), "create_case", keys)
	must(t, err)
	same(t, after, before)
	for run := range int64(2) {
		left := held(t, l, run+1)
		same(t, len(left), many/2) // of the first run too, whose other payloads were known when it was pruned
		for seq, more := range left {
			if more || len(after[fmt.Sprint("k", seq-1)].Payload) == 0 || after[fmt.Sprint("k", seq-1)].Run != fmt.Sprint(run+1) {
				t.Errorf("run %d, record %d: %v, %+v", run+1, seq, more, after[fmt.Sprint("k", seq-1)])
			}
		}
	}
}

func whatAnAdoptedRecordWouldHaveBeenStays(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	list := []Record{planned("1", 1, "adopted"), planned("1", 2, "other")}
	add(t, l, list...)
	must(t, l.Adopt(t.Context(), "1", []Identity{{Scope: "create_case", Key: "adopted", ServiceID: "id"}}))
	finish(t, l, "1", Stopped)
	prune1(t, l, "1")
	must(t, l.AskRenames(t.Context(), []Rename{{Scope: "create_case", Key: "new", Former: "adopted"}}))
	must(t, l.DecideRename(t.Context(), Rename{Scope: "create_case", Key: "new", Former: "adopted"}, SameRecord, "Bob"))
	k := known(t, l, "new")
	same(t, []string{string(k.Adopted), string(k.Payload), k.Digest}, []string{string(list[0].Payload), "", ""})
}
