package checking

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
)

// Missing are the names that one lookup file does not have.
type Missing struct {
	Lookup string `json:"lookup"`
	File   string `json:"file"`    // of the lookup
	Names  int    `json:"names"`   // how many are missing
	FillIn string `json:"fill_in"` // the file that lists them, with an empty column for their ids

	fields []string // that go through the lookup and met such a name
}

// Unfilled are the names in one lookup file that have no id there, and are needed.
type Unfilled struct {
	Lookup string `json:"lookup"`
	File   string `json:"file"`  // of the lookup
	Lines  []int  `json:"lines"` // in which ids are to be filled in, those of the most rows first

	fields []string // that go through the lookup and met such a name
	table  *lookup.Table
}

// names finds, for each lookup file, the names in rows that have no id: those that it does not have, which are written
// to a file to fill in, and those whose lines wait for an id.
func (c *check) names(ctx context.Context, i *importer.Importer, job importer.Job, s *report.Summary, dir string) ([]Missing, []Unfilled, error) {
	files, waiting := []Missing{}, []Unfilled{}
	through := func(field string) string {
		if spec, ok := job.Mapping.LookupOf(field); ok && spec.File != "" {
			return spec.Name
		}
		return ""
	}
	missing := cause.NewMissing(s.Run, reason.LookupUnknown, through)
	unfilled := cause.NewMissing(s.Run, reason.LookupUnfilled, through)
	for record, err := range c.in.Book.Records(ctx, s.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected}}) {
		if err != nil {
			return nil, nil, err
		}
		missing.Add(record)
		unfilled.Add(record)
	}
	tables, err := i.Lookups(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	for _, spec := range job.Mapping.Lookups() {
		table := tables[spec.Name]
		if names := missing.Of(spec.Name); len(names) > 0 {
			path := filepath.Join(dir, "missing-"+spec.Name+".csv")
			if err := writeMissing(ctx, path, job, spec, table, names); err != nil {
				return nil, nil, fmt.Errorf("write the names that lookup %s does not have: %w", spec.Name, err)
			}
			files = append(files, Missing{Lookup: spec.Name, File: job.LookupPath(spec), Names: len(names), FillIn: path,
				fields: fieldsThrough(job, s, spec.Name, reason.LookupUnknown)})
		}
		if names := unfilled.Of(spec.Name); len(names) > 0 {
			waiting = append(waiting, Unfilled{Lookup: spec.Name, File: job.LookupPath(spec), Lines: linesOf(table, names), table: table,
				fields: fieldsThrough(job, s, spec.Name, reason.LookupUnfilled)})
		}
	}
	return files, waiting, nil
}

// fieldsThrough returns the fields that use a lookup and had a problem with some code.
func fieldsThrough(job importer.Job, s *report.Summary, lookup, code string) []string {
	var fields []string
	for _, problem := range s.Problems {
		if spec, ok := job.Mapping.LookupOf(problem.Field); ok && spec.Name == lookup && problem.Code == code {
			fields = append(fields, problem.Field)
		}
	}
	return fields
}

func linesOf(table *lookup.Table, names []cause.MissingName) []int {
	lines := []int{}
	for _, name := range names {
		if line, ok := table.Awaited(name.Name); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

func writeMissing(ctx context.Context, path string, job importer.Job, spec mapping.LookupSpec, table *lookup.Table, names []cause.MissingName) error {
	header, name, err := job.LookupHeader(ctx, spec)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	form := files.FillIn{Header: header.Names, Name: name, Near: func(name string) (near, id string) {
		if similar := table.Near(name); len(similar) > 0 {
			near = similar[0]
			id, _ = table.ID(near)
		}
		return near, id
	}}
	return errors.Join(form.Write(file, names), file.Close())
}

// names is what a problem has to do with a lookup file: names that it does not have, or that wait for their ids in it.
// For other problems both are nil.
type names struct {
	Missing  *Missing
	Unfilled *Unfilled
}

// NamesOf returns what a problem of a job has to do with its lookup files.
func (r Result) NamesOf(problem cause.Problem) (n names) {
	for i, m := range r.Missing {
		if problem.Code == reason.LookupUnknown && slices.Contains(m.fields, problem.Field) {
			n.Missing = &r.Missing[i]
		}
	}
	for i, u := range r.Unfilled {
		if problem.Code == reason.LookupUnfilled && slices.Contains(u.fields, problem.Field) {
			n.Unfilled = &r.Unfilled[i]
		}
	}
	return n
}

// Value describes a value that alone is at fault.
func (n names) Value(c cause.Cause) string {
	switch {
	case n.Missing != nil:
		return fmt.Sprintf("%q is not in %s", c.Value, filepath.Base(n.Missing.File))
	case n.Unfilled != nil:
		return fmt.Sprintf("%q has no id yet in %s", c.Value, filepath.Base(n.Unfilled.File))
	}
	return c.Message
}

// Values describes values that are at fault together.
func (n names) Values(problem cause.Problem) string {
	several := fmt.Sprintf("%d values of %s", len(problem.Values), problem.Field)
	switch {
	case n.Missing != nil:
		return fmt.Sprintf("%s are not in %s", several, filepath.Base(n.Missing.File))
	case n.Unfilled != nil:
		return fmt.Sprintf("%s have no ids yet in %s", several, filepath.Base(n.Unfilled.File))
	}
	if _, rest, ok := strings.Cut(problem.Message, "…\" is "); ok {
		return several + " are " + rest
	}
	return several + ": " + strings.TrimSuffix(problem.Message, " …")
}

// Line says where a value waits for its id, among several.
func (n names) Line(c cause.Cause) string {
	if n.Unfilled != nil {
		if line, ok := n.Unfilled.table.Awaited(c.Value); ok {
			return fmt.Sprintf(" (line %d)", line)
		}
	}
	return ""
}
