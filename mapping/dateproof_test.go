package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/table"
)

// prove takes rows through the proof of a mapping and gives the mapper it leads to, or its faults.
func prove(t *testing.T, text, header string, rows ...table.Row) (*Mapper, diagnostic.Faults) {
	t.Helper()
	m, err := Parse("m.yaml", []byte(text), Options{Today: testDay})
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	if !m.InfersDates() {
		t.Fatal("the mapping proves nothing")
	}
	mapper, err := m.Bind(headerOf(header), nil)
	if err != nil {
		t.Fatal(err)
	}
	proof := date.Columns{}
	for _, row := range rows {
		mapper.InferDates(proof, row)
	}
	proven, err := m.Inferred(proof, func(int) string { return "marks.csv" })
	var faults diagnostic.Faults
	if errors.As(err, &faults) {
		return nil, faults
	}
	if proven.InfersDates() || !m.InfersDates() {
		t.Error("the mapping itself was changed, or nothing was")
	}
	mapper, err = proven.Bind(headerOf(header), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mapper, nil
}

func TestProvenDatesAreReadAsTheColumnIsWritten(t *testing.T) {
	t.Parallel()
	rows := []table.Row{textRow(2, "1", "03/04/2024", ""), textRow(3, "2", "25/12/2024", "2024-03-01"), textRow(4, "3", "soon", "")}
	m, faults := prove(t, markWith("application_date: Filed\nexpiry_date: Ends", "dates: proven", "checks: off"), "Ref, Filed, Ends", rows...)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	same(t, mustMap(t, m, rows[0]), markStart+`,"application_date":"2024-04-03T00:00:00Z"}`)
	same(t, mustMap(t, m, rows[1]), markStart+`,"application_date":"2024-12-25T00:00:00Z","expiry_date":"2024-03-01T00:00:00Z"}`)
	_, reasons := m.Map(rows[2:])
	same(t, codesOf(reasons), []string{"application_date: date_unreadable"})
	contains(t, reasons[0].Message, `"soon" is not a date in the format DD/MM/YYYY`)
}

func TestColumnsThatDoNotProveTheirDatesAreFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, texts, says string
	}{
		{"nothing decides", "05/05/2024|03/04/2024|04/05/2024", `the column "Filed" does not prove its date format, DD/MM/YYYY or MM/DD/YYYY: ` +
			`row 3 of marks.csv, "03/04/2024", is 3 April 2024 as DD/MM/YYYY or 4 March 2024 as MM/DD/YYYY; row 4 of marks.csv|A row with a day over 12 would decide it.|dates: [DD/MM/YYYY]`},
		{"a contradiction", "25/12/2024|26/12/2024|27/12/2024|12/25/2024", `the column "Filed" has contradictory date formats: row 2 of marks.csv, "25/12/2024", is only 25 December 2024 as DD/MM/YYYY; ` +
			`row 5 of marks.csv, "12/25/2024", is only 25 December 2024 as MM/DD/YYYY|Correct the rows`},
		{"two digits, in front or behind", "25/12/24", `row 2 of marks.csv, "25/12/24", is 25 December '24 as DD/MM/YY or 24 December '25 as YY/MM/DD|four digits`},
		{"no century", "25/12/99", "two-digit years (DD/MM/YY), so a pivot is required|pivot: 50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var rows []table.Row
			for n, text := range strings.Split(c.texts, "|") {
				rows = append(rows, textRow(n+2, "R", text))
			}
			text := markWith("application_date: Filed", "dates: proven")
			_, faults := prove(t, text, "Ref, Filed", rows...)
			if len(faults) != 1 {
				t.Fatalf("%d faults: %v", len(faults), faults)
			}
			contains(t, faults[0].Message+"|"+faults[0].Hint, strings.Split(c.says, "|")...)
			contains(t, faults.Error(), "application_date: Filed")
		})
	}
}

// What a spreadsheet program makes of 04/03/2024 and 25/12/2024 where the month comes first.
func TestDateCellsThatWereTurnedAroundAreFaults(t *testing.T) {
	t.Parallel()
	row := func(n int, kind table.Kind, text string) table.Row {
		return table.Row{Number: n, Cells: []table.Cell{{Kind: table.Text, Text: fmt.Sprint(n)}, {Kind: kind, Text: text}}}
	}
	cell, text, late := row(2, table.Date, "2024-04-03"), row(3, table.Text, "25/12/2024"), row(4, table.Date, "2024-04-13T10:00:00")
	_, faults := prove(t, markWith("application_date: Filed", "dates: proven"), "Ref, Filed", cell, text, cell, cell, cell, cell)
	if len(faults) != 1 {
		t.Fatalf("%d faults: %v", len(faults), faults)
	}
	contains(t, faults[0].Message, `the column "Filed": all of its date cells fall on days 1 to 12 of a month, and all of its dates stored as text contain a number above 12`, `row 2 of marks.csv is the date cell 3 April 2024; row 3 of marks.csv is the text "25/12/2024"`)
	contains(t, faults[0].Hint, "dates_turned: accept")
	for name, rows := range map[string][]table.Row{
		"a date cell of a later day":            {cell, text, cell, cell, cell, cell, late},
		"a text that would have been converted": {cell, text, cell, cell, cell, cell, row(4, table.Text, "03/04/2024")},
		"texts that nothing converts":           {cell, row(3, table.Text, "2024-12-25"), cell, cell, cell, cell},
		"few dates, as chance has it":           {cell, text, cell, text},
		"date cells alone":                      {cell},
		"texts alone":                           {text},
	} {
		if _, faults := prove(t, markWith("application_date: Filed", "dates: proven"), "Ref, Filed", rows...); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

func TestEveryColumnThatProvesNothingIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	_, faults := prove(t, markWith("application_date: Filed\nregistration_date: {column: Reg, dates: [DD/MM/YYYY]}\nexpiry_date: Ends", "dates: proven"), "Ref, Filed, Reg, Ends",
		textRow(2, "1", "03/04/2024", "03/04/2024", "05/06/2024"))
	same(t, len(faults), 2)
}

func TestWhatIsEvidence(t *testing.T) {
	t.Parallel()
	skipped := textRow(3, "2", "25/12/2024", "")
	skipped.Skip = "repeated header"
	for _, c := range []struct {
		name, field string
		rows        []table.Row
		proven      bool
	}{
		{"a row with a day over 12", "Filed", []table.Row{textRow(2, "1", "03/04/2024"), textRow(3, "2", "25/12/2024")}, true},
		{"a row that the source skips is none", "Filed", []table.Row{textRow(2, "1", "03/04/2024"), skipped}, false},
		{"a row that the mapping leaves out is none", "Filed", []table.Row{textRow(2, "1", "03/04/2024"), textRow(3, "2", "25/12/2024", "Dead")}, false},
		{"a row without a key is none", "Filed", []table.Row{textRow(2, "1", "03/04/2024"), textRow(3, "", "25/12/2024")}, false},
		{"a blank is none", `{column: Filed, blanks: ["25/12/2024"]}`, []table.Row{textRow(2, "1", "03/04/2024"), textRow(3, "2", "25/12/2024")}, false},
		{"what an expression passes on is", `{expr: 'before(row["Filed"], " ")'}`, []table.Row{textRow(2, "1", "03/04/2024 x"), textRow(3, "2", "25/12/2024 x")}, true},
		{"a date that an expression works out needs none", `{expr: 'date(row["Filed"], "DD/MM/YYYY")'}`, []table.Row{textRow(2, "1", "03/04/2024")}, true},
		{"a date cell needs none", "Filed", []table.Row{{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {Kind: table.Date, Text: "2024-03-04"}}}}, true},
		{"several files prove together", "Filed", []table.Row{textRow(2, "1", "03/04/2024"), {Source: 1, Number: 2, Cells: textRow(2, "2", "25/12/2024").Cells}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, faults := prove(t, markWith("application_date: "+c.field, "dates: proven", `rows: {skip: 'row["State"] == "Dead"'}`), "Ref, Filed, State", c.rows...)
			if len(faults) == 0 != c.proven {
				t.Errorf("proven: %v, %v", !c.proven, faults)
			}
		})
	}
}

func TestProvenDatesOfComponents(t *testing.T) {
	t.Parallel()
	text := `operation: update_case
key: Ref
fields:
  id: {value: ` + idOne + `}
  name: Ref
  number: Ref
  active: {value: true}
  file_status_id: {value: ` + idOne + `}
  user_id: {value: ` + idOne + `}
  file_client_id: null
  components:
    items:
      ` + idTwo + `: {column: Hearing, type: date, dates: proven}
`
	row := textRow(2, "1", "12/25/2024")
	m, faults := prove(t, text, "Ref, Hearing", row)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	contains(t, mustMap(t, m, row), `"value":"2024-12-25T00:00:00Z"`)
	_, faults = prove(t, text, "Ref, Hearing", textRow(2, "1", "12/11/2024"))
	contains(t, faults.Error(), `the column "Hearing" does not prove`)
}

func TestBeforeTheProofNothingUnclearIsRead(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: Filed", "dates: proven"), "Ref, Filed")
	steps := m.Explain([]table.Row{textRow(2, "1", "25/12/2024")})
	contains(t, steps[len(steps)-1].Reasons[0].Message, "cannot be read until the whole column has proven")
}

func TestPatternsBesideProvenAreAFault(t *testing.T) {
	t.Parallel()
	_, err := Parse("m.yaml", []byte(markWith("application_date: Filed", "dates: [proven, DD/MM/YYYY]")), Options{})
	contains(t, err.Error(), "dates: proven cannot be combined with patterns")
}

func TestATestsOwnRowsAreTheWholeColumn(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(markWith("application_date: Filed", "dates: proven", "checks: off")+`tests:
  - {row: {Ref: 1, Filed: 25/12/2024}, payload: {application_date: 2024-12-25T00:00:00Z}}
  - {row: {Ref: 1, Filed: {date: 2024-12-11}}, payload: {application_date: 2024-12-11T00:00:00Z}}
  - {row: {Ref: 1, Filed: 11/12/2024}, payload: {application_date: 2024-12-11T00:00:00Z}}
`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	results := m.RunTests(nil)
	same(t, len(results[0].Faults)+len(results[1].Faults), 0)
	same(t, len(results[2].Faults), 1)
	contains(t, results[2].Faults[0].Message+results[2].Faults[0].Hint, "the test's own rows are the whole column", `row 2, "11/12/2024"`, "{date: 2024-03-01}")
	same(t, results[2].Faults[0].Line, results[2].Line)
}
