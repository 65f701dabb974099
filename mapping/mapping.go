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

// Documentation is the source of the package comment, most of which is the reference of mapping files. The guide shows
// the reference from here, so that it is written once.
//
//go:embed doc.go
var Documentation string

// Mapping is a mapping file, checked and ready to be bound to the header of a source. It is immutable and safe for use
// by several goroutines.
type Mapping struct{ rules *rule.Rules }

// Parse reads a mapping file; name is what faults call it. The error is of type diagnostic.Faults and holds every
// mistake that can be found without the source's header. Bind finds the others.
func Parse(name string, data []byte, o Options) (*Mapping, error) {
	rules, err := file.Read(name, data, o)
	if err != nil {
		return nil, err
	}
	return &Mapping{rules}, nil
}

// ParseDraft reads as much of a mapping file as its mistakes allow. The result is not meant for Bind. It serves to find
// the mistakes that show only against the source's header and the lookups (Columns, Missing, Lookups), so that a person
// sees all mistakes at once.
func ParseDraft(name string, data []byte, o Options) *Mapping {
	rules, _ := file.Read(name, data, o)
	if rules == nil {
		rules = &rule.Rules{Key: &rule.Field{}}
	}
	return &Mapping{rules}
}

// Extend returns the text of a mapping file followed by the text of its base, if it extends one. read reads a file; a
// base that cannot be read is a fault in the mapping file.
func Extend(name string, data []byte, read func(path string) ([]byte, error)) ([]byte, error) {
	path, unreadable, err := document.Extends(name, data)
	if path == "" || err != nil {
		return data, nil //nolint:nilerr // Parse reports it again
	}
	base, err := read(path)
	if err != nil {
		return nil, diagnostic.Faults{unreadable(err)}
	}
	return document.WithBase(data, base), nil
}

// Base returns the path of the base that a mapping file extends, or "" if it extends none. It returns an error if the
// file is not valid YAML.
func Base(name string, data []byte) (string, error) {
	path, _, err := document.Extends(name, data)
	return path, err
}

// Operation returns what the mapping's rows become.
func (m *Mapping) Operation() payload.Operation { return m.rules.Operation }

// Scope returns the name under which the ledger remembers the mapping's records: the operation unless the file says
// otherwise.
func (m *Mapping) Scope() string { return m.rules.Scope }

// Grouped reports whether all rows with the same key make one record.
func (m *Mapping) Grouped() bool { return m.rules.Group }

// MostRows returns the maximum number of rows with one key.
func (m *Mapping) MostRows() int { return m.rules.MostRows }

// Day returns the day that the mapping's expressions use as today, or "" if none uses it. The built-in checks that know
// the day find fewer faults on a later day, so what they let through may still be sent then.
func (m *Mapping) Day() string {
	if !m.rules.AsksToday {
		return ""
	}
	return m.rules.Options.Today.Format(time.DateOnly)
}

// Lookups returns the lookups that the file declares, in its order. Those with Inline are complete; for the others the
// caller makes a Lookup and passes it to Bind.
func (m *Mapping) Lookups() []LookupSpec { return m.rules.Lookups }

// Columns returns the columns that the mapping names, as it spells them, each once. It leaves out columns counted by #.
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

// withInner returns the fields, each followed by the fields of its entries or components.
func withInner(fields []*rule.Field) []*rule.Field {
	var all []*rule.Field
	for _, f := range fields {
		all = append(append(all, f), f.Inner...)
	}
	return all
}

// LookupOf returns the lookup of a field, given the field's path as reasons have it ("files.number"). It returns false
// if the field has none.
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

// Updates returns the fields that an update sets from the source. It returns nil unless the update finds its id among
// those that the ledger keeps for the scope.
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

// These types of rule are part of the package's API: callers set Options and read the others.
type (
	Options    = rule.Options
	LookupSpec = rule.Lookup
	check      = rule.Check
	Comparison = rule.Comparison
)

// Checks returns the checks of an operation, those of single records first.
func Checks(op payload.Operation) []check { return rule.Checks(op) }
