package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

const closedBeforeOpened = `checks: {closed before opened: 'date(row["Closed"]) < date(row["Opened"])'}`

func TestChecksAFirmWrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, top, opened, closed, want string }{
		{"in order", closedBeforeOpened, "01/03/2024", "02/03/2024", ""},
		{"a finding", closedBeforeOpened, "02/03/2024", "01/12/2023", "checks.closed before opened: check"},
		{"the same day", closedBeforeOpened, "02/03/2024", "02/03/2024", ""},
		{"a blank", closedBeforeOpened, "02/03/2024", "", ""},
		{"a text that means a blank", closedBeforeOpened + "\nblanks: [open]", "02/03/2024", "open", ""},
		{"the other blank, the other way", `checks: {x: 'date(row["Opened"]) > date(row["Closed"])'}`, "", "01/12/2023", ""},
		{"not later", `checks: {x: 'date(row["Opened"]) >= date(row["Closed"])'}`, "", "", ""},
		{"no date", closedBeforeOpened, "02/03/2024", "soon", "checks.closed before opened: date_unreadable"},
		{"a warning", `checks: {x: {expr: 'date(row["Closed"]) < date(row["Opened"])', level: warn}}`, "02/03/2024", "01/12/2023", "note checks.x: check"},
		{"a warning that cannot be asked", `checks: {x: {expr: 'date(row["Closed"]) < date(row["Opened"])', level: warn}}`, "02/03/2024", "soon", "note checks.x: date_unreadable"},
		{"off", `checks: {x: {expr: 'date(row["Closed"]) < date(row["Opened"])', level: off}}`, "02/03/2024", "01/12/2023", ""},
		{"today, and a pattern", `checks: {x: 'date(row["Closed"], "DD/MM/YYYY") > today'}`, "02/03/2024", "01/12/2030", "checks.x: check"},
		{"no column", `checks: {x: 'today != ""'}`, "", "", "checks.x: check"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith("name: Name", c.top, "dates: [DD/MM/YYYY]"), "Ref, Name, Opened, Closed")
			record, reasons := m.Map([]table.Row{textRow(7, "1", "SOL", c.opened, c.closed)})
			found := codesOf(reasons)
			for _, code := range codesOf(record.Notes) {
				found = append(found, "note "+code)
			}
			same(t, strings.Join(found, " "), c.want)
		})
	}
}

func TestFindingOfACheckSaysWhere(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", closedBeforeOpened, "dates: [DD/MM/YYYY]"), "Ref, Name, Opened, Closed")
	row := textRow(7, "1", "SOL", "02/03/2024", "")
	row.Cells[3] = table.Cell{Kind: table.Date, Text: "2023-12-01"}
	_, reasons := m.Map([]table.Row{row})
	same(t, reasons, []reason.Reason{{Code: "check", Field: "checks.closed before opened", Column: "Closed", Cell: "D7", Row: 7,
		Value: "Closed: 2023-12-01, Opened: 02/03/2024", Message: "closed before opened", Args: []string{"closed before opened", `"Closed" or "Opened"`},
		Hint: `Correct "Closed" or "Opened", or set level: warn for the check in the mapping if it is correct.`}})
}

// Each row of a record is asked, and rows that say the same are one finding.
func TestChecksOfSeveralRows(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", "rows: {group: true}", closedBeforeOpened, "dates: [DD/MM/YYYY]"), "Ref, Name, Opened, Closed")
	_, reasons := m.Map([]table.Row{textRow(2, "1", "SOL", "02/03/2024", ""), textRow(3, "1", "SOL", "02/03/2024", "01/03/2024"),
		textRow(4, "1", "SOL", "02/03/2024", "01/03/2024"), textRow(5, "1", "SOL", "02/03/2024", "01/02/2024")})
	var cells []string
	for _, r := range reasons {
		cells = append(cells, r.Cell)
	}
	same(t, cells, []string{"D3", "D5"})
}

// A column that a date field reads has its own declaration, or proves it.
func TestChecksReadDatesAsTheFieldsDo(t *testing.T) {
	t.Parallel()
	own := bind(t, markWith("application_date: {column: Filed, dates: [MM/DD/YYYY]}", `checks: {x: 'date(row["Filed"]) > "2024-03-15"'}`, "dates: [DD/MM/YYYY]"), "Ref, Filed")
	same(t, codes(own, textRow(2, "1", "03/04/2024")), []string{})
	same(t, codes(own, textRow(2, "1", "04/03/2024")), []string{"checks.x: check"})
	proven, faults := prove(t, markWith("application_date: Filed", `checks: {x: 'date(row["Filed"]) > "2024-03-15"'}`, "dates: proven"), "Ref, Filed",
		textRow(2, "1", "03/04/2024"), textRow(3, "2", "25/12/2023"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	same(t, codes(proven, textRow(2, "1", "03/04/2024")), []string{"checks.x: check"})
	m, err := Parse("m.yaml", []byte(markWith("application_date: Filed", `checks: {x: 'date(row["Sent"]) > today'}`, `rows: {skip: 'date(row["Filed"]) > today'}`, "dates: proven")), Options{Today: testDay})
	if err != nil {
		t.Fatal(err)
	}
	var unproven diagnostic.Faults
	if _, err = m.Bind(headerOf("Ref, Filed, Sent"), nil); !errors.As(err, &unproven) || len(unproven) != 2 {
		t.Fatal(err)
	}
	contains(t, unproven.Error(), "date() requires a pattern", `m.yaml:3:14`, `m.yaml:4:15`)
}

// A pattern in an expression has its years of two digits by the pivot of the mapping, and without one the century is not guessed.
func TestPatternsOfExpressionsHaveThePivotOfTheMapping(t *testing.T) {
	t.Parallel()
	for pivot, want := range map[string]string{"pivot: 50": "2049 1950", "pivot: 25": "1949 1950", "": "rejected rejected"} {
		m := bind(t, caseWith("name: {expr: 'left(date(row[\"Opened\"], \"D/M/YY\"), 4)'}", pivot), "Ref, Opened")
		var got []string
		for _, text := range []string{"1/2/49", "1/2/50"} {
			record, reasons := m.Map([]table.Row{textRow(2, "1", text)})
			year := "rejected"
			if _, rest, ok := strings.Cut(string(record.Payload), `"name":"`); ok {
				year = rest[:4]
			} else {
				contains(t, reasons[0].Message, "a pivot is required")
			}
			got = append(got, year)
		}
		same(t, pivot+strings.Join(got, " "), pivot+want)
	}
}

func TestMistakesInChecks(t *testing.T) {
	t.Parallel()
	for check, want := range map[string]string{
		`nice_clas: off`:                         `has no check "nice_clas"|did you mean`,
		`x: 'row["Closed"'`:                      "3:25|unexpected end of the expression",
		`x: 'row["Closed"] = "x"'`:               "= is not a comparison",
		`x: 'row["Closed"] < 3'`:                 "mismatched types",
		`x: 'row["Closed"]'`:                     "the expression returns text, but a check must be true or false",
		`x: 'dat(row["Closed"]) < today'`:        `unknown function or variable "dat"`,
		`x: ''`:                                  "the expression is empty",
		`x: {level: warn}`:                       `the check "x" has no condition`,
		`x: {expr: 'today == ""', level: loud}`:  `unknown level "loud"`,
		`x: {expr: 'today == ""', severity: x}`:  "severity",
		`x: [a, b]`:                              "expected",
		`nice_class: 'row["Closed"] < today'`:    "unknown level",
		`x: 'lookup("none", row["Ref"]) != ""'`:  `unknown lookup "none"`,
		`x: 'row["Closing"] < today'`:            `the file has no column "Closing"`,
		`"x\ny": 'date(row["Closed"]) < today'`:  "",
		`x: 'date(row["Closed"], "DD") < today'`: "",
	} {
		m, err := Parse("m.yaml", []byte(markWith("notes: Closed", "checks: {"+check+"}")), Options{Today: testDay})
		if err == nil {
			_, err = m.Bind(headerOf("Ref, Closed"), nil)
		}
		if want == "" && err != nil {
			t.Errorf("%s: %v", check, err)
		} else if want != "" {
			contains(t, fmt.Sprint(err), strings.Split(want, "|")...)
		}
	}
}
