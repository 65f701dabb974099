package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/mapping/reason"
)

var resolveCases = cases{
	"a rejected record that is acknowledged is known until its row or its reasons change":        anAcknowledgedRecordIsKnownUntilItChanges,
	"a difference that is acknowledged is new when it is another one, or was accepted once more": aDifferenceThatIsAcknowledgedIsNewWhenItIsAnother,
	"a doubt is settled as a person decides, and who decided is kept":                            aDoubtIsSettledAsAPersonDecides,
	"an id that was left out is added later, once":                                               anIDThatWasLeftOutIsAddedLaterOnce,
	"a doubt can be left and settled later, once":                                                aDoubtCanBeLeftAndSettledLaterOnce,
	"settling a doubt settles those that follow from it, from whichever end":                     settlingADoubtSettlesThoseThatFollowFromIt,
	"a record left in doubt by one that is settled already can be settled alone":                 aRecordLeftInDoubtByOneThatIsSettledAlreadyCanBeSettledAlone,
}

func anAcknowledgedRecordIsKnownUntilItChanges(t *testing.T, l *Ledger) {
	ctx := t.Context()
	// reject writes a rejected record into a run of its own, and returns who is known to have acknowledged it.
	reject := func(id, key, cells, message string, row int) (Record, decisions.Acknowledged) {
		begin(t, l, id)
		r := planned(id, 1, key)
		r.Action, r.State, r.Payload, r.Digest = None, Rejected, nil, ""
		r.Rows = []Row{{Number: row, Cells: json.RawMessage(cells)}}
		r.Reasons = []Reason{{Code: "no", Field: "name", Cell: fmt.Sprint("B", row), Row: row, Message: fmt.Sprintf("%s in rows %d, %d", message, row, row+1), Hint: fmt.Sprint("as row ", row)}}
		add(t, l, r)
		run, err := l.Run(ctx, id)
		must(t, err)
		known, err := l.AcknowledgedIn(ctx, run)
		must(t, err)
		return r, known[1]
	}
	first, known := reject("one", "M-1", `["a"]`, "is empty", 2)
	same(t, known, decisions.Acknowledged{})
	must(t, l.Acknowledge(ctx, []Record{first}, "Ann", "closed"))
	must(t, l.Acknowledge(ctx, []Record{first}, "Ben", "again")) // the first word counts
	_, known = reject("two", "M-1", `["a"]`, "is empty", 40)
	same(t, known, decisions.Acknowledged{Scope: "create_case", Key: "M-1", Print: first.Print(), Who: "Ann", Note: "closed", At: noon})
	for id, r := range map[string][3]string{"a cell": {"M-1", `["b"]`, "is empty"}, "a reason": {"M-1", `["a"]`, "is too long"}, "another key": {"M-2", `["a"]`, "is empty"}} {
		if _, known := reject(id, r[0], r[1], r[2], 2); known.Who != "" {
			t.Errorf("when %s has changed, it is still acknowledged", id)
		}
	}
	must(t, l.Withdraw(ctx, []Record{first}))
	_, known = reject("last", "M-1", `["a"]`, "is empty", 2)
	same(t, known, decisions.Acknowledged{})
	refused := Record{State: Refused, Message: "no user", Rows: first.Rows, Reasons: []Reason{{Code: "refused", Message: "user_id: no user"}}}
	recalled := Record{State: Rejected, Rows: first.Rows, Reasons: []Reason{{Code: reason.RefusedBefore, Message: "user_id: no user", Hint: "not before tomorrow"}}}
	if refused.Print() != recalled.Print() {
		t.Error("what the service refused is new when it is not sent again")
	}
	if err := l.Acknowledge(ctx, []Record{planned("one", 1, "M-1")}, "Ann", ""); err == nil {
		t.Error("a record that was not rejected was acknowledged")
	}
}

func aDifferenceThatIsAcknowledgedIsNewWhenItIsAnother(t *testing.T, l *Ledger) {
	now, nights := noon, 0
	l.w.Now = func() time.Time { return now }
	// night writes a run with a record of M-1, with the given end and notes, and returns the record and whether it is
	// acknowledged.
	night := func(state State, digest string, notes ...Reason) (Record, func() bool) {
		nights++
		now = now.Add(time.Hour)
		id := fmt.Sprint("night ", nights)
		must(t, l.Begin(t.Context(), Run{ID: id, Job: "matters", Kind: Push, Scope: "create_case", Phase: Pushing, Started: now}))
		r := planned(id, 1, "M-1")
		r.Digest = digest
		if state == Unchanged {
			r.Action, r.State, r.Notes = None, Unchanged, notes
		}
		add(t, l, r)
		if state == Accepted {
			send(t, l, id, 1)
			settle(t, l, Outcome{Run: id, Seq: 1, State: Accepted, Reasons: notes, At: now})
		}
		run, err := l.Run(t.Context(), id)
		must(t, err)
		return record(t, l, id, 1), func() bool {
			known, err := l.AcknowledgedIn(t.Context(), run)
			must(t, err)
			return len(known) == 1
		}
	}
	acknowledge := func(r Record) {
		t.Helper()
		now = now.Add(time.Minute)
		must(t, l.Acknowledge(t.Context(), []Record{r}, "Ann", ""))
	}
	name := Reason{Code: reason.Differs, Field: "mark_text", Value: "LUMEN", Stored: "Lumen"}
	expiry := Reason{Code: reason.Differs, Field: "expiry_date", Value: "2034-03-01", Stored: "2034-02-28"}
	is := func(acknowledged func() bool, want bool, what string) {
		t.Helper()
		if acknowledged() != want {
			t.Errorf("%s: acknowledged is %v", what, !want)
		}
	}

	first, inFirst := night(Accepted, "lumen", name)
	acknowledge(first)
	is(inFirst, true, "what was acknowledged")
	_, in := night(Unchanged, "lumen", name)
	is(in, true, "the same the next night")
	_, in = night(Unchanged, "lumen", name, expiry)
	is(in, false, "another field beside it")
	night(Accepted, "bright")
	again, in := night(Accepted, "lumen", name)
	is(in, false, "the same, sent again")
	is(inFirst, true, "the first night, as it was")
	acknowledge(again)
	is(in, true, "the same, acknowledged again")
	must(t, l.Withdraw(t.Context(), []Record{again}))
	is(in, false, "what was taken back")

	byHand := func(at time.Time) { // as earlier releases wrote it
		must(t, l.do(t.Context(), false, func(tx *transaction) error {
			return second(tx.Exec(`insert into acknowledged (scope, key, print, who, note, at) values ('create_case', 'M-1', 'change lumen', 'Ann', '', $1)`, at.UnixMicro()))
		}))
	}
	byHand(now)
	is(in, true, "of an earlier release")
	_, in = night(Unchanged, "lumen", Reason{Code: reason.ChangedSince}, name)
	is(in, false, "a change of which an earlier release did not say what was stored")
	must(t, l.Withdraw(t.Context(), []Record{again}))
	_, in = night(Unchanged, "lumen", name)
	is(in, false, "of an earlier release, taken back")
}

func anIDThatWasLeftOutIsAddedLaterOnce(t *testing.T, l *Ledger) {
	begin(t, l, "a")
	add(t, l, planned("a", 1, "M-1"))
	must(t, l.Commit(t.Context(), nil, []Intent{{Run: "a", Seq: 1}}))
	must(t, l.Commit(t.Context(), []Outcome{{Run: "a", Seq: 1, State: InDoubt, At: noon}}, nil))
	must(t, l.Resolve(t.Context(), "a", 1, decisions.Exists, "", "Ann", ""))
	var refused *handle.TransitionError
	if err := l.Resolve(t.Context(), "a", 1, decisions.Exists, "", "Ann", ""); !errors.As(err, &refused) {
		t.Errorf("without an id: %v", err)
	}
	must(t, l.Resolve(t.Context(), "a", 1, decisions.Exists, "id-9", "Ben", "seen there"))
	if err := l.Resolve(t.Context(), "a", 1, decisions.Exists, "id-10", "Ben", ""); !errors.As(err, &refused) {
		t.Errorf("another id: %v", err)
	}
	known, err := l.Known(t.Context(), "create_case", []string{"M-1"})
	must(t, err)
	if k := known["M-1"]; k.ServiceID != "id-9" || k.Digest == "" {
		t.Errorf("known is %+v", k)
	}
	said, err := l.Decisions(t.Context(), "a", 1)
	if must(t, err); len(said) != 2 || said[1].Who != "Ben" || said[1].ServiceID != "id-9" {
		t.Errorf("decided was %+v", said)
	}
	fits(t, l)
}

func aDoubtIsSettledAsAPersonDecides(t *testing.T, l *Ledger) {
	for _, test := range []struct {
		decision decisions.Decision
		id       string
		state    State
		known    bool
	}{
		{decisions.Exists, "id-9", Accepted, true},
		{decisions.Exists, "", Accepted, true},
		{decisions.Absent, "", Failed, false},
		{decisions.Leave, "", InDoubt, false},
	} {
		run := "run " + string(test.decision) + test.id
		begin(t, l, run)
		r := planned(run, 1, run)
		r.Entries = []Entry{{Language: "en", Class: "9", Text: "software", Withheld: false}}
		add(t, l, r)
		send(t, l, run, 1)
		settle(t, l, Outcome{Run: run, Seq: 1, State: InDoubt})
		l.w.Now = func() time.Time { return noon.Add(time.Hour) }
		must(t, l.Resolve(t.Context(), run, 1, test.decision, test.id, "Ann", "looked it up"))
		l.w.Now = func() time.Time { return noon }
		state(t, l, run, 1, test.state)
		decided, err := l.Decisions(t.Context(), run, 1)
		must(t, err)
		same(t, decided, []decisions.Decided{{Run: run, Seq: 1, Number: 1, Decision: test.decision, ServiceID: test.id, Who: "Ann", Note: "looked it up", At: noon.Add(time.Hour)}})
		got := known(t, l, run)
		if (got.Doubt != nil) != (test.decision == decisions.Leave) {
			t.Errorf("%s: doubt %+v", test.decision, got.Doubt)
		}
		got.Doubt = nil
		want := history.LastAccepted{}
		if test.known {
			want = history.LastAccepted{Scope: r.Scope, Key: r.Key, Digest: r.Digest, Payload: r.Payload, ServiceID: test.id, Entries: r.Entries, Run: run, AcceptedAt: noon.Add(time.Hour)}
		} else if test.decision == decisions.Leave {
			want = history.LastAccepted{Scope: r.Scope, Key: r.Key}
		}
		same(t, got, want)
	}
}

func aDoubtCanBeLeftAndSettledLaterOnce(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt})
	must(t, l.Resolve(t.Context(), "1", 1, decisions.Leave, "", "Ann", ""))
	must(t, l.Resolve(t.Context(), "1", 1, decisions.Exists, "id", "Bob", ""))
	var refused *handle.TransitionError
	if err := l.Resolve(t.Context(), "1", 1, decisions.Absent, "", "Ann", ""); !errors.As(err, &refused) || refused.From != Accepted {
		t.Errorf("settled twice: %v", err)
	}
	if err := l.Resolve(t.Context(), "1", 2, decisions.Absent, "", "Ann", ""); !errors.As(err, &refused) || refused.From != Planned {
		t.Errorf("settled without doubt: %v", err)
	}
	if err := l.Resolve(t.Context(), "1", 3, decisions.Absent, "", "Ann", ""); !errors.Is(err, handle.ErrNotFound) {
		t.Errorf("settled what is not there: %v", err)
	}
	for _, bad := range []decisions.Decided{{Decision: "maybe", Who: "Ann"}, {Decision: decisions.Exists}, {Decision: decisions.Absent, Who: "Ann", ServiceID: "id"}} {
		if err := l.Resolve(t.Context(), "1", 1, bad.Decision, bad.ServiceID, bad.Who, ""); err == nil || errors.As(err, &refused) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	decided, err := l.Decisions(t.Context(), "1", 1)
	must(t, err)
	if len(decided) != 2 || decided[1].Who != "Bob" || decided[1].Number != 2 {
		t.Errorf("decisions %+v", decided)
	}
}

func settlingADoubtSettlesThoseThatFollowFromIt(t *testing.T, l *Ledger) {
	for _, test := range []struct {
		name   string
		settle string
		seq    int64
	}{{"the first", "1 the first", 1}, {"one that follows", "3 one that follows", 4}} {
		first, second, third := "1 "+test.name, "2 "+test.name, "3 "+test.name
		for _, run := range []string{first, second, third} {
			begin(t, l, run)
		}
		sent := planned(first, 1, test.name)
		add(t, l, sent)
		send(t, l, first, 1)
		settle(t, l, Outcome{Run: first, Seq: 1, State: InDoubt})
		for _, run := range []string{second, third} {
			follows := planned(run, 4, test.name)
			follows.State = InDoubt
			if run == third { // it says what was sent
				follows.Digest = sent.Digest
			}
			other := planned(run, 5, test.name+" other")
			other.State = InDoubt
			add(t, l, follows, other)
		}
		must(t, l.Resolve(t.Context(), test.settle, test.seq, decisions.Exists, "id", "Ann", ""))
		state(t, l, first, 1, Accepted)
		state(t, l, second, 4, Failed)
		state(t, l, third, 4, Unchanged)
		state(t, l, third, 5, InDoubt)
		got := known(t, l, test.name)
		if got.Doubt != nil || got.ServiceID != "id" || got.Digest != sent.Digest || got.Run != first {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

func aRecordLeftInDoubtByOneThatIsSettledAlreadyCanBeSettledAlone(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	r := planned("1", 1, "a")
	r.State = InDoubt
	add(t, l, r)
	same(t, known(t, l, "a"), history.LastAccepted{})
	must(t, l.Resolve(t.Context(), "1", 1, decisions.Exists, "id", "Ann", ""))
	state(t, l, "1", 1, Failed)
	same(t, known(t, l, "a"), history.LastAccepted{})
}
