package console

import (
	"context"
	"errors"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// runView is all about one run.
type runView struct {
	runLine
	// Summary is the account of the run, as its report has it; nil while it goes on and when it was pruned.
	Summary *report.Summary
	Pruned  string // why there is no account, "" when there is
	Files   []fileLine
	Order   *Standing // what this console was asked for, when it is this run
	Shown   []report.OutcomeCount
	Live    progressView
	Next    nextView // what can be done with the run
}

// runOf finds the run that a request names by its whole id or its name.
func (s *Server) runOf(v *visit) (ledger.Run, error) {
	said := v.r.PathValue("run")
	run, err := s.book(v.ctx()).Run(v.ctx(), said)
	if errors.Is(err, ledger.ErrAmbiguous) || err == nil && said != run.ID && said != run.Name {
		return ledger.Run{}, ledger.ErrNotFound // the beginning of an id, which may be that of another run tomorrow
	}
	return run, err
}

func (s *Server) run(v *visit) error {
	run, err := s.runOf(v)
	if err != nil {
		return err
	}
	view, err := s.runView(v.ctx(), run)
	if err != nil {
		return err
	}
	return v.show("run", "Run of "+run.Job, view)
}

func (s *Server) runView(ctx context.Context, run ledger.Run) (view runView, err error) {
	if view.runLine, err = s.runLine(ctx, run); err != nil {
		return view, err
	}
	if order, ok := s.orders.of(run.Job); ok && order.Run == run.ID {
		view.Order = &order
	}
	if view.Live, view.Next, err = s.liveRun(ctx, run); err != nil {
		return view, err
	}
	if view.State.Tone == underWay {
		return view, nil
	}
	var pruned *report.PrunedError
	view.Summary, err = s.summaries.of(ctx, s.book(ctx), view.runLine)
	switch {
	case errors.As(err, &pruned):
		view.Pruned = pruned.Error()
		return view, nil
	case err != nil:
		return view, err
	}
	for _, c := range view.Summary.Records.ByOutcome {
		if c.Records > 0 {
			view.Shown = append(view.Shown, c)
		}
	}
	view.Files, err = s.files(run)
	return view, err
}
