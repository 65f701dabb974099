package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/mapping/reason"
)

var doubtCases = cases{
	"after a crash what is repeatable is planned again and the rest is in doubt":           afterACrashWhatIsRepeatableIsPlannedAgainAndTheRestIsInDoubt,
	"what is planned can be held and released, beyond one part":                            whatIsPlannedCanBeHeldAndReleasedBeyondOnePart,
	"what the plan holds is not released":                                                  whatThePlanHoldsIsNotReleased,
	"a key is in doubt while a record of it is in doubt or under way, whatever its run":    aKeyIsInDoubtWhileARecordOfItIsInDoubtOrUnderWay,
	"a key in doubt comes with what was known before, and with its oldest doubt":           aKeyInDoubtComesWithWhatWasKnownBefore,
	"what is known is unsettled while a later request had no yes, until one has":           whatIsKnownIsUnsettledWhileALaterRequestHadNoYes,
	"what is repeatable may have been sent when its run died pushing":                      whatIsRepeatableMayHaveBeenSentWhenItsRunDiedPushing,
	"all that a run may have sent is marked, beyond one part":                              allThatARunMayHaveSentIsMarkedBeyondOnePart,
	"a refusal is the word about a key until another request of it has ended":              aRefusalIsTheWordAboutAKeyUntilAnotherRequestOfItHasEnded,
	"what is known goes with a key that was renamed, once a person says so":                whatIsKnownGoesWithAKeyThatWasRenamed,
	"a ledger is about one service, as it was last told":                                   aLedgerIsAboutOneServiceAsItWasLastTold,
	"what is in doubt cannot be sent under another record either":                          whatIsInDoubtCannotBeSentUnderAnotherRecordEither,
	"of two records of one key in a group, one is sent":                                    ofTwoRecordsOfOneKeyInAGroupOneIsSent,
	"doubts are listed for a run, and for all runs without those that follow from another": doubtsAreListedForARun,
	"the history of a key goes through all runs, newest first":                             theHistoryOfAKeyGoesThroughAllRunsNewestFirst,
	"a name is locked once":   aNameIsLockedOnce,
	"a closed ledger says so": aClosedLedgerSaysSo,
}

func afterACrashWhatIsRepeatableIsPlannedAgainAndTheRestIsInDoubt(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Push, Pushing)
	begin(t, l, "2")
	again := planned("1", 2, "b")
	again.Repeatable = true
	add(t, l, planned("1", 1, "a"), again, planned("1", 3, "c"), planned("2", 1, "d"))
	send(t, l, "1", 1, 2)
	send(t, l, "2", 1)
	l.w.Now = func() time.Time { return noon.Add(time.Hour) }
	planned, doubt, err := l.Recover(t.Context(), "1")
	must(t, err)
	same(t, []int{planned, doubt}, []int{1, 1})
	state(t, l, "1", 1, InDoubt)
	state(t, l, "1", 2, Planned)
	state(t, l, "1", 3, Planned)
	state(t, l, "2", 1, Sending)
	got := record(t, l, "1", 1)
	same(t, []any{got.Message, got.Settled}, []any{evidence.CutOff, noon.Add(time.Hour)})
	planned, doubt, err = l.Recover(t.Context(), "1")
	must(t, err)
	same(t, []int{planned, doubt}, []int{0, 0})
}

func whatIsPlannedCanBeHeldAndReleasedBeyondOnePart(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	var batch []Record
	for n := range handle.Part + 7 {
		r := planned("1", int64(n+1), "")
		if n%1000 == 1 {
			r.State = Unchanged
		}
		batch = append(batch, r)
	}
	add(t, l, batch...)
	const want = handle.Part + 7 - 6
	for range 2 {
		n, err := l.Hold(t.Context(), "1")
		must(t, err)
		same(t, n, want)
		same(t, record(t, l, "1", 1).Settled, noon)
		state(t, l, "1", handle.Part+7, Held)
		n, err = l.Release(t.Context(), "1", Held)
		must(t, err)
		same(t, n, want)
		same(t, record(t, l, "1", 1), batch[0])
	}
	state(t, l, "1", 2, Unchanged)
}

func whatThePlanHoldsIsNotReleased(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	byPlan := planned("1", 1, "a")
	byPlan.State = Held
	add(t, l, byPlan, planned("1", 2, "b"))
	must(t, second(l.Hold(t.Context(), "1")))
	n, err := l.Release(t.Context(), "1", Held)
	must(t, err)
	same(t, n, 1)
	state(t, l, "1", 1, Held)
	state(t, l, "1", 2, Planned)
}

func aKeyIsInDoubtWhileARecordOfItIsInDoubtOrUnderWay(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	same(t, known(t, l, "a"), history.LastAccepted{})
	send(t, l, "1", 1)
	want := history.LastAccepted{Scope: "create_case", Key: "a", Doubt: &Doubt{Run: "1", Seq: 1, Digest: "d-a-1", At: noon}}
	same(t, known(t, l, "a"), want)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt, At: noon.Add(time.Hour)})
	same(t, known(t, l, "a"), want)
	same(t, known(t, l, "b"), history.LastAccepted{})
	others, err := l.Known(t.Context(), "update_case", []string{"a"})
	must(t, err)
	same(t, others, map[string]history.LastAccepted{})
}

func aKeyInDoubtComesWithWhatWasKnownBefore(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	begin(t, l, "3")
	add(t, l, planned("1", 1, "a"), planned("2", 1, "a"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id"})
	send(t, l, "2", 1)
	settle(t, l, Outcome{Run: "2", Seq: 1, State: InDoubt})
	later := planned("3", 1, "a")
	later.State = InDoubt
	add(t, l, later)
	got := known(t, l, "a")
	same(t, got.ServiceID, "id")
	same(t, got.Doubt, &Doubt{Run: "2", Seq: 1, Digest: "d-a-2", At: noon})
}

func whatIsKnownIsUnsettledWhileALaterRequestHadNoYes(t *testing.T, l *Ledger) {
	accept := func(run, key string) {
		begin(t, l, run)
		add(t, l, planned(run, 1, key))
		send(t, l, run, 1)
		settle(t, l, Outcome{Run: run, Seq: 1, State: Accepted})
	}
	for _, outcome := range []State{Failed, Held, Refused} {
		key := string(outcome)
		accept("1 "+key, key)
		if known(t, l, key).Unsettled {
			t.Errorf("%s: unsettled before anything was sent", outcome)
		}
		begin(t, l, "2 "+key)
		add(t, l, planned("2 "+key, 1, key), planned("2 "+key, 2, "never accepted "+key))
		if known(t, l, key).Unsettled {
			t.Errorf("%s: unsettled because of a plan", outcome)
		}
		send(t, l, "2 "+key, 1, 2)
		settle(t, l, Outcome{Run: "2 " + key, Seq: 1, State: outcome})
		settle(t, l, Outcome{Run: "2 " + key, Seq: 2, State: outcome})
		if k := known(t, l, key); !k.Unsettled || k.Run != "1 "+key {
			t.Errorf("%s: %+v", outcome, k)
		}
		same(t, known(t, l, "never accepted "+key), history.LastAccepted{})
		accept("3 "+key, key)
		if known(t, l, key).Unsettled {
			t.Errorf("%s: unsettled after a yes", outcome)
		}
	}
}

func whatIsRepeatableMayHaveBeenSentWhenItsRunDiedPushing(t *testing.T, l *Ledger) {
	for phase, unsettled := range map[Phase]bool{Ready: false, Pushing: true} {
		safe, unsafe := "safe "+string(phase), "unsafe "+string(phase)
		first, second := "1 "+string(phase), "2 "+string(phase)
		begin(t, l, first)
		add(t, l, planned(first, 1, safe), planned(first, 2, unsafe))
		send(t, l, first, 1, 2)
		settle(t, l, Outcome{Run: first, Seq: 1, State: Accepted})
		settle(t, l, Outcome{Run: first, Seq: 2, State: Accepted})
		beginAs(t, l, second, Push, phase)
		again := planned(second, 1, safe)
		again.Repeatable = true
		add(t, l, again, planned(second, 2, unsafe))
		same(t, known(t, l, safe).Unsettled, false)
		planned, doubt, err := l.Recover(t.Context(), second)
		must(t, err)
		same(t, []int{planned, doubt}, []int{0, 0})
		state(t, l, second, 1, Planned)
		same(t, known(t, l, safe).Unsettled, unsettled)
		same(t, known(t, l, unsafe).Unsettled, false)
	}
}

func allThatARunMayHaveSentIsMarkedBeyondOnePart(t *testing.T, l *Ledger) {
	beginAs(t, l, "1", Push, Pushing)
	batch := make([]Record, handle.Part+7)
	for n := range batch {
		batch[n] = planned("1", int64(n+1), fmt.Sprint("key ", n))
		batch[n].Repeatable = n != 3
	}
	add(t, l, batch...)
	_, _, err := l.Recover(t.Context(), "1")
	must(t, err)
	var unmarked int
	must(t, l.h.Read.One(t.Context(), `select sum(seq) from records where sent_at is null`, nil, &unmarked))
	same(t, unmarked, 4)
}

func aRefusalIsTheWordAboutAKeyUntilAnotherRequestOfItHasEnded(t *testing.T, l *Ledger) {
	run := 0
	end := func(state State) {
		run++
		id := fmt.Sprint(run)
		begin(t, l, id)
		add(t, l, planned(id, 1, "a"))
		send(t, l, id, 1)
		settle(t, l, Outcome{Run: id, Seq: 1, State: state, Reasons: []Reason{{Code: "refused", Message: "no in " + id}}})
	}
	for _, state := range []State{Refused, Failed, Refused, Held, Refused, Refused, Accepted, Refused} {
		end(state)
		got, err := l.Refusals(t.Context(), "create_case", []string{"a", "b"})
		must(t, err)
		want := map[string]history.Refusal{}
		if id := fmt.Sprint(run); state == Refused {
			want["a"] = history.Refusal{Run: id, Digest: "d-a-" + id, Reasons: []Reason{{Code: "refused", Message: "no in " + id}}, At: noon}
		}
		same(t, got, want)
	}
	finish(t, l, fmt.Sprint(run), Finished)
	prune1(t, l, fmt.Sprint(run))
	got, err := l.Refusals(t.Context(), "create_case", []string{"a"})
	must(t, err)
	same(t, got["a"].Reasons[0].Message, "no in "+fmt.Sprint(run))
}

func whatIsKnownGoesWithAKeyThatWasRenamed(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "old"), planned("1", 2, "other"), planned("1", 3, "doubtful"))
	send(t, l, "1", 1, 2, 3)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id", Entries: []Entry{{Class: "9", Text: "software"}}, Reasons: []Reason{{Code: reason.Differs, Field: "name", Stored: "Muller"}}})
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Accepted})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: InDoubt})
	ask := func(key, former string) Rename {
		r := Rename{Scope: "create_case", Key: key, Former: former, Asked: noon}
		must(t, l.AskRenames(t.Context(), []Rename{r, r}))
		return r
	}
	asked, second, rival := ask("a", "old"), ask("a", "other"), ask("e", "old") // which nobody asks once it is a
	open, err := l.OpenRenames(t.Context())
	must(t, err)
	same(t, open, []Rename{asked, second, rival})
	before := allKnown(t, l, "old")
	must(t, l.DecideRename(t.Context(), asked, SameRecord, "ada"))
	before["key"] = "a"
	same(t, allKnown(t, l, "a"), before)
	same(t, known(t, l, "old"), history.LastAccepted{})
	found, err := l.Renames(t.Context(), "create_case", []string{"a", "b", "e"})
	must(t, err)
	asked.Decision, asked.Who, asked.Decided = SameRecord, "ada", noon
	second.Decision, second.Who, second.Decided = NewRecord, "ada", noon
	same(t, found, map[string][]Rename{"a": {asked, second}})
	for _, impossible := range []Rename{asked, ask("b", "old"), ask("other", "a"), ask("c", "doubtful")} {
		if err := l.DecideRename(t.Context(), impossible, SameRecord, "ada"); err == nil || !strings.Contains(err.Error(), "this decision is not possible") {
			t.Errorf("%s was %s: %v", impossible.Key, impossible.Former, err)
		}
	}
	if err := l.DecideRename(t.Context(), ask("c", "doubtful"), SameRecord, "ada"); err == nil || !strings.Contains(err.Error(), `run 1 sent "doubtful"; settle it first with: docketsync resolve 1`) {
		t.Error(err)
	}
	must(t, l.DecideRename(t.Context(), ask("b", "old"), NewRecord, "ada"))
	if l.DecideRename(t.Context(), ask("d", "a"), "maybe", "ada") == nil || l.DecideRename(t.Context(), ask("d", "a"), NewRecord, "") == nil {
		t.Error("a decision that is none was taken")
	}
}

// allKnown returns the columns of what is known under a key, as text, including any that a later schema adds.
func allKnown(t *testing.T, l *Ledger, key string) map[string]string {
	t.Helper()
	rows, err := l.h.Read.QueryContext(t.Context(), `select * from known where key = $1`, key)
	must(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	must(t, err)
	values, into, found := make([]any, len(names)), make([]any, len(names)), map[string]string{}
	for n := range into {
		into[n] = &values[n]
	}
	for rows.Next() {
		must(t, rows.Scan(into...))
		for n, name := range names {
			found[name] = fmt.Sprint(values[n])
		}
	}
	must(t, rows.Err())
	return found
}

func aLedgerIsAboutOneServiceAsItWasLastTold(t *testing.T, l *Ledger) {
	for _, name := range []string{"", "https://example.com/v1", "https://example.org"} {
		if name != "" {
			must(t, l.SetService(t.Context(), name))
		}
		got, err := l.Service(t.Context())
		must(t, err)
		same(t, got, name)
	}
}

func whatIsInDoubtCannotBeSentUnderAnotherRecordEither(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "a"), planned("2", 1, "a"), planned("2", 2, "b"))
	send(t, l, "1", 1)
	var refused *handle.DoubtError
	err := l.Commit(t.Context(), nil, []Intent{{Run: "2", Seq: 2}, {Run: "2", Seq: 1}})
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	same(t, *refused, handle.DoubtError{Run: "2", Seq: 1, Doubt: Doubt{Run: "1", Seq: 1, Digest: "d-a-1", At: noon}})
	state(t, l, "2", 2, Planned)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Refused})
	send(t, l, "2", 1, 2)
}

func ofTwoRecordsOfOneKeyInAGroupOneIsSent(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "a"), planned("2", 1, "a"), planned("2", 2, ""), planned("2", 3, "b"))
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "2", Seq: 2}}); err == nil || !strings.Contains(err.Error(), "no key") {
		t.Errorf("a record without a key was sent: %v", err)
	}
	var group []*commit
	for _, intent := range []Intent{{Run: "1", Seq: 1}, {Run: "2", Seq: 1}, {Run: "2", Seq: 2}, {Run: "2", Seq: 3}} {
		c, err := l.newCommit(t.Context(), nil, []Intent{intent})
		must(t, err)
		group = append(group, c)
	}
	l.commitGroup(&l.locked, group)
	must(t, <-group[0].answer)
	var refused *handle.DoubtError
	if err := <-group[1].answer; !errors.As(err, &refused) || refused.Doubt.Run != "1" {
		t.Errorf("got %v", err)
	}
	if err := <-group[2].answer; err == nil {
		t.Error("a record without a key was sent")
	}
	must(t, <-group[3].answer)
	// What another record of the key left is settled in the same group in which the next one is sent.
	must(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Refused, At: noon}}, []Intent{{Run: "2", Seq: 1}}))
	c, err := l.newCommit(t.Context(), []Outcome{{Run: "2", Seq: 1, State: Failed, At: noon}}, nil)
	must(t, err)
	add(t, l, planned("1", 5, "c"))
	bad, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}})
	must(t, err)
	begin(t, l, "3")
	add(t, l, planned("3", 1, "a"))
	next, err := l.newCommit(t.Context(), nil, []Intent{{Run: "3", Seq: 1}})
	must(t, err)
	l.commitGroup(&l.locked, []*commit{bad, c, next})
	if err := <-bad.answer; err == nil {
		t.Error("a refused record was sent")
	}
	must(t, <-c.answer)
	must(t, <-next.answer)
	state(t, l, "3", 1, Sending)
}

func doubtsAreListedForARun(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
	send(t, l, "1", 1, 2, 3)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: InDoubt})
	follows := planned("2", 5, "a")
	follows.State = InDoubt
	add(t, l, follows)
	for run, want := range map[string][][2]any{"": {{"1", int64(1)}, {"1", int64(3)}}, "1": {{"1", int64(1)}, {"1", int64(3)}}, "2": {{"2", int64(5)}}} {
		list, err := l.Doubts(t.Context(), run)
		must(t, err)
		var got [][2]any
		for _, r := range list {
			got = append(got, [2]any{r.Run, r.Seq})
		}
		same(t, got, want)
	}
}

func theHistoryOfAKeyGoesThroughAllRunsNewestFirst(t *testing.T, l *Ledger) {
	for _, run := range []string{"1", "2", "3"} {
		begin(t, l, run)
		add(t, l, planned(run, 1, "b"), planned(run, 2, ""))
	}
	begin(t, l, "4")
	add(t, l, planned("4", 9, "a"))
	list, err := l.History(t.Context(), "create_case", "b", 2)
	must(t, err)
	if len(list) != 2 || list[0].Run != "3" || list[1].Run != "2" || list[0].Key != "b" {
		t.Errorf("history %+v", list)
	}
	list, err = l.History(t.Context(), "update_case", "b", 0)
	must(t, err)
	same(t, len(list), 0)
}

func aNameIsLockedOnce(t *testing.T, l *Ledger) {
	release, err := l.Lock(t.Context(), "matters / ü")
	must(t, err)
	_, err = l.Lock(t.Context(), "matters / ü")
	var busy *fault.BusyError
	if !errors.Is(err, fault.ErrBusy) || !errors.As(err, &busy) || busy.Holder.PID == 0 || busy.Holder.Host == "" || busy.Holder.Since.IsZero() {
		t.Errorf("locked twice: %v", err)
	}
	other, err := l.Lock(t.Context(), "matters")
	must(t, err)
	must(t, other())
	must(t, release())
	must(t, release())
	release, err = l.Lock(t.Context(), "matters / ü")
	must(t, err)
	must(t, release())
}

func aClosedLedgerSaysSo(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	must(t, l.Close())
	must(t, l.Close())
	for name, err := range map[string]error{
		"Commit": l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}}), "Add": second(l.Add(t.Context(), []Record{planned("1", 2, "b")})),
		"Known": second(l.Known(t.Context(), "s", []string{"a"})), "Begin": l.Begin(t.Context(), Run{ID: "2"}),
	} {
		if !errors.Is(err, fault.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
