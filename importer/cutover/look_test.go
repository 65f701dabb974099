package cutover

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// past is a ledger in which runs are made by hand, each an hour after the one before.
type past struct {
	t    *testing.T
	book *ledger.Ledger
	runs int
}

func (p *past) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// begin begins a run of the job marks whose records have these states, by their keys.
func (p *past) begin(kind ledger.Kind, scope string, records ...ledger.Record) ledger.Run {
	p.t.Helper()
	p.runs++
	run := ledger.Run{ID: fmt.Sprintf("01935b2c-0000-7000-8000-%012d", p.runs), Job: "marks", Kind: kind, Operation: "update_trademark", Scope: scope, Phase: ledger.Reading,
		Fingerprint: "f", Started: friday.Add(time.Duration(p.runs) * time.Hour)}
	p.must(p.book.Begin(p.t.Context(), run))
	for n := range records {
		r := &records[n]
		r.Run, r.Seq, r.Scope, r.Digest = run.ID, int64(n+1), scope, "of "+r.Key
		r.Payload = json.RawMessage(`{"id":"` + r.Key + `"}`)
		if r.State == ledger.Rejected {
			r.Payload, r.Digest = nil, ""
			r.Rows = []ledger.Row{{Number: n + 2, Cells: json.RawMessage(`["` + r.Key + `"]`)}}
			r.Reasons = []ledger.Reason{{Code: "required", Message: "it is empty"}}
		}
	}
	_, err := p.book.Add(p.t.Context(), records)
	p.must(err)
	run.Phase = ledger.Pushing
	p.must(p.book.SaveRun(p.t.Context(), run))
	return run
}

func (p *past) settle(run ledger.Run, seq int64, state ledger.State) {
	p.t.Helper()
	p.must(p.book.Commit(p.t.Context(), nil, []ledger.Intent{{Run: run.ID, Seq: seq}}))
	p.must(p.book.Commit(p.t.Context(), []ledger.Outcome{{Run: run.ID, Seq: seq, State: state, At: friday}}, nil))
}

// end ends a run; whole says that it was of the whole export.
func (p *past) end(run *ledger.Run, phase ledger.Phase, whole bool) {
	p.t.Helper()
	if run.Phase, run.Ended = phase, friday; whole {
		run.Export = &ledger.Export{Vanished: 2}
	}
	p.must(p.book.SaveRun(p.t.Context(), *run))
}

// hold holds a planned update because somebody else has changed the record, and settles that unless side is "".
func (p *past) hold(run ledger.Run, seq int64, side ledger.Side) {
	p.t.Helper()
	list, err := p.book.RecordsAt(p.t.Context(), run.ID, []int64{seq})
	p.must(err)
	r := list[0]
	c := ledger.Conflict{Scope: r.Scope, Key: r.Key, Run: run.ID, Seq: seq, Why: "changed", Ours: r.Payload, Digest: r.Digest, Theirs: json.RawMessage("{}")}
	p.must(p.book.HoldConflicts(p.t.Context(), run.ID, []ledger.HeldUpdate{{Conflict: c, Record: r}}))
	if side == "" {
		return
	}
	found, err := p.book.Conflicts(p.t.Context(), r.Scope, []string{r.Key})
	p.must(err)
	p.must(p.book.SettleConflict(p.t.Context(), found[r.Key], ledger.Settled{Side: side, Who: "Ines"}))
}

func planned(key string, action ledger.Action) ledger.Record {
	return ledger.Record{Key: key, Action: action, State: ledger.Planned}
}

func in(key string, state ledger.State, notes ...string) ledger.Record {
	r := ledger.Record{Key: key, Action: ledger.None, State: state}
	for _, code := range notes {
		r.Notes = append(r.Notes, ledger.Reason{Code: code, Message: code})
	}
	return r
}

// TestLook reads from a ledger what runs did and what the next one would find: of parts, interrupted and empty runs only what Of needs, and of
// doubts, conflicts and rejects those of this job's scope, each once.
func TestLook(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	p := &past{t: t, book: book}

	nothing := p.begin(ledger.Push, "marks", in("R", ledger.Rejected))
	p.end(&nothing, ledger.Finished, true)
	bulk := p.begin(ledger.Push, "marks", planned("A", ledger.Update), planned("B", ledger.Create), planned("gone", ledger.Update), planned("C", ledger.Update), in("R", ledger.Rejected),
		planned("T", ledger.Update), planned("A2", ledger.Update), in("U", ledger.Unchanged))
	p.settle(bulk, 1, ledger.Accepted)
	p.settle(bulk, 2, ledger.Accepted)
	p.settle(bulk, 3, ledger.InDoubt)
	p.hold(bulk, 4, "")
	p.hold(bulk, 6, ledger.Theirs)
	p.hold(bulk, 7, "")
	p.end(&bulk, ledger.Finished, true)
	delta := p.begin(ledger.Push, "marks", planned("A", ledger.Update))
	p.settle(delta, 1, ledger.Accepted)
	p.end(&delta, ledger.Finished, true)
	part := p.begin(ledger.Push, "marks", planned("A", ledger.Update))
	p.settle(part, 1, ledger.Accepted)
	p.end(&part, ledger.Finished, false)
	for range 2 {
		cut := p.begin(ledger.Push, "marks", planned("A", ledger.Update))
		p.settle(cut, 1, ledger.Failed)
		p.end(&cut, ledger.Stopped, true)
	}
	other := p.begin(ledger.Push, "others", planned("X", ledger.Update), planned("D", ledger.Update))
	other.Job = "others"
	p.settle(other, 1, ledger.InDoubt)
	p.hold(other, 2, "")
	p.end(&other, ledger.Finished, true)

	// What was held before a person let an export through that lacks records is no longer asked about, nor is what a later run or the export has.
	replaced := func(keys ...string) ledger.Run {
		records := make([]ledger.Record, len(keys))
		for n, key := range keys {
			records[n] = planned(key, ledger.Create)
		}
		run := p.begin(ledger.Push, "marks", records...)
		_, err := p.book.Hold(t.Context(), run.ID)
		p.must(err)
		run.StopCode = stop.Superseded
		p.end(&run, ledger.Stopped, true)
		return run
	}
	for n, keys := range [][]string{{"let go"}, {"held by the run that was let through"}, {"dropped", "dropped later", "F", "B"}, {"dropped later"}} {
		run := replaced(keys...)
		if n == 1 {
			run.Guards, run.Passed = []ledger.Guard{{Name: guard.Vanished}}, &ledger.Passed{By: "Ines", At: friday}
			p.must(p.book.SaveRun(t.Context(), run))
		}
	}

	plan := p.begin(ledger.Plan, "marks", in("A", ledger.Unchanged), in("A2", ledger.Unchanged), in("B", ledger.Unchanged, reason.ChangedSince), in("E", ledger.Unchanged, reason.EntryChanged),
		in("T", ledger.Unchanged), planned("C", ledger.Update), planned("D", ledger.Update), planned("F", ledger.Create), in("R", ledger.Rejected), in("S", ledger.Rejected), in("W", ledger.InDoubt))
	p.end(&plan, ledger.Finished, true)
	plan.Guards = []ledger.Guard{{Message: "the export is too old"}}
	rejected, err := book.RecordsAt(t.Context(), plan.ID, []int64{3, 9})
	p.must(err)
	p.must(book.Acknowledge(t.Context(), rejected, "Ines", ""))

	want := Delta{Records: 11, Held: 5, Creates: 1, Updates: 1, Rejected: 2, Acknowledged: 1, InDoubt: 2, Conflicts: 1, Stale: 1, Theirs: 1, Vanished: 2, Dropped: 3, DroppedBy: "marks-11", Guards: []string{"the export is too old"}}
	s, err := Look(t.Context(), book.Reader, plan)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Now); diff != "" {
		t.Errorf("what a run would find (-want +got):\n%s", diff)
	}
	ran := func(r *Ran) string {
		if r == nil {
			return "none"
		}
		return fmt.Sprintln(r.Run, r.Phase, r.Created, r.Updated, r.Left)
	}
	if got, want := []string{ran(s.Bulk), ran(s.Last), ran(s.Open)}, []string{"marks-2 finished 1 1 4\n", "marks-3 finished 0 1 0\n", "marks-11 stopped 0 0 1\n"}; !cmp.Equal(got, want) {
		t.Errorf("bulk, last delta and open run are %q, want %q", got, want)
	}
	runs, err := ranOf(t.Context(), book.Reader, "marks")
	if p.must(err); len(runs) != 4 {
		t.Errorf("%d runs are looked at, want the open one, the last that was finished, the bulk and the empty one before it: %v", len(runs), runs)
	}
}
