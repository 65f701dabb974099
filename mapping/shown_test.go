package mapping

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping/table"
)

func TestNumbersAsTheirSheetShowsThem(t *testing.T) {
	t.Parallel()
	tm := table.Cell{Kind: table.Number, Text: "0042", Note: "its number format adds zeros", Shown: &table.Shown{Text: "TM-0042", Format: `"TM-"0000`}}
	fee := table.Cell{Kind: table.Number, Text: "1234.50", Shown: &table.Shown{Format: `"€"#,##0.00`}}
	const lookups = `lookups: {people: {inline: {TM-0042: ` + idThree + `, "0042": ` + idOne + `}}}`
	for _, c := range []struct {
		name, field string
		cell        table.Cell
		want        string
	}{
		{"text", "name: A", tm, `"name":"TM-0042"`},
		{"a lookup", "user_id: {column: A, lookup: people}", tm, idThree},
		{"joined", `name: {columns: [Name, A]}`, tm, `"name":"N TM-0042"`},
		{"an expression", `name: {expr: 'after(row["A"], "-")'}`, tm, `"name":"0042"`},
		{"yes or no", "active: {column: A, yes: [\"0042\"]}", tm, `"active":true`},
		{"the digits are meant", "name: {column: A, number_format: ignore}", tm, `"name":"0042"`},
		{"not told exactly", "name: A", fee, "name: number_formatted"},
		{"not told exactly, in an expression", `name: {expr: 'row["A"]'}`, fee, "name: number_formatted"},
		{"its digits are meant", "name: {column: A, number_format: ignore}", fee, `"name":"1234.50"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith(c.field, lookups), "Ref, Name, A")
			row := textRow(7, "R1", "N", "")
			row.Cells[2] = c.cell
			record, reasons := m.Map([]table.Row{row})
			contains(t, string(record.Payload)+strings.Join(codesOf(reasons), " "), c.want)
			if len(reasons) > 0 {
				contains(t, reasons[0].Message, `1234.50, but its number format "€"#,##0.00`)
				contains(t, reasons[0].Hint, "number_format: ignore")
			}
		})
	}
	number := bind(t, strings.Replace(updateWith("{column: Amount, type: number}"), "key: Ref", "key: {column: Ref}", 1), "Ref, Name, Amount")
	row := textRow(7, "R1", "N", "")
	row.Cells[2] = fee
	contains(t, mustMap(t, number, row), `"value":"1234.50"`)
	keyed := bind(t, strings.Replace(caseWith("name: Name"), "key: Ref", "key: A", 1), "Ref, Name, A")
	row.Cells[2] = tm
	key, _, _ := keyed.Key(row)
	same(t, key, "TM-0042")
}

func TestWhatASheetShowsIsStored(t *testing.T) {
	t.Parallel()
	cells := []table.Cell{{Kind: table.Number, Text: "0042", Shown: &table.Shown{Text: "TM-0042", Format: `"TM-"0000`}}, {Kind: table.Number, Text: "7", Shown: &table.Shown{Text: "7 d"}}, {Kind: table.Number, Text: "1"}}
	var read []table.Cell
	if err := json.Unmarshal(table.AppendCells(nil, cells), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cells, read); diff != "" {
		t.Error(diff)
	}
	each, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	read = nil
	if err := json.Unmarshal(each, &read); err != nil || cmp.Diff(cells, read) != "" {
		t.Error(err, string(each))
	}
}
