package rule

import (
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// Test is one of a mapping's own tests, with its rows and lookups read.
type Test struct {
	TestForm
	Node        *document.Node
	File        *document.File
	ReadRows    []TestRow
	ReadLookups map[string]*lookup.Table
}

// TestForm is a test as the file writes it.
type TestForm struct {
	Name    Word           `yaml:"name" jsonschema_description:"A description of the test."`
	Row     *document.Node `yaml:"row" jsonschema_description:"The cells of a row by their columns."`
	Rows    *document.Node `yaml:"rows" jsonschema_description:"The rows of one record."`
	Lookups *document.Node `yaml:"lookups" jsonschema_description:"Names and ids for this test, in place of the lookups' own."`
	Key     Word           `yaml:"key" jsonschema_description:"The expected key."`
	Payload *document.Node `yaml:"payload" jsonschema_description:"Expected fields of the payload; fields not listed may have any value."`
	Reasons Words          `yaml:"reasons" jsonschema_description:"Codes expected among the reasons for a reject."`
	Notes   Words          `yaml:"notes" jsonschema_description:"Codes of the expected notes."`
	Skipped bool           `yaml:"skipped" jsonschema_description:"The row must be skipped."`
}

// TestRow is a row of a test: cells by the names of their columns.
type TestRow struct {
	Names []string
	Cells []table.Cell
}

// Word is a scalar with its place.
type Word struct {
	Text string
	Node *document.Node
}

// UnmarshalNode takes any scalar, with the characters of the file.
func (w *Word) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	w.Node = n
	return f.Decode(n, &w.Text)
}

// Given reports whether the file has the word.
func (w Word) Given() bool { return w.Node != nil }

// Words is a list of scalars. In the file a single scalar may stand for a list of one.
type Words []Word

// UnmarshalNode takes a scalar or a list of scalars.
func (w *Words) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.List {
		var one Word
		faults := one.UnmarshalNode(f, n)
		*w = Words{one}
		return faults
	}
	list := Words{}
	var faults diagnostic.Faults
	for _, c := range n.Content {
		var one Word
		faults = append(faults, one.UnmarshalNode(f, c)...)
		list = append(list, one)
	}
	*w = list
	return faults
}

// Texts returns the words without their places, or nil if the file has none.
func (w Words) Texts() []string {
	if w == nil {
		return nil
	}
	texts := make([]string, len(w))
	for i, one := range w {
		texts[i] = one.Text
	}
	return texts
}
