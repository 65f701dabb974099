// Package schedule runs jobs when they are due, for months, and accounts for every time at which one was due.
//
// A Pattern (pattern.go) says when: a cron expression on the clock of a time zone. A Chain is a job with a pattern and
// the jobs that come after it. Two pure functions decide: judge, what happens to the dues that have come up, and
// resumption, what happens to a due that an earlier process did not finish. Scheduler carries this out: one loop that
// wakes at the next due, and at least once a minute, because a timer stands still while a machine sleeps, and the clock
// may be set.
//
// # What is due when clocks change
//
// A due is a date and time on the wall clock, such as 2026-03-29T02:30 in Europe/Madrid; the ledger keeps it in this
// form. Expressions are evaluated on a calendar without clock changes and then put on the real one, as Debian's cron
// does it:
//
//	                                         a time at fixed hours            one in every hour of the day
//	                                         30 2 * * *                       */15 * * * *
//	clocks go forward over it                once, at the first instant after it is not due: no such time came
//	clocks go back, and it comes twice       once, the first time             both times; the second is marked /2
//
// Several dues that the clocks moved to one instant are run once; the last of them stands for the others.
//
// # What becomes of a due
//
// Each ends in exactly one state (ledger.OccurrenceState), and the ledger has it before the run begins:
//
//	ran, failed   its run came to an end, or could not be made or was stopped
//	caught_up     it came up together with a later one, whose run served both: the machine was off, or busy with
//	              other jobs
//	overlapped    the run before it was still in progress; it is not doubled
//	missed        no process was there within five minutes of it, and the job's catch_up is never
//	blocked       the job that it comes after failed, or was itself not run; the next due tries again
//	cut_off       begun, but the process died or was stopped before the end, and it was not taken up again: because of
//	              a later due or the configuration, or because it had been begun three times
//
// While docketsync is not running, nothing is written; the next start reads up to when each job is accounted for and
// judges what came up since. A due that was begun and has no end is then taken up again, unless a later one has come
// up: the importer resumes its run.
//
// # When the clock is wrong
//
// A clock that is behind an earlier due is either wrong now, perhaps for a while after the machine started, or was
// ahead before. In the second case waiting for it would mean nights, or years, without a run. So nothing is due for an
// hour; if the clock is still behind then, it is believed. What was accounted for beyond that time is kept under names
// of its own (ledger.SetBack), and jobs are due again: an extra run sends only what changed. A process that calls Serve
// again and again, for example for one of many firms, keeps Scheduler.Behind between the calls, and Scheduler.Clock
// says what to report.
//
// # One at a time
//
// One run goes at a time: a chain that comes due during a run waits its turn, and this delay does not count as missed.
// One process schedules for a ledger; it holds the ledger's lock "schedule".
package schedule
