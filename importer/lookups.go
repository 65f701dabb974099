package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"docketsync/config/document"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// Lookups makes the tables that a mapping names, by their names: from files, from the mapping itself, from lists of the
// service, and from the ids that earlier runs were given. Every faulty line of every table is reported at once.
func (i *Importer) Lookups(ctx context.Context, job Job) (map[string]*mapping.Lookup, error) {
	tables := map[string]*mapping.Lookup{}
	var faults document.Faults
	for _, spec := range job.Mapping.Lookups() {
		var err error
		switch {
		case spec.Ledger != "":
			tables[spec.Name] = i.ledgerLookup(ctx, spec)
		case spec.File != "":
			tables[spec.Name], err = job.fileLookup(ctx, spec)
		case spec.Service != "":
			tables[spec.Name], err = job.listLookup(spec)
		default:
			tables[spec.Name] = spec.Inline
		}
		var several document.Faults
		if errors.As(err, &several) {
			faults = append(faults, several...)
		} else if err != nil {
			return nil, err
		}
	}
	return tables, faults.Err()
}

// LookupPath is where the file of a lookup is.
func (j Job) LookupPath(spec mapping.LookupSpec) string {
	if filepath.IsAbs(spec.File) {
		return spec.File
	}
	return filepath.Join(j.MappingDir, filepath.FromSlash(spec.File))
}

// LookupHeader reads the header of a lookup's file, and which of its columns hold the names and the ids.
func (j Job) LookupHeader(ctx context.Context, spec mapping.LookupSpec) (header mapping.Header, name, id int, err error) {
	table, name, id, err := j.openLookup(ctx, spec)
	if err != nil {
		return header, 0, 0, err
	}
	return table.Header(), name, id, table.Close()
}

// openLookup opens a lookup's file and finds the columns of its names and ids. The columns that the mapping names tell the
// header from a title above it.
func (j Job) openLookup(ctx context.Context, spec mapping.LookupSpec) (table *source.Source, name, id int, err error) {
	options := source.Options{Sheet: spec.Sheet}
	for _, column := range []string{spec.NameColumn, spec.IDColumn} {
		if column != "" {
			options.Columns = append(options.Columns, column)
		}
	}
	if table, err = source.Open(ctx, j.LookupPath(spec), options); err != nil {
		return nil, 0, 0, fmt.Errorf("lookup %s: %w", spec.Name, err)
	}
	if name, id, err = spec.Columns(table.Header()); err != nil {
		return nil, 0, 0, errors.Join(&source.Error{What: fmt.Sprintf("lookup %s: %v", spec.Name, err), File: j.LookupPath(spec), Sheet: spec.Sheet,
			Hint: "Name the columns in the mapping: lookups: {" + spec.Name + ": {file: …, name: …, id: …}}."}, table.Close())
	}
	return table, name, id, nil
}

// fileLookup reads a table of names and ids from a CSV file or a workbook.
func (j Job) fileLookup(ctx context.Context, spec mapping.LookupSpec) (*mapping.Lookup, error) {
	table, name, id, err := j.openLookup(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	lookup := mapping.NewLookup(spec.Name)
	var faults document.Faults
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return nil, fmt.Errorf("lookup %s: %w", spec.Name, err)
		}
		if row.Skip != "" || row.Cell(name).Text == "" {
			continue
		}
		// A name without an id is one that nobody has filled in yet: it is unknown, and the rows that use it say so.
		if row.Cell(id).Text == "" {
			continue
		}
		if err := lookup.Add(row.Cell(name).Text, row.Cell(id).Text); err != nil {
			faults = append(faults, document.Fault{File: j.LookupPath(spec), Line: row.Number, Column: id + 1, Message: err.Error(),
				Hint: "Correct this line of the lookup file."})
		}
	}
	return lookup, faults.Err()
}

// cellsOf reads the inputs again for the cells of some rows.
func cellsOf(ctx context.Context, job Job, wanted map[place]bool) (map[place]json.RawMessage, error) {
	found := map[place]json.RawMessage{}
	first := 0
	for _, input := range job.Inputs {
		parts, err := cellsOfInput(ctx, input, first, wanted, found)
		if err != nil {
			return nil, err
		}
		first += parts
	}
	return found, nil
}

func cellsOfInput(ctx context.Context, input Input, first int, wanted map[place]bool, found map[place]json.RawMessage) (parts int, err error) {
	table, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return 0, err
	}
	defer table.Close()
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return 0, err
		}
		at := place{first + row.Source, row.Number}
		if wanted[at] {
			found[at] = mapping.AppendCells(nil, row.Cells)
		}
	}
	return len(table.Sources()), nil
}
