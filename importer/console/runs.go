package console

import (
	"context"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// runsShown is how many runs the list shows at once.
const runsShown = 100

// runLine is a run with how its records ended; the numbers are those of 'docketsync runs --json'.
type runLine struct {
	ledger.Run
	Outcomes outcomes
	State    standingWords
}

type runsView struct {
	Job      string // only its runs, "" for all
	Jobs     []string
	All      bool // plans and checks too
	Runs     []runLine
	Outcomes []report.Outcome // the columns
	More     bool
}

func (s *Server) runLine(ctx context.Context, run ledger.Run) (runLine, error) {
	line := runLine{Run: run, Outcomes: outcomes{}}
	counts, err := s.Ledger.Tally(ctx, run.ID)
	for _, count := range counts {
		line.Outcomes[report.OutcomeOf(ledger.Record{State: count.State, Action: count.Action})] += count.N
	}
	line.State = standsAfter(run, line.Outcomes)
	return line, err
}

func (s *Server) listRuns(v *visit) error {
	query := v.r.URL.Query()
	view := runsView{Job: query.Get("job"), All: query.Get("all") != "", Outcomes: report.Outcomes}
	filter := ledger.RunFilter{Job: view.Job, Limit: runsShown + 1, Kinds: []ledger.Kind{ledger.Push}}
	if view.All {
		filter.Kinds = nil
	}
	runs, err := s.Ledger.Runs(v.ctx(), filter)
	if err != nil {
		return err
	}
	if view.More = len(runs) > runsShown; view.More {
		runs = runs[:runsShown]
	}
	for _, run := range runs {
		line, err := s.runLine(v.ctx(), run)
		if err != nil {
			return err
		}
		view.Runs = append(view.Runs, line)
	}
	jobs, err := s.Work.Jobs(v.ctx())
	if err != nil {
		return err
	}
	for _, job := range jobs {
		view.Jobs = append(view.Jobs, job.Name)
	}
	return v.show("runs", "Runs", view)
}
