package ledger

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
)

var shardsCases = cases{
	"a run that is cut is taken in parts, each by one":                             aRunThatIsCutIsTakenInPartsEachByOne,
	"whoever was taken for dead writes nothing any more":                           whoeverWasTakenForDeadWritesNothingAnyMore,
	"what is repeatable and was begun by the dead is sent again":                   whatIsRepeatableAndWasBegunByTheDeadIsSentAgain,
	"a late answer settles the doubt that it caused":                               aLateAnswerSettlesTheDoubtThatItCaused,
	"a late answer lets go of what waits for its doubt":                            aLateAnswerLetsGoOfWhatWaitsForItsDoubt,
	"a late answer leaves what a person has decided":                               aLateAnswerLeavesWhatAPersonHasDecided,
	"a late answer says nothing of another request for the record":                 aLateAnswerSaysNothingOfAnotherRequest,
	"the parts of another node go on when one is lost":                             thePartsOfANodeGoOnWhenOneIsLost,
	"a part outlives the lock under which its run is led":                          aPartOutlivesTheLockUnderWhichItsRunIsLed,
	"what was given back is taken without a doubt":                                 whatWasGivenBackIsTakenWithoutADoubt,
	"a run is not recovered while a node has a lease on a part of it":              aRunIsNotRecoveredWhileANodeHasALease,
	"no request begins with less lease left than it may take":                      noRequestBeginsWithLessLeaseLeftThanItMayTake,
	"a push of one process is refused by another one's, but not by a dead one's":   aPushOfOneProcessIsRefusedByAnotherOnes,
	"the end of a run is not written by a process that it was taken from":          theEndOfARunIsNotWrittenByAProcessThatItWasTakenFrom,
	"a run that another process has finished is not sent again":                    aRunThatAnotherProcessHasFinishedIsNotSentAgain,
	"what all nodes committed of a run is counted together":                        whatAllNodesCommittedOfARunIsCountedTogether,
	"the epoch of a part that is cut anew was never another one's":                 theEpochOfAPartThatIsCutAnewWasNeverAnotherOnes,
	"of two nodes that take the same part at once one gets it":                     ofTwoNodesThatTakeTheSamePartOneGetsIt,
	"two nodes that settle ordinary answers at once agree about what they all say": twoNodesAgreeAboutWhatOrdinaryAnswersSay,
}

// cut begins a run of that many creates, of which every second one is repeatable, in shards of that size.
func cut(t *testing.T, l *Ledger, records, size int) []Shard {
	t.Helper()
	beginAs(t, l, "1", Push, Ready)
	var list []Record
	for n := range records {
		r := planned("1", int64(n+1), fmt.Sprint(n))
		r.Repeatable = n%2 == 1
		list = append(list, r)
	}
	add(t, l, list...)
	return cutAgain(t, l, size)
}

func cutAgain(t *testing.T, l *Ledger, size int) []Shard {
	t.Helper()
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	shards, err := l.Cut(t.Context(), run, size)
	must(t, err)
	return shards
}

func take(t *testing.T, l *Ledger, s Shard) *Shard {
	t.Helper()
	taken, err := l.Take(t.Context(), s)
	must(t, err)
	return taken
}

// shard returns the current state of a part of the run.
func shard(t *testing.T, l *Ledger, n int) Shard {
	t.Helper()
	list, err := l.Shards(t.Context(), "1")
	must(t, err)
	return list[n]
}

func isTakenOver(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, handle.ErrTakenOver) {
		t.Errorf("it is not refused: %v", err)
	}
}

// The node that leads a run and sends a part of it has to leave the run to another node. The part may be all that is
// left of it.
func aPartOutlivesTheLockUnderWhichItsRunIsLed(t *testing.T, l *Ledger) {
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	list := cut(t, l, 4, 10)
	same(t, len(list), 1)
	part := take(t, l, list[0])
	send(t, l, "1", 1)
	must(t, release())
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	must(t, l.MaySend(t.Context(), "1", 2))
	must(t, l.GiveBack(t.Context(), part, "", ""))
}

func aRunThatIsCutIsTakenInPartsEachByOne(t *testing.T, l *Ledger) {
	list := cut(t, l, 5, 2)
	if len(list) != 3 || list[0].First != 0 || list[0].Last != 2 || list[1].First != 3 || list[1].Last != 4 || list[2].First != 5 {
		t.Fatalf("the parts are %+v", list)
	}
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	same(t, run.Phase, Pushing)
	other := again(t, l)
	mine, theirs := take(t, l, list[0]), take(t, other, list[1])
	if _, err := other.Take(t.Context(), list[0]); !errors.Is(err, ErrShardTaken) {
		t.Errorf("it is taken twice: %v", err)
	}
	if _, err := other.Take(t.Context(), shard(t, l, 0)); !errors.Is(err, ErrShardTaken) {
		t.Errorf("it is taken from who has it: %v", err)
	}
	send(t, l, "1", 1)
	send(t, other, "1", 3)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 4}}))
	isTakenOver(t, again(t, l).Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 5}}))
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Accepted, Sent: noon})
	must(t, l.GiveBack(t.Context(), mine, "", ""))
	same(t, shard(t, l, 0).Done, true)
	same(t, shard(t, l, 1).Node, other.Node())
	same(t, theirs.Epoch > list[2].Epoch, true)
	state(t, l, "1", 4, Planned)
}

func whoeverWasTakenForDeadWritesNothingAnyMore(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 4)
	take(t, l, list[0])
	send(t, l, "1", 1)
	lapse(t, l)
	other := again(t, l)
	taken := take(t, other, shard(t, other, 0))
	same(t, []int{taken.Again, taken.Doubt}, []int{0, 1})
	state(t, other, "1", 1, InDoubt)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 2, State: Accepted, At: noon, Sent: noon}}, nil))
	isTakenOver(t, l.Renew(t.Context(), "1", 3))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 4, State: Held, At: noon}}, nil))
	state(t, other, "1", 2, Planned)
	state(t, other, "1", 3, Planned)
	state(t, other, "1", 4, Planned)
	send(t, other, "1", 3)
}

func whatIsRepeatableAndWasBegunByTheDeadIsSentAgain(t *testing.T, l *Ledger) {
	list := cut(t, l, 8, 4)
	take(t, l, list[0])
	send(t, l, "1", 2)
	lapse(t, l)
	taken := take(t, again(t, l), shard(t, l, 0))
	same(t, []int{taken.Again, taken.Doubt}, []int{1, 0})
	var sent int
	must(t, l.h.Read.One(t.Context(), `select count(*) from records where repeatable and sent_at is not null`, nil, &sent))
	same(t, sent, 2) // those of the other part are as they were
}

func aLateAnswerSettlesTheDoubtThatItCaused(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 4)
	take(t, l, list[0])
	send(t, l, "1", 1, 3)
	lapse(t, l)
	other := again(t, l)
	take(t, other, shard(t, l, 0))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, ServiceID: "id-1", Status: 201, At: noon,
		Attempts: []Attempt{{Started: noon, Status: 201, Verdict: "accepted"}}}}, nil))
	state(t, other, "1", 1, Accepted)
	state(t, other, "1", 3, InDoubt)
	known, err := other.Known(t.Context(), "create_case", []string{"0", "2"})
	must(t, err)
	same(t, []string{known["0"].ServiceID, known["2"].ServiceID}, []string{"id-1", ""})
	attempts, err := other.Attempts(t.Context(), "1", 1)
	must(t, err)
	same(t, len(attempts), 1)
}

func aLateAnswerLetsGoOfWhatWaitsForItsDoubt(t *testing.T, l *Ledger) {
	pushed(t, l, 2)
	send(t, l, "1", 1)
	other := again(t, l)
	_, _, err := other.Recover(t.Context(), "1")
	must(t, err)
	beginAs(t, other, "2", Push, Ready)
	waits := planned("2", 1, "0")
	waits.State = InDoubt
	add(t, other, waits, planned("2", 2, "another"))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, nil))
	state(t, l, "1", 1, Accepted)
	got := record(t, l, "2", 1)
	same(t, []any{got.State, got.Message}, []any{Failed, DoubtSettled})
	state(t, l, "2", 2, Planned)
	fits(t, l)
}

func aLateAnswerLeavesWhatAPersonHasDecided(t *testing.T, l *Ledger) {
	list := cut(t, l, 1, 4)
	take(t, l, list[0])
	send(t, l, "1", 1)
	lapse(t, l)
	other := again(t, l)
	take(t, other, shard(t, l, 0))
	must(t, other.Resolve(t.Context(), "1", 1, decisions.Absent, "", "someone", ""))
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, ServiceID: "id-1", At: noon}}, nil))
	state(t, other, "1", 1, Failed)
}

func aLateAnswerSaysNothingOfAnotherRequest(t *testing.T, l *Ledger) {
	list := cut(t, l, 1, 4)
	take(t, l, list[0])
	send(t, l, "1", 1)
	lapse(t, l)
	other := again(t, l)
	take(t, other, shard(t, l, 0))
	sentLater := func(by int64) {
		must(t, other.do(t.Context(), false, func(tx *transaction) error {
			return second(tx.Exec(`update records set sent_at = sent_at + $1 where seq = 1`, by))
		}))
	}
	sentLater(1)
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, ServiceID: "id-1", At: noon}}, nil))
	state(t, other, "1", 1, InDoubt)
	sentLater(-1)
}

func thePartsOfANodeGoOnWhenOneIsLost(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	take(t, l, list[0])
	take(t, l, list[1])
	lapse(t, l)
	must(t, l.Renew(t.Context(), "1", 3))
	take(t, again(t, l), shard(t, l, 0))
	lost, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}})
	must(t, err)
	kept, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}})
	must(t, err)
	l.commitGroup(&l.leased, []*commit{lost, kept})
	isTakenOver(t, <-lost.answer)
	must(t, <-kept.answer)
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Accepted})
	state(t, l, "1", 1, Planned)
}

func whatWasGivenBackIsTakenWithoutADoubt(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 4)
	mine := take(t, l, list[0])
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	must(t, l.GiveBack(t.Context(), mine, "sign_in", "the sign-in is lost"))
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}))
	back := shard(t, l, 0)
	same(t, []any{back.Done, back.StopCode, back.Stop, back.Node, back.Epoch > mine.Epoch}, []any{false, "sign_in", "the sign-in is lost", "", true})
	taken := take(t, again(t, l), back)
	same(t, []int{taken.Again, taken.Doubt}, []int{0, 0})
	var sent int
	must(t, l.h.Read.One(t.Context(), `select count(*) from records where repeatable and sent_at is not null`, nil, &sent))
	same(t, sent, 0)
}

func aRunIsNotRecoveredWhileANodeHasALease(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	mine := take(t, l, list[0])
	send(t, l, "1", 1)
	other := again(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	recovered := make(chan error)
	go func() {
		_, _, err := other.Recover(ctx, "1")
		recovered <- err
	}()
	for done := false; !done; { // it is told with a commit that it is to give its part back
		must(t, l.Renew(t.Context(), "1", 1))
		select {
		case <-mine.Recalled():
			done = true
		default:
		}
	}
	state(t, l, "1", 1, Sending)
	if _, err := other.Take(t.Context(), list[1]); !errors.Is(err, ErrShardTaken) {
		t.Errorf("a part of a run that is called back is taken: %v", err)
	}
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	must(t, l.GiveBack(t.Context(), mine, "", ""))
	must(t, <-recovered)
	cancel()
	state(t, l, "1", 1, Accepted)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}))
}

func noRequestBeginsWithLessLeaseLeftThanItMayTake(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	take(t, l, list[0])
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	h := l.pushes.at(number, 1)
	h.began = time.Now().Add(-LeaseSlack - time.Second)
	must(t, l.MaySend(t.Context(), "1", 1))
	if left := l.leaseLeft(number, 1); left < usualRequest {
		t.Errorf("the lease lasts %v: it was not renewed", left)
	}
	h.began = time.Now().Add(-LeaseSlack - time.Second)
	lapse(t, l)
	take(t, again(t, l), shard(t, l, 0))
	isTakenOver(t, l.MaySend(t.Context(), "1", 1))
	isTakenOver(t, l.MaySend(t.Context(), "1", 3)) // which it has never had
}

func aPushOfOneProcessIsRefusedByAnotherOnes(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	send(t, l, "1", 1)
	other := again(t, l)
	run, err := other.Run(t.Context(), "1")
	must(t, err)
	isTakenOver(t, other.SaveRun(t.Context(), run))
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	_, _, err = other.Recover(t.Context(), "1") // as whoever holds the lock of its scope does
	must(t, err)
	must(t, other.SaveRun(t.Context(), run))
	send(t, other, "1", 2)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}))
}

func theEndOfARunIsNotWrittenByAProcessThatItWasTakenFrom(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	send(t, l, "1", 1)
	other := again(t, l)
	_, _, err := other.Recover(t.Context(), "1")
	must(t, err)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	run.Phase = Finished
	isTakenOver(t, l.SaveRun(t.Context(), run))
	isTakenOver(t, second(l.Hold(t.Context(), "1")))
	run, err = other.Run(t.Context(), "1")
	must(t, err)
	same(t, run.Phase, Pushing)
	state(t, other, "1", 2, Planned)
}

func aRunThatAnotherProcessHasFinishedIsNotSentAgain(t *testing.T, l *Ledger) {
	list := cut(t, l, 2, 4)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	finish(t, again(t, l), "1", Finished)
	isTakenOver(t, l.SaveRun(t.Context(), run))
	isTakenOver(t, second(l.Cut(t.Context(), run, 2)))
	run, err = l.Run(t.Context(), "1")
	must(t, err)
	same(t, run.Phase, Finished)
	if _, err := l.Take(t.Context(), list[0]); !errors.Is(err, ErrShardTaken) {
		t.Errorf("a part of it is taken: %v", err)
	}
}

func whatAllNodesCommittedOfARunIsCountedTogether(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	other := again(t, l)
	mine, theirs := take(t, l, list[0]), take(t, other, list[1])
	send(t, l, "1", 1)
	send(t, other, "1", 3)
	settle(t, other, Outcome{Run: "1", Seq: 3, State: Accepted})
	counted := func(want int64) {
		t.Helper()
		n, err := l.committed(t.Context(), "1")
		must(t, err)
		same(t, n, want)
	}
	counted(3)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	must(t, l.GiveBack(t.Context(), mine, "", ""))
	must(t, other.GiveBack(t.Context(), theirs, "", ""))
	counted(4)
	finish(t, l, "1", Pushing)
	send(t, l, "1", 2)
	counted(5)
	finish(t, l, "1", Stopped)
	counted(6)
}

func theEpochOfAPartThatIsCutAnewWasNeverAnotherOnes(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 4)
	take(t, l, list[0])
	lapse(t, l)
	other := again(t, l)
	_, _, err := other.Recover(t.Context(), "1")
	must(t, err)
	for range 3 {
		anew := cutAgain(t, other, 4)
		take(t, other, anew[0])
		isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}}))
		lapse(t, other)
		_, _, err := other.Recover(t.Context(), "1")
		must(t, err)
	}
}

func ofTwoNodesThatTakeTheSamePartOneGetsIt(t *testing.T, l *Ledger) {
	list := cut(t, l, 40, 2)
	nodes := []*Ledger{l, again(t, l)}
	type got struct{ node, shard int }
	taken := make(chan got)
	for n, node := range nodes {
		go func() {
			for i, s := range list {
				switch _, err := node.Take(context.WithoutCancel(t.Context()), s); {
				case err == nil:
					taken <- got{n, i}
				case !errors.Is(err, ErrShardTaken):
					t.Error(err)
				}
			}
			taken <- got{n, -1}
		}()
	}
	by := map[int]int{}
	for left := len(nodes); left > 0; {
		if g := <-taken; g.shard < 0 {
			left--
		} else {
			by[g.shard]++
		}
	}
	for i := range list {
		same(t, by[i], 1)
	}
}

func twoNodesAgreeAboutWhatOrdinaryAnswersSay(t *testing.T, l *Ledger) {
	list := cut(t, l, 4, 2)
	other := again(t, l)
	take(t, l, list[0])
	take(t, other, list[1])
	answer := func(l *Ledger, seq int64, says string) {
		must(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: Accepted, Status: 200, At: noon, Sent: noon,
			Attempts: []Attempt{{Started: noon, Status: 200, Verdict: string(Accepted), Answer: says}}}}, nil))
	}
	answer(l, 2, "one thing")
	answer(other, 4, "another")
	for seq, want := range map[int64]string{2: "one thing", 4: "another"} {
		attempts, err := l.Attempts(t.Context(), "1", seq)
		must(t, err)
		same(t, attempts[0].Answer, want)
	}
	must(t, second(l.SentInDoubt(t.Context(), "1")))
	if _, err := l.Lock(t.Context(), "create_case"); errors.Is(err, fault.ErrBusy) {
		t.Error("nodes hold no lock of the scope")
	}
}
