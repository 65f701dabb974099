package mapping_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docketsync/mapping"
	"docketsync/mapping/table"
)

// ordered is a mapping of marks with an order.
func ordered(order string) string {
	return `operation: update_trademark
key: Ref
dates: [DD/MM/YYYY]
order: ` + order + `
fields:
  id: Ref
  registry_id: {value: 3f2504e0-4f89-41d3-9a0c-0305e82c3301}
  mark_text: Mark
  application_number: Ref
  expiry_date: Expires
  notes: Mark
  do_not_create_file: {value: true}
`
}

func texts(list ...string) []table.Cell {
	cells := make([]table.Cell, len(list))
	for n, text := range list {
		cells[n] = table.Cell{Kind: table.Text, Text: text}
	}
	return cells
}

func TestRankFollowsTheCalendarDay(t *testing.T) {
	t.Parallel()
	const id = "0b5e4c5a-7f11-4b7e-9a55-000000000001"
	day := func(text string) int64 {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		for rank := int64(1); rank < mapping.RankLast; rank++ {
			if d, ok := mapping.DayOf(rank); ok && d.Equal(at) {
				return rank
			}
		}
		return 0
	}
	for _, test := range []struct{ name, order, expires, due, want string }{
		{"a field of the payload", "{by: expiry_date, nearest: first}", "05/03/2026", "", "2026-03-05"},
		{"a field without a date", "{by: expiry_date}", "", "", ""},
		{"long ago", "{by: expiry_date}", "01/01/1901", "", "1901-01-01"},
		{"a column", "{by: {column: Due}}", "05/03/2026", "06/03/2026", "2026-03-06"},
		{"a column without a date", "{by: {column: Due}}", "05/03/2026", " ", ""},
		{"a column with dates of its own", "{by: {column: Due, dates: [YYYY-MM-DD]}}", "05/03/2026", "2026-03-07", "2026-03-07"},
		{"an expression", `{by: {expr: 'row["Due"] == "x" ? "" : row["Expires"]'}}`, "05/03/2026", "y", "2026-03-05"},
		{"an expression of which one date is not there", `{by: {expr: 'row["Due"] <= row["Expires"] ? row["Due"] : row["Expires"]'}}`, "05/03/2026", "", "2026-03-05"},
		{"an expression that says nothing", `{by: {expr: 'row["Due"] == "x" ? "" : row["Expires"]'}}`, "05/03/2026", "x", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := mapping.Parse("m.yaml", []byte(ordered(test.order)), mapping.Options{})
			if err != nil {
				t.Fatal(err)
			}
			mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Mark", "Expires", "Due"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			record, reasons := mapper.Map([]table.Row{{Number: 2, Cells: texts(id, "Lumen", test.expires, test.due)}})
			want := int64(mapping.RankLast)
			if test.want != "" {
				want = day(test.want)
			}
			if len(reasons) > 0 || record.Rank != want {
				t.Errorf("rank %d, want %d (%s); %v", record.Rank, want, test.want, reasons)
			}
			if strings.Contains(string(record.Payload), "order") {
				t.Errorf("the order stands in the payload: %s", record.Payload)
			}
		})
	}
}

func TestRankOfSeveralRowsIsTheNearest(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("m.yaml", []byte(`operation: create_folder
key: Folder
order: {by: {column: Due}}
fields:
  name: Folder
  client_id: {value: 3f2504e0-4f89-41d3-9a0c-0305e82c3301}
  files:
    item: {name: Matter, number: No}
`), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := m.Bind(table.Header{Names: []string{"Folder", "Matter", "No", "Due"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []table.Row
	for n, due := range []string{"2026-04-01", "", "2026-02-01", "2026-03-01"} {
		rows = append(rows, table.Row{Number: n + 2, Cells: texts("Acme", "Lease", fmt.Sprint(n+1), due)})
	}
	record, reasons := mapper.Map(rows)
	if got, _ := mapping.DayOf(record.Rank); len(reasons) > 0 || got.Format(time.DateOnly) != "2026-02-01" {
		t.Errorf("the record is of %v, %v", got, reasons)
	}
}

func TestADateThatCannotBeReadRejectsTheRecord(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("m.yaml", []byte(ordered("{by: {column: Due}}")), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Order() != "Due" {
		t.Errorf("the order is %q", m.Order())
	}
	mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Mark", "Expires", "Due"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, reasons := mapper.Map([]table.Row{{Number: 2, Cells: texts("0b5e4c5a-7f11-4b7e-9a55-000000000001", "Lumen", "05/03/2026", "soon")}})
	if len(reasons) != 1 || reasons[0].Field != "order" || reasons[0].Column != "Due" {
		t.Errorf("reasons %+v", reasons)
	}
}

func TestAnOrderThatCannotBeIsAFault(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{
		"{by: expiry_dat}":                          `did you mean "expiry_date"?`,
		"{by: notes}":                               "is not a date field",
		"{by: grant_date}":                          "is not a date field that this mapping maps",
		"{nearest: first}":                          "by",
		"{by: expiry_date, nearest: last}":          "use first",
		"{by: {column: Due, lookup: offices}}":      "lookup",
		"{by: {expr: 'row[\"Nothing\"] == \"x\"'}}": "true or false",
	} {
		_, err := mapping.Parse("m.yaml", []byte(ordered(order)), mapping.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", order, err)
		}
	}
}

func TestOrderByAColumnWhoseDatesAreProven(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("m.yaml", []byte(strings.Replace(ordered("{by: {column: Due}}"), "[DD/MM/YYYY]", "proven", 1)), mapping.Options{})
	if err != nil || !m.InfersDates() {
		t.Fatal(err)
	}
}
