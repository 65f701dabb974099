package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/sourcetest"
)

// A header may take several lines; a row of data is never taken for one of them.
func TestHeaderLinesAreFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		columns  []string
		rows     string // header row and lines
		header   string
		first    string
	}{
		{"notes in brackets below names", "Ref,Client,Opened,Fee\n,,(date),[EUR]\n1,Acme,2024-01-01,5\n", nil, "1+2", "Ref|Client|Opened (date)|Fee [EUR]", "3: 1|Acme|2024-01-01|5"},
		{"the name without its note is asked for", "Ref,Client,Opened,Closed\n,,(date),(date)\n1,Acme,2024-01-01,\n", []string{"Ref", "opened", "Closed (date)"}, "1+2", "Ref|Client|Opened|Closed (date)", "3: 1|Acme|2024-01-01|"},
		{"brackets without a name above are data", "Ref,Client,\n,,(none)\n1,Acme,x\n", nil, "1+1", "Ref|Client|", "2: ||(none)"},
		{"negative amounts in brackets are data", "Ref,Client,Fee\n,,(120)\n1,Acme,(5)\n", nil, "1+1", "Ref|Client|Fee", "2: ||(120)"},
		{"a row of texts with blanks is data", "Ref,Client,Note\nA1,,open\nA2,Acme,\n", nil, "1+1", "Ref|Client|Note", "2: A1||open"},
		{"groups tell repeated names apart", "Applicant,,Agent,\nName,Country,Name,Country\nAcme,US,Foo,DE\n", nil, "1+2", "Applicant Name|Applicant Country|Agent Name|Agent Country", "3: Acme|US|Foo|DE"},
		{"a title of two cells does not change names that differ", "Docket,,As of May,\nName,Country,Mark,Class\nAcme,US,X,y\n", nil, "2+1", "Name|Country|Mark|Class", "3: Acme|US|X|y"},
		{"a title of two cells does not hide names asked for", "Docket,,Report,\nName,Country,Name,Country\nAcme,US,X,y\n", []string{"Name", "Country"}, "2+1", "Name|Country|Name|Country", "3: Acme|US|X|y"},
		{"names over two lines are asked for", "Ref,Filing,Mark\nNo,Date,Text\nA,b,c\n", []string{"Ref No", "Filing Date", "Mark Text"}, "1+2", "Ref No|Filing Date|Mark Text", "3: A|b|c"},
		{"a group ends where a name stands alone", "Ref,,Mark,\n,Name,Text,Class\nA,b,c,d\n", nil, "1+2", "Ref|Name|Mark Text|Mark Class", "3: A|b|c|d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{Delimiter: ",", Columns: tt.columns})
			checkHeader(t, got, tt.rows, tt.header, tt.first)
		})
	}
}

func checkHeader(t *testing.T, got reading, rows, header, first string) {
	t.Helper()
	if got.fault != "" || len(got.rows) == 0 {
		t.Fatalf("%q %s", got.rows, got.fault)
	}
	gotRows := fmt.Sprintf("%d+%d", got.detected.HeaderRow, got.detected.HeaderRows)
	gotHeader := strings.Join(got.header, "|")
	if gotRows != rows || gotHeader != header || got.rows[0] != first {
		t.Errorf("%s (%s): %s, then %q", gotRows, got.detected.HeaderWhy, gotHeader, got.rows[0])
	}
}

func merge(ranges ...string) func(*excelize.File) error {
	return func(book *excelize.File) error {
		for _, r := range ranges {
			from, to, _ := strings.Cut(r, ":")
			if err := book.MergeCell("S", from, to); err != nil {
				return err
			}
		}
		return nil
	}
}

// How many lines a header takes may be set, wherever it is found; that settles the doubt.
func TestHeaderLinesAreConfigured(t *testing.T) {
	t.Parallel()
	const below, above = "Ref,Client,Opened\n,,(date)\n1,Acme,x\n", "Applicant,,Agent,\nName,Country,Name,Country\nAcme,US,Foo,DE\n"
	tests := []struct {
		name, in            string
		lines               int
		rows, header, first string
		codes               string
	}{
		{"found below", below, 0, "1+2", "Ref|Client|Opened (date)", "3: 1|Acme|x", "header_lines_guessed [2]"},
		{"two, below", below, 2, "1+2", "Ref|Client|Opened (date)", "3: 1|Acme|x", ""},
		{"one, below", below, 1, "1+1", "Ref|Client|Opened", "2: ||(date)", ""},
		{"two, above", above, 2, "1+2", "Applicant Name|Applicant Country|Agent Name|Agent Country", "3: Acme|US|Foo|DE", ""},
		{"one, above", above, 1, "2+1", "Name|Country|Name|Country", "3: Acme|US|Foo|DE", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, tt.in, Options{Delimiter: ",", HeaderRows: tt.lines})
			checkHeader(t, got, tt.rows, tt.header, tt.first)
			if c := sourcetest.Codes(got.detected.Warnings); c != tt.codes {
				t.Errorf("warnings: %s", c)
			}
		})
	}
}

// Merged cells say how many lines a header takes and how far its groups reach.
func TestMergedCellsOfTheHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		cells  [][]any
		merged []string
		rows   string
		header string
		first  string
	}{
		{"merged into the next line", [][]any{{"Ref", "Client", "Dates", nil}, {nil, nil, "Opened", "Closed"}, {"A1", "Acme", "x", "y"}},
			[]string{"A1:A2", "B1:B2", "C1:D1"}, "1+2", "Ref|Client|Dates Opened|Dates Closed", "3/0: A1|Acme|x|y"},
		{"notes without brackets", [][]any{{"Ref", "Opened", "Closed"}, {nil, "day", "day"}, {"A1", "x", "y"}},
			[]string{"A1:A2"}, "1+2", "Ref|Opened day|Closed day", "3/0: A1|x|y"},
		{"the same cells without merges are data", [][]any{{"Ref", "Opened", "Closed"}, {nil, "day", "day"}, {"A1", "x", "y"}},
			nil, "1+1", "Ref|Opened|Closed", "2/0: |day|day"},
		{"in three lines", [][]any{{"Ref", "Applicant", nil, nil}, {nil, "Name", "Address", nil}, {nil, nil, "City", "Country"}, {"A1", "Acme", "Rome", "IT"}},
			[]string{"A1:A3", "B1:D1", "B2:B3", "C2:D2"}, "1+3", "Ref|Applicant Name|Applicant Address City|Applicant Address Country", "4/0: A1|Acme|Rome|IT"},
		{"a group ends with its cell", [][]any{{"Ref", "Mark", nil, nil}, {nil, "Text", "Class", "Owner"}, {"A1", "x", "y", "z"}},
			[]string{"A1:A2", "B1:C1"}, "1+2", "Ref|Mark Text|Mark Class|Owner", "3/0: A1|x|y|z"},
		{"a title over the whole table", [][]any{{"Docket", nil, nil}, {"Ref", "Mark", "Class"}, {"A1", "x", "y"}, {"A2", "x", "z"}},
			[]string{"A1:C1"}, "2+1", "Ref|Mark|Class", "3/0: A1|x|y"},
	}
	for _, tt := range tests {
		for _, mode := range []string{"", "down", "right", "all"} {
			t.Run(tt.name+" merged="+mode, func(t *testing.T) {
				t.Parallel()
				got := readFile(t, bookFile(t, merge(tt.merged...), "S", tt.cells), Options{Merged: mode})
				checkHeader(t, got, tt.rows, tt.header, tt.first)
			})
		}
	}
}
