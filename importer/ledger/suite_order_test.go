package ledger

import (
	"errors"
	"fmt"
	"testing"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/postgres"
)

var orderCases = cases{
	"what was read as planned is not sent when it was held since, by whomever":        whatWasReadAsPlannedIsNotSentWhenItWasHeldSince,
	"planned records come by rank and then by seq, page by page":                      plannedRecordsComeByRank,
	"what is known is what was accepted last, whichever run came first":               whatIsKnownIsWhatWasAcceptedLast,
	"a record cannot be sent while a request of another run for its key is under way": aRecordCannotBeSentWhileARequestOfAnotherRunForItsKeyIsUnderWay,
}

// again opens the ledger again, as another process would.
func again(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	if e, ok := l.h.Engine.(*postgres.Engine); ok {
		return open(t, e.Config().ConnString())
	}
	return open(t, l.h.Read.Label())
}

func whatWasReadAsPlannedIsNotSentWhenItWasHeldSince(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
	for n, by := range []*Ledger{l, again(t, l)} {
		send(t, l, "1", int64(n+1))
		list, err := l.Pending(t.Context(), "1", 0, 10)
		must(t, err)
		same(t, len(list), 2-n)
		_, err = by.Hold(t.Context(), "1")
		must(t, err)
		var refused *handle.TransitionError
		if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}); !errors.As(err, &refused) || refused.From != Held {
			t.Errorf("got %v", err)
		}
		_, err = l.Release(t.Context(), "1", Held)
		must(t, err)
	}
}

func plannedRecordsComeByRank(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	var list []Record
	for n, rank := range []int64{30, 10, 20, 10, 30, 20, 10} {
		r := planned("1", int64(n+1), fmt.Sprint("k", n+1))
		r.Rank = rank
		list = append(list, r)
	}
	list[6].Notes = []Reason{{Code: "noted"}} // so that all of it is written
	add(t, l, list[:3]...)
	add(t, l, list[3:]...)
	changed := record(t, l, "1", 5)
	changed.Rank = min(changed.Rank, 5)
	must(t, l.Replace(t.Context(), changed))
	third := record(t, l, "1", 3)
	third.Message = "put together with another"
	must(t, l.Unite(t.Context(), "1", []planning.Union{{First: third, Late: []int64{6}}}))
	send(t, l, "1", 4)
	var seqs []int64
	for after := (Record{}); ; {
		page, err := l.PendingNearest(t.Context(), "1", after, 2)
		must(t, err)
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1]
		for _, r := range page {
			seqs = append(seqs, r.Seq)
			same(t, string(r.Payload), string(list[r.Seq-1].Payload))
		}
	}
	same(t, seqs, []int64{5, 2, 7, 3, 1})
}

func whatIsKnownIsWhatWasAcceptedLast(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "x"), planned("1", 2, "k"), planned("2", 1, "k"))
	for _, p := range []Intent{{Run: "1", Seq: 1}, {Run: "2", Seq: 1}, {Run: "1", Seq: 2}} {
		send(t, l, p.Run, p.Seq)
		settle(t, l, Outcome{Run: p.Run, Seq: p.Seq, State: Accepted, ServiceID: "id of " + p.Run})
	}
	same(t, known(t, l, "k").ServiceID, "id of 1")
}

func aRecordCannotBeSentWhileARequestOfAnotherRunForItsKeyIsUnderWay(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "k"), planned("2", 1, "k"))
	for _, run := range []string{"1", "2"} {
		_, err := l.Pending(t.Context(), run, 0, 10)
		must(t, err)
	}
	send(t, l, "1", 1)
	for range 2 {
		var doubt *handle.DoubtError
		if err := l.Commit(t.Context(), nil, []Intent{{Run: "2", Seq: 1}}); !errors.As(err, &doubt) {
			t.Errorf("got %v", err)
		}
		state(t, l, "1", 1, Sending)
	}
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Refused})
	send(t, l, "2", 1)
}
