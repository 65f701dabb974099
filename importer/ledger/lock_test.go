package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/postgres"
)

// pushing returns a ledger that pushes a run of four records, has sent the first of them, and has lost its lock.
func pushing(t *testing.T, s *ledgertest.Server, outage time.Duration) (l *Ledger, dsn string) {
	t.Helper()
	dsn = s.Database(t)
	l = open(t, dsn)
	push4(t, l, outage)
	return l, dsn
}

// push4 starts a push of four records and sends the first.
func push4(t *testing.T, l *Ledger, outage time.Duration) {
	t.Helper()
	l.Outlast(outage)
	beginAs(t, l, "1", Push, Ready)
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"), planned("1", 4, "d"))
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	t.Cleanup(func() { _ = release() })
	finish(t, l, "1", Pushing)
	send(t, l, "1", 1)
}

func TestPostgreSQLLockThatIsCutIsTakenAgain(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l, _ := pushing(t, s, time.Minute)
	l.LoseLock(t, "create_case")
	kill(t, s, l.w.Store.Connection())
	must(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 2}}))
	state(t, l, "1", 1, Accepted)
	state(t, l, "1", 2, Sending)
	if _, err := open(t, s.DSN()+"&search_path="+l.h.Engine.(*postgres.Engine).Config().RuntimeParams["search_path"]).Lock(t.Context(), "create_case"); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("the lock is not held again: %v", err)
	}
}

// Another process takes the run over while this one is cut off. This one may send nothing more, whether the other one
// still holds the lock or has ended. The answers it still receives settle the doubts it caused, once they can be
// written.
func TestPostgreSQLRunThatAnotherProcessTookUpIsLeftToIt(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	for _, ended := range []bool{false, true} {
		outage := time.Minute
		if !ended { // the other holder is of this process, so that its lock is waited for to the end; the database is there all the time
			outage = time.Duration(longer(2, 60)) * time.Second
		}
		l, dsn := pushing(t, s, outage)
		l.LoseLock(t, "create_case")
		other := open(t, dsn)
		release := taken(t, other, "create_case")
		again, doubt, err := other.Recover(t.Context(), "1")
		must(t, err)
		same(t, []int{again, doubt}, []int{0, 1})
		if ended {
			must(t, release())
		} else {
			kill(t, s, l.w.Store.Connection())
		}
		err = l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 2}})
		if err == nil {
			t.Error("it goes on")
		}
		if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}); !errors.Is(err, map[bool]error{true: handle.ErrTakenOver, false: fault.ErrStopped}[ended]) {
			t.Errorf("it goes on: %v", err)
		}
		state(t, other, "1", 1, Accepted)
		state(t, other, "1", 2, Planned)
		_ = release()
	}
}

// The lock is cut, and the same process takes it for the next run before it releases the lost one. The next run still
// counts.
func TestPostgreSQLLockThatIsGivenBackLateEndsNoCount(t *testing.T) {
	t.Parallel()
	l := open(t, ledgertest.Shared(t).Database(t))
	must(t, l.Writable(t.Context()))
	lost, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	l.LoseLock(t, "create_case")
	release := taken(t, l, "create_case")
	defer func() { must(t, release()) }()
	pushed(t, l, 3)
	_ = lost() // its connection is gone, which may be said or not
	send(t, l, "1", 1)
	_, _, err = again(t, l).Recover(t.Context(), "1")
	must(t, err)
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, handle.ErrTakenOver) {
		t.Errorf("another process took the run up: %v", err)
	}
}

// A process was frozen and does not know that another one has taken its lock. It does not recall the shards that the
// other one has cut, and does not take the run back.
func TestPostgreSQLProcessThatLostItsLockUnknowinglyLeadsNothing(t *testing.T) {
	t.Parallel()
	l := open(t, ledgertest.Shared(t).Database(t))
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	defer func() { _ = release() }()
	cut(t, l, 4, 2)
	l.LoseLock(t, "create_case")
	other := again(t, l)
	held := taken(t, other, "create_case")
	defer func() { must(t, held()) }()
	_, _, err = other.Recover(t.Context(), "1")
	must(t, err)
	list := cutAgain(t, other, 2)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	if err := l.Recall(t.Context(), "1"); err == nil {
		t.Error("it calls back what another process has cut")
	}
	for _, phase := range []Phase{Pushing, Stopped} {
		if run.Phase = phase; l.SaveRun(t.Context(), run) == nil {
			t.Errorf("it writes that the run is %s", phase)
		}
	}
	left, err := other.Shards(t.Context(), "1")
	must(t, err)
	same(t, fmt.Sprint(left), fmt.Sprint(list))
	take(t, other, list[0])
}

// A lock known to be lost may belong to another process, which waits for no lease under it. So no request starts.
func TestPostgreSQLNoRequestBeginsAfterItsLockIsLost(t *testing.T) {
	t.Parallel()
	l := open(t, ledgertest.Shared(t).Database(t))
	l.Beat()
	release, lost, err := l.LockWatched(t.Context(), "create_case")
	must(t, err)
	defer func() { _ = release() }()
	pushed(t, l, 2)
	send(t, l, "1", 1)
	must(t, l.MaySend(t.Context(), "1", 1))
	l.LoseLock(t, "create_case")
	<-lost
	advice(t, l.MaySend(t.Context(), "1", 1), fault.ErrStopped)
}

// Another process had the lock in between, took the run over and released the lock. It waited for no lease, so no lease
// counts any more, whether this process gets its lock back or loses it for good and takes it anew.
func TestPostgreSQLNoLeaseOutlastsItsLock(t *testing.T) {
	t.Parallel()
	for _, forGood := range []bool{false, true} {
		l := open(t, ledgertest.Shared(t).Database(t))
		l.Outlast(time.Minute)
		release, err := l.Lock(t.Context(), "create_case")
		must(t, err)
		pushed(t, l, 2)
		must(t, l.MaySend(t.Context(), "1", 1))
		other := elsewhere(t, l, anothers)
		l.LoseLock(t, "create_case")
		theirs := taken(t, other, "create_case")
		if forGood {
			if err := l.h.Engine.Hold(t.Context(), nil); !errors.Is(err, fault.ErrBusy) {
				t.Fatal(err)
			}
		}
		_, _, err = other.Recover(t.Context(), "1")
		must(t, err)
		must(t, theirs())
		if forGood {
			defer func() { _ = release() }()
			release = taken(t, l, "create_case")
		}
		must(t, l.h.Engine.Hold(t.Context(), nil))
		isTakenOver(t, l.MaySend(t.Context(), "1", 1))
		must(t, release())
	}
}

// A process was frozen and finds its lock free. If another one has kept it in between, used it and released it, the
// lock is lost for good. If the other one only checked whether it was free, nothing is lost.
func TestPostgreSQLKeptLockIsLostToWhoeverKeptItSince(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		l := open(t, ledgertest.Shared(t).Database(t))
		l.Outlast(time.Minute)
		release, lost, err := l.LockWatched(t.Context(), "schedule")
		must(t, err)
		defer func() { _ = release() }()
		other := elsewhere(t, l, anothers)
		l.LoseLock(t, "schedule")
		must(t, taken(t, other, "schedule")())
		if kept {
			theirs, _, err := other.LockWatched(t.Context(), "schedule")
			must(t, err)
			must(t, theirs())
		}
		err = l.h.Engine.Hold(t.Context(), nil)
		select {
		case <-lost:
			same(t, kept, true)
			advice(t, l.h.Wrap("hold", err), fault.ErrStopped)
		default:
			same(t, kept, false)
			must(t, err)
		}
	}
}

// elsewhere opens the ledger as a process on another machine, which the server knows by this name.
func elsewhere(t *testing.T, l *Ledger, name string) *Ledger {
	t.Helper()
	config := l.h.Engine.(*postgres.Engine).Config()
	engine, err := postgres.New(config.ConnString(), postgres.Trust{})
	must(t, err)
	engine.Config().RuntimeParams["application_name"] = name
	other, err := openOn(t.Context(), engine)
	must(t, err)
	t.Cleanup(func() { must(t, other.Close()) })
	other.w.Now = l.w.Now
	return other
}

const anothers = "docketsync 1@elsewhere"

// leading returns a ledger that leads and begins a run. Another process has since taken its lock without its knowledge.
func leading(t *testing.T, s *ledgertest.Server, begin func(l *Ledger)) (l, other *Ledger, lost <-chan struct{}) {
	t.Helper()
	l = open(t, s.Database(t))
	l.Outlast(time.Minute)
	for _, name := range []string{"create_case", "schedule"} {
		release, gone, err := l.LockWatched(t.Context(), name)
		must(t, err)
		t.Cleanup(func() { _ = release() })
		lost = gone
	}
	begin(l)
	other = elsewhere(t, l, anothers)
	l.LoseLock(t, "schedule")
	release := taken(t, other, "schedule")
	t.Cleanup(func() { _ = release() })
	return l, other, lost
}

// The server was restarted, and another node was the first to take the lock of the leading node. The leading node holds
// its part by a lease: it settles everything in flight, keeps sending and takes the next part, over new connections
// too. But it no longer leads.
func TestPostgreSQLPartsAreHadWithoutALock(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	var list []Shard
	var part, next *Shard
	l, other, lost := leading(t, s, func(l *Ledger) {
		list = cut(t, l, 8, 2)
		part, next = take(t, l, list[0]), take(t, l, list[1])
		send(t, l, "1", 1)
	})
	kill(t, s, l.w.Store.Connection())
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	for range 2 {
		if err := l.SaveRun(t.Context(), run); !errors.Is(err, fault.ErrBusy) {
			t.Errorf("it leads on: %v", err)
		}
		if err := l.SetService(t.Context(), "another"); !errors.Is(err, fault.ErrBusy) {
			t.Errorf("what relies on its locks is written over the new connection: %v", err)
		}
	}
	<-lost
	kill(t, s, l.w.Store.Connection())
	must(t, l.MaySend(t.Context(), "1", 2))
	must(t, l.Renew(t.Context(), "1", 2))
	kill(t, s, l.w.Store.Connection())
	must(t, l.GiveBack(t.Context(), part, "", ""))
	kill(t, s, l.w.Store.Connection())
	take(t, l, list[2])
	send(t, l, "1", 3)
	state(t, l, "1", 1, Accepted)

	lapse(t, other)
	list[1].Epoch = next.Epoch
	take(t, other, list[1])
	kill(t, s, l.w.Store.Connection())
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 3, State: Failed, At: noon}}, []Intent{{Run: "1", Seq: 4}}))
	isTakenOver(t, l.Renew(t.Context(), "1", 4))
	state(t, l, "1", 4, Planned)
	send(t, l, "1", 5)
}

// A node that has lost the lock by which it leads can still hold the refused records of its part, until another node
// has the part.
func TestPostgreSQLRefusalsOfAPartAreHeldWithoutALock(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	var part *Shard
	l, other, _ := leading(t, s, func(l *Ledger) {
		part = take(t, l, cut(t, l, 8, 4)[0])
		send(t, l, "1", 1, 3)
	})
	kill(t, s, l.w.Store.Connection())
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Refused})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Refused})
	must(t, l.HoldRefused(t.Context(), "1", part, []int64{1}))
	state(t, l, "1", 1, Held)
	lapse(t, other)
	take(t, other, shard(t, other, 0))
	isTakenOver(t, l.HoldRefused(t.Context(), "1", part, []int64{3}))
	state(t, l, "1", 3, Refused)
}

// A run that is sent whole is sent under the lock of its scope. Losing another lock does not stop it.
func TestPostgreSQLWholeRunsAreHadUnderTheLockOfTheirScope(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l, other, _ := leading(t, s, func(l *Ledger) { pushed(t, l, 5) })
	sendOn := func(n int64) { // the lock of the scope is cut as well, and taken once more
		send(t, l, "1", n)
		kill(t, s, l.w.Store.Connection())
		l.LoseLock(t, "create_case")
		settle(t, l, Outcome{Run: "1", Seq: n, State: Accepted})
		must(t, l.MaySend(t.Context(), "1", n+1))
	}
	sendOn(1)
	sendOn(2)
	send(t, l, "1", 3, 5)
	l.LoseLock(t, "create_case")
	theirs := taken(t, other, "create_case")
	kill(t, s, l.w.Store.Connection())
	if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 3, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 4}}); !errors.Is(err, fault.ErrBusy) {
		t.Errorf("it is sent on without its lock: %v", err)
	}
	state(t, l, "1", 3, Accepted) // an answer needs the epoch alone
	again, doubt, err := other.Recover(t.Context(), "1")
	must(t, err)
	same(t, []int{again, doubt}, []int{0, 1})
	must(t, theirs())
	for range 2 {
		if l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 4}}) == nil || l.MaySend(t.Context(), "1", 4) == nil {
			t.Error("a lock that another process had meanwhile is held again")
		}
	}
	state(t, l, "1", 4, Planned)
	if l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 5, State: Refused, At: noon}}, nil) == nil {
		t.Error("the run is another process's")
	}
	state(t, l, "1", 5, Refused) // the answer to the request that is in doubt
}

// A repeatable record has no intent. Without the lock, its outcome is written as long as nobody has taken the run over.
func TestPostgreSQLOutcomesWithoutIntentsNeedTheEpochAlone(t *testing.T) {
	t.Parallel()
	l, other, _ := leading(t, ledgertest.Shared(t), func(l *Ledger) {
		beginAs(t, l, "1", Push, Ready)
		for seq := range int64(3) {
			r := planned("1", seq+1, fmt.Sprint(seq))
			r.Repeatable = true
			add(t, l, r)
		}
		finish(t, l, "1", Pushing)
	})
	l.LoseLock(t, "create_case")
	theirs := taken(t, other, "create_case")
	defer func() { _ = theirs() }()
	sent := func(seq int64) error {
		return l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: Accepted, At: noon, Sent: noon}}, nil)
	}
	_ = l.h.Engine.Hold(t.Context(), func(name string) bool { return name == "create_case" }) // it finds out; of several that are lost, only about the first that it asks
	for seq := range int64(2) {                                                               // the first is counted, so that the second is not taken for another's
		if err := sent(seq + 1); !errors.Is(err, fault.ErrBusy) {
			t.Errorf("it may send on: %v", err)
		}
		state(t, l, "1", seq+1, Accepted)
	}
	_, _, err := other.Recover(t.Context(), "1")
	must(t, err)
	if sent(3) == nil {
		t.Error("the run is another process's")
	}
	state(t, l, "1", 3, Planned)
}

// Of two whole runs one has lost its lock. The other continues.
func TestPostgreSQLWholeRunThatLosesItsLockStopsNoOther(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l, other, _ := leading(t, s, func(l *Ledger) { pushed(t, l, 3) })
	release, err := l.Lock(t.Context(), "update_case")
	must(t, err)
	defer func() { _ = release() }()
	must(t, l.Begin(t.Context(), Run{ID: "2", Job: "others", Kind: Push, Operation: "update_case", Scope: "update_case", Phase: Ready, Started: noon}))
	for seq := range int64(3) {
		r := planned("2", seq+1, fmt.Sprint(seq))
		r.Scope = "update_case"
		add(t, l, r)
	}
	run, err := l.Run(t.Context(), "2")
	must(t, err)
	run.Phase = Pushing
	number, err := l.h.Number(t.Context(), "2")
	must(t, err)
	must(t, l.holdWhole(t.Context(), number, run))
	l.LoseLock(t, "create_case")
	theirs := taken(t, other, "create_case")
	defer func() { _ = theirs() }()
	kill(t, s, l.w.Store.Connection())
	lost, kept := l.intentOf(t, "1", 1), l.intentOf(t, "2", 1)
	l.commitGroup(&l.locked, []*commit{lost, kept})
	must(t, <-kept.answer)
	if err := <-lost.answer; !errors.Is(err, fault.ErrBusy) {
		t.Errorf("it is sent on without its lock: %v", err)
	}
	state(t, l, "1", 1, Planned)
	send(t, l, "2", 2)
	must(t, l.MaySend(t.Context(), "2", 2))
	_, _, err = other.Recover(t.Context(), "2")
	must(t, err)
	isTakenOver(t, l.Commit(t.Context(), nil, []Intent{{Run: "2", Seq: 3}}))
	isTakenOver(t, l.MaySend(t.Context(), "2", 3))
}

// intentOf returns a call with one intent.
func (l *Ledger) intentOf(t *testing.T, run string, seq int64) *commit {
	t.Helper()
	c, err := l.newCommit(t.Context(), nil, []Intent{{Run: run, Seq: seq}})
	must(t, err)
	return c
}

// A run that is sent whole waits until it holds its lock again, and stops if another process has it. A part of another
// run on the same node does neither.
func TestPostgreSQLPartsWaitForNoLock(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l, _ := pushing(t, s, time.Minute)
	beginAs(t, l, "2", Push, Ready)
	add(t, l, planned("2", 1, "e"), planned("2", 2, "f"), planned("2", 3, "g"))
	run, err := l.Run(t.Context(), "2")
	must(t, err)
	list, err := l.Cut(t.Context(), run, 3)
	must(t, err)
	take(t, l, list[0])
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	own := l.h.Engine.(*postgres.Engine).Config().RuntimeParams["application_name"]
	for n, holder := range []string{own, "nobody that is known"} { // a connection that is not gone yet, or was just before it is asked for
		seq := int64(n + 1)
		send(t, l, "2", seq)
		l.LoseLock(t, "create_case")
		release := taken(t, elsewhere(t, l, holder), "create_case")
		kill(t, s, l.w.Store.Connection())
		waits := make(chan error)
		go func() { waits <- l.Commit(context.WithoutCancel(ctx), nil, []Intent{{Run: "1", Seq: seq + 1}}) }()
		for beats := time.NewTicker(time.Millisecond); l.h.Engine.Held(nil) == nil && ctx.Err() == nil; {
			<-beats.C
		}
		settle(t, l, Outcome{Run: "2", Seq: seq, State: Accepted})
		must(t, l.MaySend(t.Context(), "2", seq+1))
		must(t, release())
		must(t, <-waits)
	}
	l.LoseLock(t, "create_case")
	release := taken(t, elsewhere(t, l, anothers), "create_case")
	defer func() { _ = release() }()
	kill(t, s, l.w.Store.Connection())
	if l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 4}}) == nil {
		t.Error("it is sent on without its lock")
	}
	send(t, l, "2", 3)
	must(t, l.MaySend(t.Context(), "2", 3))
}

// interrupted is a connection that, once cut is set, ends before it passes on an answer that contains all of some
// words.
type interrupted struct {
	net.Conn
	words []string
	cut   *atomic.Bool
}

func (c interrupted) Read(text []byte) (int, error) {
	n, err := c.Conn.Read(text)
	lacks := func(word string) bool { return !bytes.Contains(text[:n], []byte(word)) }
	if !slices.ContainsFunc(c.words, lacks) && c.cut.CompareAndSwap(true, false) {
		_ = c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// A commit is carried out and its answer is lost. The ledger finds that it was carried out, and sending continues.
func TestPostgreSQLCommitWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer  []string
		entries []Entry // what is known of them has to be asked
	}{
		"step by step": {[]string{"COMMIT\x00"}, []Entry{{Language: "en", Class: "9", Text: "software"}}},
		"at once":      {[]string{"INSERT 0 1\x00", "Z\x00\x00\x00\x05I"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commitWhoseAnswerIsLost(t, test.answer, test.entries)
		})
	}
}

func commitWhoseAnswerIsLost(t *testing.T, answer []string, entries []Entry) {
	engine, err := postgres.New(ledgertest.Shared(t).Database(t), postgres.Trust{})
	must(t, err)
	var cut atomic.Bool
	dial := engine.Config().DialFunc
	engine.Config().DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return interrupted{conn, answer, &cut}, err
	}
	l, err := openOn(t.Context(), engine)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	push4(t, l, time.Minute)
	cut.Store(true)
	must(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon, Attempts: []Attempt{{Started: noon}}, Entries: entries}}, []Intent{{Run: "1", Seq: 2}}))
	same(t, cut.Load(), false)
	list, err := l.Attempts(t.Context(), "1", 1)
	must(t, err)
	same(t, len(list), 1)
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	var sent int64
	must(t, l.h.Read.QueryRowContext(t.Context(), `select sent_at from records where run_no = $1 and seq = 2`, number).Scan(&sent))
	same(t, l.pushes.sentAt(model.Place{Run: "1", Number: number, Seq: 2}), sent)
	must(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 2, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 3}}))
	state(t, l, "1", 1, Accepted)
	state(t, l, "1", 2, Accepted)
	state(t, l, "1", 3, Sending)
	fits(t, l)
}

// The answer to a commit is lost in an outage, but the commit was carried out before: the lease it renewed counts from
// then.
func TestPostgreSQLLeaseLastsFromTheTryThatWasCarriedOut(t *testing.T) {
	t.Parallel()
	l, _ := pushing(t, ledgertest.Shared(t), time.Minute)
	c, err := l.newCommit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}})
	must(t, err)
	must(t, second(l.writeOnce(nil, []*commit{c}, false)))
	w := &writing{Ledger: l, by: &l.locked, group: []*commit{c}, again: true, first: time.Now().Add(-LeaseSlack - time.Second)}
	must(t, w.try())
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	if left := l.leaseLeft(number, 2); left > usualRequest {
		t.Errorf("the lease is taken to last %v", left)
	}
}

// taken takes a lock as soon as the server has noticed that its holder is gone.
func taken(t *testing.T, l *Ledger, name string) (release func() error) {
	t.Helper()
	for ctx, stop := context.WithTimeout(t.Context(), 20*time.Second); ; {
		release, err := l.Lock(t.Context(), name)
		if err == nil {
			stop()
			return release
		}
		if !errors.Is(err, fault.ErrBusy) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// A group does not count as committed because another process, which took the run over, has made as many commits.
func TestAnothersCommitsAreNotTakenForOnes(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		l := open(t, path)
		run := Run{ID: "1", Kind: Push, Scope: "create_case", Operation: "create_case", Phase: Ready}
		must(t, l.Begin(t.Context(), run))
		first := planned("1", 1, "a")
		first.Repeatable = alone
		add(t, l, first, planned("1", 2, "b"))
		run.Phase = Pushing
		must(t, l.SaveRun(t.Context(), run))
		outcome, intents := Outcome{Run: "1", Seq: 1, State: Accepted, At: noon, Sent: noon}, []Intent(nil)
		if !alone {
			send(t, l, "1", 1)
			outcome.Sent, intents = time.Time{}, []Intent{{Run: "1", Seq: 2}}
		}
		other := open(t, path)
		must(t, second(other.Hold(t.Context(), "1")))
		_, _, err := other.Recover(t.Context(), "1")
		must(t, err)
		run.Phase, run.StopCode = Stopped, "superseded"
		must(t, other.SaveRun(t.Context(), run))
		c, err := l.newCommit(t.Context(), []Outcome{outcome}, intents)
		must(t, err)
		if _, err := l.writeOnce(nil, []*commit{c}, true); !errors.Is(err, handle.ErrTakenOver) {
			t.Errorf("alone: %v: %v", alone, err)
		}
	}
}

// A server that returns without acknowledged commits, as a standby that takes over may, stops the run.
func TestPostgreSQLLostCommitsStopTheRun(t *testing.T) {
	t.Parallel()
	l, _ := pushing(t, ledgertest.Shared(t), time.Minute)
	must(t, l.do(t.Context(), false, func(tx *transaction) error {
		_, err := tx.Exec(`update records set state = 'planned', sent_at = null`)
		return errors.Join(err, second(tx.Exec(`update shards set commits = 0`)))
	}))
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, handle.ErrBehind) || !strings.Contains(err.Error(), "accept-restore") {
		t.Error(err)
	}
	state(t, l, "1", 2, Planned)
}

func TestPostgreSQLOutageThatLastsTooLongStopsTheRun(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	l, _ := pushing(t, s, 300*time.Millisecond)
	s.Halt()
	advice(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, nil), fault.ErrUnreachable)
	s.Start(t)
	state(t, l, "1", 1, Sending)
}

// A server that is read-only for a while, as during a move, is waited for like one that restarts.
func TestPostgreSQLCommitWaitsForAServerThatIsReadOnly(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	l, _ := pushing(t, s, time.Minute)
	readOnly := func(is string) {
		s.Ask(t, `alter system set default_transaction_read_only = `+is, `select pg_reload_conf()`)
		until(t, s.Admin, `select current_setting('default_transaction_read_only') = '`+is+`'`)
	}
	var before int64
	must(t, s.Admin.QueryRow(`select xact_rollback from pg_stat_database where datname = current_database()`).Scan(&before))
	readOnly("on")
	committed := make(chan error, 1)
	go func() {
		committed <- l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, nil)
	}()
	until(t, s.Admin, fmt.Sprintf(`select xact_rollback > %d from pg_stat_database where datname = current_database()`, before))
	state(t, l, "1", 1, Sending)
	readOnly("off")
	must(t, <-committed)
	state(t, l, "1", 1, Accepted)
}

func TestPostgreSQLCommitsWaitForTheDiskWhateverTheDefault(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	for said, want := range map[string]string{"off": "on", "local": "on", "on": "on", "remote_write": "remote_write", "remote_apply": "remote_apply"} {
		l := open(t, s.Database(t)+"&synchronous_commit="+said)
		var lasting, relaxed string
		for set, into := range map[bool]*string{false: &lasting, true: &relaxed} {
			must(t, l.do(t.Context(), set, func(tx *transaction) error {
				return tx.One(`select current_setting('synchronous_commit')`, nil, into)
			}))
		}
		same(t, []string{lasting, relaxed}, []string{want, "off"})
	}
}

// A real standby follows a server. No commit waits for it until the server is told to.
func TestPostgreSQLStandbyThatMayLagIsFound(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	l := open(t, s.Database(t))
	come := func(want ...string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; {
			names, err := l.LaggingStandbys(t.Context())
			must(t, err)
			if slices.Equal(names, want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("got %v, want %v", names, want)
			}
		}
	}
	come()
	standby := s.Standby(t, "second")
	come("second")
	must(t, second(s.Admin.Exec(`create role weak login`)))
	conn, err := s.Admin.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	must(t, second(conn.ExecContext(t.Context(), `set role weak`)))
	var seen string
	must(t, conn.QueryRowContext(t.Context(), postgres.SelectLagging).Scan(&seen))
	same(t, seen, "second")
	for _, set := range []string{"second", ""} {
		must(t, second(s.Admin.Exec(`alter system set synchronous_standby_names = '`+set+`'`)))
		must(t, second(s.Admin.Exec(`select pg_reload_conf()`)))
		if set == "" {
			come("second")
		} else {
			come()
		}
	}
	standby.Halt()
}
