package occurrences

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// OccurrenceState is what became of a time at which a job was due. The first three are not final: a start that finds
// them knows that the previous process was ended in the middle.
type OccurrenceState string

// The states of an occurrence.
const (
	Waiting     OccurrenceState = "waiting"     // accepted; the jobs it comes after have not ended yet
	Running     OccurrenceState = "running"     // written before the run begins
	Interrupted OccurrenceState = "interrupted" // the run was stopped in the middle, because docketsync was

	Ran        OccurrenceState = "ran"        // the run ended
	Broke      OccurrenceState = "failed"     // the job could not be run, or its run was stopped
	CaughtUp   OccurrenceState = "caught_up"  // not run by itself: the run of a later occurrence served it too
	Overlapped OccurrenceState = "overlapped" // not run: the run before it was still going
	Missed     OccurrenceState = "missed"     // not run: docketsync was not running at the time, and it is not to be caught up
	Blocked    OccurrenceState = "blocked"    // not run: the job that it comes after did not end well
	CutOff     OccurrenceState = "cut_off"    // begun, ended in the middle, and not resumed
)

// Unfinished are the states that are not final.
var Unfinished = []OccurrenceState{Waiting, Running, Interrupted}

// Occurrence is one time at which a job was due. Job, Schedule and Local identify it.
type Occurrence struct {
	Job      string          `json:"job"`
	Schedule string          `json:"schedule"` // expression and time zone
	Local    string          `json:"due"`      // date and time on the clock of the schedule's zone; see also SetBack
	At       time.Time       `json:"at"`
	State    OccurrenceState `json:"state"`
	// By is the Local of the occurrence whose run served this one too.
	By string `json:"by,omitempty"`
	// Note says in a sentence how it ended, or why it was not run.
	Note string `json:"note,omitempty"`
	// Run is the id of its run, empty if there was none.
	Run string `json:"run,omitempty"`
	// Taken counts how often its run was begun: more than once if docketsync was ended in the middle. A run that could
	// not begin and waits again does not count.
	Taken int       `json:"taken"`
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
}

// Scheduled is a job that is scheduled, and the instant up to which its occurrences are accounted for.
type Scheduled struct {
	Job      string
	Schedule string
	Through  time.Time
}

// OccurrenceFilter says which occurrences to list. Empty fields do not restrict.
type OccurrenceFilter struct {
	Job    string
	Local  string
	States []OccurrenceState
	Limit  int // 0 for all
}

// ErrOccurrenceTaken says that an occurrence is settled already, or that another process has taken it.
var ErrOccurrenceTaken = errors.New("this occurrence is settled already, or another process has taken it")

// upsertOccurrence leaves a final occurrence as it is. One that is begun must have been begun once less before, so that
// of two processes that begin it at the same time only one does. The process that began it may put it back to waiting,
// as if it had not been begun.
const upsertOccurrence = `insert into occurrences (job, schedule, local, due_at, state, covered_by, note, run, taken, began_at, ended_at)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
	on conflict (job, schedule, local) do update set state = excluded.state, covered_by = excluded.covered_by, note = excluded.note,
		run = excluded.run, taken = excluded.taken, began_at = excluded.began_at, ended_at = excluded.ended_at
	where occurrences.state in ('waiting', 'running', 'interrupted') and (excluded.state <> 'waiting' or occurrences.state = 'running' and occurrences.began_at = excluded.began_at)
		and occurrences.taken = excluded.taken - case excluded.state when 'running' then 1 when 'waiting' then -1 else 0 end`

// SaveOccurrences stores what became of occurrences, and how far jobs are accounted for, in one transaction that is on
// disk when it returns. An occurrence in a final state is not changed, and one that another process has begun meanwhile
// is not begun. The error is then ErrOccurrenceTaken, and nothing is done.
func (l *Writer) SaveOccurrences(ctx context.Context, jobs []Scheduled, list []Occurrence) error {
	if len(jobs)+len(list) == 0 {
		return nil
	}
	err := l.w.Do(ctx, false, func(tx *handle.Tx) error {
		for _, o := range list {
			changed, err := tx.Exec(upsertOccurrence, store.Plain(o.Job), store.Plain(o.Schedule), o.Local, o.At.UnixMicro(), string(o.State), o.By,
				store.Plain(o.Note), o.Run, o.Taken, store.Micros(o.Began), store.Micros(o.Ended))
			if err == nil && changed == 0 {
				err = fmt.Errorf("job %s, due %s: %w", o.Job, o.Local, ErrOccurrenceTaken)
			}
			if err != nil {
				return err
			}
		}
		for _, job := range jobs {
			if _, err := tx.Exec(`insert into scheduled (job, schedule, through_at) values ($1, $2, $3)
				on conflict (job) do update set schedule = excluded.schedule, through_at = excluded.through_at`,
				store.Plain(job.Job), store.Plain(job.Schedule), job.Through.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrOccurrenceTaken) {
		return err
	}
	return l.w.Wrap("write schedule results", err)
}

// SetBack makes jobs accounted for up to an earlier time than they were, because a clock had been ahead. Later
// occurrences are renamed to make way for those to come: the time at which the clock was found to be ahead is appended
// to their date and time, and becomes their instant. One that was left in the middle counts as cut off.
func (l *Writer) SetBack(ctx context.Context, jobs []Scheduled) error {
	err := l.w.Do(ctx, false, func(tx *handle.Tx) error {
		for _, job := range jobs {
			name, by, to := store.Plain(job.Job), store.Plain(job.Schedule), job.Through.UnixMicro()
			mark := "/ahead-" + job.Through.UTC().Format("20060102T150405Z")
			if err := tx.ExecAll([]any{mark, name, by, to},
				`update occurrences set covered_by = covered_by || cast($1 as text) where job = $2 and schedule = $3 and covered_by in
					(select local from occurrences where job = $2 and schedule = $3 and due_at > $4)`,
				`update occurrences set local = local || cast($1 as text), due_at = $4, note = note || ' (the clock was ahead)',
					state = case when state in ('waiting', 'running', 'interrupted') then 'cut_off' else state end
					where job = $2 and schedule = $3 and due_at > $4`); err != nil {
				return err
			}
			if _, err := tx.Exec(`update scheduled set through_at = $1 where job = $2 and schedule = $3`, to, name, by); err != nil {
				return err
			}
		}
		return nil
	})
	return l.w.Wrap("set back what became of a schedule", err)
}

// Unschedule forgets that jobs are scheduled. What became of their occurrences is kept.
func (l *Writer) Unschedule(ctx context.Context, jobs []string) error {
	return handle.ExecEach(ctx, l.w, "write which jobs are scheduled", jobs, func(job string) []any { return []any{store.Plain(job)} }, `delete from scheduled where job = $1`)
}

// Scheduled lists the jobs that are scheduled, by name.
func (l *Reader) Scheduled(ctx context.Context) ([]Scheduled, error) {
	var c store.Clauses
	l.h.Inside(&c, "job")
	scan := store.Into(func(s *Scheduled) []any { return []any{&s.Job, &s.Schedule, (*store.Time)(&s.Through)} })
	return handle.List(ctx, l.h, "read which jobs are scheduled", scan, `select job, schedule, through_at from scheduled `+c.Text()+` order by job`, c.Args...)
}

// Occurrences lists the occurrences that the filter asks for, latest first.
func (l *Reader) Occurrences(ctx context.Context, f OccurrenceFilter) ([]Occurrence, error) {
	var c store.Clauses
	c.Named("job", f.Job)
	l.h.Inside(&c, "job")
	c.Named("local", f.Local)
	store.Among(&c, "state", f.States)
	text := `select job, schedule, local, due_at, state, covered_by, note, run, taken, began_at, ended_at from occurrences ` +
		c.Text() + ` order by due_at desc, local desc, job` + c.Limit(f.Limit)
	return handle.List(ctx, l.h, "read schedule results", store.Into(func(o *Occurrence) []any {
		return []any{&o.Job, &o.Schedule, &o.Local, (*store.Time)(&o.At), &o.State, &o.By, &o.Note, &o.Run, &o.Taken, (*store.Time)(&o.Began), (*store.Time)(&o.Ended)}
	}), text, c.Args...)
}

// NotificationState is what a notification channel was last told about a job. The notifier chooses the words; the
// ledger only keeps them, so that they outlive the process.
type NotificationState struct {
	State string    `json:"state"`
	Cause string    `json:"cause,omitempty"`
	Since time.Time `json:"since"` // when the job came into that state
	At    time.Time `json:"at"`    // when the channel was last sent a message about it
}

// NotificationState returns what a channel was last told about a job, or zero if it was not told anything yet.
func (l *Reader) NotificationState(ctx context.Context, job, channel string) (NotificationState, error) {
	var n NotificationState
	if !l.h.Sees(job) {
		return n, nil
	}
	_, err := store.Found(l.h.Read.QueryRowContext(ctx, `select state, cause, since, told_at from notifications where job = $1 and channel = $2`, store.Plain(job), store.Plain(channel)).
		Scan(&n.State, &n.Cause, (*store.Time)(&n.Since), (*store.Time)(&n.At)))
	return n, l.h.Wrap("read the notifications about "+job, err)
}

// SaveNotificationState stores what a channel was told about a job, replacing what it was told before. It is on disk
// when it returns.
func (l *Writer) SaveNotificationState(ctx context.Context, job, channel string, n NotificationState) error {
	return l.w.Exec(ctx, "note a notification about "+job, `insert into notifications (job, channel, state, cause, since, told_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (job, channel) do update set state = excluded.state, cause = excluded.cause, since = excluded.since, told_at = excluded.told_at`,
		store.Plain(job), store.Plain(channel), store.Plain(n.State), store.Plain(n.Cause), n.Since.UnixMicro(), n.At.UnixMicro())
}
