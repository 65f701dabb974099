package page

import (
	"fmt"

	"docketsync/importer/moment"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// The chart of the last runs has what arrived above a line and what did not below it, each to a scale of its own: a night
// rejects a handful where a migration sent thousands, and both are to be seen.
const (
	pastAbove = 72
	pastBelow = 36
	pastLine  = pastAbove + 1 // where what is below begins
	pastStep  = 20            // a run's width, a gap included; the last run stands at the right end, however many there are
	pastWidth = 14
)

// pastChart is the chart of the last runs of the job.
type pastChart struct {
	Columns       []pastColumn
	Width, Height int
	Most, Short   int // the largest of each scale
	Kinds         []bar
	Sentence      string
}

// pastColumn is one run.
type pastColumn struct {
	report.PastRun
	Pieces []piece
	This   bool
}

// newPastChart is the chart of the last runs; it has no columns where there is nothing to compare with.
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

// pieces stacks a run's outcomes in a place, away from the line on both sides.
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

// drawn is a height that can be seen where there is anything.
func drawn(n, most, height int) int { return max(2, n*height/most) }

// Words is the chart for who cannot see it.
func (c pastChart) Words() string {
	return fmt.Sprintf("The last %d runs: at most %s records imported, at most %s not imported. %s", len(c.Columns), wording.Thousands(c.Most), wording.Thousands(c.Short), c.Sentence)
}
