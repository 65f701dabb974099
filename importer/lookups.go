package importer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"docketsync/config/document"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// Lookups makes the tables that a mapping names, by their names: from files, from the mapping itself, from lists of the
// service, and from the ids that earlier runs were given. Every faulty line of every table is reported at once; the tables are
// returned then too, with one that knows every name in place of a faulty one.
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
		if err != nil {
			tables[spec.Name] = mapping.LedgerLookup(spec.Name, anyID)
		}
		if faults, err = lookupFaults(faults, spec, err); err != nil {
			return nil, err
		}
	}
	return tables, faults.Err()
}

// CheckLookups reads the files of lookups and tells every mistake in them, as document.Faults; those that are no files are
// passed over.
func (j Job) CheckLookups(ctx context.Context, specs []mapping.LookupSpec) error {
	var faults document.Faults
	for _, spec := range specs {
		if spec.File == "" {
			continue
		}
		_, err := j.fileLookup(ctx, spec)
		if faults, err = lookupFaults(faults, spec, err); err != nil {
			return err
		}
	}
	return faults.Err()
}

// lookupFaults adds what a lookup was refused for. Any other error is returned.
func lookupFaults(faults document.Faults, spec mapping.LookupSpec, err error) (document.Faults, error) {
	var several document.Faults
	var unreadable *format.Error
	switch {
	case errors.As(err, &several):
		return append(faults, several...), nil
	case errors.As(err, &unreadable):
		return append(faults, unreadableLookup(spec, unreadable)), nil
	}
	return faults, err
}

// anyID finds an id for every name.
func anyID(string) (id, trouble string, err error) { return uuid.Nil.String(), "", nil }

// beforeReading adds to the mistakes in lookups those of the mapping that only the headers of the sources show, so that nobody
// has to mend the first before being told the second.
func beforeReading(ctx context.Context, job Job, lookups map[string]*mapping.Lookup, err error) error {
	var faults, columns document.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for _, input := range job.Inputs {
		table, err := source.Open(ctx, input.Path, input.Options)
		if err != nil {
			continue // told when the rows are read
		}
		_, err = job.Mapping.Bind(table.Header(), lookups)
		_ = table.Close()
		if errors.As(err, &columns) {
			return append(slices.Clone(columns), faults...)
		}
	}
	return faults
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
	from, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	for row, err := range from.Rows(ctx) {
		if err != nil {
			return 0, err
		}
		at := place{first + row.Source, row.Number}
		if wanted[at] {
			found[at] = table.AppendCells(nil, row.Cells)
		}
	}
	return len(from.Sources()), nil
}
