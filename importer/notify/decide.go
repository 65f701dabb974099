package notify

import (
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
)

// Ended is how one run of a job ended. Summary is nil if the run could not be made; Err then says why.
type Ended struct {
	Job     string
	Summary *report.Summary
	Files   files.Paths
	Err     error
	// Firm is set if this is not about a run: the firm cannot be served, or, if Err is nil, can be again. Job is then
	// what the ledger remembers it by.
	Firm string
	// Gone is set beside Firm if the firm is not there any more.
	Gone bool
}

// Event is what a channel is told.
type Event string

// The events, named as in the configuration.
const (
	brokeDown   Event = "broken"       // a job broke, or got worse than was reported
	stillBroken Event = "still_broken" // it is another day, and the job is as broken as before
	recovered   Event = "recovered"    // a job that was broken has recovered
	succeeded   Event = "success"      // a job that was well ran well
	gone        Event = "gone"         // a firm is no longer there; sent to channels that get broken
	tested      Event = "test"         // somebody wants to see whether the channel works
)

// The states of a job, as the ledger stores them.
const (
	well   = "well"
	broken = "broken"
	left   = "gone" // of a firm
)

// Cause is why a job is broken, "" if it is well.
type Cause string

// The causes.
const (
	differing   Cause = "differing"     // the service stored some values differently from what was sent
	rejects     Cause = "rejects"       // more was rejected or failed than the installation tolerates
	inDoubt     Cause = "in_doubt"      // it is not known what became of some records
	stopped     Cause = "stopped"       // a guard, the sign-in or the service stopped the run
	couldNotRun Cause = "could_not_run" // the file, the ledger or the machine kept it from running
	noChannel   Cause = "no_channel"    // the secret of a channel is missing, so no job is run
)

// graver lists the causes from the least to the gravest.
var graver = []Cause{"", differing, rejects, inDoubt, stopped, couldNotRun, noChannel}

// judge says why a job is broken after a run, "" if it is well. news is false if the run says nothing about the job.
func judge(e Ended, rejectsAbove int) (cause Cause, news bool) {
	s := e.Summary
	switch {
	case e.Firm != "" && e.Err == nil:
		return "", true
	case e.Err != nil || s == nil:
		return couldNotRun, true
	case s.Run.StopCode == stop.Interrupted, s.Run.StopCode == stop.Part:
		return "", false
	case s.Run.Phase == ledger.Stopped:
		return stopped, true
	case s.Count(outcome.InDoubt).Records+s.StillInDoubt > 0:
		return inDoubt, true
	case s.Unacknowledged()+s.Count(outcome.Failed).Records > rejectsAbove, s.Changed != nil, s.Unsent != nil:
		return rejects, true
	case s.Differs != nil:
		return differing, true
	}
	return "", true
}

// decide says what to tell a channel that was last told last, "" for nothing, and what to remember then. The location
// of at decides where a day begins. The job's state is remembered even if the channel does not want to hear of its
// change, so that what it does want to hear of is right.
func decide(last ledger.NotificationState, cause Cause, at time.Time, on []Event) (Event, ledger.NotificationState) {
	now := ledger.NotificationState{State: well, Cause: string(cause), Since: last.Since, At: at}
	if cause != "" {
		now.State = broken
	}
	if now.State != last.State {
		now.Since = at
	}
	event := change(last, now)
	if event == stillBroken && cause == noChannel {
		return "", last // once is enough for people who can only pass it on
	}
	if event == recovered && !slices.Contains(on, recovered) {
		event = succeeded
	}
	if event != "" && slices.Contains(on, event) {
		return event, now
	}
	if now.State != last.State {
		return "", now
	}
	return "", last
}

// part is decide for a firm that is gone: that is reported once, until the firm is served again.
func part(last ledger.NotificationState, at time.Time, on []Event) (Event, ledger.NotificationState) {
	if last.State == left {
		return "", last
	}
	event := gone
	if !slices.Contains(on, brokeDown) {
		event = ""
	}
	return event, ledger.NotificationState{State: left, Since: at, At: at}
}

// change returns what is new about a job, "" for nothing.
func change(last, now ledger.NotificationState) Event {
	today := last.At.In(now.At.Location()).Format(time.DateOnly) == now.At.Format(time.DateOnly)
	switch {
	case now.State == broken && last.State != broken:
		return brokeDown
	case now.State == broken && slices.Index(graver, Cause(now.Cause)) > slices.Index(graver, Cause(last.Cause)):
		return brokeDown
	case now.State == broken && !today:
		return stillBroken
	case now.State == well && last.State == broken:
		return recovered
	case now.State == well && !today:
		return succeeded
	}
	return ""
}
