package mapping

import (
	"strings"
	"testing"

	"docketsync/mapping/table"
)

func TestNumbersThatASpreadsheetRounded(t *testing.T) {
	t.Parallel()
	const lookups = `lookups: {people: {inline: {7.9E+07: ` + idOne + `}}}`
	for _, c := range []struct {
		name, field string
		cell        table.Cell
		want        string
	}{
		{"a reference", "number: A", table.Cell{Kind: table.Text, Text: "7.9E+07"}, "number: number_rounded"},
		{"with a comma", "number: A", table.Cell{Kind: table.Text, Text: " 7,9e+07 "}, "number: number_rounded"},
		{"one digit", "number: A", table.Cell{Kind: table.Text, Text: "1E+15"}, "number: number_rounded"},
		{"as Java writes it", "number: A", table.Cell{Kind: table.Text, Text: "1.323722E7"}, "number: number_rounded"},
		{"in steps of three", "number: A", table.Cell{Kind: table.Text, Text: "79.1E+6"}, "number: number_rounded"},
		{"among joined columns", `number: {columns: [Name, A], join: "-"}`, table.Cell{Kind: table.Text, Text: "7.9E+07"}, "number: number_rounded"},
		{"in an expression", `number: {expr: 'upper(row["A"]) + "/1"'}`, table.Cell{Kind: table.Text, Text: "7.9e+07"}, "number: number_rounded"},
		{"asked of a lookup", "user_id: {column: A, lookup: people}", table.Cell{Kind: table.Text, Text: "7.9E+07"}, "user_id: number_rounded"},
		{"among those of a list", `other_supervisors: {column: A, lookup: people, split: ";"}`, table.Cell{Kind: table.Text, Text: "7.9E+07"}, "other_supervisors: number_rounded"},
		{"a number cell of 16 digits", "number: A", table.Cell{Kind: table.Number, Text: "1234567890123456"}, "number: number_rounded"},
		{"meant so", "number: {column: A, rounded: keep}", table.Cell{Kind: table.Text, Text: "7.9E+07"}, ""},
		{"asked of a lookup and meant so", "user_id: {column: A, lookup: people, rounded: keep}", table.Cell{Kind: table.Text, Text: "7.9E+07"}, ""},
		{"every digit is right", "number: {column: A, rounded: keep}", table.Cell{Kind: table.Number, Text: "1234567890123456"}, ""},
		{"set right by values", "number: {column: A, values: {7.9E+07: 79123456}, unknown: keep}", table.Cell{Kind: table.Text, Text: "7.9E+07"}, ""},
		{"a blank", `number: {column: A, blanks: ["0.0E+00"], default: none}`, table.Cell{Kind: table.Text, Text: "0.0E+00"}, ""},
		{"a name is no reference", "name: A", table.Cell{Kind: table.Text, Text: "7.9E+07"}, ""},
		{"a reference with an E", "number: A", table.Cell{Kind: table.Text, Text: "1E5"}, ""},
		{"a reference with an E and a hyphen", "number: A", table.Cell{Kind: table.Text, Text: "2E-10"}, ""},
		{"one that a spreadsheet took for a number", "number: A", table.Cell{Kind: table.Text, Text: "2.00E-10"}, "number: number_rounded"},
		{"another", "number: A", table.Cell{Kind: table.Text, Text: "12E12"}, ""},
		{"and one with words", "number: A", table.Cell{Kind: table.Text, Text: "1E-05/A"}, ""},
		{"a day made of it", "number: A", table.Cell{Kind: table.Text, Text: "03-Apr"}, "number: number_rounded"},
		{"a month made of it", "number: A", table.Cell{Kind: table.Text, Text: "abr-24"}, "number: number_rounded"},
		{"a moment made of it", "number: A", table.Cell{Kind: table.Text, Text: "2024-03-04 00:00:00"}, "number: number_rounded"},
		{"a day and meant so", "number: {column: A, rounded: keep}", table.Cell{Kind: table.Text, Text: "03-Apr"}, ""},
		{"a month of its own", "number: A", table.Cell{Kind: table.Text, Text: "12-MAR"}, ""},
		{"a word that begins so", "number: A", table.Cell{Kind: table.Text, Text: "3-Marks"}, ""},
		{"as many digits as are kept", "number: A", table.Cell{Kind: table.Number, Text: "123456789012345"}, ""},
		{"sixteen as text", "number: A", table.Cell{Kind: table.Text, Text: "1234567890123456"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith(c.field, lookups), "Ref, Name, A")
			row := textRow(7, "R1", "N", "")
			row.Cells[2] = c.cell
			_, reasons := m.Map([]table.Row{row})
			same(t, strings.Join(codesOf(reasons), " "), c.want)
			if len(reasons) > 0 {
				contains(t, reasons[0].Hint, "rounded: keep")
				same(t, reasons[0].Cell, "C7")
			}
		})
	}
}

// TestACauseOfKeyAndFieldIsSaidOnce has the key and a field read one column.
func TestACauseOfKeyAndFieldIsSaidOnce(t *testing.T) {
	t.Parallel()
	m := bind(t, strings.Replace(caseWith("number: A"), "key: Ref", "key: A", 1), "Ref, Name, A")
	row := textRow(7, "R1", "N", "7.9E+07")
	_, _, reasons := m.Key(row)
	_, more := m.Map([]table.Row{row})
	same(t, len(reasons), 1)
	same(t, strings.Join(codesOf(more), " "), "key: number_rounded")
}

func TestAKeyThatASpreadsheetRounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, want string }{
		{"A", "number_rounded"},
		{"[Ref, A]", "number_rounded"},
		{`{expr: 'before(row["A"], "/")'}`, "number_rounded"},
		{"{column: A, rounded: keep}", "7.9E+07"},
		{"{columns: [Ref, A], rounded: keep}", "R1|7.9E+07"},
		{`{expr: 'row["A"]', rounded: keep}`, "7.9E+07"},
	} {
		m := bind(t, strings.Replace(caseWith("name: Name"), "key: Ref", "key: "+c.key, 1), "Ref, Name, A")
		key, _, reasons := m.Key(textRow(7, "R1", "N", "7.9E+07"))
		if len(reasons) > 0 {
			key = reasons[0].Code
			same(t, reasons[0].Cell, "C7")
		}
		same(t, key, c.want)
	}
}
