package mapping

import (
	"testing"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// TestFaultsOfTheSource gives rows faults of which the source says where they are.
func TestFaultsOfTheSource(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", `rows: {skip: 'row["Status"] == "Dead"'}`), "Ref, Name, Status, Remark")
	for _, c := range []struct {
		name   string
		row    table.Row
		column int
		onward bool
		skip   string
		want   []string
	}{
		{"the whole row", textRow(2, "1", "Sol", "Live", ""), table.WholeRow, false, "", []string{": shifted"}},
		{"the whole row, whatever else is wrong with it", textRow(2, "", "", "Live", ""), table.WholeRow, false, "", []string{": shifted"}},
		{"the whole row, which no filter is asked about", textRow(2, "1", "Sol", "Dead", ""), table.WholeRow, false, "", []string{": shifted"}},
		{"a cell that is read", textRow(2, "1", "Sol", "Live", ""), 1, false, "", []string{": shifted"}},
		{"a cell that is read, of a row that is left out", textRow(2, "1", "Sol", "Dead", ""), 1, false, `filtered: row["Status"] == "Dead"`, nil},
		{"a cell that a filter reads", textRow(2, "1", "Sol", "Dead", ""), 2, false, "", []string{": shifted"}},
		{"a cell that is not read", textRow(2, "1", "Sol", "Live", ""), 3, false, "", []string{}},
		{"a cell behind the header", textRow(2, "1", "Sol", "Live", "", "x"), 4, false, "", []string{}},
		{"what is no record", textRow(2, "Total", "2", "Live", ""), table.NoRecord, false, "", []string{": shifted"}},
		{"what is no record, of a row that is left out", textRow(2, "Total", "", "Dead", ""), table.NoRecord, false, `filtered: row["Status"] == "Dead"`, nil},
		{"a row that ends before what is read", textRow(2, "1", "Sol"), 2, true, "", []string{": shifted"}},
		{"a row that ends before what is not read, and has lost it anywhere", textRow(2, "1", "Sol", "Live"), 3, true, "", []string{": shifted"}},
		{"a row that is too short, which no filter is asked about", textRow(2, "1", "Sol", "Dead"), 3, true, "", []string{": shifted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.row.Faults = []table.Fault{{Problem: reason.Problem{Code: "shifted", Message: "it is shifted", Hint: "Shift it back."}, Column: c.column, Onward: c.onward}}
			_, skip, _ := m.Key(c.row)
			same(t, skip, c.skip)
			if skip == "" {
				_, reasons := m.Map([]table.Row{c.row})
				same(t, codesOf(reasons), c.want)
			}
		})
	}
}

func TestFaultOfOneRowRejectsItsRecord(t *testing.T) {
	t.Parallel()
	m := bind(t, "operation: create_folder\nkey: Folder\nfields: {name: Name, client_id: {value: "+idOne+"}, files: {item: {name: Matter, number: Number}}}", "Folder, Name, Matter, Number")
	rows := []table.Row{textRow(2, "F", "Folder", "a", "1"), textRow(3, "F", "Folder", "b", "2")}
	rows[1].Faults = []table.Fault{{Problem: reason.Problem{Code: "shown", Message: "it shows another number"}, Column: 3}}
	_, reasons := m.Map(rows)
	same(t, codesOf(reasons), []string{": shown"})
	same(t, reasons[0].Cell, "D3")
	same(t, reasons[0].Value, "2")
}

// TestRulesOfTheFirstCellHoldForShortRows leaves out the line of one cell below a table. No other rule is asked about a row that is too short:
// not where two cells are left, of which the first may be any, and none that would leave out whatever stands there; and none is asked about
// a row that is too long, whose first cell may be half of another.
func TestRulesOfTheFirstCellHoldForShortRows(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", `rows: {skip: {dead: 'row["Status"] == ""', footer: 'row["Ref"] startsWith "Printed "',
  known: 'row["Ref"] in ["Sum", ""]', other: 'row["Ref"] != "M-1"', not: '!(row["Ref"] in ["M-1", "Acme"])', empty: 'row["Ref"] == ""', full: 'row["Ref"] != ""'}}`),
		"Ref, Name, Status, Remark")
	for _, c := range []struct {
		text  string
		fault table.Fault
		skip  string
	}{
		{"Printed on Monday", table.Fault{Column: 1, Onward: true}, "filtered: footer"},
		{"Printed on Monday", table.Fault{Column: table.WholeRow}, ""},
		{"Printed on Monday", table.Fault{Column: 2, Onward: true}, ""},
		{"M-1", table.Fault{Column: 1, Onward: true}, ""},
		{"Acme v Balt", table.Fault{Column: 1, Onward: true}, ""},
		{"", table.Fault{Column: 1, Onward: true}, ""},
		{"Sum", table.Fault{Column: 1, Onward: true}, ""},
	} {
		row := textRow(2, c.text)
		row.Faults = []table.Fault{c.fault}
		_, skip, _ := m.Key(row)
		same(t, skip, c.skip)
	}
}
