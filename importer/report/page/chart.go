package page

import (
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// barWidth is the width of the bar of outcomes in its own units; leastBar keeps small counts visible beside large ones.
const (
	barWidth = 1000
	leastBar = 6
)

// bar is one outcome in the chart of outcomes.
type bar struct {
	report.OutcomeCount
	Index    int // in pageOutcomes
	X, Width int
	// Shown is false for an outcome that no record has and that this kind of run cannot have.
	Shown bool
}

// bars divides the bar of outcomes. An outcome without records has no width but is listed.
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

// outcomeIndex returns the index of an outcome in pageOutcomes; the last one stands for all others.
func outcomeIndex(o outcome.Outcome) int {
	if n := slices.Index(pageOutcomes, o); n >= 0 {
		return n
	}
	return len(pageOutcomes) - 1
}

// chartHeight is the height of the chart of throughput in its own units.
const chartHeight = 100

// chart is the chart of throughput: for each step of time, what was accepted with everything else stacked on it.
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

// The chart of the last runs shows what was imported above a line and what was not below it, each on its own scale: a
// night rejects a handful where a migration sent thousands, and both must be visible.
const (
	pastAbove = 72
	pastBelow = 36
	pastLine  = pastAbove + 1 // top of what is below
	pastStep  = 20            // a run's width with its gap; the last run is at the right end, however many there are
	pastWidth = 14
)

// pastChart is the chart of the last runs of the job.
type pastChart struct {
	Columns       []pastColumn
	Width, Height int
	Most, Short   int // the largest value above and below the line
	Kinds         []bar
	Sentence      string
}

// pastColumn is one run.
type pastColumn struct {
	report.PastRun
	Pieces []piece
	This   bool
}

// newPastChart returns the chart of the last runs; it has no columns if there is nothing to compare with.
func newPastChart(s *report.Summary) pastChart {
	c := pastChart{Width: pastStep * report.ShownRuns, Height: pastLine + pastBelow}
	if len(s.LastRuns) < 2 {
		return c
	}
	clean := 0
	for _, run := range s.LastRuns {
		c.Most, c.Short = max(c.Most, run.Arrived()), max(c.Short, run.Short())
		if run.Short() == 0 && run.StopCode == "" {
			clean++
		}
	}
	present := map[outcome.Outcome]int{}
	for n, run := range s.LastRuns {
		c.Columns = append(c.Columns, pastColumn{run, c.pieces(report.ShownRuns-len(s.LastRuns)+n, run), run.ID == s.Run.ID})
		for outcome, records := range run.Records {
			present[outcome] += records
		}
	}
	for _, o := range outcome.All {
		if present[o] > 0 && o != outcome.Unchanged {
			c.Kinds = append(c.Kinds, bar{OutcomeCount: report.OutcomeCount{Outcome: o, Records: present[o]}, Index: outcomeIndex(o)})
		}
	}
	since := "Since " + moment.Day(s.LastRuns[0].Started)
	c.Sentence = fmt.Sprintf("%s, %d of %d runs completed with nothing left to do.", since, clean, len(s.LastRuns))
	if clean == len(s.LastRuns) {
		c.Sentence = since + ", every run completed with nothing left to do."
	}
	return c
}

// pieces stacks a run's outcomes at a place, away from the line on both sides.
func (c pastChart) pieces(place int, run report.PastRun) []piece {
	var pieces []piece
	up, down := pastAbove, pastLine
	for _, o := range outcome.All {
		records := run.Records[o]
		p := piece{Index: outcomeIndex(o), X: place*pastStep + (pastStep-pastWidth)/2, Width: pastWidth}
		switch {
		case records == 0 || o == outcome.Unchanged:
			continue
		case o == outcome.Created || o == outcome.Updated:
			p.Height = drawn(records, c.Most, pastAbove)
			up -= p.Height
			p.Y = max(up, 0)
		default:
			p.Height = drawn(records, c.Short, pastBelow)
			p.Y = min(down, c.Height-1)
			down += p.Height
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// drawn returns a height that stays visible.
func drawn(n, most, height int) int { return max(2, n*height/most) }

// Words describes the chart for people who cannot see it.
func (c pastChart) Words() string {
	return fmt.Sprintf("The last %d runs: at most %s records imported, at most %s not imported. %s", len(c.Columns), wording.Thousands(c.Most), wording.Thousands(c.Short), c.Sentence)
}
