package page

import (
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// barWidth is the width of the bar of outcomes in its own units; leastBar keeps the few visible beside the many.
const (
	barWidth = 1000
	leastBar = 6
)

// bar is one outcome in the chart of outcomes.
type bar struct {
	report.OutcomeCount
	Index    int // among the page's outcomes
	X, Width int
	// Shown is false for an outcome that nothing has and that this kind of run cannot have.
	Shown bool
}

// bars divides the bar of outcomes. What there is none of has no width, but is listed.
func bars(s *report.Summary) []bar {
	list := make([]bar, 0, len(s.Records.ByOutcome))
	free, total := barWidth, 0
	for _, c := range s.Records.ByOutcome {
		b := bar{OutcomeCount: c, Index: outcomeIndex(c.Outcome)}
		dry := c.Outcome == outcome.Unchanged || c.Outcome == outcome.Rejected || c.Outcome == outcome.InDoubt
		b.Shown = c.Records > 0 || dry || s.Run.Kind == ledger.Push
		if c.Records > 0 {
			b.Width = leastBar
			free -= leastBar
			total += c.Records
		}
		list = append(list, b)
	}
	x := 0
	for n := range list {
		if list[n].Records > 0 {
			list[n].Width += int(float64(free) * float64(list[n].Records) / float64(total))
		}
		list[n].X = x
		x += list[n].Width
	}
	return list
}

// outcomeIndex is an outcome's place among the page's; the last is that of all others.
func outcomeIndex(o outcome.Outcome) int {
	if n := slices.Index(pageOutcomes, o); n >= 0 {
		return n
	}
	return len(pageOutcomes) - 1
}

// chartHeight is the height of the chart of throughput in its own units.
const chartHeight = 100

// chart is the chart of throughput: what was accepted and what else stacked up for each step of time.
type chart struct {
	Pieces   []piece
	Width    int
	Peak     string
	From, To time.Time
	Statuses []report.StatusCount
	Sentence string
	HasOther bool
}

// piece is a rectangle of an outcome's colour.
type piece struct{ Index, X, Y, Width, Height int }

func newChart(r report.Requests) chart {
	c := chart{From: r.First, To: r.Last, Statuses: r.ByStatus, Width: 10 * max(len(r.Series), 1)}
	if r.Total == 0 {
		return c
	}
	most := 1
	for _, s := range r.Series {
		most = max(most, s.Accepted+s.Other)
	}
	for n, s := range r.Series {
		floor := chartHeight
		put := func(o outcome.Outcome, requests int) {
			if requests > 0 {
				height := max(1, requests*chartHeight/most)
				floor -= height
				c.Pieces = append(c.Pieces, piece{outcomeIndex(o), 10 * n, max(0, floor), 9, height})
			}
		}
		put(outcome.Created, s.Accepted)
		put(outcome.Rejected, s.Other)
		c.HasOther = c.HasOther || s.Other > 0
	}
	c.Peak = rate(float64(most) / (float64(r.StepMilliseconds) / 1000))
	c.Sentence = requestWords(r)
	return c
}

func requestWords(r report.Requests) string {
	took := r.Last.Sub(r.First)
	text := wording.Counted(r.Total, "request")
	if r.Repeated > 0 {
		text += " (" + wording.Counted(r.Repeated, "retry", "retries") + ")"
	}
	text += " in " + wording.Lasted(took)
	if took > 0 && r.Total > 1 {
		text += ", " + rate(float64(r.Total)/took.Seconds())
	}
	response := func(ms float64) string { return wording.Lasted(time.Duration(ms * float64(time.Millisecond))) }
	return text + fmt.Sprintf("; median response time %s, slowest %s.", response(r.MedianMilliseconds), response(r.SlowestMilliseconds))
}

func rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f per second", perSecond)
	}
	return wording.Thousands(int(perSecond+0.5)) + " per second"
}
