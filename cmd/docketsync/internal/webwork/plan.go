package webwork

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/queue"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
)

// planPath returns where the console keeps the plan of a dry run for approval.
func planPath(settings *config.Config, run string) string {
	return filepath.Join(settings.Reports, "plans", run+".jsonl")
}

// seal writes the plan of a dry run to its file, and removes those of the job's earlier dry runs, which the ledger has
// forgotten.
func (c *Work) seal(ctx context.Context, in *installation.Installation, job importer.Job, s *report.Summary) error {
	path := planPath(in.Config, s.Run.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("the plan cannot be kept: %w", err)
	}
	if err := c.forgetPlans(ctx, filepath.Dir(path)); err != nil {
		return err
	}
	if _, err := runner.WritePlan(ctx, in, path+unsealed, job, s); err != nil {
		return err
	}
	if err := os.Rename(path+unsealed, path); err != nil { // a page that looks for the plan finds all of it or nothing
		return err
	}
	_, err := c.shelf.PutFile(ctx, "plan/"+s.Run.ID, 0, path)
	return err
}

// bringPlan fetches the plan of a dry run that was made at another console, unless it is here.
func (c *Work) bringPlan(ctx context.Context, path, run string) error {
	if _, err := os.Stat(path); c.shelf == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	_, err := c.shelf.FetchFile(ctx, "plan/"+run, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // whoever opens it reports that
	}
	return err
}

// unsealed ends the name of a plan that is being written, or was being written when the process was killed.
const unsealed = ".part"

// forgetPlans removes the plans of runs that no longer exist.
func (c *Work) forgetPlans(ctx context.Context, dir string) error {
	kept, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil {
		return err
	}
	for _, path := range kept {
		run, _, _ := strings.Cut(filepath.Base(path), ".")
		if _, err := c.book.Load().Run(ctx, run); errors.Is(err, ledger.ErrNotFound) {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	names, err := c.shelf.Names(ctx, "plan/", time.Time{})
	for _, name := range names {
		if _, reading := c.book.Load().Run(ctx, name[len("plan/"):]); errors.Is(reading, ledger.ErrNotFound) {
			err = errors.Join(err, c.shelf.Delete(ctx, name))
		}
	}
	return err
}

// sealBytes is how much of the end of a plan file holds its seal.
const sealBytes = 256

// Sealed finds the plan of a dry run.
func (c *Work) Sealed(run string) (jobs.SealedPlan, error) {
	path, err := fromSettings(c, func(settings *config.Config) string { return planPath(settings, run) })
	if err != nil {
		return jobs.SealedPlan{}, err
	}
	p := jobs.SealedPlan{Path: path}
	if err := c.bringPlan(context.Background(), p.Path, run); err != nil {
		return p, err
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return p, err
	}
	end := make([]byte, min(info.Size(), sealBytes))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return p, err
	}
	end = bytes.TrimSpace(end)
	var seal struct {
		Seal string `json:"seal"`
	}
	err = json.Unmarshal(end[bytes.LastIndexByte(end, '\n')+1:], &seal)
	p.Seal = seal.Seal
	return p, err
}

// carryOutPlan sends exactly what a dry run planned, or nothing.
func (c *Work) carryOutPlan(ctx context.Context, in *installation.Installation, order queue.Order) (_ runner.Result, err error) {
	job, err := c.jobOf(ctx, in, order)
	if err == nil {
		err = c.bringPlan(ctx, planPath(in.Config, order.Approved), order.Approved)
	}
	if err != nil {
		return runner.Result{}, err
	}
	file, err := planfile.Open(planPath(in.Config, order.Approved))
	if err != nil {
		return runner.Result{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	with, err := runner.Approved(ctx, in, file, job)
	if err != nil {
		return runner.Result{}, err
	}
	if err := in.MakeReady(ctx, []importer.Job{job}); err != nil {
		return runner.Result{}, err
	}
	if order.File == "" || order.Export {
		in.Observers.Began(ctx, order.Job)
	}
	return runner.Job(ctx, in, job, with)
}

// Asks reports whether the configuration names a list in which records can be looked up.
func (c *Work) Asks() (bool, error) {
	return fromSettings(c, func(s *config.Config) bool {
		return slices.ContainsFunc(payload.Operations, func(op payload.Operation) bool {
			name, _ := inquiry.ListOf(op)
			_, has := s.Service.Lists.Named[name]
			return has
		})
	})
}

// Ask looks for records in doubt in the lists of the service, as 'docketsync resolve --ask' does.
func (c *Work) Ask(ctx context.Context, who string, unsettled []ledger.Record) ([]inquiry.Answer, error) {
	return using(c, func(in *installation.Installation) ([]inquiry.Answer, error) {
		return doubts.Ask(ctx, in, unsettled, doubts.Asking{Who: who})
	})
}
