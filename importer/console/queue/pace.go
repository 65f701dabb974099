package queue

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
)

// onwards continues the course of a run's phase from one progress to the next. A new phase starts a new course.
func onwards(c forecast.Course, now time.Time, last, next importer.Progress) forecast.Course {
	if last.Phase != next.Phase {
		c = forecast.Course{}
	}
	return c.At(now, next.Done())
}

// pulse is the progress of a run according to the ledger, for runs that another process makes.
type pulse struct {
	importer.Progress
	Course  forecast.Course
	seen    time.Time     // when the ledger was asked
	cost    time.Duration // how long it took to answer
	Changed time.Time     // when the answer last changed
}

// Pulses are the pulses of the runs that people watch.
type Pulses struct {
	mu   sync.Mutex
	runs map[string]*pulse
}

const (
	// pulseRest is the pause between two counts of a run, as a multiple of the time the last count took.
	pulseRest = 10
	// pulsesKept is how many runs are remembered, those that were asked about last: more than are in progress at a time.
	pulsesKept = 50
)

// Of returns how far a run is. However many people watch it, the ledger is asked only now and then.
func (p *Pulses) Of(ctx context.Context, led *ledger.Reader, run ledger.Run, now time.Time) (pulse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.runs[run.ID]
	if last != nil && last.Phase == run.Phase && now.Sub(last.seen) < last.cost*pulseRest {
		return *last, nil
	}
	began := time.Now()
	counts, err := led.Tally(ctx, run.ID)
	if err != nil {
		return pulse{}, err
	}
	next := pulse{Progress: tallied(run, counts), seen: now, cost: time.Since(began), Changed: now}
	if last == nil {
		next.Course = forecast.Course{}.At(now, next.Done())
	} else {
		next.Course = onwards(last.Course, now, last.Progress, next.Progress)
		if last.Phase == next.Phase && last.Done() == next.Done() && last.Sent[ledger.Sending] == next.Sent[ledger.Sending] {
			next.Changed = last.Changed
		}
	}
	if p.runs == nil {
		p.runs = map[string]*pulse{}
	}
	if last == nil && len(p.runs) >= pulsesKept {
		delete(p.runs, slices.MinFunc(slices.Collect(maps.Keys(p.runs)), func(a, b string) int { return p.runs[a].seen.Compare(p.runs[b].seen) }))
	}
	p.runs[run.ID] = &next
	return next, nil
}

// tallied returns a progress from the ledger, which knows the number of rows only once all have been read.
func tallied(run ledger.Run, counts []ledger.Count) importer.Progress {
	p := importer.Progress{Job: run.Job, Phase: run.Phase, Rows: run.Counts.Read, Sent: map[ledger.State]int{}}
	if run.Phase == ledger.Pushing {
		p.Paused = run.Stop
	}
	for _, c := range counts {
		p.Records += c.N
		if c.Action == ledger.None || c.State == ledger.Unchanged || c.State == ledger.Rejected {
			continue
		}
		p.To += c.N
		if run.Phase == ledger.Pushing && c.State != ledger.Planned && c.State != ledger.Sending {
			p.Sent[c.State] += c.N
		}
	}
	return p
}
