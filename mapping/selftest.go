package mapping

import (
	"errors"
	"maps"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/mapping/lookup"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// TestResult is the result of one test. Faults say what differs from the expected result, and where that is written.
type TestResult struct {
	Name   string            `json:"name"`
	File   string            `json:"file"` // the file that has the test: the mapping or its base
	Line   int               `json:"line"`
	Faults diagnostic.Faults `json:"faults,omitempty"`
}

// Tested reports whether the mapping has tests of its own.
func (m *Mapping) Tested() bool { return len(m.rules.Tests) > 0 }

// RunTests runs the mapping's own tests, with the lookups that Bind would be given. A test may bring its own names for
// some of them.
func (m *Mapping) RunTests(lookups map[string]*lookup.Table) []TestResult {
	results := make([]TestResult, len(m.rules.Tests))
	for i := range m.rules.Tests {
		t := &m.rules.Tests[i]
		at := t.File.At(t.Node, "", "")
		results[i] = TestResult{Name: t.Name.Text, File: at.File, Line: at.Line, Faults: m.runTest(t, lookups)}
	}
	return results
}

func (m *Mapping) runTest(t *rule.Test, lookups map[string]*lookup.Table) diagnostic.Faults {
	tables := map[string]*lookup.Table{}
	maps.Copy(tables, lookups)
	maps.Copy(tables, t.ReadLookups)
	header, rows := m.layout(t.ReadRows)
	mapper, err := m.Bind(header, tables)
	if faults, ok := errors.AsType[diagnostic.Faults](err); ok {
		return faults
	}
	x := &expectation{mapping: m, test: t}
	if m.InfersDates() {
		if mapper = x.inferred(mapper, header, rows, tables); mapper == nil {
			return x.faults
		}
	}
	x.compare(mapper, rows)
	return x.faults
}

// layout puts the rows of a test under one header that has every column the mapping names.
func (m *Mapping) layout(tests []rule.TestRow) (table.Header, []table.Row) {
	header := table.Header{Names: m.Columns()}
	for _, f := range m.rules.Fields {
		if f.Items != nil {
			for _, template := range []rule.Column{f.Items.Classes, f.Items.Texts} {
				if template.Name != "" {
					header.Names = append(header.Names, strings.ReplaceAll(template.Name, "#", "1"))
				}
			}
		}
	}
	var rows []table.Row
	for i, test := range tests {
		row := table.Row{Number: i + 2}
		for n, name := range test.Names {
			at := table.NewColumns(header).Find(name)
			if len(at) != 1 {
				at = []int{len(header.Names)}
				header.Names = append(header.Names, name)
			}
			for len(row.Cells) <= at[0] {
				row.Cells = append(row.Cells, table.Cell{})
			}
			row.Cells[at[0]] = test.Cells[n]
		}
		rows = append(rows, row)
	}
	return header, rows
}
