package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
	"docketsync/importer/revert"
)

// The files of a revert.
const (
	revertSource  = "revert.csv"
	revertMapping = "revert.yaml"
	revertLeft    = "left.csv"
	revertCreated = "created.csv"
)

func newRevertFile(a *app) *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "revert-file RUN",
		Short: "Write a source file that reverts the updates of a run",
		Long: `revert-file writes the values that the service held before a run to a new source (revert.csv) with a mapping (revert.yaml)
that sends them back. It sends nothing itself: add the job that it prints to the configuration, check it with
'docketsync plan', and run it. left.csv lists what cannot be reverted and why: records that were never sent before the run,
records changed again since, records in doubt, and values or entries that can only be removed by hand. created.csv lists what
the run created with the ids from the service, because the service has no delete.

Records that a later run has changed are left out unless you use --force.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			return a.revertFile(ctx, in, args[0], dir, force)
		}),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "new output `FOLDER` (default: revert-JOB-… beside the configuration)")
	cmd.Flags().BoolVar(&force, "force", false, "also revert records that a later run has changed")
	return cmd
}

// revertResult is what revert-file says.
type revertResult struct {
	Run       string   `json:"run"`
	Job       string   `json:"job"` // the name for the job that sends it back
	Dir       string   `json:"dir"`
	SendBack  int      `json:"send_back"`
	Created   int      `json:"created"`
	Left      int      `json:"left"`      // records that cannot be taken back
	Remaining int      `json:"remaining"` // records of which something stays
	Changed   []string `json:"changed_since,omitempty"`
}

func (a *app) revertFile(ctx context.Context, in *installation.Installation, prefix, dir string, force bool) error {
	run, err := in.Book.Run(ctx, prefix)
	if err != nil {
		return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	if run.Kind != ledger.Push {
		return exit.Mistakef("%s is a %s and sent nothing", run.ID, run.Kind)
	}
	if !run.Pruned.IsZero() {
		return fmt.Errorf("run %s was pruned on %s: what it sent is no longer in the ledger, so it cannot be reverted", run.ID, run.Pruned.UTC().Format("2006-01-02"))
	}
	r := &reverter{in: in, run: run, force: force, unfit: map[string]bool{}}
	r.result = revertResult{Run: run.ID, Job: "revert-" + run.Job + "-" + run.ID[len(run.ID)-6:], Dir: dir}
	if r.result.Dir == "" {
		r.result.Dir = filepath.Join(in.Config.Dir(), r.result.Job)
	}
	if err := os.Mkdir(r.result.Dir, 0o700); err != nil {
		return fmt.Errorf("the output folder must be new: %w", err)
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	code := exit.AllIn
	if r.result.Left > 0 {
		code = exit.Rejects
	}
	return exit.With(code, a.Result(r.result, r.print))
}

func (r *reverter) print(w io.Writer) {
	s := r.result
	fmt.Fprintf(w, "%d updates of run %s can be reverted, %d cannot; %d records were created.\n", s.SendBack, s.Run, s.Left, s.Created)
	if len(s.Changed) > 0 {
		fmt.Fprintf(w, "Changed again since and left out (--force reverts them too): %s\n", strings.Join(s.Changed, ", "))
	}
	if s.Left+s.Remaining > 0 {
		fmt.Fprintf(w, "What cannot be reverted, and why: %s\n", r.path(revertLeft))
	}
	if s.Created > 0 {
		fmt.Fprintf(w, "What was created; remove it in the service by hand: %s\n", r.path(revertCreated))
	}
	if s.SendBack == 0 {
		return
	}
	fmt.Fprintf(w, "To revert the run, add this job to the configuration and check it with 'docketsync plan %s' before you run it:\n\n", s.Job)
	fmt.Fprintf(w, "  - name: %s\n    source: {file: %q, format: csv, encoding: utf-8, delimiter: comma, header: 1, header_rows: 1}\n    mapping: %q\n",
		s.Job, r.fromConfig(revertSource), r.fromConfig(revertMapping))
}

// fromConfig is a file's path as the configuration would name it.
func (r *reverter) fromConfig(name string) string {
	base, err := filepath.Abs(r.in.Config.Dir())
	if err != nil {
		return r.path(name)
	}
	path, err := filepath.Abs(r.path(name))
	if err != nil {
		return r.path(name)
	}
	if relative, err := filepath.Rel(base, path); err == nil {
		return filepath.ToSlash(relative)
	}
	return path
}

// keysShown is how many keys the result names.
const keysShown = 10

// reverter writes the files that take one run back.
type reverter struct {
	in     *installation.Installation
	run    ledger.Run
	force  bool
	sheet  *revert.Sheet
	unfit  map[string]bool // keys whose payload does not come back as it was
	result revertResult
}

// write makes the files, reads the source back as a run would, and makes them once more without what came back otherwise.
func (r *reverter) write(ctx context.Context) error {
	for range 2 {
		if err := r.learn(ctx); err != nil {
			return err
		}
		if err := r.files(ctx); err != nil {
			return err
		}
		if r.result.SendBack == 0 {
			return errors.Join(os.Remove(r.path(revertSource)), os.Remove(r.path(revertMapping)))
		}
		unfit, err := r.prove(ctx)
		if err != nil || unfit == 0 {
			return err
		}
	}
	return fmt.Errorf("%s does not come back as it was sent; send nothing of it", r.path(revertSource))
}

func (r *reverter) path(name string) string { return filepath.Join(r.result.Dir, name) }

// each gives every record that can be sent back, and all others with the reason why not.
func (r *reverter) each(ctx context.Context, sendBack func(ledger.Record) error, other func(ledger.Record, revert.Reversal, string) error) error {
	return revert.Each(ctx, r.in.Book.Reader, r.run, func(record ledger.Record, what revert.Reversal, why string) error {
		switch {
		case r.unfit[record.Key]:
			return other(record, revert.NotKnown, "its values cannot be written into a source so that they come back the same")
		case what == revert.SendBack, what == revert.Changed && r.force && len(record.Previous) > 0:
			return sendBack(record)
		}
		return other(record, what, why)
	})
}

func (r *reverter) learn(ctx context.Context) error {
	r.sheet = revert.NewSheet(payload.Operation(r.run.Operation), r.run.Scope, installation.Spelling(r.in.Config.Service))
	return r.each(ctx, func(record ledger.Record) error { return r.sheet.Learn(record.Previous) },
		func(ledger.Record, revert.Reversal, string) error { return nil })
}

// files writes all files from the beginning.
func (r *reverter) files(ctx context.Context) (err error) {
	r.result.SendBack, r.result.Created, r.result.Left, r.result.Remaining, r.result.Changed = 0, 0, 0, 0, nil
	if err := os.WriteFile(r.path(revertMapping), []byte(r.sheet.Mapping()), 0o600); err != nil {
		return err
	}
	source, err := newSheetFile(r.path(revertSource), true, r.sheet.Header()...)
	if err != nil {
		return err
	}
	left, err := newSheetFile(r.path(revertLeft), false, "key", "service id", "what", "why")
	if err != nil {
		return errors.Join(err, source.close())
	}
	created, err := newSheetFile(r.path(revertCreated), false, "key", "service id", "name", "accepted")
	if err != nil {
		return errors.Join(err, source.close(), left.close())
	}
	err = r.each(ctx, func(record ledger.Record) error { return r.sendBack(record, source, left) },
		func(record ledger.Record, what revert.Reversal, why string) error {
			return r.leave(record, what, why, left, created)
		})
	return errors.Join(err, source.close(), left.close(), created.close())
}

func (r *reverter) sendBack(record ledger.Record, source, left *sheetFile) error {
	rows, err := r.sheet.Rows(record.Key, record.Previous)
	if err != nil {
		return fmt.Errorf("the earlier payload of %s: %w", record.Key, err)
	}
	r.result.SendBack++
	source.write(rows...)
	remains, err := revert.Remains(record)
	if len(remains) > 0 {
		r.result.Remaining++
	}
	for _, what := range remains {
		left.write([]string{record.Key, record.ServiceID, "remains", what})
	}
	return err
}

func (r *reverter) leave(record ledger.Record, what revert.Reversal, why string, left, created *sheetFile) error {
	switch what {
	case revert.Untouched:
		return nil
	case revert.Created:
		r.result.Created++
		created.write([]string{record.Key, record.ServiceID, nameOf(record), doubts.SettledAt(record)})
		return nil
	case revert.Changed:
		if len(r.result.Changed) < keysShown {
			r.result.Changed = append(r.result.Changed, record.Key)
		}
	}
	r.result.Left++
	left.write([]string{record.Key, record.ServiceID, string(what), why})
	return nil
}

// prove reads the source back and counts the records whose payload is not what it was.
func (r *reverter) prove(ctx context.Context) (unfit int, err error) {
	job, err := r.in.Job(config.Job{
		Name: r.result.Job, Mapping: r.path(revertMapping),
		Source: config.Source{Files: config.Names{r.path(revertSource)}, Format: "csv", Encoding: "utf-8", Delimiter: ",", Header: 1, HeaderRows: 1},
	})
	if err != nil {
		return 0, fmt.Errorf("the mapping that was written cannot be read: %w", err)
	}
	check, err := r.in.Importer(nil).Check(ctx, job)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.in.Book.RemoveRun(context.WithoutCancel(ctx), check.ID)) }()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	err = r.each(ctx, func(record ledger.Record) error {
		back, err := r.in.Book.RecordByKey(ctx, check.ID, record.Key)
		if errors.Is(err, ledger.ErrNotFound) || err == nil && back.Digest != decide.Digest(record.Previous) {
			r.unfit[record.Key] = true
			unfit++
			return nil
		}
		return err
	}, func(ledger.Record, revert.Reversal, string) error { return nil })
	return unfit, err
}

// nameOf is what a record's payload calls it, "" when it has no name.
func nameOf(record ledger.Record) string {
	var named struct {
		Name string `json:"name"`
		Mark string `json:"mark_text"`
	}
	if json.Unmarshal(record.Payload, &named) != nil {
		return ""
	}
	return cmp.Or(named.Name, named.Mark)
}

// sheetFile is a CSV file that is being written. An error is kept until close.
type sheetFile struct {
	file *os.File
	out  *bufio.Writer
	line func(cells ...string) error
	err  error
}

// newSheetFile begins a file for people, or the one that is imported again. A mapping reads that one as it stands, so no
// apostrophe keeps its cells from being taken for formulas.
func newSheetFile(path string, again bool, header ...string) (*sheetFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s := &sheetFile{file: f, out: bufio.NewWriter(f)}
	if !again {
		s.line = csvfile.Begin(s.out, header...)
		return s, nil
	}
	lines := csv.NewWriter(s.out)
	s.line = func(cells ...string) error {
		err := lines.Write(cells)
		lines.Flush()
		return errors.Join(err, lines.Error())
	}
	s.write(header)
	return s, nil
}

func (s *sheetFile) write(rows ...[]string) {
	for _, row := range rows {
		if s.err == nil {
			s.err = s.line(row...)
		}
	}
}

func (s *sheetFile) close() error {
	return errors.Join(s.err, s.out.Flush(), s.file.Close())
}
