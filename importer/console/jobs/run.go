package jobs

import (
	"context"
	"errors"

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
	Files   []download
	Live    progressView
	Next    nextView // what can be done with the run
}

func (p *Pages) run(r *web.Request, run ledger.Run) error {
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
	if view.Live, view.Next, err = p.liveRun(ctx, run); err != nil {
		return view, err
	}
	if view.State.Tone == underWay {
		return view, nil
	}
	var pruned *report.PrunedError
	view.Summary, err = p.summary(ctx, web.Book(ctx), view.runLine)
	switch {
	case errors.As(err, &pruned):
		view.Pruned = pruned.Error()
		return view, nil
	case err != nil:
		return view, err
	}
	view.Files, err = p.files(run)
	return view, err
}
