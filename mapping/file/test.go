package file

import (
	"fmt"

	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// readTests compiles tests:.
func (c *compiler) readTests() []rule.Test {
	n := c.form.Tests
	if n == nil || document.IsNull(n) {
		return nil
	}
	if n.Kind != document.List {
		c.faults = append(c.faults, c.file.Expected(n, "a list of tests"))
		return nil
	}
	var tests []rule.Test
	for i, node := range n.Content {
		t := rule.Test{Node: node, File: c.file, ReadLookups: map[string]*lookup.Table{}}
		if !c.decode(node, &t.TestForm) {
			continue
		}
		if !t.Name.Given() {
			t.Name.Text = fmt.Sprintf("test %d", i+1)
		}
		c.testRows(&t)
		c.testLookups(&t)
		if t.Payload == nil && t.Reasons == nil && !t.Skipped && !t.Key.Given() && t.Notes == nil {
			c.fault(node, "the test has no expectation", "add payload:, reasons:, key: or skipped: true")
		}
		if t.Payload != nil && t.Payload.Kind != document.Block {
			c.faults = append(c.faults, c.file.Expected(t.Payload, "a block of members"))
		}
		tests = append(tests, t)
	}
	return tests
}

func (c *compiler) testRows(t *rule.Test) {
	nodes := []*document.Node{t.Row}
	switch {
	case t.Row != nil && t.Rows != nil:
		c.fault(t.Node, "the test has both row and rows", "keep one of them")
	case t.Row == nil && t.Rows == nil:
		c.fault(t.Node, "the test has no row", "add row: {Column: value, …}")
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
		row := rule.TestRow{}
		for key, value := range document.Pairs(n) {
			row.Names = append(row.Names, key.Value)
			row.Cells = append(row.Cells, c.testCell(value))
		}
		t.ReadRows = append(t.ReadRows, row)
	}
}

// testCell reads a cell: text, or {date: 2024-03-01} and the like for cells that only workbooks have.
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

func (c *compiler) testLookups(t *rule.Test) {
	if t.Lookups == nil || document.IsNull(t.Lookups) {
		return
	}
	for key, value := range c.pairs(t.Lookups, "a block of lookups by name") {
		c.lookupKnown(key, key.Value)
		t.ReadLookups[key.Value] = c.inline(key.Value, value)
	}
}
