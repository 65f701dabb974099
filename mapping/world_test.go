package mapping

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Ids that tests use. The last digits say what they are.
const (
	idOne   = "00000000-0000-4000-8000-000000000001"
	idTwo   = "00000000-0000-4000-8000-000000000002"
	idThree = "00000000-0000-4000-8000-000000000003"
)

var testDay = time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)

// bind parses a mapping and binds it to a header written as "A, B, C".
func bind(t *testing.T, text, header string, options ...Options) *Mapper {
	t.Helper()
	o := Options{Today: testDay}
	if len(options) > 0 {
		o = options[0]
	}
	m, err := Parse("m.yaml", []byte(text), o)
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	mapper, err := m.Bind(headerOf(header), nil)
	if err != nil {
		t.Fatalf("bind:\n%v", err)
	}
	return mapper
}

func headerOf(names string) table.Header {
	h := table.Header{Names: []string{}}
	for name := range strings.SplitSeq(names, ",") {
		h.Names = append(h.Names, strings.TrimSpace(name))
	}
	return h
}

// textRow is a row of text cells, as of a CSV file.
func textRow(number int, texts ...string) table.Row {
	row := table.Row{Number: number}
	for _, text := range texts {
		cell := table.Cell{Kind: table.Text, Text: text}
		if text == "" {
			cell.Kind = table.Empty
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

// mustMap maps rows that must become one.
func mustMap(t *testing.T, m *Mapper, rows ...table.Row) string {
	t.Helper()
	record, reasons := m.Map(rows)
	for _, r := range reasons {
		t.Errorf("rejected: %+v", r)
	}
	return string(record.Payload)
}

// codes maps rows and returns the codes of what came of them, "field: code".
func codes(m *Mapper, rows ...table.Row) []string {
	_, reasons := m.Map(rows)
	return codesOf(reasons)
}

func codesOf(reasons []reason.Reason) []string {
	list := []string{}
	for _, r := range reasons {
		list = append(list, r.Field+": "+r.Code)
	}
	return list
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as expected (- expected, + found):\n%s", diff)
	}
}

// contains reports a text that lacks one of its parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}

// caseWith is a create_case mapping in which one field's lines are the test's.
func caseWith(field string, more ...string) string {
	fields := map[string]string{
		"name": "name: Name", "number": "number: Ref", "active": "active: {value: true}",
		"file_template_id": "file_template_id: {value: " + idOne + "}", "user_id": "user_id: {value: " + idTwo + "}",
	}
	name, _, _ := strings.Cut(field, ":")
	fields[name] = field
	text := "operation: create_case\nkey: Ref\n" + strings.Join(more, "\n") + "\nfields:\n"
	for _, order := range []string{"name", "number", "active", "file_template_id", "user_id", "client_id", "other_supervisors"} {
		if fields[order] != "" {
			text += "  " + fields[order] + "\n"
		}
	}
	return text
}

// markWith is an update_trademark mapping with further fields.
func markWith(fields string, more ...string) string {
	text := "operation: update_trademark\nkey: Ref\n" + strings.Join(more, "\n") + "\nfields:\n  id: {value: " + idOne + "}\n  registry_id: {value: " +
		idTwo + "}\n  mark_text: {value: SOL}\n  application_number: {value: \"1\"}\n"
	for line := range strings.SplitSeq(fields, "\n") {
		text += "  " + line + "\n"
	}
	return text
}

const markStart = `{"id":"` + idOne + `","registry_id":"` + idTwo + `","mark_text":"SOL","application_number":"1"`
