package mapping

import (
	"docketsync/config/diagnostic"
	"docketsync/mapping/file"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// draft is what could be read of a mapping file that has mistakes. It maps nothing: it is there to find the mistakes that
// show only beside the source's header and the lookups, so that a person is told all of them at once.
type draft struct {
	mapping *Mapping
}

// ParseDraft reads as much of a mapping file as its mistakes allow.
func ParseDraft(name string, data []byte, o Options) *draft {
	read, _ := file.Read(name, data, o)
	if read == nil {
		read = &rule.Rules{Key: &rule.Field{}}
	}
	return &draft{&Mapping{read}}
}

// Lookups lists the lookups that could be read.
func (d *draft) Lookups() []LookupSpec { return d.mapping.rules.Lookups }

// Columns lists the columns that could be read, as Mapping.Columns does.
func (d *draft) Columns() []string { return d.mapping.Columns() }

// Missing reports each column that the draft names and the header does not have, as Bind would.
func (d *draft) Missing(h table.Header) diagnostic.Faults {
	b := &binder{columns: rule.NewColumns(h), reported: map[spot]bool{}}
	for _, ref := range d.mapping.columnRefs() {
		if ref.Place.Line > 0 {
			b.column(ref)
		}
	}
	return b.faults
}
