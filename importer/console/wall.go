package console

import (
	"context"
	"slices"
	"strings"

	"docketsync/importer/console/jobs"
	"docketsync/importer/console/records"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// A wall between teams is in three places, none of which is a page: pages read only the ledger of the person's jobs
// (web.Book), the work that they use is walled, and what concerns the whole installation needs a role that nobody has
// who sees only some jobs (signin.ViewerOfAll). So the page of a job or run of another team answers as if it did not
// exist, because the page does not find it. TestNoRouteTellsOfAnotherTeam goes through all routes.

// walled limits the work to the jobs of whoever asks.
type walled struct{ Work }

func (w walled) Jobs(ctx context.Context) ([]jobs.Job, error) {
	list, err := w.Work.Jobs(ctx)
	list = slices.DeleteFunc(slices.Clone(list), func(j jobs.Job) bool { return !web.Sees(ctx, j.Name) })
	for n, j := range list {
		if before, after := strings.CutPrefix(j.When, "after "); after && !web.Sees(ctx, before) {
			list[n].When = "on a schedule"
		}
	}
	return list, err
}

func (w walled) Rewrite(ctx context.Context, run string) error {
	return behind(ctx, run, func() error { return w.Work.Rewrite(ctx, run) })
}

func (w walled) Settle(ctx context.Context, who string, d records.Decision) error {
	return behind(ctx, d.Run, func() error { return w.Work.Settle(ctx, who, d) })
}

func (w walled) SettleConflicts(ctx context.Context, list []ledger.Conflict) ([]ledger.Conflict, error) {
	for _, c := range list {
		if err := behind(ctx, c.Run, func() error { return nil }); err != nil {
			return nil, err
		}
	}
	return w.Work.SettleConflicts(ctx, list)
}

func (w walled) Correct(ctx context.Context, who string, run ledger.Run, key string, before, cells []ledger.CellCorrection) error {
	return behind(ctx, run.ID, func() error { return w.Work.Correct(ctx, who, run, key, before, cells) })
}

func (w walled) Acknowledge(ctx context.Context, who string, list []ledger.Record, note string, withdraw bool) error {
	for _, r := range list {
		if err := behind(ctx, r.Run, func() error { return nil }); err != nil {
			return err
		}
	}
	return w.Work.Acknowledge(ctx, who, list, note, withdraw)
}

// behind runs do, which concerns a run, if whoever asks may know of that run.
func behind(ctx context.Context, run string, do func() error) error {
	if !web.SeesAll(ctx) {
		if _, err := web.Book(ctx).Run(ctx, run); err != nil {
			return err
		}
	}
	return do()
}
