package daemon

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
	"docketsync/importer/report/wording"
)

// Pruned is the result of pruning.
type Pruned struct {
	importer.Pruned
	Reports files.Expired `json:"reports"`
	Uploads []string      `json:"uploads"` // the folders of uploads that were removed
}

// Prune removes what retention no longer keeps. The result has what was removed, even if there is an error. If it is
// unattended and the clock may have jumped ahead, it removes nothing, and the error is an importer.ErrLeap.
func Prune(ctx context.Context, in *installation.Installation, keep config.Retention, now time.Time, unattended bool) (done Pruned, err error) {
	done.Reports, done.Uploads = files.Expired{Removed: []string{}, Kept: []string{}}, []string{}
	if unattended {
		if err := importer.ProveClock(ctx, in.Book, max(keep.Runs, keep.Reports).Before(now), now); err != nil {
			return done, err
		}
	}
	if keep.Runs > 0 {
		done.Pruned, err = importer.Prune(ctx, in.Book, keep.Runs.Before(now))
	}
	if keep.Reports > 0 {
		var removing error
		done.Reports, removing = files.Expire(in.Config.Reports, keep.Reports.Before(now))
		err = errors.Join(err, removing)
		done.Uploads, removing = expireUploads(ctx, in, keep.Reports.Before(now))
		err = errors.Join(err, removing)
	}
	return done, err
}

// expireUploads removes what was uploaded to the console before a time, unless a job of the configuration reads it or a
// run that uses it may be resumed.
func expireUploads(ctx context.Context, in *installation.Installation, before time.Time) ([]string, error) {
	used := map[string]bool{}
	use := func(path string) {
		if whole, err := filepath.Abs(path); err == nil {
			used[whole] = true
		}
	}
	for _, job := range in.Config.Jobs {
		for _, file := range job.Source.Files {
			use(file)
		}
	}
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Unpruned: true})
	if err != nil {
		return []string{}, err
	}
	for _, run := range runs {
		if run.Phase == ledger.Finished {
			continue
		}
		for _, s := range run.Sources {
			use(s.File)
		}
	}
	reads := func(path string) bool {
		whole, err := filepath.Abs(path)
		return err != nil || used[whole]
	}
	var db *sql.DB
	if server := in.Book.Server(); server != nil {
		db = server.Beside()
		defer db.Close()
	}
	uploads, err := upload.Shared(ctx, in.Config.Console.Uploads, db)
	if err == nil {
		err = uploads.ExpireShelf(ctx, before, reads)
	}
	removed, expiring := upload.Expire(uploads.Dir, before, reads)
	return removed, errors.Join(err, expiring)
}

// Print writes it for a person.
func (p Pruned) Print(w io.Writer) {
	fmt.Fprintf(w, "%s pruned, with %s; %s removed; %s removed; %s removed.\n", wording.Counted(p.Runs, "run"), wording.Counted(p.Records, "record"),
		wording.Counted(p.Plans, "plan or check", "plans and checks"), wording.Counted(len(p.Reports.Removed), "report"), wording.Counted(len(p.Uploads), "upload"))
	if p.InDoubt > 0 {
		fmt.Fprintf(w, "%s kept because some of the records are still in doubt: docketsync resolve\n", wording.Counted(p.InDoubt, "old run is", "old runs are"))
	}
	for _, path := range p.Reports.Kept {
		fmt.Fprintf(w, "%s is kept because it holds other files\n", path)
	}
}

// pruneEvery is how often old runs are looked for.
const pruneEvery = 20 * time.Hour

// prune removes what retention no longer keeps, once a night, after a run: the caller must have the turn. An error here
// is not a failure of the run.
func (d *daemon) prune(ctx context.Context, in *installation.Installation) {
	now := time.Now()
	if in.Config.Retention == (config.Retention{}) || now.Sub(d.pruned) < pruneEvery || ctx.Err() != nil {
		return
	}
	d.pruned = now
	done, err := Prune(ctx, in, in.Config.Retention, now, true)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(d.setup.Err, "docketsync: old runs and reports could not be pruned; docketsync tries again tomorrow\n%s\n", exit.Explain(err))
	}
	if errors.Is(err, importer.ErrLeap) {
		return
	}
	d.say(map[string]any{"pruned": done}, done.Print)
}
