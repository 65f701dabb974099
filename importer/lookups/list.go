package lookups

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/importer/referencelist"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

// listLookup makes a table of a list of the service. A name that the service has with several ids is ambiguous; an item
// without a name is of no use here and is left out; an id that is no GUID means that the list is read in a wrong way.
func (s Sources) listLookup(spec mapping.LookupSpec) (*lookup.Table, error) {
	list := s.Lists[spec.Service]
	switch why := s.Unlisted[spec.Service]; {
	case list == nil && why != nil:
		return nil, fmt.Errorf("lookup %s: %w", spec.Name, why)
	case list == nil:
		return nil, fmt.Errorf("lookup %s: %w", spec.Name, &referencelist.MissingError{List: spec.Service, Why: "is not at hand"})
	}
	lookup := lookup.OfService(spec.Name, spec.Service)
	for _, item := range list.Items {
		for _, name := range item.Texts {
			if strings.TrimSpace(name) == "" {
				continue
			}
			if err := lookup.Offer(name, item.ID); err != nil {
				return nil, fmt.Errorf("lookup %s: the list %s of the service cannot be used: %w\nCheck service.lists.%s in the configuration: id is the member with the GUIDs",
					spec.Name, spec.Service, err, spec.Service)
			}
		}
	}
	if len(list.Items) > 0 && lookup.Len() == 0 {
		return nil, fmt.Errorf("lookup %s: the list %s of the service has %d items and none with a name\nCheck service.lists.%s in the configuration: name is the member with the names",
			spec.Name, spec.Service, len(list.Items), spec.Service)
	}
	return lookup, nil
}

// listNote is what the notes of a run say about a list; see report.ListUsed.
type listNote struct {
	List    string    `json:"list"`
	Items   int       `json:"items"`
	Fetched time.Time `json:"fetched"`
	Age     string    `json:"age"` // when the run began
}

// ListNotes are the notes of a run about the lists that it goes by, as they were when it began.
func (s Sources) ListNotes(specs []mapping.LookupSpec, at time.Time) (notes []any) {
	for _, name := range ListNames(specs) {
		if list := s.Lists[name]; list != nil {
			notes = append(notes, listNote{List: list.Name, Items: len(list.Items), Fetched: list.Fetched, Age: list.Age(at)})
		}
	}
	return notes
}

// ListNames are the lists of the service that lookups are made of, each once.
func ListNames(specs []mapping.LookupSpec) []string {
	var names []string
	for _, spec := range specs {
		if spec.Service != "" && !slices.Contains(names, spec.Service) {
			names = append(names, spec.Service)
		}
	}
	return names
}
