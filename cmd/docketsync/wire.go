package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"docketsync/apiclient"
	"docketsync/config"
	"docketsync/config/document"
	"docketsync/importer"
	"docketsync/importer/console/queue"
	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// installation is the configuration turned into things: what a command works with. Close ends it.
type installation struct {
	config *config.Config
	log    *zap.Logger
	book   *ledger.Ledger
	client *apiclient.Client // nil until dial
	// mappings are the texts of mapping files that were read before, by path; others are read when a job is made ready.
	mappings map[string][]byte
	watch    *watch     // who is told of runs, nil for nobody
	run      runFields  // what lines of the log belong to
	told     queue.Tell // who is told beside the terminal how far a run is

	closers []func() error
}

// open reads the configuration and opens the ledger.
func (a *app) open(ctx context.Context) (*installation, error) {
	settings, err := a.settings()
	if err != nil {
		return nil, err
	}
	in := &installation{config: settings}
	in.log = in.run.wrap(a.logger(settings.Log))
	return in, in.openLedger(ctx)
}

// view is open for a command that only reads, which works also where the disk of an SQLite ledger is full or read-only. scratch says
// that the command writes a plan into the ledger, which may be lost.
func (a *app) view(ctx context.Context, scratch bool) (*installation, error) {
	settings, err := a.settings()
	if err != nil {
		return nil, err
	}
	in := &installation{config: settings}
	in.log = in.run.wrap(a.logger(settings.Log))
	err = in.openLedgerBy(func(dsn string, trust ledger.Trust) (*ledger.Ledger, error) {
		return ledger.OpenView(ctx, dsn, trust, scratch)
	})
	if err == nil && in.book.View() != nil {
		fmt.Fprintf(a.stderr, "%v\nUntil then a copy of the ledger is read, as it is now; nothing is changed in it.\n", in.book.View())
	}
	return in, err
}

func (in *installation) openLedger(ctx context.Context) error {
	return in.openLedgerBy(func(dsn string, trust ledger.Trust) (*ledger.Ledger, error) {
		return ledger.OpenTrusting(ctx, dsn, trust)
	})
}

func (in *installation) openLedgerBy(open func(dsn string, trust ledger.Trust) (*ledger.Ledger, error)) (err error) {
	server := in.config.LedgerServer
	trust := ledger.Trust{CAFile: server.CAFile, Unverified: server.Unverified == "accept"}
	if in.book, err = open(in.config.Ledger.Reveal(), trust); err != nil {
		return err
	}
	in.book.KeepWitness(in.config.Reports)
	in.book.Outlast(in.config.LedgerServer.Outage)
	in.closers = append(in.closers, in.book.Close)
	return nil
}

// settings reads the configuration. A missing file gets advice, since that is what a first start runs into.
func (a *app) settings() (*config.Config, error) {
	settings, err := config.Load(a.configFile, a.env, os.ReadFile, openToAll)
	if errors.Is(err, fs.ErrNotExist) && a.configFile == defaultConfig {
		return nil, exitStatus{exitUsage, fmt.Errorf("there is no %s in this folder\nName the configuration with --config FILE, or see 'docketsync demo' for one that works", a.configFile)}
	}
	if err == nil {
		_, err = timetable(settings)
	}
	if err != nil {
		return nil, exitStatus{exitUsage, err}
	}
	if a.rehearse {
		settings.Rehearse()
	}
	return settings, nil
}

// close ends everything in the opposite order of its beginning.
func (in *installation) close() error {
	var problems []error
	for n := len(in.closers) - 1; n >= 0; n-- {
		problems = append(problems, in.closers[n]())
	}
	in.closers = nil
	return errors.Join(problems...)
}

// logger writes to standard error. It is passed to whatever logs; there is no global one.
func (a *app) logger(settings config.Log) *zap.Logger {
	level := zapcore.InfoLevel
	if err := level.Set(settings.Level); err != nil {
		level = zapcore.InfoLevel
	}
	if settings.Level == "info" && settings.Format == "console" && !a.verbose {
		// On a console the progress says it already.
		level = zapcore.WarnLevel
	}
	if a.quiet {
		level = zapcore.ErrorLevel
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewConsoleEncoder(encoding)
	if settings.Format == "json" {
		encoder = zapcore.NewJSONEncoder(encoding)
	}
	log := zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(a.stderr)), level))
	quietLibraries(libraryLog{log})
	return log
}

// choose finds the settings of the named jobs, of all when none is named. file, when not empty, is read instead of the one
// job's own source.
func (in *installation) choose(names []string, file string) ([]config.Job, error) {
	chosen, err := chooseJobs(in.config.Jobs, names)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return withFiles(chosen, names)
	}
	if len(names) != 1 {
		return nil, usage("--file goes with the name of one job, whose mapping reads the file")
	}
	// How the job's own source is read says nothing about another file.
	return []config.Job{{Name: chosen[0].Name, Mapping: chosen[0].Mapping, Source: config.Source{Files: config.Files{file}}}}, nil
}

// withFiles are the jobs whose source can be read at any time. Those with an inbox are run when a file arrives: they are left
// out unless they were named, which is a mistake.
func withFiles(jobs []config.Job, names []string) ([]config.Job, error) {
	var found []config.Job
	for _, job := range jobs {
		switch {
		case job.Source.Inbox == nil:
			found = append(found, job)
		case len(names) > 0:
			return nil, usage("the job %q reads what arrives in its inbox\nRun that with 'docketsync inbox %s', or name a file with --file", job.Name, job.Name)
		}
	}
	if len(found) == 0 {
		return nil, usage("all jobs of the configuration read what arrives in their inboxes; 'docketsync inbox' runs that")
	}
	return found, nil
}

// jobs makes the chosen jobs ready. The mistakes of all mappings are reported at once.
func (in *installation) jobs(names []string, file string) ([]importer.Job, error) {
	chosen, err := in.choose(names, file)
	if err != nil {
		return nil, err
	}
	return in.jobsOf(chosen, file != "")
}

// jobsOf makes jobs of their settings. partial says that their files are a part of what the sources hold.
func (in *installation) jobsOf(chosen []config.Job, partial bool) (jobs []importer.Job, err error) {
	var faults document.Faults
	for _, settings := range chosen {
		job, err := in.job(settings)
		var several document.Faults
		if errors.As(err, &several) {
			faults = append(faults, several...)
		} else if err != nil {
			return nil, exitStatus{exitUsage, fmt.Errorf("job %s: %w", settings.Name, err)}
		}
		job.Partial = partial
		jobs = append(jobs, job)
	}
	return jobs, faults.Err()
}

func chooseJobs(all []config.Job, names []string) ([]config.Job, error) {
	if len(all) == 0 {
		return nil, usage("the configuration has no jobs\nList them under jobs:, each with a name, a source and a mapping")
	}
	if len(names) == 0 {
		return all, nil
	}
	known := map[string]config.Job{}
	var order []string
	for _, job := range all {
		known[job.Name] = job
		order = append(order, job.Name)
	}
	var chosen []config.Job
	for _, name := range names {
		job, ok := known[name]
		if !ok {
			advice := fmt.Sprintf("the jobs are %q", order)
			if near := document.Nearest(name, order); near != "" {
				advice = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, usage("the configuration has no job %q; %s", name, advice)
		}
		chosen = append(chosen, job)
	}
	return chosen, nil
}

// job reads the mapping of one job.
func (in *installation) job(settings config.Job) (importer.Job, error) {
	text, err := in.mappingText(settings.Mapping)
	if err != nil {
		return importer.Job{}, err
	}
	switches := in.config.Service.Switches
	compiled, err := mapping.Parse(settings.Mapping, text, mappingOptions(in.config))
	if err != nil {
		return importer.Job{}, err
	}
	if settings.Deactivates() && compiled.Operation() != mapping.UpdateCase {
		return importer.Job{}, fmt.Errorf("vanished: inactive is for jobs of update_case, and %s is one of %s\n"+
			"Nothing else can be turned inactive by an update; write vanished: list, or leave it out", settings.Mapping, compiled.Operation())
	}
	job := importer.Job{
		Name: settings.Name, Mapping: compiled, MappingText: text, MappingDir: filepath.Dir(settings.Mapping),
		Switches: spelling(in.config.Service),
		Settings: fmt.Sprintf("%s %+v", in.config.Service.CreateCaseVariant, switches),
		Policy: importer.Policy{
			RepeatCreates:       in.config.Retry.Creates == "always",
			OmitDoNotCreateFile: switches.DoNotCreateFile == "omit",
			DeactivateVanished:  settings.Deactivates(),
			RetryRefused:        time.Duration(in.config.Retry.Refused),
		},
		Guards: guards(settings.Guards),
	}
	for _, file := range settings.Source.Files {
		job.Inputs = append(job.Inputs, importer.Input{Path: file, Options: sourceOptions(settings.Source, compiled.Columns())})
	}
	in.keptLists(&job)
	return job, nil
}

// mappingOptions are the switches of the service that change what payloads carry, and today.
func mappingOptions(c *config.Config) mapping.Options {
	return mapping.Options{
		VariantB:                    c.Service.CreateCaseVariant == "B",
		FolderNumberAsText:          c.Service.Switches.FolderFileNumber == "text",
		RegistrationNumberAsInteger: c.Service.Switches.RegistrationNumber == "integer",
		Today:                       time.Now(),
		Lists:                       append([]string{}, c.Service.ListNames()...),
	}
}

func guards(g config.Guards) importer.Guards {
	return importer.Guards{
		Changes: float64(g.Changes), RowsFell: float64(g.RowsFell), Vanished: float64(g.Vanished), Rejects: float64(g.Rejects),
		DatesShifted: float64(g.DatesShifted), DaysSwapped: g.DaysSwapped, MaxChanges: g.MaxChanges, OlderThan: g.OlderThan, Least: g.Least,
		Empty: config.Stops(g.Empty), Header: config.Stops(g.Header), Columns: config.Stops(g.Columns), SameFile: config.Stops(g.SameFile),
		Listed: config.Stops(g.Listed),
	}
}

func (in *installation) mappingText(path string) ([]byte, error) {
	if text, ok := in.mappings[path]; ok {
		return text, nil
	}
	return os.ReadFile(path)
}

func sourceOptions(s config.Source, columns []string) source.Options {
	return source.Options{
		Format: s.Format, Encoding: s.Encoding, Delimiter: s.Delimiter, Quote: s.Quote, Escape: s.Escape, Lenient: s.Lenient, Ragged: s.Ragged, Cut: s.Cut, Covered: s.Covered,
		Sheet: s.Sheet, Merged: s.Merged, IgnoreHidden: s.IgnoreHidden, Password: s.Password.Reveal(),
		Header: s.Header, HeaderRows: s.HeaderRows, NoHeader: s.NoHeader, FooterRows: s.FooterRows, Footer: s.Footer,
		Columns: columns,
	}
}

// proveReports makes sure that reports can be written, before anything is sent that they would have to tell of.
func (in *installation) proveReports() error {
	err := os.MkdirAll(in.config.Reports, 0o750)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(in.config.Reports, ".probe-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("reports cannot be written, so nothing was sent: %w\nChoose another folder under reports: in the configuration", err)
	}
	return nil
}

// importer is what runs the jobs; it can send once connect was called.
func (in *installation) importer(progress func(importer.Progress)) *importer.Importer {
	i := &importer.Importer{Ledger: in.book, Concurrency: in.config.Pace.Concurrency, Log: in.log, Began: in.run.set, Progress: progress}
	s := in.config.StopAfter
	i.Limits = importer.Limits{SameRefusal: s.SameRefusal, SameDifference: s.SameDifference, InDoubt: s.InDoubt, Failed: s.Failed, Rejected: float64(s.Rejected)}
	if in.told.Began != nil {
		i.Began = func(run ledger.Run) { in.run.set(run); in.told.Began(run) }
	}
	if in.told.Progress != nil {
		i.Progress = func(p importer.Progress) { progress(p); in.told.Progress(p) }
	}
	if in.client != nil {
		i.Send, i.SendLast, i.Drain, i.Listed = in.client.Send, in.client.SendLast, in.client.Drain, in.listing
		i.Pauses = in.client.Pauses
	}
	return i
}
