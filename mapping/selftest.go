package mapping

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
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

// expectation compares the result of a test with the expected one.
type expectation struct {
	mapping *Mapping
	test    *rule.Test
	faults  diagnostic.Faults
}

func (x *expectation) fault(n *document.Node, message, hint string) {
	x.faults = append(x.faults, x.test.File.At(n, fmt.Sprintf("%s: %s", x.test.Name.Text, message), hint))
}

// inferred takes the rows of the test as the whole source, if the mapping has its columns prove their date formats. It
// returns nil if they do not prove them.
func (x *expectation) inferred(mapper *Mapper, header table.Header, rows []table.Row, tables map[string]*lookup.Table) *Mapper {
	proof := date.Columns{}
	for _, row := range rows {
		mapper.InferDates(proof, row)
	}
	m, err := x.mapping.Inferred(proof, nil)
	if err == nil {
		mapper, err = m.Bind(header, tables)
	}
	if faults, ok := errors.AsType[diagnostic.Faults](err); ok {
		x.fault(x.test.Node, "with dates: proven, the test's own rows are the whole column: "+faults[0].Message,
			"use date cells, {date: 2024-03-01}, or an unambiguous format, 2024-03-01")
		return nil
	}
	return mapper
}

func (x *expectation) compare(mapper *Mapper, rows []table.Row) {
	t := x.test
	for _, row := range rows {
		_, skip, reasons := mapper.Key(row)
		if skip != "" != t.Skipped && len(reasons) == 0 {
			x.fault(t.Node, map[bool]string{true: "the row is not skipped", false: "the row is skipped: " + skip}[t.Skipped], "")
			return
		}
	}
	if t.Skipped {
		return
	}
	record, reasons := mapper.Map(rows)
	x.codes("reasons", t.Reasons, reasons, t.Reasons == nil)
	if len(t.Notes) > 0 {
		x.codes("notes", t.Notes, record.Notes, false)
	}
	if t.Key.Given() && record.Key != t.Key.Text {
		x.fault(t.Key.Node, fmt.Sprintf("the key is %q, expected %q", record.Key, t.Key.Text), "")
	}
	if t.Payload != nil && len(reasons) == 0 {
		decoder := json.NewDecoder(bytes.NewReader(record.Payload))
		decoder.UseNumber()
		var payload any
		if err := decoder.Decode(&payload); err != nil {
			x.fault(t.Payload, "the payload is not JSON: "+err.Error(), "")
			return
		}
		x.member(t.Payload, payload, "the payload")
	}
}

// codes compares the codes of reasons or notes. With exact set, it also reports every code that is not expected.
func (x *expectation) codes(what string, expected rule.Words, came []reason.Reason, exact bool) {
	var codes, messages []string
	for _, r := range came {
		codes = append(codes, r.Code)
		messages = append(messages, fmt.Sprintf("%s (%s): %s", r.Code, r.Field, r.Message))
	}
	for _, w := range expected {
		if !slices.Contains(codes, w.Text) {
			x.fault(w.Node, fmt.Sprintf("%q is not among the %s", w.Text, what), "they are: "+strings.Join(messages, "; "))
		}
	}
	for i, code := range codes {
		if exact && !slices.Contains(expected.Texts(), code) {
			x.fault(x.test.Node, fmt.Sprintf("the record is rejected: %s", messages[i]), came[i].Hint)
		}
	}
}

// member compares a value with the expected one in the file. Scalars are compared as text.
func (x *expectation) member(n *document.Node, came any, path string) {
	switch came := came.(type) {
	case map[string]any:
		if n.Kind != document.Block {
			x.fault(n, fmt.Sprintf("%s is an object, expected %s", path, wanted(n)), "")
			return
		}
		for key, value := range document.Pairs(n) {
			x.member(value, came[key.Value], key.Value)
		}
	case []any:
		if n.Kind != document.List || len(n.Content) != len(came) {
			data, _ := json.Marshal(came)
			x.fault(n, fmt.Sprintf("%s is %s, expected %s", path, reason.Clip(string(data), 300), wanted(n)), "")
			return
		}
		for i, value := range n.Content {
			x.member(value, came[i], fmt.Sprintf("%s[%d]", path, i))
		}
	case nil:
		if !document.IsNull(n) {
			x.fault(n, fmt.Sprintf("%s is missing, expected %s", path, wanted(n)), "")
		}
	default:
		if text := fmt.Sprint(came); n.Kind != document.Scalar || document.IsNull(n) || text != n.Value {
			x.fault(n, fmt.Sprintf("%s is %q, expected %s", path, text, wanted(n)), "")
		}
	}
}

// wanted describes the expected value in a word or two.
func wanted(n *document.Node) string {
	switch {
	case n.Kind == document.List && len(n.Content) == 1:
		return "a list of 1"
	case n.Kind == document.List:
		return fmt.Sprintf("a list of %d", len(n.Content))
	case n.Kind == document.Block:
		return "an object"
	case document.IsNull(n):
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}
