package jobs

import (
	"context"
	"errors"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// RunView is all about one run.
type RunView struct {
	runLine
	// Summary is the account of the run, as its report has it; nil while it goes on and when it was pruned.
	Summary *report.Summary
	Pruned  string // why there is no account, "" when there is
	Files   []fileLine
	Order   *queue.Standing // what this console was asked for, when it is this run
	Shown   []report.OutcomeCount
	Live    progressView
	Next    nextView // what can be done with the run
}

// runOf finds the run that a request names by its whole id or its name.
func (p *Pages) runOf(r *web.Request) (ledger.Run, error) {
	said := r.PathValue("run")
	run, err := r.Book().Run(r.Context(), said)
	if errors.Is(err, ledger.ErrAmbiguous) || err == nil && said != run.ID && said != run.Name {
		return ledger.Run{}, ledger.ErrNotFound // the beginning of an id, which may be that of another run tomorrow
	}
	return run, err
}

func (p *Pages) run(r *web.Request) error {
	run, err := p.runOf(r)
	if err != nil {
		return err
	}
	view, err := p.RunView(r.Context(), run)
	if err != nil {
		return err
	}
	return r.Show("run", "Run of "+run.Job, view)
}

// RunView is all about a run.
func (p *Pages) RunView(ctx context.Context, run ledger.Run) (view RunView, err error) {
	if view.runLine, err = p.runLine(ctx, run); err != nil {
		return view, err
	}
	if order, ok := p.Queue.Of(run.Job); ok && order.Run == run.ID {
		view.Order = &order
	}
	if view.Live, view.Next, err = p.liveRun(ctx, run); err != nil {
		return view, err
	}
	if view.State.Tone == underWay {
		return view, nil
	}
	var pruned *report.PrunedError
	view.Summary, err = p.summaries.of(ctx, web.Book(ctx), view.runLine)
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
	view.Files, err = p.files(run)
	return view, err
}
