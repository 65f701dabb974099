package queue

import (
	"context"
	"sync"
	"time"

	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
)

// onwards is the course of a run's phase when the run has come from one progress to the next.
func onwards(c forecast.Course, now time.Time, last, next importer.Progress) forecast.Course {
	if last.Phase != next.Phase {
		c = forecast.Course{}
	}
	return c.At(now, next.Done())
}

// pulse is how far a run is, by what the ledger says: for runs that another process makes.
type pulse struct {
	importer.Progress
	Course  forecast.Course
	seen    time.Time     // when the ledger was asked
	cost    time.Duration // how long it took to answer
	Changed time.Time     // when the answer was last another one
}

// Pulses are those of the runs that people look at.
type Pulses struct {
	mu   sync.Mutex
	runs map[string]*pulse
}

const (
	// pulseRest is how many times as long as the ledger took to count a run it is left alone before it is asked again.
	pulseRest = 10
	// pulsesKept is how many runs are remembered: more than go on at a time.
	pulsesKept = 50
)

// Of is how far a run is. However many look at it, the ledger is asked once in a while.
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
	if p.runs == nil || len(p.runs) >= pulsesKept {
		p.runs = map[string]*pulse{}
	}
	p.runs[run.ID] = &next
	return next, nil
}

// tallied is a progress as the ledger tells it. How many rows were read it says when all have been.
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
