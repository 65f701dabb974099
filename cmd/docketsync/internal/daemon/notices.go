package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// notices are the dues that were not run and that people have not been told of yet, the latest of each job. Messages
// take time, and the scheduler does not wait for them. But people are told of a job's end only after they were told
// what was not run before it, because they act on the last message.
type notices struct {
	mu   sync.Mutex
	jobs map[string]missedRun
	come chan struct{} // holds one token while there is anything to tell

	telling sync.Mutex // held while people are told
}

// missedRun is a due that was not run.
type missedRun struct {
	ledger.Occurrence
	others int // earlier dues of the job that people have not been told of either
}

func newNotices() *notices {
	return &notices{jobs: map[string]missedRun{}, come: make(chan struct{}, 1)}
}

// notRunWords are the states of dues that people are told of, in words. A due that was caught up is not among them: a
// run served it, and people are told of that run.
var notRunWords = map[ledger.OccurrenceState]string{
	ledger.Missed: "was missed", ledger.Overlapped: "was not started", ledger.Blocked: "was skipped", ledger.CutOff: "was cut off",
}

// add notes those of the dues that were not run.
func (s *notices) add(dues []ledger.Occurrence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, due := range dues {
		if notRunWords[due.State] == "" {
			continue
		}
		others := 0
		if earlier, ok := s.jobs[due.Job]; ok {
			others = earlier.others + 1
		}
		s.jobs[due.Job] = missedRun{due, others}
	}
	if len(s.jobs) == 0 {
		return
	}
	select {
	case s.come <- struct{}{}:
	default:
	}
}

// take returns the notices and empties them.
func (s *notices) take() []missedRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.SortedFunc(maps.Values(s.jobs), func(a, b missedRun) int { return a.At.Compare(b.At) })
	clear(s.jobs)
	return list
}

// failure is the error that people are told.
func (d missedRun) failure() error {
	text := fmt.Sprintf("the run due at %s %s: %s", shownLocal(d.Local), notRunWords[d.State], d.Note)
	if d.others > 0 {
		text += fmt.Sprintf(" (and so %s %s due before it)", wording.Plural(d.others, "was", "were"), wording.Counted(d.others, "run"))
	}
	return errors.New(text)
}

// sendNotices tells people what was not run, and returns when they have been told, by this call or another. It
// continues after ctx ends.
func (d *daemon) sendNotices(ctx context.Context) {
	d.notices.telling.Lock()
	defer d.notices.telling.Unlock()
	for _, due := range d.notices.take() {
		d.inUse().Observers.Failed(context.WithoutCancel(ctx), []string{due.Job}, due.failure())
	}
}

// sendNoticesUntil tells people what was not run as soon as it is known, until ctx ends.
func (d *daemon) sendNoticesUntil(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.notices.come:
			d.sendNotices(ctx)
		}
	}
}
