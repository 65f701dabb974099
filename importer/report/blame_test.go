package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
)

// marked is what the workbook of rejects says of a run's rows: the column "docketsync: cells" of each row, what is coloured, and
// what is said on the cells.
func (b *book) marked() (cells, coloured []string, said map[string]string) {
	b.t.Helper()
	path := b.rejects()
	f, err := excelize.OpenFile(path)
	b.must(err)
	defer f.Close()
	rows := b.sheet(path, "Rejects")
	for n, row := range rows[1:] {
		cells = append(cells, append(row, "", "", "")[2])
		for column := range rows[0][4:] {
			at, err := excelize.CoordinatesToCellName(column+5, n+2)
			b.must(err)
			id, err := f.GetCellStyle("Rejects", at)
			b.must(err)
			style, err := f.GetStyle(id)
			b.must(err)
			if len(style.Fill.Color) > 0 {
				coloured = append(coloured, at)
			}
		}
	}
	comments, err := f.GetComments("Rejects")
	b.must(err)
	said = map[string]string{}
	for _, c := range comments {
		said[c.Cell] = c.Paragraph[0].Text
	}
	return cells, coloured, said
}

// TestCellsOfARefusalAreThoseOfTheFieldsItNames shows which cells are marked for what the service says: those of the fields with
// whose exact names its words begin, and none for names within a sentence.
func TestCellsOfARefusalAreThoseOfTheFieldsItNames(t *testing.T) {
	t.Parallel()
	const component = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	origins := []ledger.Origin{
		{Field: "key", Columns: []int{0}}, {Field: "id", Columns: []int{0}}, {Field: "name", Columns: []int{1, 4}}, {Field: "client_id", Columns: []int{3}},
		{Field: "files.number", Columns: []int{2}}, {Field: "components." + component, Columns: []int{4}}, {Field: "active"},
	}
	payload := json.RawMessage(`{"components":[{"file_template_component_id":"other","value":"1"},{"file_template_component_id":"` + component + `","value":"x"}]}`)
	for _, test := range []struct {
		name  string
		words []string
		want  string
	}{
		{"a name and a colon", []string{"client_id: is not known"}, "D2"},
		{"a field of two columns", []string{"name: is too long"}, "B2 E2"},
		{"an answer about several fields", []string{"client_id: is not known", "id: is not a GUID"}, "D2 A2"},
		{"several names before the colon", []string{"client_id, id: do not belong together"}, "A2 D2"},
		{"a field of an entry", []string{"files[2].number: is too long"}, "C2"},
		{"a member of a component", []string{"components[1].value: is no date"}, "E2"},
		{"a component that is not sent", []string{"components[7].value: is no date"}, ""},
		{"a component of no column", []string{"components[0]: is not of the template"}, ""},
		{"a name within prose", []string{"the client_id: is not known"}, ""},
		{"prose that begins with a field's name", []string{"name of the client is not known"}, ""},
		{"a longer name", []string{"client_id_2: is not known", "my.client_id: is not known"}, ""},
		{"another case", []string{"Client_ID: is not known"}, ""},
		{"a field that is read from no column", []string{"active: must be true"}, ""},
		{"the key of the record is no field", []string{"key: is not known"}, ""},
		{"a time of day", []string{"name:12 is used"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t, func(r *ledger.Run) { r.Sources[0].Origins = origins })
			var reasons []ledger.Reason
			for _, words := range test.words {
				reasons = append(reasons, ledger.Reason{Code: "refused", Message: words, Hint: "Correct the row."})
			}
			b.send(ledger.Record{Key: "A", Payload: payload, Rows: []ledger.Row{row(2, "A", "one", "two", "three", "four")}},
				ledger.Outcome{State: ledger.Refused, Status: 400, Message: test.words[0], Reasons: reasons})
			b.end()
			cells, coloured, said := b.marked()
			if cells[0] != test.want {
				t.Errorf("the cells %q are named, want %q", cells[0], test.want)
			}
			if n := len(strings.Fields(test.want)); len(coloured) != n || len(said) != n {
				t.Errorf("coloured are %v, and %v have notes, want %d", coloured, said, n)
			}
			for at, text := range said {
				if !strings.Contains(text, test.words[0]) && !strings.Contains(text, test.words[len(test.words)-1]) {
					t.Errorf("the note on %s is %q, not the service's words", at, text)
				}
			}
		})
	}
}

// TestRefusalsOfRunsWithoutOriginsMarkNoCell is how reports of earlier runs stay, and what docketsync itself says of a row.
func TestRefusalsOfRunsWithoutOriginsMarkNoCell(t *testing.T) {
	t.Parallel()
	words := []ledger.Reason{{Code: "refused", Message: "client_id: is not known"}}
	earlier := newBook(t)
	earlier.send(ledger.Record{Key: "A", Payload: []byte(`{}`), Rows: []ledger.Row{row(2, "A")}}, ledger.Outcome{State: ledger.Refused, Status: 400, Reasons: words})
	earlier.end()
	ours := newBook(t, func(r *ledger.Run) { r.Sources[0].Origins = []ledger.Origin{{Field: "client_id", Columns: []int{0}}} })
	ours.plan(reject("A", words, row(2, "A")))
	ours.end()
	for _, b := range []*book{earlier, ours} {
		if cells, coloured, said := b.marked(); cells[0] != "" || len(coloured)+len(said) > 0 {
			t.Errorf("marked are %q %v %v", cells, coloured, said)
		}
	}
}

// TestRowsOfOneNumberInTwoFilesAreToldApart marks the row of the file that a reason is about, and finds a field where each file has it.
func TestRowsOfOneNumberInTwoFilesAreToldApart(t *testing.T) {
	t.Parallel()
	header := []string{"Folder", "File", "Number"}
	b := newBook(t, func(r *ledger.Run) {
		r.Sources = []ledger.Source{{File: "a.csv", Header: header, Origins: []ledger.Origin{{Field: "name", Columns: []int{0}}}},
			{File: "b.csv", Header: header, Origins: []ledger.Origin{{Field: "name", Columns: []int{1}}}}}
	})
	rows := []ledger.Row{rowOf(0, 2, "F", "one", "1"), rowOf(1, 2, "F", "two", "x")}
	b.plan(reject("F", []ledger.Reason{{Code: "number_invalid", Cell: "C2", Row: 2, Source: 2, Message: "no number"}}, rows...))
	b.send(ledger.Record{Key: "G", Payload: []byte(`{}`), Rows: []ledger.Row{rowOf(0, 3, "G", "one"), rowOf(1, 3, "G", "two")}},
		ledger.Outcome{State: ledger.Refused, Status: 400, Reasons: []ledger.Reason{{Code: "refused", Message: "name: is too long"}}})
	b.end()
	cells, coloured, _ := b.marked()
	if diff := cmp.Diff([]string{"", "C2", "A3", "B3"}, cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"G3", "E4", "F5"}, coloured); diff != "" {
		t.Errorf("coloured (-want +got):\n%s", diff)
	}
	for _, cause := range b.summary().Causes {
		if cause.Code == "number_invalid" && cause.Example.File != "b.csv" {
			t.Errorf("the example is in %s", cause.Example.File)
		}
	}
}
