package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

const templateID = "6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001"

const mattersMapping = `
operation: create_case
key: Our Ref
fields:
  name: Title
  number: Our Ref
  active: {column: Open, values: {J: yes, N: no}}
  file_template_id: Template
  user_id: {column: Attorney, required: true}
`

// mapped is what the mapping makes of a file, row by row: the payload or the reasons, by key.
func mapped(t *testing.T, path string, o source.Options) (rows []table.Row, header []string, came map[string]string, reasons map[string][]reason.Reason) {
	t.Helper()
	fatal := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := mapping.Parse("matters.yaml", []byte(mattersMapping), mapping.Options{})
	fatal(err)
	o.Columns = m.Columns()
	s, err := source.Open(t.Context(), path, o)
	fatal(err)
	defer s.Close()
	mapper, err := m.Bind(s.Header(), nil)
	fatal(err)
	came, reasons = map[string]string{}, map[string][]reason.Reason{}
	for r, err := range s.Rows(t.Context()) {
		fatal(err)
		r.Cells = append([]table.Cell(nil), r.Cells...)
		rows = append(rows, r)
		record, why := mapper.Map([]table.Row{r})
		key, _, _ := mapper.Key(r)
		if len(why) > 0 {
			reasons[key] = why
		} else {
			came[key] = string(record.Payload)
		}
	}
	return rows, s.Header().Names, came, reasons
}

// TestCorrectedRejectsGoIn takes a file through its mapping, writes the rejects, and imports those with the same mapping:
// as they are, when they are rejected for the same reasons, and corrected, when they become what they should have been.
func TestCorrectedRejectsGoIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "matters.csv")
	lines := []string{
		"Our Ref;Title;Open;Template;Attorney",
		"00017;Halvorsen & Dahl;J;" + templateID + ";" + templateID,
		"00018;=Brightwater;maybe;" + templateID + ";" + templateID,
		"00019;Café Müller;N;no template;" + templateID,
		"1.50;Ōkami;N;" + templateID + ";",
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, header, _, reasons := mapped(t, path, source.Options{})
	if len(reasons) != 3 {
		t.Fatalf("the mapping rejects %v, want three rows", reasons)
	}
	b := newBook(t, func(r *ledger.Run) { r.Sources = []ledger.Source{{File: path, Header: header}} })
	for _, r := range rows {
		key := r.Cell(0).Text
		cells, err := json.Marshal(r.Cells)
		b.must(err)
		record := ledger.Record{Key: key, State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{{Number: r.Number, Cells: cells}}}
		for _, reason := range reasons[key] {
			record.State, record.Reasons = ledger.Rejected, append(record.Reasons, ledger.Reason{Code: reason.Code, Field: reason.Field, Column: reason.Column, Cell: reason.Cell, Row: reason.Row,
				Source: reason.Source, Value: reason.Value, Message: reason.Message, Hint: reason.Hint})
		}
		b.plan(record)
	}
	b.end()
	rejects := b.rejects()

	_, _, came, again := mapped(t, rejects, source.Options{})
	if diff := cmp.Diff(said(reasons), said(again)); diff != "" || len(came) > 0 {
		t.Errorf("uncorrected, %d went in; reasons (-before +now):\n%s", len(came), diff)
	}

	f, err := excelize.OpenFile(rejects)
	b.must(err)
	for cell, value := range map[string]string{"G2": "J", "H3": templateID, "I4": templateID} {
		b.must(f.SetCellValue("Rejects", cell, value))
	}
	b.must(f.Save())
	b.must(f.Close())
	_, _, came, again = mapped(t, rejects, source.Options{})
	want := map[string]string{}
	for key, name := range map[string]string{"00018": "=Brightwater", "00019": "Café Müller", "1.50": "Ōkami"} {
		want[key] = fmt.Sprintf(`{"name":%q,"number":%q,"active":%v,"file_template_id":%q,"user_id":%q}`, name, key, key == "00018", templateID, templateID)
	}
	if diff := cmp.Diff(want, came); diff != "" || len(again) > 0 {
		t.Errorf("corrected (-want +got):\n%s\nrejected: %v", diff, again)
	}
}

// said are the reasons without their places, which are others in the workbook of rejects.
func said(reasons map[string][]reason.Reason) map[string][]string {
	list := map[string][]string{}
	for key, why := range reasons {
		for _, r := range why {
			list[key] = append(list[key], r.Code+" "+r.Field+" "+r.Message)
		}
	}
	return list
}
