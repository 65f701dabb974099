package schedule

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
)

// lookAgain is the longest that the scheduler sleeps: the clock may be set, and a machine wakes from sleep without a
// sign.
const lookAgain = time.Minute

// lockName is the name of the ledger's lock that a scheduler holds.
const lockName = "schedule"

// Serving reports whether a process schedules for the ledger at this moment.
func Serving(ctx context.Context, book *ledger.Ledger) (bool, error) {
	release, err := book.Lock(ctx, lockName)
	if errors.Is(err, fault.ErrBusy) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, release()
}

// ErrCut says that a run did not finish what was in flight within the limit and was cut off. The process must end,
// because from now on the ledger treats the run as that of a process that is gone.
var ErrCut = errors.New("the run did not end within stop_within and was cut off; the next start decides what became of requests in flight")

// ErrLockLost says that the connection to the ledger that held the lock of the schedule was lost.
var ErrLockLost = errors.New("the connection that held the scheduling lock of the ledger was lost, so another process may schedule its jobs now")

const missedNote = "docketsync was not running at the time, was stopped before the job could start, or the machine was asleep; catch_up is never"

// Cause says why a job is run.
type Cause struct {
	Local string // date and time on the clock of the zone
	Late  bool   // no process was there at the time; this run catches up
	Again bool   // an earlier process ended in the middle of it
}

// Result is how a run ended.
type Result struct {
	Run string // its id, empty if no run was made
	// State is ledger.Ran if the run came to its end, with or without rejects and doubts: only then are the jobs run
	// that come after it. It is ledger.Interrupted if docketsync was asked to stop, and ledger.Broke if the run could
	// not be made, or was stopped by a guard, by the service or by a lost sign-in. It is ledger.Waiting if something
	// else must end first: the run is then begun by the next Serve, in whichever process, even if the job does not
	// catch up what it missed.
	State   ledger.OccurrenceState
	Message string // a sentence for people
}

// Scheduler runs the jobs of a timetable when they are due; see the package comment.
type Scheduler struct {
	Ledger *ledger.Ledger
	// Run runs one job. When its context ends, it finishes what is in flight and returns.
	Run func(ctx context.Context, job string, cause Cause) Result
	// Tell, if set, is called with everything that happens to dues, after the ledger has it; dues that were judged
	// together are reported together. It may be called from two goroutines, and must return soon.
	Tell func([]ledger.Occurrence)
	// Begun, if set, is called once no other process schedules for the ledger and it is known what an earlier one left.
	Begun func()
	// Once makes Serve end as soon as nothing is running or waiting. It is for callers who know from Timetable.Next
	// when to call Serve again. If something cannot be recorded, Serve ends with an error.
	Once bool
	// Since, if set, is when the caller found that something is due but could not serve it at once: the due counts as
	// late by that time only.
	Since time.Time
	// Behind is when the clock was first found far behind what is accounted for, by the first job of a chain; after an
	// hour the clock is believed. A caller that runs Serve again and again passes it on. It may be nil.
	Behind map[string]time.Time
	// Log may be nil.
	Log *zap.Logger
	// Now is the wall clock; nil means time.Now.
	Now func() time.Time

	once         sync.Once
	replacements chan replacement

	// The following fields belong to the loop of Serve.
	table   Timetable
	queues  []*queue
	running *queue
	ended   chan struct{} // closed when the chain that is running has ended
	next    *replacement
}

type replacement struct {
	table Timetable
	taken func()
}

// now returns only wall-clock time: the monotonic clock stops while a machine sleeps.
func (s *Scheduler) now() time.Time {
	if s.Now != nil {
		return s.Now().Round(0)
	}
	return time.Now().Round(0)
}

func (s *Scheduler) tell(dues []ledger.Occurrence) {
	if s.Tell != nil && len(dues) > 0 {
		s.Tell(dues)
	}
}

func (s *Scheduler) offers() chan replacement {
	s.once.Do(func() { s.replacements = make(chan replacement) })
	return s.replacements
}

// Replace gives the running scheduler another timetable, which it takes between two runs. taken is called then, before
// anything is run by the new timetable. Replace returns when the scheduler has been told of the timetable, or ctx ends.
func (s *Scheduler) Replace(ctx context.Context, t Timetable, taken func()) {
	select {
	case s.offers() <- replacement{t, taken}:
	case <-ctx.Done():
	}
}

// Serve runs jobs until ctx ends; then it finishes the current run and returns nil, or ErrCut if that took too long. If
// another process schedules for the same ledger, the error is a *fault.BusyError. If another process may begin to,
// because the lock is lost, Serve ends as it does with ctx, and the error is ErrLockLost.
func (s *Scheduler) Serve(ctx context.Context, t Timetable) error {
	s.Log = cmp.Or(s.Log, zap.NewNop())
	if s.Behind == nil {
		s.Behind = map[string]time.Time{}
	}
	ctx, halt := context.WithCancel(ctx)
	defer halt()
	recording, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	release, lost, err := s.Ledger.LockWatched(recording, lockName)
	if err != nil {
		return err
	}
	defer func() { _ = release() }() // it ends with the process in any case
	go func() {
		select {
		case <-lost:
			cut() // nothing can be recorded any more; whoever has the lock takes up what was begun
		case <-recording.Done():
		}
	}()
	if err := s.adopt(recording, t); err != nil {
		return err
	}
	if s.Begun != nil {
		s.Begun()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		failed := s.look(recording, s.now())
		failed = errors.Join(failed, s.begin(ctx, recording))
		if s.Once && s.running == nil && failed != nil {
			return failed
		}
		if s.takeReplacement(recording) {
			continue
		}
		if s.Once && s.idle() {
			return nil
		}
		wait, now := lookAgain, s.now()
		for _, q := range s.queues {
			wait = q.wait(now, wait)
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return s.stop()
		case <-lost:
			halt()
			return errors.Join(ErrLockLost, s.stop())
		case <-s.ended:
			s.running, s.ended = nil, nil
		case r := <-s.offers():
			s.next = &r
		case <-timer.C:
		}
	}
}

// stop waits for the current run, as long as the timetable allows.
func (s *Scheduler) stop() error {
	if s.running == nil {
		return nil
	}
	s.Log.Warn("stopping: requests in flight are finished, the rest is held", zap.String("job", s.running.chain.Job()),
		zap.Duration("within", s.table.StopWithin))
	select {
	case <-s.ended:
		return nil
	case <-time.After(s.table.StopWithin):
		return ErrCut
	}
}

// look judges what has come up. What cannot be recorded is judged again at the next look.
func (s *Scheduler) look(ctx context.Context, now time.Time) (failed error) {
	asked := now
	if !s.Since.IsZero() && s.Since.Before(now) {
		asked = s.Since
	}
	for _, q := range s.queues {
		if err := s.setBack(ctx, q, now); err != nil {
			s.Log.Error("the schedule could not be set back after the clock had been ahead; trying again",
				zap.String("job", q.chain.Job()), zap.Error(err))
		}
		dues := q.up(now)
		if len(dues) == 0 {
			continue
		}
		going := s.running == q || q.pending != nil && q.pending.again
		verdicts := judge(q.chain, dues, situation{now: asked, running: going, waiting: q.pending != nil})
		if err := s.settle(ctx, q, verdicts); err != nil {
			s.Log.Error("a due run could not be recorded; trying again", zap.String("job", q.chain.Job()), zap.Error(err))
			failed = errors.Join(failed, err)
			continue
		}
		q.take(verdicts, asked)
	}
	return failed
}

// settle records the dues that will not be run.
func (s *Scheduler) settle(ctx context.Context, q *queue, verdicts []verdict) error {
	var rows []ledger.Occurrence
	var through time.Time
	for _, v := range verdicts {
		note := ""
		switch v.state {
		case ledger.Overlapped:
			note = "the previous run had not ended"
		case ledger.Missed:
			note = missedNote
		default:
			continue
		}
		through = v.due.At
		rows = append(rows, q.rows(v.due, func(row *ledger.Occurrence) { row.State, row.Note = v.state, note })...)
	}
	if len(rows) == 0 {
		return nil
	}
	if err := s.Ledger.SaveOccurrences(ctx, q.through(through), rows); err != nil {
		return err
	}
	for _, row := range rows {
		s.Log.Warn("a scheduled run was not started", zap.String("job", row.Job), zap.String("due", row.Local), zap.String("state", string(row.State)), zap.String("why", row.Note))
	}
	s.tell(rows)
	return nil
}

// begin begins the chain that has waited longest, if none is running.
func (s *Scheduler) begin(ctx, recording context.Context) error {
	if s.running != nil || ctx.Err() != nil {
		return nil
	}
	var first *queue
	for _, q := range s.queues {
		if q.pending != nil && (first == nil || q.chain.begin(q.pending.due).Before(first.chain.begin(first.pending.due))) {
			first = q
		}
	}
	if first == nil {
		return nil
	}
	p := first.pending
	if err := s.takeOn(recording, first, p); err != nil {
		s.Log.Error("a run could not be started", zap.String("job", first.chain.Job()), zap.String("due", p.due.Local), zap.Error(err))
		if errors.Is(err, ledger.ErrOccurrenceTaken) {
			first.pending = nil
			return nil
		}
		return err
	}
	first.pending = nil
	ended := make(chan struct{})
	s.running, s.ended = first, ended
	go func() {
		defer close(ended)
		s.carry(ctx, recording, first.chain, p)
	}()
	return nil
}

// takeOn records a due, and the others that its run serves, before anything of it is run.
func (s *Scheduler) takeOn(ctx context.Context, q *queue, p *pending) error {
	if p.again {
		return nil // its rows exist already
	}
	var covered []ledger.Occurrence
	for _, due := range p.covered {
		covered = append(covered, q.rows(due, func(row *ledger.Occurrence) {
			row.State, row.By, row.Note = ledger.CaughtUp, p.due.Local, "the run due at "+p.due.Local+" covered it"
		})...)
	}
	waiting := q.rows(p.due, func(row *ledger.Occurrence) { row.State = ledger.Waiting })
	if err := s.Ledger.SaveOccurrences(ctx, q.through(p.due.At), append(covered, waiting...)); err != nil {
		return err
	}
	p.rows = map[string]ledger.Occurrence{}
	for _, row := range waiting {
		p.rows[row.Job] = row
	}
	s.tell(covered)
	return nil
}

// idle reports whether nothing is running or waiting.
func (s *Scheduler) idle() bool {
	return s.running == nil && !slices.ContainsFunc(s.queues, func(q *queue) bool { return q.pending != nil })
}

// takeReplacement switches to another timetable, if there is one and nothing is running or waiting.
func (s *Scheduler) takeReplacement(ctx context.Context) bool {
	if s.next == nil || !s.idle() {
		return false
	}
	if err := s.adopt(ctx, s.next.table); err != nil {
		s.Log.Error("the new timetable could not be applied; trying again", zap.Error(err))
		return false
	}
	if s.next.taken != nil {
		s.next.taken()
	}
	s.next = nil
	return true
}
