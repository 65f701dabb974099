package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// Pace measures how fast a phase of a run is, from when it was first seen.
type Pace struct {
	since time.Time
	from  int
}

// At is the pace when a run has come from one progress to the next.
func (p Pace) At(now time.Time, last, next importer.Progress) Pace {
	if p.since.IsZero() || last.Phase != next.Phase {
		return Pace{now, amount(next)}
	}
	return p
}

// amount is what a phase counts: records that are settled while pushing, rows while reading, or records where the rows are not known.
func amount(p importer.Progress) int {
	if p.Phase == ledger.Pushing {
		return p.Settled()
	}
	return max(p.Rows, p.Records)
}

// Measure is the rate so far and the time left, in words; both empty before there is anything to measure.
func (p Pace) Measure(now time.Time, at importer.Progress) (rate, left string) {
	took, n := now.Sub(p.since), amount(at)-p.from
	if p.since.IsZero() || took < time.Second || n <= 0 {
		return "", ""
	}
	perSecond := float64(n) / took.Seconds()
	rate = fmt.Sprintf("%.0f per second", perSecond)
	if perSecond < 10 {
		rate = fmt.Sprintf("%.1f per second", perSecond)
	}
	if rest := at.To - at.Settled(); at.Phase == ledger.Pushing && rest > 0 {
		left = "about " + (time.Duration(float64(rest)/perSecond) * time.Second).Round(time.Second).String()
	}
	return rate, left
}

// Pulse is how far a run is, by what the ledger says: for runs that another process makes.
type Pulse struct {
	importer.Progress
	Pace    Pace
	seen    time.Time     // when the ledger was asked
	cost    time.Duration // how long it took to answer
	Changed time.Time     // when the answer was last another one
}

// Pulses are those of the runs that people look at.
type Pulses struct {
	mu   sync.Mutex
	runs map[string]*Pulse
}

const (
	// pulseRest is how many times as long as the ledger took to count a run it is left alone before it is asked again.
	pulseRest = 10
	// pulsesKept is how many runs are remembered: more than go on at a time.
	pulsesKept = 50
)

// Of is how far a run is. However many look at it, the ledger is asked once in a while.
func (p *Pulses) Of(ctx context.Context, led *ledger.Reader, run ledger.Run, now time.Time) (Pulse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.runs[run.ID]
	if last != nil && last.Phase == run.Phase && now.Sub(last.seen) < last.cost*pulseRest {
		return *last, nil
	}
	began := time.Now()
	counts, err := led.Tally(ctx, run.ID)
	if err != nil {
		return Pulse{}, err
	}
	next := Pulse{Progress: tallied(run, counts), seen: now, cost: time.Since(began), Changed: now}
	if last != nil {
		next.Pace = last.Pace.At(now, last.Progress, next.Progress)
		if last.Phase == next.Phase && amount(last.Progress) == amount(next.Progress) && last.Sent[ledger.Sending] == next.Sent[ledger.Sending] {
			next.Changed = last.Changed
		}
	} else {
		next.Pace = Pace{now, amount(next.Progress)}
	}
	if p.runs == nil || len(p.runs) >= pulsesKept {
		p.runs = map[string]*Pulse{}
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
