package mapping

import (
	_ "embed"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/file"
	"docketsync/mapping/rule"
)

// Documentation is the source of the package comment, whose greater part is the reference of mapping files. The guide shows it from
// there, so that it is written once.
//
//go:embed doc.go
var Documentation string

// Mapping is a mapping file, checked and ready to be bound to the header of a source. It does not change and may be used
// by several goroutines.
type Mapping struct{ rules *rule.Rules }

// Parse reads a mapping file. The name is what faults call it. The error is of type diagnostic.Faults and holds every
// mistake that can be seen without the source's header; Bind finds the others.
func Parse(name string, data []byte, o Options) (*Mapping, error) {
	rules, err := file.Read(name, data, o)
	if err != nil {
		return nil, err
	}
	return &Mapping{rules}, nil
}

// ParseDraft reads as much of a mapping file as its mistakes allow. Such a mapping is bound to nothing: it is there to find the mistakes
// that show only beside the source's header and the lookups (Columns, Missing, Lookups), so that a person is told all of them at once.
func ParseDraft(name string, data []byte, o Options) *Mapping {
	rules, _ := file.Read(name, data, o)
	if rules == nil {
		rules = &rule.Rules{Key: &rule.Field{}}
	}
	return &Mapping{rules}
}

// Extend is the text of a mapping file, with that of the base that it extends, if it does, behind it. read reads files; a base that cannot be read is
// a fault in the file.
func Extend(name string, data []byte, read func(path string) ([]byte, error)) ([]byte, error) {
	path, unreadable, err := document.Extends(name, data)
	if path == "" || err != nil {
		return data, nil //nolint:nilerr // it is found again by Parse
	}
	base, err := read(path)
	if err != nil {
		return nil, diagnostic.Faults{unreadable(err)}
	}
	return document.WithBase(data, base), nil
}

// Base is the path of the base that a mapping file extends, "" for none. The error is that the file is no YAML.
func Base(name string, data []byte) (string, error) {
	path, _, err := document.Extends(name, data)
	return path, err
}

// Operation is what the mapping's rows become.
func (m *Mapping) Operation() payload.Operation { return m.rules.Operation }

// Scope is the name under which the ledger remembers the mapping's records: the operation unless the file says otherwise.
func (m *Mapping) Scope() string { return m.rules.Scope }

// Grouped tells whether several rows with one key make one record.
func (m *Mapping) Grouped() bool { return m.rules.Group }

// MostRows is how many rows may be of one key.
func (m *Mapping) MostRows() int { return m.rules.MostRows }

// Day is the day that the mapping's expressions go by, "" where none asks for today. The checks that know it find less on a later day, so that what they let
// through may be sent then.
func (m *Mapping) Day() string {
	if !m.rules.AsksToday {
		return ""
	}
	return m.rules.Options.Today.Format(time.DateOnly)
}

// Lookups lists the lookups that the file declares, in its order. Those with Inline are complete; for the others the caller
// makes a Lookup and hands it to Bind.
func (m *Mapping) Lookups() []LookupSpec { return m.rules.Lookups }

// Columns lists the columns that the mapping names, as it names them, each once. Columns counted by # are not among them.
func (m *Mapping) Columns() []string {
	var names []string
	for _, ref := range m.columnRefs() {
		if !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	return names
}

func (m *Mapping) columnRefs() []rule.Column {
	refs := m.rules.Key.ColumnRefs()
	for _, f := range slices.Concat(m.rules.Skip, m.rules.Only) {
		refs = append(refs, f.Refs...)
	}
	for _, f := range m.dated() {
		refs = append(refs, f.ColumnRefs()...)
	}
	for _, check := range m.rules.Checks {
		refs = append(refs, check.Refs...)
	}
	return refs
}

// withInner lists fields, each with those of its entries or components behind it.
func withInner(fields []*rule.Field) []*rule.Field {
	var all []*rule.Field
	for _, f := range fields {
		all = append(append(all, f), f.Inner...)
	}
	return all
}

// LookupOf returns the lookup that a field goes through, by the field's path as reasons have it
// ("files.number"); false when it has none.
func (m *Mapping) LookupOf(path string) (LookupSpec, bool) {
	for _, f := range withInner(m.rules.Fields) {
		for _, spec := range m.rules.Lookups {
			if f.Path == path && spec.Name == f.Lookup && f.Lookup != "" {
				return spec, true
			}
		}
	}
	return LookupSpec{}, false
}

// Updates lists the fields that an update sets from the source, where it finds its ids among those that the ledger keeps of a scope.
func (m *Mapping) Updates(scope string) (fields []string) {
	found := false
	for _, f := range m.rules.Fields {
		if f.Target.Name == "id" {
			found = slices.ContainsFunc(m.rules.Lookups, func(spec LookupSpec) bool {
				return spec.Ledger == scope && (spec.Name == f.Lookup || f.Expr != nil && slices.Contains(f.Expr.Lookups, spec.Name))
			})
		} else if f.Origin != rule.FromConstant && f.Origin != rule.FromNowhere {
			fields = append(fields, f.Target.Name)
		}
	}
	if !found {
		return nil
	}
	return fields
}

// What callers say of a mapping, and are told of it, are words of its rules.
type (
	Options    = rule.Options
	LookupSpec = rule.Lookup
	check      = rule.Check
	Comparison = rule.Comparison
)

// Checks are the checks of an operation, those of records first.
func Checks(op payload.Operation) []check { return rule.Checks(op) }
