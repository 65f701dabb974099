package installation

import (
	"context"
	"slices"
	"time"

	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
)

// Inbox is the inbox of a job that has one.
func (in *Installation) Inbox(job config.Job) *inbox.Folder {
	b := job.Source.Inbox
	return &inbox.Folder{
		Path: b.Folder, Patterns: b.Files, Newest: b.Take == "newest", ByName: b.Order == "name",
		Still: b.Still, Patience: b.Patience, Marker: b.Marker, Archive: b.Archive, Rejected: b.Rejected,
		Runs: func(ctx context.Context) ([]inbox.Run, error) { return in.filesRun(ctx, job.Name) },
	}
}

// filesRun lists what the finished runs of a job read, newest first.
func (in *Installation) filesRun(ctx context.Context, job string) ([]inbox.Run, error) {
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}})
	if err != nil {
		return nil, err
	}
	ended := ledger.FilesEnd(runs)
	var files []inbox.Run
	for n, run := range runs {
		open := false
		if n == 0 { // of the others nobody asks
			if open, err = in.leftOpen(ctx, run); err != nil {
				return nil, err
			}
		}
		var written time.Time
		if run.Export != nil {
			written = run.Export.Written
		}
		for _, s := range run.Sources {
			files = append(files, inbox.Run{ID: run.ID, File: s.File, SHA256: s.SHA256, Written: written, Ended: ended, Open: open})
		}
	}
	return files, nil
}

// leftOpen tells whether a run left records that the next run of the same rows would send.
func (in *Installation) leftOpen(ctx context.Context, run ledger.Run) (bool, error) {
	counts, err := in.Book.Tally(ctx, run.ID)
	return slices.ContainsFunc(counts, func(c ledger.Count) bool {
		return c.N > 0 && (c.State == ledger.Failed || c.State == ledger.Held)
	}), err
}
