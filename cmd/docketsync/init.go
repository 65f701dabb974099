package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/console/upload"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

func newInit(a *app) *cobra.Command {
	var options fileOptions
	var operation, out string
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Propose a mapping for a new file",
		Long: `init reads a file and proposes a mapping: which column goes to which field, how dates are written, and which names need an id. It
writes NAME.mapping.yaml, with comments that give the reasons; lookups/*.csv, with an empty id column for you to fill in; and
a configuration with a job if there is none yet. It never overwrites a file: existing lookups are used as they are, and check
lists the names they lack. It says how many records the rows become by the proposed mapping, as check does.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if operation != "" && !slices.Contains(payload.Operations, payload.Operation(operation)) {
				return exit.Mistakef("unknown operation %q\nThe operations are %s", operation, operationList())
			}
			return a.propose(cmd.Context(), args[0], options, payload.Operation(operation), out)
		},
	}
	options.flags(a, cmd)
	cmd.Flags().StringVar(&operation, "operation", "", "`"+"OPERATION"+"`: "+operationList()+"; detected if not given")
	cmd.Flags().StringVar(&out, "out", "", "write the mapping to `FILE`, and lookups to the folder lookups beside it")
	return cmd
}

func operationList() string {
	var list []string
	for _, o := range payload.Operations {
		list = append(list, string(o))
	}
	return strings.Join(list, ", ")
}

// proposed is what init found and wrote, and its form in JSON.
type proposed struct {
	File  string `json:"file"`
	Sheet string `json:"sheet,omitempty"`
	// Sheets are those that are read as one, when they are several.
	Sheets []string `json:"sheets,omitempty"`
	Job    string   `json:"job"`
	// Written are the files, the mapping first.
	Written []string `json:"written"`
	// Reused are the lookups that were there already, in which other mappings may have ids.
	Reused []string `json:"reused,omitempty"`
	// JobLines are to be added to the configuration that is there already; empty where one was written.
	JobLines string `json:"job_lines,omitempty"`
	infer.Proposal
	Warnings []format.Warning `json:"warnings"`
	// Records is what becomes of the rows, nil where Uncounted says why that cannot be told yet.
	Records   *recordsToBe `json:"records,omitempty"`
	Uncounted string       `json:"uncounted,omitempty"`

	config, mapping string
	rowNumbers      string            // the column that counts the rows
	lookups         map[string]string // path by name
}

func (a *app) propose(ctx context.Context, path string, options fileOptions, operation payload.Operation, out string) error {
	options.Alike = true
	p, detected, err := a.readProposal(ctx, path, options.Options, operation)
	if err != nil {
		return err
	}
	entry := newJobOf(path, a.ConfigFile, out)
	options.NoHeader = detected.HeaderRow == 0
	if options.Sheet == "" {
		options.Sheet = detected.SheetSetting()
	}
	result := proposed{File: path, Sheet: detected.Sheet, Sheets: detected.SheetsRead, Job: entry.job, Proposal: p, Warnings: append([]format.Warning{}, detected.Warnings...),
		config: a.ConfigFile, mapping: entry.mapping, rowNumbers: detected.RowNumbers, lookups: map[string]string{}}
	files := []newFile{{entry.mapping, []byte(p.Mapping)}}
	for _, l := range p.Lookups {
		if l.Ledger {
			continue
		}
		file := filepath.Join(filepath.Dir(entry.mapping), "lookups", l.Name+".csv")
		if _, err := os.Stat(file); err == nil {
			result.Reused = append(result.Reused, file)
			continue
		}
		text, err := upload.LookupCSV(l)
		if err != nil {
			return err
		}
		result.lookups[l.Name] = file
		files = append(files, newFile{file, text})
	}
	lines := upload.JobText{Name: entry.job, Source: entry.file, Mapping: entry.named, Options: options.Options, PasswordEnv: options.passwordEnv}.Lines()
	if _, err := os.Stat(a.ConfigFile); err == nil {
		result.JobLines = lines
	} else {
		files = append(files, newFile{a.ConfigFile, []byte(firstConfig + lines)})
	}
	if err := writeNew(files); err != nil {
		return err
	}
	for _, f := range files {
		result.Written = append(result.Written, f.path)
	}
	if result.Records, err = a.count(ctx, path, entry, options); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		result.Uncounted = exit.Explain(err)
	}
	return a.Result(result, result.print)
}

// readProposal reads the file once and drafts the mapping.
func (a *app) readProposal(ctx context.Context, path string, options source.Options, operation payload.Operation) (infer.Proposal, source.Detected, error) {
	from, err := source.Open(ctx, path, options)
	if err != nil {
		return infer.Proposal{}, source.Detected{}, err
	}
	o := infer.Options{Operation: operation, File: filepath.Base(path)}
	if settings, err := a.Settings(); err == nil {
		o.Mapping = installation.MappingOptions(settings)
	}
	p, err := infer.Propose(o, from.Header(), iter.Seq2[table.Row, error](from.Rows(ctx)))
	if err == nil && p.Rows == 0 {
		err = &format.Error{File: path, What: "there are no rows below the header", Hint: "Name another sheet with --sheet, or the header's row with --header."}
	}
	return p, from.Detected(), errors.Join(err, from.Close())
}

// print says what was found and what is to be done, as one would to a colleague.
func (p proposed) print(w io.Writer) {
	sheet := ""
	if p.Sheet != "" {
		sheet = fmt.Sprintf(", sheet %q", p.Sheet)
	}
	if len(p.Sheets) > 0 {
		sheet = `, sheets "` + strings.Join(p.Sheets, `", "`) + `"`
	}
	skipped := ""
	if p.Skipped > 0 {
		skipped = fmt.Sprintf(", and %d that the mapping leaves out", p.Skipped)
	}
	fmt.Fprintf(w, "Read %d rows of %s%s%s.\nProposes %s: %s.\n", p.Rows, p.File, sheet, skipped, p.Operation, p.Why)
	if p.Records != nil {
		p.Records.print(w, slices.ContainsFunc(p.Lookups, func(l infer.Lookup) bool { return l.Ledger }))
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "Look through %s: its comments say why each column was chosen.\n", p.mapping)
	if len(p.lookups) > 0 {
		fmt.Fprintf(w, "Fill in the column id of\n")
		for _, l := range p.Lookups {
			if file := p.lookups[l.Name]; file != "" {
				fmt.Fprintf(w, "  %s  (%s)%s\n", file, namesShown(l), zerosAdvice(l))
			}
		}
	}
	if len(p.Reused) > 0 {
		fmt.Fprintf(w, "Already there and used as they are; check lists the names they lack:\n  %s\n", strings.Join(p.Reused, "\n  "))
	}
	printList(w, "To decide:", p.Decide)
	var unused []string
	for _, u := range p.Unused {
		switch {
		case u.Filled == 0:
		case u.Column == p.rowNumbers:
			unused = append(unused, u.Column+" (row numbers of the export)")
		default:
			unused = append(unused, u.Column)
		}
	}
	if len(unused) > 0 {
		fmt.Fprintf(w, "\nNot used: %s\n", strings.Join(unused, ", "))
	}
	for _, warning := range p.open() {
		fmt.Fprintf(w, "\nWarning: %s\n", warning.Message)
		if warning.Hint != "" {
			fmt.Fprintf(w, "  %s\n", warning.Hint)
		}
	}
	if p.JobLines != "" {
		fmt.Fprintf(w, "\nAdd to %s, under jobs:\n%s", p.config, p.JobLines)
	} else {
		fmt.Fprintf(w, "\n%s was written with a job for it.\n", p.config)
	}
	if p.Uncounted != "" {
		fmt.Fprintf(w, "\nThe number of records is not known yet:\n%s\n", p.Uncounted)
	}
	fmt.Fprintf(w, "\nNext: docketsync check %s\n", p.Job)
}

// open are the warnings of the source that the mapping does not deal with: rows that it leaves out are no trouble.
func (p proposed) open() []format.Warning {
	left := p.Skipped
	return slices.DeleteFunc(slices.Clone(p.Warnings), func(w format.Warning) bool {
		if w.Code != "looks_like_total" && w.Code != "lone_cell" || w.Count > left {
			return false
		}
		left -= w.Count
		return true
	})
}

// zerosAdvice warns of what Excel does to names with zeros in front when it opens a CSV file.
func zerosAdvice(l infer.Lookup) string {
	for _, name := range l.Names {
		if len(name.Text) > 1 && name.Text[0] == '0' && strings.Trim(name.Text, "0123456789") == "" {
			return fmt.Sprintf("; Excel makes %s of %s when it opens the file: import it with the column name as text", strings.TrimLeft(name.Text, "0"), name.Text)
		}
	}
	return ""
}

func printList(w io.Writer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, text := range list {
		fmt.Fprintf(w, "  - %s\n", text)
	}
}

func namesShown(l infer.Lookup) string {
	switch {
	case l.More:
		return fmt.Sprintf("the first %d names; there are more", len(l.Names))
	case len(l.Names) == 1:
		return "1 name"
	}
	return fmt.Sprintf("%d names", len(l.Names))
}

// firstConfig is the configuration that init writes where there is none, up to its job.
const firstConfig = `# Without any environment variable this sends to a sandbox inside the process.
service:
  base_url: {env: DOCKETSYNC_BASE_URL, default: sandbox}
  subscription_key: {env: DOCKETSYNC_SUBSCRIPTION_KEY, default: sandbox-key}
  auth_cookie: {env: DOCKETSYNC_AUTH_COOKIE, default: sandbox-cookie}
  paths:
    update_case: /v1/firms/file
    update_trademark: /v1/firms/trademark

jobs:
`

// newJob is where a proposal goes.
type newJob struct {
	job     string
	mapping string // path of the mapping
	file    string // path of the source as the configuration has it
	named   string // path of the mapping as the configuration has it
}

// newJobOf names the job and the mapping after the file, and puts the mapping beside the configuration unless out says where.
func newJobOf(path, configFile, out string) newJob {
	base := filepath.Base(path)
	job := upload.JobName(strings.TrimSuffix(base, filepath.Ext(base)))
	if out == "" {
		out = filepath.Join(filepath.Dir(configFile), job+".mapping.yaml")
	}
	return newJob{job: job, mapping: out, file: upload.RelativeTo(configFile, path), named: upload.RelativeTo(configFile, out)}
}

// newFile is a file that is to be written where there is none.
type newFile struct {
	path string
	text []byte
}

// writeNew writes all files or none. It writes over nothing: a file that is there already is an error that names it.
func writeNew(files []newFile) (err error) {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 {
		return exit.Mistakef("%s already there, and init never overwrites a file; nothing was written\nMove it away, or write elsewhere with --out FOLDER/FILE",
			isOrAre(there))
	}
	var written []string
	defer func() {
		for _, path := range written {
			if err != nil {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
			return err
		}
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
		if errors.Is(err, fs.ErrExist) {
			return exit.Mistakef("%s was created in the meantime, and init never overwrites a file", f.path)
		}
		if err != nil {
			return err
		}
		written = append(written, f.path)
		_, err = file.Write(f.text)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

func isOrAre(list []string) string {
	if len(list) == 1 {
		return list[0] + " is"
	}
	return strings.Join(list, ", ") + " are"
}
