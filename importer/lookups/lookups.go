package lookups

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/referencelist"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

// Sources is where the tables of a mapping come from, beside the mapping itself and the ledger.
type Sources struct {
	// MappingDir is the folder that relative lookup files start from.
	MappingDir string
	// Lists are the lists of the service that the mapping's lookups name, by their names.
	Lists map[string]*referencelist.List
	// Unlisted says of such lists why they are not at hand.
	Unlisted map[string]error
}

// Tables makes the tables that a mapping names, by their names: from files, from the mapping itself, from lists of the
// service, and from the ids that the ledger knows of earlier runs. Every faulty line of every table is reported at once; the
// tables are returned then too, with one that knows every name in place of a faulty one.
func (s Sources) Tables(ctx context.Context, book *ledger.Ledger, specs []mapping.LookupSpec) (map[string]*lookup.Table, error) {
	tables := map[string]*lookup.Table{}
	var faults diagnostic.Faults
	for _, spec := range specs {
		var err error
		switch {
		case spec.Ledger != "":
			tables[spec.Name] = ledgerLookup(ctx, book, spec)
		case spec.File != "":
			tables[spec.Name], err = s.fileLookup(ctx, spec)
		case spec.Service != "":
			tables[spec.Name], err = s.listLookup(spec)
		default:
			tables[spec.Name] = spec.Inline
		}
		if err != nil {
			tables[spec.Name] = lookup.OfLedger(spec.Name, anyID)
		}
		if faults, err = lookupFaults(faults, spec, err); err != nil {
			return nil, err
		}
	}
	return tables, faults.Err()
}

// CheckLookups reads the files of lookups and tells every mistake in them, as document.Faults; those that are no files are
// passed over.
func (s Sources) CheckLookups(ctx context.Context, specs []mapping.LookupSpec) error {
	var faults diagnostic.Faults
	for _, spec := range specs {
		if spec.File == "" {
			continue
		}
		_, err := s.fileLookup(ctx, spec)
		if faults, err = lookupFaults(faults, spec, err); err != nil {
			return err
		}
	}
	return faults.Err()
}

// lookupFaults adds what a lookup was refused for. Any other error is returned.
func lookupFaults(faults diagnostic.Faults, spec mapping.LookupSpec, err error) (diagnostic.Faults, error) {
	var several diagnostic.Faults
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
