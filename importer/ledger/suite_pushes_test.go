package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
)

var pushesCases = cases{
	"a run that is saved between a commit and its answer is counted on":                 aRunThatIsSavedBetweenACommitAndItsAnswerIsCountedOn,
	"a run that is saved while many workers commit is counted on":                       aRunThatIsSavedWhileManyWorkersCommitIsCountedOn,
	"a run that is saved is not taken for what the ledger has of it":                    aRunThatIsSavedIsNotTakenForWhatTheLedgerHasOfIt,
	"a run that is saved is not taken back from who took it up":                         aRunThatIsSavedIsNotTakenBackFromWhoTookItUp,
	"a run that was taken up is noticed though another one of this process looks first": aRunThatWasTakenUpIsNoticedThoughAnotherOneOfThisProcessLooksFirst,
	"a run that this process takes up anew is sent no more by what sent it before":      aRunThatThisProcessTakesUpAnewIsSentNoMoreByWhatSentItBefore,
	"a mark that cannot be written is no trouble with the ledger":                       aMarkThatCannotBeWrittenIsNoTroubleWithTheLedger,
	"a commit is of whole runs or of parts of runs":                                     aCommitIsOfWholeRunsOrOfPartsOfRuns,
	"a run that was given back is counted anew when it is taken up again":               aRunThatWasGivenBackIsCountedAnewWhenItIsTakenUpAgain,
}

// lapse ends all leases.
func lapse(t *testing.T, l *Ledger) {
	t.Helper()
	must(t, l.do(t.Context(), false, func(tx *transaction) error {
		return second(tx.Exec(`update shards set lease_until = 0 where lease_until > 0`))
	}))
}

// pushed starts to push a run of that many records.
func pushed(t *testing.T, l *Ledger, records int) {
	t.Helper()
	beginAs(t, l, "1", Push, Ready)
	var list []Record
	for n := range records {
		list = append(list, planned("1", int64(n+1), fmt.Sprint(n)))
	}
	add(t, l, list...)
	finish(t, l, "1", Pushing)
}

// A folder of reports that cannot be made stands for one that is full or read-only.
func aMarkThatCannotBeWrittenIsNoTroubleWithTheLedger(t *testing.T, l *Ledger) {
	file := filepath.Join(t.TempDir(), "reports")
	must(t, os.WriteFile(file, nil, 0o600))
	l.KeepHighWaterMark(file)
	beginAs(t, l, "1", Push, Ready)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	run.Phase = Pushing
	err = l.SaveRun(t.Context(), run)
	if said := fmt.Sprint(err); l.away(err) || !strings.Contains(said, file) || !strings.Contains(said, "Make the folder of the reports writable") || strings.Contains(said, l.h.Read.Label()) {
		t.Errorf("it says %q", said)
	}
}

func aRunThatIsSavedBetweenACommitAndItsAnswerIsCountedOn(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	c, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}})
	must(t, err)
	group, err := l.writeOnce(nil, []*commit{c}, false)
	must(t, err)
	finish(t, l, "1", Pushing)
	must(t, l.pushes.add(group, time.Now()))
	send(t, l, "1", 2)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
}

func aRunThatIsSavedWhileManyWorkersCommitIsCountedOn(t *testing.T, l *Ledger) {
	const workers, each = 8, 20
	pushed(t, l, workers*each)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			for n := range each {
				seq := int64(w*each + n + 1)
				if err := errors.Join(l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: seq}}), l.SaveRun(t.Context(), run),
					l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: InDoubt, At: noon}}, nil)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	n, err := l.committed(t.Context(), "1")
	must(t, err)
	same(t, n, int64(2*workers*each))
}

func aRunThatIsSavedIsNotTakenForWhatTheLedgerHasOfIt(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	send(t, l, "1", 1)
	must(t, again(t, l).do(t.Context(), false, func(tx *transaction) error {
		return second(tx.Exec(`update shards set commits = 0`))
	}))
	finish(t, l, "1", Pushing)
	finish(t, l, "1", Pushing)
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, handle.ErrBehind) {
		t.Errorf("the ledger lost a commit: %v", err)
	}
}

func aRunThatIsSavedIsNotTakenBackFromWhoTookItUp(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	send(t, l, "1", 1)
	_, doubt, err := again(t, l).Recover(t.Context(), "1")
	must(t, err)
	same(t, doubt, 1)
	finish(t, l, "1", Pushing)
	finish(t, l, "1", Pushing)
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, handle.ErrTakenOver) {
		t.Errorf("another process took the run up: %v", err)
	}
}

func aRunThatWasTakenUpIsNoticedThoughAnotherOneOfThisProcessLooksFirst(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	beginAs(t, l, "2", Push, Ready)
	add(t, l, planned("2", 1, "x"), planned("2", 2, "y"))
	finish(t, l, "2", Pushing)
	send(t, l, "1", 1)
	send(t, l, "2", 1)
	_, _, err := again(t, l).Recover(t.Context(), "1")
	must(t, err)
	send(t, l, "2", 2)
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, handle.ErrTakenOver) {
		t.Errorf("another process took the run up: %v", err)
	}
}

func aRunThatWasGivenBackIsCountedAnewWhenItIsTakenUpAgain(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	send(t, l, "1", 1)
	must(t, release())
	_, _, err = l.Recover(t.Context(), "1")
	must(t, err)
	finish(t, l, "1", Pushing)
	send(t, l, "1", 2)
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Accepted})
}

func aRunThatThisProcessTakesUpAnewIsSentNoMoreByWhatSentItBefore(t *testing.T, l *Ledger) {
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	pushed(t, l, 5)
	send(t, l, "1", 1, 2)
	must(t, l.MaySend(t.Context(), "1", 1))
	takeUp := func() error { // by a run that has the lock of the scope now
		_, _, err := l.Recover(t.Context(), "1")
		return err
	}
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	renewed, began := []*commit{{renewals: []model.Place{{Run: "1", Number: number, Seq: 3}}}}, time.Now()
	must(t, second(l.writeOnce(nil, renewed, false)))
	isTakenOver(t, takeUp())              // as long as what sent it before has not ended; but that sends nothing from here on
	must(t, l.pushes.add(renewed, began)) // nor because of a commit that was carried out before
	beginAs(t, l, "2", Push, Ready)
	add(t, l, planned("2", 1, "x"), planned("2", 2, "y"))
	finish(t, l, "2", Pushing)
	send(t, l, "2", 1)
	for range 2 {
		isTakenOver(t, l.MaySend(t.Context(), "1", 3))
		isTakenOver(t, l.Renew(t.Context(), "1", 3))
		isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 4, State: Held, At: noon}}, []Intent{{Run: "1", Seq: 3}}))
	}
	finish(t, l, "1", Pushing)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 5}}))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, nil))
	for seq, want := range []State{Accepted, InDoubt, Planned, Planned, Planned} { // what the answer settles is the doubt that its own request caused
		state(t, l, "1", int64(seq+1), want)
	}
	send(t, l, "2", 2)
	must(t, release())
	must(t, takeUp())
}

func aCommitIsOfWholeRunsOrOfPartsOfRuns(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	part := take(t, l, list[0])
	beginAs(t, l, "2", Push, Ready)
	add(t, l, planned("2", 1, "x"))
	finish(t, l, "2", Pushing)
	both := []Intent{{Run: "2", Seq: 1}, {Run: "1", Seq: part.First + 1}}
	if err := l.Commit(t.Context(), nil, both); !errors.Is(err, errTwoRights) {
		t.Error(err)
	}
	for _, i := range both {
		state(t, l, i.Run, i.Seq, Planned)
		send(t, l, i.Run, i.Seq)
	}
}
