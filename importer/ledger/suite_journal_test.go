package ledger

import (
	"errors"
	"slices"
	"testing"

	"docketsync/importer/ledger/postgres"
)

var journalCases = cases{
	"whatever reads sees what was committed, in another process too":                  whateverReadsSeesWhatWasCommitted,
	"what was read as planned is not sent when it was held since, by whomever":        whatWasReadAsPlannedIsNotSentWhenItWasHeldSince,
	"what is known is what was accepted last, whichever run came first":               whatIsKnownIsWhatWasAcceptedLast,
	"a record cannot be sent while a request of another run for its key is under way": aRecordCannotBeSentWhileARequestOfAnotherRunForItsKeyIsUnderWay,
}

// again opens the ledger once more, as another process would.
func again(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	if e, ok := l.engine.(*postgres.Engine); ok {
		return open(t, e.Config().ConnString())
	}
	return open(t, l.read.Label())
}

// emptied takes all runs and all that is known out of a ledger.
func (l *Ledger) emptied(t *testing.T) *Ledger {
	t.Helper()
	must(t, l.do(t.Context(), true, func(tx *transaction) error {
		for _, table := range []string{"decisions", "attempts", "records", "known", "runs"} {
			if _, err := tx.Exec("delete from " + table); err != nil {
				return err
			}
		}
		return nil
	}))
	return l
}

func whateverReadsSeesWhatWasCommitted(t *testing.T, l *Ledger) {
	readings := map[string]func(*Ledger) (bool, error){
		"Record": func(l *Ledger) (bool, error) {
			r, err := l.Record(t.Context(), "1", 1)
			return r.State == Accepted && r.ServiceID == "id-a", err
		},
		"RecordByKey": func(l *Ledger) (bool, error) {
			r, err := l.RecordByKey(t.Context(), "1", "a")
			return r.State == Accepted, err
		},
		"RecordsAt": func(l *Ledger) (bool, error) {
			list, err := l.RecordsAt(t.Context(), "1", []int64{1, 2})
			return err == nil && list[0].State == Accepted && list[1].State == InDoubt, err
		},
		"Records": func(l *Ledger) (bool, error) {
			n := 0
			for r, err := range l.Records(t.Context(), "1", RecordFilter{States: []State{Accepted, InDoubt, Sending}}) {
				if n++; err != nil || r.Attempts != 1 && r.State != Sending {
					return false, err
				}
			}
			return n == 3, nil
		},
		"Pending": func(l *Ledger) (bool, error) {
			list, err := l.Pending(t.Context(), "1", 0, 10)
			return len(list) == 1 && list[0].Seq == 4, err
		},
		"History": func(l *Ledger) (bool, error) {
			list, err := l.History(t.Context(), "create_case", "a", 0)
			return len(list) == 1 && list[0].State == Accepted, err
		},
		"Doubts": func(l *Ledger) (bool, error) {
			list, err := l.Doubts(t.Context(), "")
			return len(list) == 1 && list[0].Key == "b", err
		},
		"Tally": func(l *Ledger) (bool, error) {
			list, err := l.Tally(t.Context(), "1")
			return slices.Contains(list, Count{Create, Accepted, 1}) && slices.Contains(list, Count{Create, Sending, 1}), err
		},
		"Attempts": func(l *Ledger) (bool, error) {
			list, err := l.Attempts(t.Context(), "1", 1)
			return len(list) == 1, err
		},
		"AllAttempts": func(l *Ledger) (bool, error) {
			n := 0
			for _, err := range l.AllAttempts(t.Context(), "1") {
				if n++; err != nil {
					return false, err
				}
			}
			return n == 2, nil
		},
		"Known": func(l *Ledger) (bool, error) {
			k, err := l.Known(t.Context(), "create_case", []string{"a", "b", "c"})
			return k["a"].ServiceID == "id-a" && k["b"].Doubt != nil && k["c"].Doubt != nil, err
		},
		"KnownBriefly": func(l *Ledger) (bool, error) {
			k, err := l.KnownBriefly(t.Context(), "create_case", []string{"a", "b"})
			return k["a"].ServiceID == "id-a" && k["b"].Doubt != nil, err
		},
		"Keys": func(l *Ledger) (bool, error) {
			for key, err := range l.Keys(t.Context(), "create_case") {
				return key == "a", err
			}
			return false, nil
		},
		"Identities": func(l *Ledger) (bool, error) {
			for id, err := range l.Identities(t.Context(), "create_case") {
				return id.ServiceID == "id-a", err
			}
			return false, nil
		},
		"Holders": func(l *Ledger) (bool, error) {
			found, err := l.Holders(t.Context(), []string{"id-a"})
			return len(found["id-a"]) == 1, err
		},
		"Vanished": func(l *Ledger) (bool, error) {
			for key, err := range l.Vanished(t.Context(), "1", "2") {
				return key == "a", err
			}
			return false, nil
		},
		"Doubtful": func(l *Ledger) (bool, error) {
			n, err := l.Doubtful(t.Context())
			return n == 1, err
		},
		"Extent": func(l *Ledger) (bool, error) {
			x, err := l.Extent(t.Context())
			return x.InDoubt == 1 && x.Known == 1, err
		},
		"Resolve": func(l *Ledger) (bool, error) {
			err := l.Resolve(t.Context(), "1", 2, Leave, "", "ada", "")
			return err == nil, err
		},
		"Replace": func(l *Ledger) (bool, error) {
			var refused *TransitionError
			return errors.As(l.Replace(t.Context(), planned("1", 3, "c")), &refused) && refused.From == Sending, nil
		},
		"Recover": func(l *Ledger) (bool, error) {
			_, doubt, err := l.Recover(t.Context(), "1")
			return doubt == 1, err
		},
		"Hold": func(l *Ledger) (bool, error) {
			n, err := l.Hold(t.Context(), "1")
			return n == 1, err
		},
		"Commit": func(l *Ledger) (bool, error) {
			var doubt *DoubtError
			return errors.As(l.Commit(t.Context(), nil, []Intent{{"2", 1}}), &doubt) && doubt.Doubt.Run == "1", nil
		},
	}
	for name, reads := range readings {
		for _, reader := range []string{"itself", "another process"} {
			t.Run(name+" by "+reader, func(t *testing.T) {
				w := again(t, l).emptied(t)
				begin(t, w, "1")
				begin(t, w, "2")
				add(t, w, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"), planned("1", 4, "d"), planned("2", 1, "c"))
				attempts := []Attempt{{Started: noon, Status: 201, Verdict: "accepted"}}
				send(t, w, "1", 1, 2)
				must(t, w.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, ServiceID: "id-a", Attempts: attempts, At: noon}}, []Intent{{"1", 3}}))
				settle(t, w, Outcome{Run: "1", Seq: 2, State: InDoubt, Attempts: attempts})
				by := w
				if reader != "itself" {
					by = again(t, l)
				}
				if ok, err := reads(by); err != nil || !ok {
					t.Errorf("it does not see what was committed: %v", err)
				}
			})
		}
	}
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
		var refused *TransitionError
		if err := l.Commit(t.Context(), nil, []Intent{{"1", 3}}); !errors.As(err, &refused) || refused.From != Held {
			t.Errorf("got %v", err)
		}
		_, err = l.Release(t.Context(), "1", Held)
		must(t, err)
	}
}

func whatIsKnownIsWhatWasAcceptedLast(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	begin(t, l, "2")
	add(t, l, planned("1", 1, "x"), planned("1", 2, "k"), planned("2", 1, "k"))
	for _, p := range []Intent{{"1", 1}, {"2", 1}, {"1", 2}} {
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
		var doubt *DoubtError
		if err := l.Commit(t.Context(), nil, []Intent{{"2", 1}}); !errors.As(err, &doubt) {
			t.Errorf("got %v", err)
		}
		state(t, l, "1", 1, Sending) // which folds the journal
	}
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Refused})
	send(t, l, "2", 1)
}
