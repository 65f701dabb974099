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

// lookAgain is the longest that the scheduler sleeps: the clock may be set, and a machine that slept wakes without a sign.
const lookAgain = time.Minute

// lockName is the name of the ledger's lock that a scheduler holds.
const lockName = "schedule"

// Serving tells whether a process schedules for the ledger at this moment.
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

// ErrCut tells that a run did not finish what was in flight within the limit and was cut off. The process has to end: what
// the run left in the ledger is true of a process that is gone.
var ErrCut = errors.New("the run did not end within stop_within and was cut off; the next start decides what became of requests in flight")

// ErrLockLost tells that the connection to the ledger was lost that held the lock of the schedule.
var ErrLockLost = errors.New("the connection that held the scheduling lock of the ledger was lost, so another process may schedule its jobs now")

const missedNote = "docketsync was not running at the time, was stopped before the job could start, or the machine was asleep; catch_up is never"

// Cause says why a job is run.
type Cause struct {
	Local string // date and time on the clock of the zone
	Late  bool   // nobody was there at the time; this run catches up
	Again bool   // an earlier process was ended in the middle of it
}

// Result is what became of a run.
type Result struct {
	Run string // its id, empty when none was made
	// State is ledger.Ran when the run came to its end, rejects and doubts or not: the jobs that come after it are run only then. It
	// is ledger.Interrupted when docketsync was asked to stop, and ledger.Broke when the run could not be made, or was stopped by a
	// guard, by the service or by a lost sign-in. It is ledger.Waiting when something else is to end first: the run is begun at the next Serve,
	// by whichever process, also where what is missed is not caught up.
	State   ledger.OccurrenceState
	Message string // a sentence for people
}

// Scheduler runs the jobs of a timetable when they are due; see the package comment.
type Scheduler struct {
	Ledger *ledger.Ledger
	// Run runs one job. When its context ends it finishes what is in flight and returns.
	Run func(ctx context.Context, job string, cause Cause) Result
	// Tell, where set, is called with everything that becomes of dues, after the ledger has it; what was judged together is told
	// together. It may be called from two goroutines, and must return soon.
	Tell func([]ledger.Occurrence)
	// Begun, where set, is called once no other process schedules for the ledger and what an earlier one left is known.
	Begun func()
	// Once has Serve end as soon as nothing is running or waits, for whoever knows by Timetable.Next when to call it again. What cannot be written
	// down ends it with an error.
	Once bool
	// Since, where set, is when it was found that something is due, by whoever could not have it served at once: it counts as that late and no later.
	Since time.Time
	// Behind says since when the clock has been far behind what is accounted for, by the first job of a chain. Whoever calls Serve again and again passes
	// it on from one to the next; a clock is believed after an hour only. It may be nil.
	Behind map[string]time.Time
	// Log may be nil.
	Log *zap.Logger
	// Now is the clock on the wall; time.Now where it is nil.
	Now func() time.Time

	once         sync.Once
	replacements chan replacement

	// What follows belongs to the loop of Serve.
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

// now is the time on the wall alone: the monotonic clock does not go on while a machine sleeps.
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

// Replace gives the scheduler that serves another timetable, which it takes between two runs. taken is called then, before
// anything is run by it. Replace returns when the scheduler knows of the timetable, or ctx ends.
func (s *Scheduler) Replace(ctx context.Context, t Timetable, taken func()) {
	select {
	case s.offers() <- replacement{t, taken}:
	case <-ctx.Done():
	}
}

// Serve runs jobs until ctx ends; then it finishes the run that is going and returns nil, or ErrCut when that took too long.
// Another process that schedules for the same ledger is a *fault.BusyError; when one may, since the lock is gone, Serve ends as
// it does with ctx, and the error is ErrLockLost.
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
	defer func() { _ = release() }() // it dies with the process in any case
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

// stop waits for the run that is going, as long as the timetable allows.
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

// look judges what has come up. What cannot be written down is judged again at the next look.
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

// settle writes down the dues that are not to be run.
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

// begin begins the chain that waits longest, when none is running.
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

// takeOn writes down, before anything of it is run, that a due is and which others its run serves.
func (s *Scheduler) takeOn(ctx context.Context, q *queue, p *pending) error {
	if p.again {
		return nil // its rows are there
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

// idle tells whether nothing is running or waits.
func (s *Scheduler) idle() bool {
	return s.running == nil && !slices.ContainsFunc(s.queues, func(q *queue) bool { return q.pending != nil })
}

// takeReplacement goes over to another timetable, if there is one and nothing is running or waiting.
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
