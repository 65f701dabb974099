package mapping

import (
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestFilters(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", `rows: {skip: ['row["Status"] == "Dead"', 'row["Name"] startsWith "Test "'], only: 'row["Country"] in ["ES", "PT"]'}`),
		"Ref, Name, Status, Country")
	for _, c := range []struct {
		row  table.Row
		skip string
	}{
		{textRow(2, "1", "Sol", "Live", "ES"), ""},
		{textRow(3, "1", "Sol", "Dead", "ES"), `filtered: row["Status"] == "Dead"`},
		{textRow(4, "1", "Test case", "Live", "ES"), `filtered: row["Name"] startsWith "Test "`},
		{textRow(5, "", "Sol", "Live", "FR"), `filtered, not: row["Country"] in ["ES", "PT"]`},
	} {
		key, skip, reasons := m.Key(c.row)
		same(t, skip, c.skip)
		same(t, len(reasons), 0)
		same(t, key == "1", c.skip == "")
	}
}

func TestFiltersMayHaveNames(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", `rows: {skip: {dead matters: 'row["Status"] == "Dead"', tests: 'row["Name"] startsWith "Test "'}, only: {Spain: 'row["Country"] == "ES"'}}`),
		"Ref, Name, Status, Country")
	for _, c := range []struct {
		row  table.Row
		skip string
	}{
		{textRow(2, "1", "Sol", "Live", "ES"), ""},
		{textRow(3, "1", "Sol", "Dead", "ES"), "filtered: dead matters"},
		{textRow(4, "1", "Test case", "Live", "ES"), "filtered: tests"},
		{textRow(5, "", "Sol", "Live", "FR"), "filtered, not: Spain"},
	} {
		_, skip, _ := m.Key(c.row)
		same(t, skip, c.skip)
	}
	_, err := Parse("m.yaml", []byte(caseWith("name: Name", "rows: {skip: {dead matters: 'row[\"Status\"] = 1'}}")), Options{})
	placed(t, err)
	contains(t, err.Error(), "= is not a comparison")
}

func TestFilterThatCannotBeWorkedOutRejectsTheRow(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name", `rows: {skip: 'int(row["Year"]) < 1990'}`), "Ref, Name, Year")
	row := textRow(2, "1", "Sol", "n/a")
	key, skip, reasons := m.Key(row)
	same(t, key+skip, "1")
	same(t, codesOf(reasons), []string{"rows: expression_failed"})
	same(t, reasons[0].Cell, "C2")
	same(t, codes(m, row), []string{"rows: expression_failed"})
	same(t, codes(m, textRow(2, "1", "Sol", "1999")), []string{})
	_, skip, _ = m.Key(textRow(2, "1", "Sol", "1989"))
	contains(t, skip, "filtered: ")
	row.Cells[2] = table.Cell{Kind: table.Error, Text: "#N/A"}
	_, _, reasons = m.Key(row)
	same(t, codesOf(reasons), []string{"rows: cell_error"})
}

// An open matter was closed neither before nor after 2008, and text that has no order of its own is no ground to leave a matter out.
func TestFiltersCompareWhatHasAnOrder(t *testing.T) {
	t.Parallel()
	const dated, bare = `date(row["Closed"]) < "2008"`, `row["Closed"] < "2008"`
	for _, c := range []struct{ filter, closed, want string }{
		{dated, "", "taken"},
		{dated, "31/12/2007", "left out"},
		{dated, "01/01/2008", "taken"},
		{bare, "", "taken"},
		{bare, "2007-12-31", "left out"},
		{bare, "2007-12-31 10:00", "left out"},
		{bare, "2007/114", "left out"},
		{bare, "2008", "taken"},
		{bare, "20071231", "left out"},
		{bare, "17/03/2015", "rejected"},
		{bare, "1.2.24", "rejected"},
		{bare, "17 Mar 2015", "rejected"},
		{bare, "open", "rejected"},
		{bare, "12345", "rejected"},
		{`row["Closed"] < "01/01/2008"`, "17/03/2015", "rejected"},
		{`row["Closed"] <= "2008-06-30"`, "2008/03/01", "rejected"},
		{`row["Closed"] > "9"`, "10", "rejected"},
		{`row["Closed"] > "9"`, "8", "taken"},
		{`row["Closed"] < "M"`, "3M 2008", "left out"},
		{`row["Closed"] < "M"`, "2008", "left out"},
		{`row["Closed"] >= "M"`, "Acme", "taken"},
	} {
		m := bind(t, caseWith("name: Name", "dates: [DD/MM/YYYY]", "rows: {skip: {x: '"+c.filter+"'}}"), "Ref, Name, Closed")
		_, skip, reasons := m.Key(textRow(2, "1", "Sol", c.closed))
		got := map[bool]string{true: "left out", false: "taken"}[skip != ""]
		if len(reasons) > 0 {
			got = "rejected"
			same(t, codesOf(reasons), []string{"rows: expression_failed"})
			contains(t, reasons[0].Message, `date(row["…"])`)
		}
		if got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.filter, c.closed, got, c.want)
		}
	}
	m := bind(t, caseWith("name: Name", "rows: {only: 'row[\"Closed\"] < \"2008\"'}"), "Ref, Name, Closed")
	_, skip, _ := m.Key(textRow(2, "1", "Sol", ""))
	contains(t, skip, "filtered, not: ")
}

// A blank in a record's further rows may be what stands above it, or nothing: nobody but the firm knows. What an entry is made of is not filled.
func TestFiltersOfRowsThatFillEachOther(t *testing.T) {
	t.Parallel()
	const live, dead, open = `only: 'row["Status"] == "Live"'`, `skip: 'row["Status"] == "Dead"'`, `skip: 'row["Status"] == "Closed"'`
	const split, left, taken = "rows: rows_disagree", "left out", ""
	rows := func(lines ...string) (list []table.Row) {
		for n, line := range lines {
			list = append(list, textRow(n+2, strings.Split(line, ",")...))
		}
		return list
	}
	for _, c := range []struct {
		filter, said string
		rows         []table.Row
		want         []string
	}{
		{live, "", rows("T1,Live,9", "T1,,35", "T1,,42", "T2,,9"), []string{taken, split, split, left}},
		{live, ", fill_filters: true", rows("T1,Live,9", "T1,,35", "T1,-,42", "T2,,9", "T1,,45"), []string{taken, taken, taken, left, left}},
		{live, ", fill_filters: false", rows("T1,Live,9", "T1,,35"), []string{taken, left}},
		{live, "", rows("T1,Live,9", "T1,Dead,35", "T1,Live,42", ",,"), []string{taken, left, taken, left}},
		{dead, "", rows("T1,Dead,9", "T1,,35"), []string{left, split}},
		{dead, ", fill_filters: true", rows("T1,Dead,9", "T1,,35", "T1,Live,42", "T1,,45"), []string{left, left, taken, taken}},
		{open, "", rows("T1,Closed,9", "T1,,35"), []string{left, split}},
		{open, ", fill_filters: false", rows("T1,Closed,9", "T1,,35"), []string{left, taken}},
		{open, "", rows("T1,Open,9", "T1,,35"), []string{taken, taken}},
		{`skip: 'row["Class"] == ""'`, "", rows("T1,Live,9", "T1,,"), []string{taken, left}},
		{`only: 'int(row["Status"]) > 3'`, "", rows("T1,5,9", "T1,,35"), []string{taken, split}},
		{`only: 'int(row["Status"]) > 3'`, ", fill_filters: true", rows("T1,5,9", "T1,,35"), []string{taken, taken}},
		{`only: 'int(row["Status"]) > 3'`, ", fill_filters: false", rows("T1,5,9", "T1,,35"), []string{taken, "rows: expression_failed"}},
	} {
		m := bind(t, markWith("good_and_services:\n  item: {search_class_id: {column: Class, lookup: classes}, language_id: {value: "+idOne+"}, text: {value: all}}",
			"rows: {fill: true"+c.said+", "+c.filter+"}", "blanks: ['-']", "lookups: {classes: {inline: {9: "+idOne+"}}}"), "Ref, Status, Class")
		var got []string
		for _, row := range c.rows {
			m.LeavesOut(textRow(99, "T1", "Live", "9")) // ahead of its turn
			_, skip, reasons := m.Key(row)
			is := strings.Join(codesOf(reasons), " ")
			if skip != "" {
				is += left
			}
			got = append(got, is)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s%s: %q, expected %q", c.filter, c.said, got, c.want)
		}
	}
	m := bind(t, caseWith("name: Name", `rows: {group: true, fill: true, only: 'row["Status"] == "Live"'}`), "Ref, Name, Status")
	m.Key(textRow(2, "1", "Sol", "Live"))
	_, _, reasons := m.Key(textRow(3, "1", "", ""))
	same(t, reasons[0].Cell, "C3")
	contains(t, reasons[0].Message+reasons[0].Hint, `"Status" is blank here and "Live" in the row above`, "fill_filters: true")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, key, a, b, want string }{
		{"a column", "A", " 007 ", "", "007"},
		{"several", "[A, B]", "1", "2", "1|2"},
		{"several with a separator", `{columns: [A, B], join: "-"}`, "1", "2", "1-2"},
		{"an expression", `{expr: 'before(row["A"], "/")'}`, "TM7/2024", "", "TM7"},
		{"empty", "A", "\u00a0", "", "key_empty"},
		{"one of several empty", "[A, B]", "1", " ", "key_empty"},
		{"an expression that gives nothing", `{expr: 'after(row["A"], "/")'}`, "TM7", "", "key_empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, "operation: create_case\nkey: "+c.key+"\nfields: {name: {value: N}, number: {value: 1}, active: {value: 1}, file_template_id: {value: "+idOne+"}, user_id: {value: "+idOne+"}}", "A, B")
			row := textRow(2, c.a, c.b)
			key, _, reasons := m.Key(row)
			for _, r := range reasons {
				key += r.Code
			}
			same(t, key, c.want)
			record, reasons := m.Map([]table.Row{row})
			for _, r := range reasons {
				record.Key += r.Code
			}
			same(t, record.Key, c.want)
		})
	}
	m := bind(t, caseWith("name: Name"), "Ref, Name")
	_, _, reasons := m.Key(table.Row{Number: 3, Cells: []table.Cell{{Kind: table.Date, Text: "2024-04-03"}, {Kind: table.Text, Text: "N"}}})
	same(t, codesOf(reasons), []string{"key: date_in_text"})
}

func TestReasonsAreTheCallers(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: Name"), "Ref, Name")
	_, first := m.Map([]table.Row{textRow(2, "1", "")})
	kept := append([]reason.Reason{}, first...)
	record, _ := m.Map([]table.Row{textRow(3, "2", "Sol")})
	bytes := string(record.Payload)
	_, _ = m.Map([]table.Row{textRow(4, "3", "")})
	same(t, first, kept)
	same(t, string(record.Payload), bytes)
}

func TestScope(t *testing.T) {
	t.Parallel()
	same(t, bind(t, caseWith("name: Name"), "Ref, Name").mapping.Scope(), "create_case")
	m := bind(t, caseWith("name: Name", "scope: old cases"), "Ref, Name").mapping
	same(t, m.Scope(), "old cases")
	same(t, m.Operation(), payload.CreateCase)
	same(t, m.Grouped(), false)
	same(t, m.Columns(), []string{"Ref", "Name"})
}

func TestLookupOfAField(t *testing.T) {
	t.Parallel()
	m := bind(t, goodsWith("split: {column: A}", goodsItem), "Ref, A").mapping
	spec, ok := m.LookupOf("good_and_services.search_class_id")
	same(t, ok, true)
	same(t, spec.Name, "classes")
	for _, path := range []string{"mark_text", "good_and_services", "nothing"} {
		if spec, ok := m.LookupOf(path); ok {
			t.Errorf("%s goes through %s", path, spec.Name)
		}
	}
}
