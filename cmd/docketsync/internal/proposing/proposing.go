// Package proposing does the work of init: it reads a new file, infers a mapping for it, writes the mapping with its
// lookups and a configuration or the lines for one, and counts, by a check in a ledger of its own, what the rows
// become. It never overwrites a file: all of them are written or none.
//
// It uses the installation and exit packages beside it, and importer and mapping for the rest.
package proposing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/console/setup"
	"docketsync/importer/console/upload"
	"docketsync/importer/report/wording"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

// Proposed is what init found and wrote, and its JSON form.
type Proposed struct {
	File  string `json:"file"`
	Sheet string `json:"sheet,omitempty"`
	// Sheets are the sheets that are read as one, if there are several.
	Sheets []string `json:"sheets,omitempty"`
	Job    string   `json:"job"`
	// Written are the files, the mapping first.
	Written []string `json:"written"`
	// Reused are the lookups that existed already; they may hold ids for other mappings too.
	Reused []string `json:"reused,omitempty"`
	// JobLines are the lines to add to the existing configuration; empty if one was written.
	JobLines string `json:"job_lines,omitempty"`
	infer.Proposal
	Warnings []format.Warning `json:"warnings"`
	// Records says what the rows become; it is nil if Uncounted says why that cannot be told yet.
	Records   *Records `json:"records,omitempty"`
	Uncounted string   `json:"uncounted,omitempty"`

	config, mapping string
	rowNumbers      string            // the column that counts the rows
	lookups         map[string]string // path by name
}

// Propose reads the file at path once, writes a mapping for it, its lookups and, if there is no configuration yet, one
// with a job, and counts what the rows become. operation is "" to infer it. out is where to write the mapping, "" for
// beside the configuration. passwordEnv names the environment variable with the workbook's password, "" for none.
func Propose(ctx context.Context, s *installation.Setup, path string, options source.Options, passwordEnv string, operation payload.Operation, out string) (Proposed, error) {
	options.Alike = true
	p, detected, err := readProposal(ctx, s, path, options, operation)
	if err != nil {
		return Proposed{}, err
	}
	entry := config.Job{Name: jobNamed(path)}
	entry.Mapping = cmp.Or(out, filepath.Join(filepath.Dir(s.ConfigFile), entry.Name+".mapping.yaml"))
	options = detected.Settled(options) // warnings say what to look at
	result := Proposed{File: path, Sheet: detected.Sheet, Sheets: detected.SheetsRead, Job: entry.Name, Proposal: p, Warnings: append([]format.Warning{}, detected.Warnings...),
		config: s.ConfigFile, mapping: entry.Mapping, rowNumbers: detected.RowNumbers, lookups: map[string]string{}}
	files := []newFile{{entry.Mapping, []byte(p.Mapping)}}
	for _, l := range p.Lookups {
		if l.Ledger {
			continue
		}
		file := filepath.Join(filepath.Dir(entry.Mapping), "lookups", l.Name+".csv")
		if _, err := os.Stat(file); err == nil {
			result.Reused = append(result.Reused, file)
			continue
		}
		text, err := upload.LookupCSV(l)
		if err != nil {
			return Proposed{}, err
		}
		result.lookups[l.Name] = file
		files = append(files, newFile{file, text})
	}
	lines := upload.JobText{Name: entry.Name, Source: upload.RelativeTo(s.ConfigFile, path), Mapping: upload.RelativeTo(s.ConfigFile, entry.Mapping), Options: options,
		PasswordEnv: passwordEnv}.Lines()
	if _, err := os.Stat(s.ConfigFile); err == nil {
		result.JobLines = lines
	} else {
		// It is the configuration that the console writes for a trial, with a job.
		files = append(files, newFile{s.ConfigFile, []byte(setup.Sandbox().Text() + "\njobs:\n" + lines)})
	}
	if err := writeNew(files); err != nil {
		return Proposed{}, err
	}
	for _, f := range files {
		result.Written = append(result.Written, f.path)
	}
	if result.Records, err = count(ctx, s, path, entry, options); ctx.Err() != nil {
		return Proposed{}, ctx.Err()
	} else if err != nil {
		if result.Uncounted = exit.Explain(err); strings.Contains(p.Mapping, infer.Undecided) {
			result.Uncounted = "first choose the columns named under To decide"
		}
	}
	return result, nil
}

// readProposal reads the file once and drafts the mapping.
func readProposal(ctx context.Context, s *installation.Setup, path string, options source.Options, operation payload.Operation) (infer.Proposal, source.Detected, error) {
	from, err := source.Open(ctx, path, options)
	if err != nil {
		return infer.Proposal{}, source.Detected{}, err
	}
	o := infer.Options{Operation: operation, File: filepath.Base(path), KeepTotals: options.Totals == "keep"}
	if settings, err := s.Settings(); err == nil {
		o.Mapping = installation.MappingOptions(settings)
	}
	p, err := infer.Propose(o, from.Header(), iter.Seq2[table.Row, error](from.Rows(ctx)))
	if err == nil && p.Rows == 0 {
		err = &format.Error{File: path, What: "there are no rows below the header", Hint: "Name another sheet with --sheet, or the header's row with --header."}
	}
	return p, from.Detected(), errors.Join(err, from.Close())
}

// Print says what was found and what to do next.
func (p Proposed) Print(w io.Writer) {
	p.printSource(w)
	if p.Records != nil {
		p.Records.print(w, slices.ContainsFunc(p.Lookups, func(l infer.Lookup) bool { return l.Ledger }))
	}
	fmt.Fprintf(w, "\nLook through %s: its comments say why each column was chosen.\n", p.mapping)
	p.printLookups(w)
	if len(p.Reused) > 0 {
		fmt.Fprintf(w, "Already there and used as they are; check lists the names they lack:\n  %s\n", strings.Join(p.Reused, "\n  "))
	}
	if len(p.Decide) > 0 {
		fmt.Fprintf(w, "\nTo decide:\n  - %s\n", strings.Join(p.Decide, "\n  - "))
	}
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
	for _, warning := range upload.OpenWarnings(p.Warnings, p.Skipped) {
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

// printSource says what was read, and what is proposed to be made of it.
func (p Proposed) printSource(w io.Writer) {
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
	fmt.Fprintf(w, "Read %s of %s%s%s.\nProposes %s: %s.\n", wording.Counted(p.Rows, "row"), p.File, sheet, skipped, p.Operation, p.Why)
}

// printLookups says which files need ids.
func (p Proposed) printLookups(w io.Writer) {
	if len(p.lookups) == 0 {
		return
	}
	fmt.Fprintf(w, "Fill in the column id of these, in a spreadsheet or on the page Import a file of the console. Where the service offers lists, name\n"+
		"them under service.lists in the configuration, and take ids from there.\n")
	for _, l := range p.Lookups {
		if file := p.lookups[l.Name]; file != "" {
			fmt.Fprintf(w, "  %s  (%s)%s\n", file, namesShown(l), zerosAdvice(l))
			if where := infer.WhereFound(l.Name); where != "" {
				fmt.Fprintf(w, "      %s\n", where)
			}
		}
	}
}

// zerosAdvice warns of what Excel does to names with leading zeros when it opens a CSV file.
func zerosAdvice(l infer.Lookup) string {
	for _, name := range l.Names {
		if len(name.Text) > 1 && name.Text[0] == '0' && strings.Trim(name.Text, "0123456789") == "" {
			return fmt.Sprintf("; Excel makes %s of %s when it opens the file: import it with the column name as text", strings.TrimLeft(name.Text, "0"), name.Text)
		}
	}
	return ""
}

func namesShown(l infer.Lookup) string {
	if l.More {
		return fmt.Sprintf("the first %d names; there are more", len(l.Names))
	}
	return wording.Counted(len(l.Names), "name")
}
