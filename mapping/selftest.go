package mapping

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// testForm is one of a mapping's own tests.
type testForm struct {
	Name    word           `yaml:"name" jsonschema_description:"A description of the test."`
	Row     *document.Node `yaml:"row" jsonschema_description:"The cells of a row by their columns."`
	Rows    *document.Node `yaml:"rows" jsonschema_description:"The rows of one record."`
	Lookups *document.Node `yaml:"lookups" jsonschema_description:"Names and ids for this test, in place of the lookups' own."`
	Key     word           `yaml:"key" jsonschema_description:"The expected key."`
	Payload *document.Node `yaml:"payload" jsonschema_description:"Expected fields of the payload; fields not listed may have any value."`
	Reasons words          `yaml:"reasons" jsonschema_description:"Codes expected among the reasons for a reject."`
	Notes   words          `yaml:"notes" jsonschema_description:"Codes of the expected notes."`
	Skipped bool           `yaml:"skipped" jsonschema_description:"The row must be skipped."`
}

type testCase struct {
	testForm
	node    *document.Node
	file    *document.File
	rows    []testRow
	lookups map[string]*lookup.Table
}

type testRow struct {
	names []string
	cells []table.Cell
}

// TestResult is what became of one test. Faults say what was otherwise than expected, and where that stands.
type TestResult struct {
	Name   string            `json:"name"`
	Line   int               `json:"line"`
	Faults diagnostic.Faults `json:"faults,omitempty"`
}

// readTests compiles tests:.
func (c *compiler) readTests() []testCase {
	n := c.form.Tests
	if n == nil || document.IsNull(n) {
		return nil
	}
	if n.Kind != document.List {
		c.faults = append(c.faults, c.file.Expected(n, "a list of tests"))
		return nil
	}
	var tests []testCase
	for i, node := range n.Content {
		t := testCase{node: node, file: c.file, lookups: map[string]*lookup.Table{}}
		if !c.decode(node, &t.testForm) {
			continue
		}
		if !t.Name.given() {
			t.Name.text = fmt.Sprintf("test %d", i+1)
		}
		c.testRows(&t)
		c.testLookups(&t)
		if t.Payload == nil && t.Reasons == nil && !t.Skipped && !t.Key.given() && t.Notes == nil {
			c.fault(node, "the test has no expectation", "add payload:, reasons:, key: or skipped: true")
		}
		if t.Payload != nil && t.Payload.Kind != document.Block {
			c.faults = append(c.faults, c.file.Expected(t.Payload, "a block of members"))
		}
		tests = append(tests, t)
	}
	return tests
}

func (c *compiler) testRows(t *testCase) {
	nodes := []*document.Node{t.Row}
	switch {
	case t.Row != nil && t.Rows != nil:
		c.fault(t.node, "the test has both row and rows", "keep one of them")
	case t.Row == nil && t.Rows == nil:
		c.fault(t.node, "the test has no row", "add row: {Column: value, …}")
		return
	case t.Rows != nil && t.Rows.Kind != document.List:
		c.faults = append(c.faults, c.file.Expected(t.Rows, "a list of rows"))
		return
	case t.Rows != nil:
		nodes = t.Rows.Content
	}
	for _, n := range nodes {
		if n == nil || n.Kind != document.Block {
			c.faults = append(c.faults, c.file.Expected(n, "a block of cells by their columns"))
			continue
		}
		row := testRow{}
		for key, value := range document.Pairs(n) {
			row.names = append(row.names, key.Value)
			row.cells = append(row.cells, c.testCell(value))
		}
		t.rows = append(t.rows, row)
	}
}

// testCell reads a cell: text, or {date: 2024-03-01} and the like for what only workbooks have.
func (c *compiler) testCell(n *document.Node) table.Cell {
	kinds := map[string]table.Kind{"number": table.Number, "date": table.Date, "clock": table.Clock, "bool": table.Bool, "error": table.Error, "text": table.Text}
	switch {
	case n.Kind == document.Scalar && (document.IsNull(n) || n.Value == ""):
		return table.Cell{}
	case n.Kind == document.Scalar:
		return table.Cell{Kind: table.Text, Text: n.Value}
	case n.Kind == document.Block && len(n.Content) == 2 && kinds[n.Content[0].Value] != table.Empty && n.Content[1].Kind == document.Scalar:
		return table.Cell{Kind: kinds[n.Content[0].Value], Text: n.Content[1].Value}
	}
	c.faults = append(c.faults, c.file.Expected(n, "a cell: a text, or one of {date: …}, {number: …}, {clock: …}, {bool: …}, {error: …}"))
	return table.Cell{}
}

func (c *compiler) testLookups(t *testCase) {
	if t.Lookups == nil || document.IsNull(t.Lookups) {
		return
	}
	if t.Lookups.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(t.Lookups, "a block of lookups by name"))
		return
	}
	for key, value := range document.Pairs(t.Lookups) {
		c.lookupKnown(key, key.Value)
		t.lookups[key.Value] = c.inline(key.Value, value)
	}
}

// Tested tells whether the mapping has tests of its own.
func (m *Mapping) Tested() bool { return len(m.tests) > 0 }

// RunTests runs the mapping's own tests, with the lookups that Bind would be given. A test may bring names of its own for
// some of them.
func (m *Mapping) RunTests(lookups map[string]*lookup.Table) []TestResult {
	results := make([]TestResult, len(m.tests))
	for i := range m.tests {
		t := &m.tests[i]
		results[i] = TestResult{Name: t.Name.text, Line: t.node.Line, Faults: m.runTest(t, lookups)}
	}
	return results
}

func (m *Mapping) runTest(t *testCase, lookups map[string]*lookup.Table) diagnostic.Faults {
	tables := map[string]*lookup.Table{}
	maps.Copy(tables, lookups)
	maps.Copy(tables, t.lookups)
	header, rows := m.layout(t.rows)
	mapper, err := m.Bind(header, tables)
	var faults diagnostic.Faults
	if errors.As(err, &faults) {
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

// layout puts the rows of a test under one header, with every column the mapping names.
func (m *Mapping) layout(tests []testRow) (table.Header, []table.Row) {
	header := table.Header{Names: m.Columns()}
	for _, f := range m.fields {
		if f.items != nil {
			for _, template := range []columnRef{f.items.classes, f.items.texts} {
				if template.name != "" {
					header.Names = append(header.Names, strings.ReplaceAll(template.name, "#", "1"))
				}
			}
		}
	}
	var rows []table.Row
	for i, test := range tests {
		row := table.Row{Number: i + 2}
		for n, name := range test.names {
			at := table.NewColumns(header).Find(name)
			if len(at) != 1 {
				at = []int{len(header.Names)}
				header.Names = append(header.Names, name)
			}
			for len(row.Cells) <= at[0] {
				row.Cells = append(row.Cells, table.Cell{})
			}
			row.Cells[at[0]] = test.cells[n]
		}
		rows = append(rows, row)
	}
	return header, rows
}
