package lookups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/referencelist"
	"docketsync/importer/report/reading"
	"docketsync/importer/source/format"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

// Sources says where the tables of a mapping come from, beside the mapping itself and the ledger.
type Sources struct {
	// MappingDir is the folder that relative lookup files start from.
	MappingDir string
	// Lists are the lists of the service that the mapping's lookups name, by name.
	Lists map[string]*referencelist.List
	// Unlisted says why such lists are not available.
	Unlisted map[string]error
}

// Tables makes the tables that a mapping names, by name: from files, from the mapping itself, from lists of the
// service, and from the ids that the ledger knows of earlier runs. It reports every faulty line of every table at once.
// Even then it returns the tables, with one that knows every name in place of a faulty one.
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
		if err == nil {
			continue
		}
		tables[spec.Name] = lookup.OfLedger(spec.Name, anyID)
		var several diagnostic.Faults
		var unreadable *format.Error
		switch {
		case errors.As(err, &several):
			faults = append(faults, several...)
		case errors.As(err, &unreadable):
			faults = append(faults, unreadableLookup(spec, unreadable))
		default:
			return nil, err
		}
	}
	return tables, faults.Err()
}

// CheckLookups reads the files of lookups and reports every error in them as diagnostic.Faults. It skips lookups that
// are not files.
func (s Sources) CheckLookups(ctx context.Context, specs []mapping.LookupSpec) error {
	files := slices.DeleteFunc(slices.Clone(specs), func(spec mapping.LookupSpec) bool { return spec.File == "" })
	_, err := s.Tables(ctx, nil, files)
	return err
}

// anyID finds an id for every name.
func anyID(string) (id, trouble string, err error) { return uuid.Max.String(), "", nil }

// listLookup makes a table of a list of the service. A name that the list has with several ids is ambiguous. An item
// without a name is left out. An id that is not a GUID means that the list is read wrongly, which is an error.
func (s Sources) listLookup(spec mapping.LookupSpec) (*lookup.Table, error) {
	list := s.Lists[spec.Service]
	switch why := s.Unlisted[spec.Service]; {
	case list == nil && why != nil:
		return nil, fmt.Errorf("lookup %s: %w", spec.Name, why)
	case list == nil:
		return nil, fmt.Errorf("lookup %s: %w", spec.Name, &referencelist.MissingError{List: spec.Service, Why: "is not available"})
	}
	lookup := lookup.OfService(spec.Name, spec.Service)
	for _, item := range list.Items {
		for _, name := range item.Texts {
			if strings.TrimSpace(name) == "" {
				continue
			}
			if err := lookup.Offer(name, item.ID); err != nil {
				return nil, fmt.Errorf("lookup %s: the list %s of the service cannot be used: %w\nCheck service.lists.%s in the configuration: id names the field with the GUIDs",
					spec.Name, spec.Service, err, spec.Service)
			}
		}
	}
	if len(list.Items) > 0 && lookup.Len() == 0 {
		return nil, fmt.Errorf("lookup %s: the list %s of the service has %d items, none with a name\nCheck service.lists.%s in the configuration: name lists the fields with the names",
			spec.Name, spec.Service, len(list.Items), spec.Service)
	}
	return lookup, nil
}

// ListNotes returns the notes of a run about the lists that it uses, as they were when it began.
func (s Sources) ListNotes(specs []mapping.LookupSpec, at time.Time) (notes []any) {
	for _, name := range ListNames(specs) {
		if list := s.Lists[name]; list != nil {
			notes = append(notes, reading.ListUsed{Name: list.Name, Items: len(list.Items), Fetched: list.Fetched.Format(time.RFC3339), Age: list.Age(at)})
		}
	}
	return notes
}

// ListNames returns the lists of the service that lookups use, each once.
func ListNames(specs []mapping.LookupSpec) []string {
	var names []string
	for _, spec := range specs {
		if spec.Service != "" && !slices.Contains(names, spec.Service) {
			names = append(names, spec.Service)
		}
	}
	return names
}
