package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/postgres"
	"docketsync/mapping/reason"
)

var commitCases = cases{
	"an accepted record is known, with what came with it":                              anAcceptedRecordIsKnownWithWhatCameWithIt,
	"a later acceptance replaces what is known, and keeps the id and the entries":      aLaterAcceptanceReplacesWhatIsKnown,
	"only acceptance makes a record known":                                             onlyAcceptanceMakesARecordKnown,
	"a record goes from state to state as the protocol says, and no other way":         aRecordGoesFromStateToStateAsTheProtocolSays,
	"a repeatable record may end without an intent, and no other":                      aRepeatableRecordMayEndWithoutAnIntent,
	"a call that asks for the impossible does nothing at all, and harms no other":      aCallThatAsksForTheImpossibleDoesNothingAtAll,
	"what fails in the middle of a group is told to every call, and undone":            whatFailsInTheMiddleOfAGroupIsToldToEveryCall,
	"a call is not told no by a group that fails as a whole":                           aCallIsNotToldNoByAGroupThatFails,
	"many workers commit at once":                                                      manyWorkersCommitAtOnce,
	"a call whose context has ended has no effect":                                     aCallWhoseContextHasEndedHasNoEffect,
	"a commit waits for the disk, the first pass does not":                             aCommitWaitsForTheDiskTheFirstPassDoesNot,
	"attempts of a record that is sent again are numbered on":                          attemptsOfARecordThatIsSentAgainAreNumberedOn,
	"the payload that is known is the one that was mapped, not the body that was sent": thePayloadThatIsKnownIsTheOneThatWasMapped,
}

func anAcceptedRecordIsKnownWithWhatCameWithIt(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	r := planned("1", 1, "a")
	add(t, l, r)
	send(t, l, "1", 1)
	attempts := []Attempt{
		{Started: noon, Duration: 1500 * time.Microsecond, Status: 503, Verdict: "retry", Error: "busy", Answer: "<html>\x00\xff"},
		{Started: noon.Add(time.Second), Duration: time.Second, Status: 201, Verdict: "accepted"},
	}
	settle(t, l, Outcome{
		Run: "1", Seq: 1, State: Accepted, Status: 201, Message: "created", ServiceID: "id-1", Attempts: attempts,
		Entries: []Entry{{Language: "en", Class: "9", Text: "software", Withheld: false}}, Also: []Identity{{Scope: "files", Key: "F1", ServiceID: "id-f1"}, {Scope: "files", Key: "F1", ServiceID: "id-f2"}, {Scope: "files", Key: "F2", ServiceID: ""}},
	})
	want := r
	want.State, want.Status, want.Message, want.ServiceID, want.Attempts, want.Settled = Accepted, 201, "created", "id-1", 2, noon
	same(t, record(t, l, "1", 1), want)
	same(t, known(t, l, "a"), history.LastAccepted{
		Scope: "create_case", Key: "a", Digest: r.Digest, Payload: r.Payload, ServiceID: "id-1",
		Entries: []Entry{{Language: "en", Class: "9", Text: "software", Withheld: false}}, Run: "1", AcceptedAt: noon,
	})
	files, err := l.Known(t.Context(), "files", []string{"F1", "F2"})
	must(t, err)
	same(t, files, map[string]history.LastAccepted{"F1": {Scope: "files", Key: "F1", ServiceID: "id-f2", Run: "1", AcceptedAt: noon}})
	got, err := l.Attempts(t.Context(), "1", 1)
	must(t, err)
	for n := range attempts {
		attempts[n].Run, attempts[n].Seq, attempts[n].Number = "1", 1, n+1
	}
	attempts[0].Answer = "<html>\ufffd\ufffd"
	same(t, got, attempts)
}

func aLaterAcceptanceReplacesWhatIsKnown(t *testing.T, l *Ledger) {
	e := func(class, text string, withheld bool) Entry {
		return Entry{Language: "en", Class: class, Text: text, Withheld: withheld}
	}
	rounds := []struct {
		outcome Outcome
		id      string
		entries []Entry
	}{
		{Outcome{ServiceID: "id-1", Entries: []Entry{e("9", "a", false)}}, "id-1", []Entry{e("9", "a", false)}},
		{Outcome{Reasons: []Reason{{Code: reason.Differs, Field: "name", Value: "Müller", Stored: "Muller", Message: "stored differently"}}}, "id-1", []Entry{e("9", "a", false)}},
		{Outcome{}, "id-1", []Entry{e("9", "a", false)}},
		{Outcome{Entries: []Entry{e("9", "a", false), e("35", "b", false), e("9", "c", true)}}, "id-1", []Entry{e("9", "a", false), e("35", "b", false), e("9", "c", true)}},
		{Outcome{ServiceID: "id-2", Entries: []Entry{e("42", "d", false)}}, "id-2", []Entry{e("9", "a", false), e("35", "b", false), e("42", "d", false)}},
	}
	for n, round := range rounds {
		run := fmt.Sprint(n)
		begin(t, l, run)
		r := planned(run, 1, "a")
		add(t, l, r)
		send(t, l, run, 1)
		o := round.outcome
		o.Run, o.Seq, o.State, o.At = run, 1, Accepted, noon.Add(time.Duration(n)*time.Hour)
		settle(t, l, o)
		same(t, known(t, l, "a"), history.LastAccepted{Scope: "create_case", Key: "a", Digest: r.Digest, Payload: r.Payload, ServiceID: round.id, Entries: round.entries, Differs: o.Reasons, Run: run, AcceptedAt: o.At})
	}
}

func onlyAcceptanceMakesARecordKnown(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	for n, outcome := range []State{Refused, Failed, Rejected, Held} {
		seq := int64(n + 1)
		add(t, l, planned("1", seq, string(outcome)))
		send(t, l, "1", seq)
		settle(t, l, Outcome{Run: "1", Seq: seq, State: outcome, Reasons: []Reason{{Code: "why"}}, ServiceID: "x"})
		state(t, l, "1", seq, outcome)
		same(t, record(t, l, "1", seq).Reasons, []Reason{{Code: "why"}})
		same(t, known(t, l, string(outcome)), history.LastAccepted{})
	}
}

func aRecordGoesFromStateToStateAsTheProtocolSays(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	states := []State{Planned, Sending, Accepted, Refused, Failed, InDoubt, Rejected, Unchanged, Held}
	seq := int64(0)
	for _, from := range states {
		for _, to := range append(outcomeStates, Sending) {
			seq++
			r := planned("1", seq, fmt.Sprint(from, " to ", to))
			r.State = from
			add(t, l, r)
			var err error
			if to == Sending {
				err = l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: seq}})
			} else {
				err = l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: to, At: noon}}, nil)
			}
			if follows(from, to) {
				must(t, err)
				state(t, l, "1", seq, to)
				continue
			}
			var refused *handle.TransitionError
			if !errors.As(err, &refused) {
				t.Errorf("%s to %s: %v", from, to, err)
				continue
			}
			same(t, *refused, handle.TransitionError{Run: "1", Seq: seq, From: from, To: to})
			state(t, l, "1", seq, from)
		}
	}
	for _, to := range []State{Planned, Unchanged, "", "nonsense"} {
		if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: to}}, nil); err == nil {
			t.Errorf("%q was taken as an outcome", to)
		}
	}
}

func aRepeatableRecordMayEndWithoutAnIntent(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	for n, to := range outcomeStates {
		seq := int64(2*n + 1)
		safe, unsafe := planned("1", seq, fmt.Sprint("safe ", to)), planned("1", seq+1, fmt.Sprint("unsafe ", to))
		safe.Repeatable = true
		add(t, l, safe, unsafe)
		settle(t, l, Outcome{Run: "1", Seq: seq, State: to, Sent: noon})
		state(t, l, "1", seq, to)
		if to == Held || to == Failed || to == Rejected {
			continue // which needs no intent at all
		}
		if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq + 1, State: to, At: noon, Sent: noon}}, nil); err == nil {
			t.Errorf("%s was taken of a record that is not safe to repeat", to)
		}
		state(t, l, "1", seq+1, Planned)
	}
	same(t, known(t, l, "safe accepted").Run, "1")
	same(t, known(t, l, "unsafe accepted"), history.LastAccepted{})
	if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon, Sent: noon}}, nil); err == nil {
		t.Error("a record that has ended was taken a second time")
	}
}

func aCallThatAsksForTheImpossibleDoesNothingAtAll(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"), planned("1", 4, "d"))
	send(t, l, "1", 1)
	ok := Outcome{Run: "1", Seq: 1, State: Accepted, At: noon, Attempts: []Attempt{{Started: noon}}}
	for name, err := range map[string]error{
		"an intent that cannot be": l.Commit(t.Context(), []Outcome{ok}, []Intent{{Run: "1", Seq: 2}, {Run: "1", Seq: 2}}),
		"an unknown record":        l.Commit(t.Context(), []Outcome{ok}, []Intent{{Run: "1", Seq: 2}, {Run: "1", Seq: 99}}),
		"an unknown run":           l.Commit(t.Context(), []Outcome{ok}, []Intent{{Run: "1", Seq: 2}, {Run: "9", Seq: 1}}),
		"an outcome twice":         l.Commit(t.Context(), []Outcome{ok, ok}, []Intent{{Run: "1", Seq: 2}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	state(t, l, "1", 1, Sending)
	state(t, l, "1", 2, Planned)
	group := []*commit{}
	for _, intents := range [][]Intent{{{Run: "1", Seq: 2}}, {{Run: "1", Seq: 1}}, {{Run: "1", Seq: 3}}, {{Run: "1", Seq: 2}, {Run: "1", Seq: 4}}, {{Run: "1", Seq: 88}}} {
		c, err := l.newCommit(t.Context(), nil, intents)
		must(t, err)
		group = append(group, c)
	}
	l.commitGroup(&l.locked, group)
	for n, want := range []any{nil, new(*handle.TransitionError), nil, new(*handle.TransitionError), handle.ErrNotFound} {
		err := <-group[n].answer
		switch want := want.(type) {
		case nil:
			must(t, err)
		case error:
			if !errors.Is(err, want) {
				t.Errorf("call %d: %v", n, err)
			}
		default:
			if !errors.As(err, want) {
				t.Errorf("call %d: %v", n, err)
			}
		}
	}
	state(t, l, "1", 4, Planned)
	send(t, l, "1", 4)
}

func whatFailsInTheMiddleOfAGroupIsToldToEveryCall(t *testing.T, l *Ledger) {
	pushed(t, l, 4)
	send(t, l, "1", 1)
	rename := func(from, to string) {
		must(t, l.do(t.Context(), false, func(tx *transaction) error { return tx.Run(`alter table ` + from + ` rename to ` + to) }))
	}
	rename("attempts", "gone") // the outcome's record is written before, what is known and the intents behind it
	first, err := l.newCommit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon, Attempts: []Attempt{{Started: noon}}}}, []Intent{{Run: "1", Seq: 2}})
	must(t, err)
	second, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}})
	must(t, err)
	l.commitGroup(&l.locked, []*commit{first, second})
	for _, c := range []*commit{first, second} {
		if <-c.answer == nil {
			t.Error("a call was not told that its group failed")
		}
	}
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 4}}); !errors.Is(err, fault.ErrStopped) {
		t.Errorf("behind it a call was told %v", err)
	}
	rename("gone", "attempts")
	state(t, l, "1", 1, Sending)
	same(t, known(t, l, "0").Run, "")
	for seq := range int64(3) {
		state(t, l, "1", seq+2, Planned)
	}
}

// An impossible call is judged before one that cannot even be judged: nobody gets an answer before the group is tried
// again.
func aCallIsNotToldNoByAGroupThatFails(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	var group []*commit
	for _, seq := range []int64{9, 1} {
		c, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: seq}})
		must(t, err)
		group = append(group, c)
	}
	var rest []*commit
	err := l.do(t.Context(), false, func(tx *transaction) (err error) {
		must(t, tx.Run(`alter table runs rename to gone`))
		rest, err = tx.leaveOutImpossible(group)
		return err
	})
	if err == nil || len(rest) != 2 || len(group[0].answer) > 0 {
		t.Errorf("%d answers, %d calls left, and %v", len(group[0].answer), len(rest), err)
	}
	l.commitGroup(&l.locked, group)
	if no, yes := <-group[0].answer, <-group[1].answer; !errors.Is(no, handle.ErrNotFound) || yes != nil {
		t.Errorf("got %v and %v", no, yes)
	}
}

func manyWorkersCommitAtOnce(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	const workers, each = 32, 20
	var batch []Record
	for n := range workers * each {
		batch = append(batch, planned("1", int64(n+1), fmt.Sprint(n)))
	}
	add(t, l, batch...)
	var done sync.WaitGroup
	errs := make(chan error, workers)
	for w := range workers {
		done.Go(func() {
			var last []Outcome
			for n := range each {
				seq := int64(w*each + n + 1)
				if err := l.Commit(t.Context(), last, []Intent{{Run: "1", Seq: seq}}); err != nil {
					errs <- err
					return
				}
				last = []Outcome{{Run: "1", Seq: seq, State: Accepted, ServiceID: fmt.Sprint("id ", seq), At: noon, Attempts: []Attempt{{Started: noon, Status: 201}}}}
			}
			errs <- l.Commit(t.Context(), last, nil)
		})
	}
	done.Wait()
	for range workers {
		must(t, <-errs)
	}
	if n := l.groups.Load(); n > workers*each/2 {
		t.Errorf("%d transactions for %d calls", n, workers*(each+1))
	}
	tally, err := l.Tally(t.Context(), "1")
	must(t, err)
	same(t, tally, []Count{{Action: Create, State: Accepted, N: workers * each}})
	n := 0
	for a, err := range l.AllAttempts(t.Context(), "1") {
		must(t, err)
		if n++; a.Seq != int64(n) || a.Number != 1 {
			t.Fatalf("attempt %d is %+v", n, a)
		}
	}
	if n != workers*each {
		t.Errorf("%d attempts", n)
	}
	if id := known(t, l, "77").ServiceID; id != "id 78" {
		t.Errorf("id %q", id)
	}
}

func aCallWhoseContextHasEndedHasNoEffect(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"Add": second(l.Add(ended, []Record{planned("1", 2, "b")})), "Replace": l.Replace(ended, planned("1", 1, "c")),
		"Begin": l.Begin(ended, Run{ID: "2"}), "Hold": second(l.Hold(ended, "1")), "Stage": l.Stage(ended, "1", []Staged{{}}),
		"Known": second(l.Known(ended, "s", []string{"a"})), "Runs": second(l.Runs(ended, RunFilter{})),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, record(t, l, "1", 1), planned("1", 1, "a"))
	same(t, seqs(t, l, "1", RecordFilter{}), []int64{1})
}

func aCommitWaitsForTheDiskTheFirstPassDoesNot(t *testing.T, l *Ledger) {
	question, want := "pragma synchronous", map[bool]string{false: "2", true: "1"}
	if _, remote := l.h.Engine.(*postgres.Engine); remote {
		question, want = "show synchronous_commit", map[bool]string{false: "on", true: "off"}
	}
	for _, relaxed := range []bool{true, false, true, true, false, false} {
		var got string
		must(t, l.do(t.Context(), relaxed, func(tx *transaction) error { return tx.One(question, nil, &got) }))
		if got != want[relaxed] {
			t.Errorf("relaxed %v: %s is %s", relaxed, question, got)
		}
	}
}

func attemptsOfARecordThatIsSentAgainAreNumberedOn(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	r := planned("1", 1, "a")
	r.Repeatable = true
	add(t, l, r)
	for n := range 3 {
		send(t, l, "1", 1)
		settle(t, l, Outcome{Run: "1", Seq: 1, State: Held, Attempts: []Attempt{{Number: 1, Started: noon}, {Number: 2, Started: noon}}})
		if _, err := l.Release(t.Context(), "1", Held); err != nil {
			t.Fatal(n, err)
		}
	}
	got, err := l.Attempts(t.Context(), "1", 1)
	must(t, err)
	if len(got) != 6 || got[5].Number != 6 || record(t, l, "1", 1).Attempts != 6 {
		t.Errorf("attempts %+v", got)
	}
}

func thePayloadThatIsKnownIsTheOneThatWasMapped(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	r := planned("1", 1, "a")
	r.Body = json.RawMessage(`{"less":1}`)
	add(t, l, r)
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	same(t, string(known(t, l, "a").Payload), string(r.Payload))
}
