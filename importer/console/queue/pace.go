package queue

import (
	"fmt"
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
