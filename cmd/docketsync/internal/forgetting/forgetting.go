// Package forgetting removes what an installation holds of a client: in its ledger, and in the files that docketsync
// itself has made or taken in (reports with their rejects, uploads of the console, lists of the service, files fetched
// from remotes, a rehearsal).
//
// The files are found by the words that the client's records are known by, before the ledger forgets those. They are
// removed under the ledger's locks and before its transaction, so that the next call finishes an interrupted one.
// Reports that are only partly about the client are then written again from the ledger. Files of the firm itself
// (sources, lookups, what inboxes have put aside) are named and left alone: docketsync does not own them.
package forgetting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

// Plan is what there is of a client.
type Plan struct {
	Records int `json:"records"` // in all runs
	Keys    int `json:"keys"`
	Known   int `json:"known"` // that the service is known to hold
	Runs    int `json:"runs"`
	Open    int `json:"open"` // in doubt, under way or waiting for a decision
	// Transferred are the keys of records that now name another client.
	Transferred []string `json:"transferred,omitempty"`
	Remove      []string `json:"remove"` // files and folders of docketsync's own
	Yours       []string `json:"yours"`  // the firm's own files, which stay
}

// Look finds out what there is of a subject, and changes nothing.
func Look(ctx context.Context, c *config.Config, book *ledger.Reader, s ledger.Subject) (Plan, error) {
	traces, err := book.Holds(ctx, s)
	if err != nil {
		return Plan{}, err
	}
	return plan(c, traces)
}

func plan(c *config.Config, traces *ledger.Traces) (p Plan, err error) {
	p = Plan{Records: traces.Records, Keys: traces.KeyCount(), Known: traces.Known, Runs: len(traces.Runs), Open: traces.Open, Transferred: traces.Transferred, Remove: []string{}, Yours: []string{}}
	if p.Records+p.Known == 0 {
		return p, nil
	}
	find := newFinder(traces.Words())
	affected := map[string]bool{}
	for _, run := range traces.Runs {
		affected[filepath.Join(c.Reports, files.Folder(run))] = true
	}
	for _, folder := range []string{c.Reports, c.Console.Uploads, c.SpoolFolder(), c.ListFolder()} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			found := affected[path]
			if !found {
				if found, err = find.below(path); err != nil {
					return p, err
				}
			}
			if found {
				p.Remove = append(p.Remove, path)
			}
		}
	}
	p.Remove = append(p.Remove, rehearsal(*c)...)
	if p.Yours, err = find.yours(c, p.Remove); err != nil {
		return p, err
	}
	return p, nil
}

// below reports whether a file at path, or in the folder at path, has one of the words.
func (f *finder) below(path string) (found bool, err error) {
	err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if found, err = f.inFile(path); found {
			return fs.SkipAll
		}
		return err
	})
	return found, err
}

// rehearsal lists all files of one. A rehearsal has the same rows as the installation, and nothing that matters.
func rehearsal(c config.Config) (list []string) {
	c.Rehearse()
	for _, name := range append([]string{c.Reports}, databases(&c)...) {
		if _, err := os.Lstat(name); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// databases lists the files of the ledger and of the sandbox, with SQLite's files beside them.
func databases(c *config.Config) (list []string) {
	for _, book := range []string{c.Sandbox.Data, c.Ledger.Reveal()} {
		list = append(list, book, book+"-wal", book+"-shm")
	}
	return append(list, c.Ledger.Reveal()+".open.lock")
}

// yours lists the sources, lookups and put-aside files that have one of the words.
func (f *finder) yours(c *config.Config, removed []string) ([]string, error) {
	list := []string{}
	look := func(path string) error {
		if slices.Contains(removed, path) || slices.Contains(list, path) {
			return nil
		}
		found, err := f.below(path)
		if found {
			list = append(list, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, job := range c.Jobs {
		paths := slices.Clone([]string(job.Source.Files))
		if inbox := job.Source.Inbox; inbox != nil {
			paths = append(paths, inbox.Folder, inbox.Archive, inbox.Rejected)
		}
		for _, folder := range []string{".", "lookups"} {
			if lookups, err := filepath.Glob(filepath.Join(filepath.Dir(job.Mapping), folder, "*")); err == nil {
				paths = append(paths, lookups...)
			}
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.IsDir() && path == filepath.Dir(job.Mapping) || ours(c, path) {
				continue
			}
			if err := look(path); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// ours reports whether a path is one of docketsync's own.
func ours(c *config.Config, path string) bool {
	own := append(databases(c), c.Reports, c.Console.Uploads, c.SpoolFolder(), c.ListFolder())
	return slices.Contains(own, filepath.Clean(path)) || slices.Contains(own, path)
}

// Forget removes what a plan names, makes the ledger forget the subject, and writes the reports again that were only
// partly about it; rewritten are their folders. The error is ledger.ErrUnfinished if something is open, and
// ledger.ErrTransferred if a record now belongs to another client. Missing reports are written too, because an
// interrupted call may have removed them. removed is called when the files are gone; if it fails, the ledger forgets
// nothing.
func Forget(ctx context.Context, c *config.Config, book *ledger.Ledger, s ledger.Subject, removed func() error) (p Plan, rewritten []string, err error) {
	traces, err := book.Forget(ctx, s, func(traces *ledger.Traces) error {
		if p, err = plan(c, traces); err != nil {
			return err
		}
		for _, path := range p.Remove {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("remove %s: %w", path, err)
			}
		}
		return removed()
	})
	if traces != nil {
		p.Open, p.Transferred = traces.Open, traces.Transferred
	}
	if err != nil {
		return p, nil, err
	}
	// A report may have one of the words and say it of somebody else, so reports of other runs may have been removed
	// too.
	runs, err := book.Runs(ctx, ledger.RunFilter{})
	if err != nil {
		return p, nil, err
	}
	for _, run := range slices.Backward(runs) {
		folder := filepath.Join(c.Reports, files.Folder(run))
		_, missing := os.Lstat(folder)
		affected := slices.Contains(p.Remove, folder) || slices.ContainsFunc(traces.Runs, func(r ledger.Run) bool { return r.ID == run.ID })
		if !affected || run.Kind == ledger.Plan || missing == nil || run.Phase != ledger.Finished && run.Phase != ledger.Stopped {
			continue
		}
		_, err := files.Write(ctx, book.Reader, run.ID, c.Reports)
		if _, ok := errors.AsType[*report.PrunedError](err); ok {
			continue // everything in it is gone with its records
		}
		if err != nil {
			return p, rewritten, fmt.Errorf("write the report of %s again: %w", run.Name, err)
		}
		rewritten = append(rewritten, folder)
	}
	return p, rewritten, nil
}
