package ledger

import (
	"os"
	"path/filepath"
	"testing"
)

// copyLedger copies the file of a closed ledger, as a person would.
func copyLedger(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
}

func TestOlderCopyIsNoticed(t *testing.T) {
	t.Parallel()
	dir, reports := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	// later reopens the ledger as a new process would, and returns the run that it should know and does not.
	later := func(do func(*Ledger)) string {
		l, err := Open(t.Context(), path)
		must(t, err)
		l.KeepHighWaterMark(reports)
		return lacking(t, l, do)
	}
	phase := func(id string, p Phase) func(*Ledger) { return func(l *Ledger) { finish(t, l, id, p) } }
	same(t, later(func(l *Ledger) { night(t, l, "1", 1) }), "")
	same(t, later(func(l *Ledger) { beginAs(t, l, "2", Push, Reading) }), "") // it has sent nothing, and may be removed
	same(t, later(func(l *Ledger) { must(t, l.RemoveRun(t.Context(), "2")) }), "")
	same(t, later(nil), "")

	before := filepath.Join(dir, "before.db")
	copyLedger(t, path, before)
	same(t, later(func(l *Ledger) { begin(t, l, "3"); finish(t, l, "3", Pushing) }), "")
	same(t, later(nil), "") // it was killed, which is no reason to doubt the ledger
	during := filepath.Join(dir, "during.db")
	copyLedger(t, path, during)
	copyLedger(t, before, path)
	same(t, later(nil), "3") // the copy does not know the run that was killed
	copyLedger(t, during, path)
	same(t, later(phase("3", Finished)), "")
	same(t, later(nil), "")
	copyLedger(t, during, path)
	same(t, later(nil), "3") // the copy does not know how it ended
	must(t, os.Remove(path))
	same(t, later(nil), "3") // nor does an empty ledger
	copyLedger(t, during, path)
	same(t, later(func(l *Ledger) { must(t, l.AcceptRestore(t.Context())) }), "3")
	same(t, later(nil), "")
}

func TestWitnessesOfSeveralLedgersStandBesideEachOther(t *testing.T) {
	t.Parallel()
	reports := t.TempDir()
	for _, id := range []string{"1", "2"} {
		l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
		l.KeepHighWaterMark(reports)
		night(t, l, id, 0)
	}
	left, err := os.ReadDir(reports)
	must(t, err)
	same(t, len(left), 2)
}

// lacking returns the run that a ledger should know and does not, "" for none. It looks before it calls do, and closes
// the ledger.
func lacking(t *testing.T, l *Ledger, do func(*Ledger)) string {
	defer func() { must(t, l.Close()) }()
	w, err := l.Outrun(t.Context())
	must(t, err)
	if do != nil {
		do(l)
	}
	if w == nil {
		return ""
	}
	return w.Run
}

// A ledger at a new path is a new ledger, and a copy used under another name is an older one. What another ledger sent
// to another service, or for another job, says nothing about either.
func TestALedgerInAnotherPlaceIsNoticed(t *testing.T) {
	t.Parallel()
	dir, reports := t.TempDir(), t.TempDir()
	process := func(name, service string, jobs []string, do func(*Ledger)) string {
		l, err := Open(t.Context(), filepath.Join(dir, name))
		must(t, err)
		l.KeepHighWaterMark(reports, jobs...)
		must(t, l.SetService(t.Context(), service))
		return lacking(t, l, do)
	}
	ours := []string{"marks", "matters"}
	same(t, process("ledger.db", "one", ours, func(l *Ledger) { night(t, l, "1", 0) }), "")
	copyLedger(t, filepath.Join(dir, "ledger.db"), filepath.Join(dir, "moved.db"))
	copyLedger(t, filepath.Join(dir, "ledger.db"), filepath.Join(dir, "older.db"))
	same(t, process("moved.db", "one", ours, nil), "")
	same(t, process("ledger.db", "one", ours, func(l *Ledger) { night(t, l, "2", 0) }), "")
	same(t, process("older.db", "one", ours, nil), "2")
	same(t, process("new.db", "one", ours, nil), "2")
	same(t, process("trial.db", "another", ours, nil), "")
	same(t, process("marks.db", "one", ours[:1], nil), "")
	same(t, process("new.db", "one", ours, func(l *Ledger) { must(t, l.AcceptRestore(t.Context())) }), "2")
	same(t, process("new.db", "one", ours, nil), "")
}

// A copy taken in the middle of a run, and put back over the same run, is noticed by what was committed since.
func TestCopyOverTheSameRunIsNoticed(t *testing.T) {
	t.Parallel()
	dir, reports := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	process := func(do func(*Ledger)) (w *HighWaterMark) {
		l, err := Open(t.Context(), path)
		must(t, err)
		defer func() { must(t, l.Close()) }()
		l.KeepHighWaterMark(reports)
		w, err = l.Outrun(t.Context())
		must(t, err)
		do(l)
		return w
	}
	process(func(l *Ledger) {
		beginAs(t, l, "1", Push, Ready)
		add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"))
		finish(t, l, "1", Pushing)
		send(t, l, "1", 1)
	})
	before := filepath.Join(dir, "before.db")
	copyLedger(t, path, before)
	for name, sends := range map[string]func(*Ledger){
		"one more was sent":           func(l *Ledger) { send(t, l, "1", 2) },
		"an outcome came":             func(l *Ledger) { settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted}) },
		"the run was stopped before":  func(l *Ledger) { send(t, l, "1", 2); finish(t, l, "1", Stopped) },
		"several calls, then its end": func(l *Ledger) { send(t, l, "1", 2); send(t, l, "1", 3); finish(t, l, "1", Finished) },
	} {
		copyLedger(t, before, path)
		process(func(l *Ledger) { must(t, l.AcceptRestore(t.Context())) })
		w := process(func(l *Ledger) {
			lapse(t, l) // of the process before
			finish(t, l, "1", Pushing)
			sends(l)
		})
		if w != nil {
			t.Errorf("%s: the same ledger is said to be older: %+v", name, w)
		}
		if w := process(func(*Ledger) {}); w != nil {
			t.Errorf("%s: the ledger that was not touched is said to be older: %+v", name, w)
		}
		copyLedger(t, before, path)
		if w := process(func(*Ledger) {}); w == nil || w.Has != 1 || w.Commits < 2 {
			t.Errorf("%s: the copy is not noticed: %+v", name, w)
		}
	}
}

// A stopped run may be killed while it is being resumed, before its witness is renewed: its ledger is complete then.
func TestAKillWhileAStoppedRunIsResumedIsNoOlderCopy(t *testing.T) {
	t.Parallel()
	reports, path := t.TempDir(), filepath.Join(t.TempDir(), "ledger.db")
	process := func(witness bool, do func(*Ledger)) {
		l, err := Open(t.Context(), path)
		must(t, err)
		defer func() { must(t, l.Close()) }()
		if witness {
			l.KeepHighWaterMark(reports)
		}
		w, err := l.Outrun(t.Context())
		must(t, err)
		if w != nil {
			t.Errorf("the ledger is said to be older: %+v", w)
		}
		do(l)
	}
	process(true, func(l *Ledger) {
		beginAs(t, l, "1", Push, Ready)
		add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
		finish(t, l, "1", Pushing)
		send(t, l, "1", 1)
		finish(t, l, "1", Stopped)
	})
	process(false, func(l *Ledger) { finish(t, l, "1", Pushing) }) // as far as it comes before the witness is written
	process(true, func(l *Ledger) {
		_, _, err := l.Recover(t.Context(), "1")
		must(t, err)
		finish(t, l, "1", Pushing)
		send(t, l, "1", 2)
		finish(t, l, "1", Finished)
	})
	process(true, func(*Ledger) {})
}
