package infer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

func TestDatesAreProvenOrLeftOpen(t *testing.T) {
	t.Parallel()
	const header = "Ref|Mark|App No|Filing Date|Reg Date"
	for _, test := range []struct {
		name, header string
		rows         []string
		want         []string
		asked        string
	}{
		{"proven by one row", header, []string{"1|SOL|A1|03/04/2020|", "2|MAR|A2|31/12/2020|"}, []string{"dates: proven", "application_date: Filing Date"}, ""},
		{"nothing to be proven", header, []string{"1|SOL|A1|3 April 2020|"}, []string{"dates: proven", "application_date: Filing Date"}, ""},
		{"the standard needs nothing", header, []string{"1|SOL|A1|2020-04-03|"}, []string{"application_date: Filing Date"}, ""},
		{"not proven", header, []string{"1|SOL|A1|03/04/2020|"}, []string{"dates: [DD/MM/YYYY, MM/DD/YYYY]", "application_date: Filing Date"}, "Filing Date does not prove"},
		{"one column proves nothing about another", header, []string{"1|SOL|A1|31/12/2020|03/04/2021"},
			[]string{"dates: proven", "application_date: Filing Date", "registration_date: {column: Reg Date, dates: [DD/MM/YYYY, MM/DD/YYYY]}"}, "Reg Date does not prove"},
		{"two proven ways in two columns", header, []string{"1|SOL|A1|31/12/2020|12/31/2021"},
			[]string{"dates: proven", "application_date: Filing Date", "registration_date: Reg Date"}, ""},
		{"the standard beside what is not proven", header, []string{"1|SOL|A1|2020-12-31|03/04/2021"},
			[]string{"dates: [DD/MM/YYYY, MM/DD/YYYY]", "application_date: {column: Filing Date, dates: YYYY-MM-DD}"}, "Reg Date does not prove"},
		{"written in two ways", header, []string{"1|SOL|A1|31/12/2020|", "2|MAR|A2|30/12/2020|", "3|RIO|A3|29/12/2020|", "4|MON|A4|12/31/2020|"},
			[]string{"dates: [DD/MM/YYYY, MM/DD/YYYY]"}, "(31/12/2020 in row 2 (DD/MM/YYYY), 12/31/2020 in row 5 (MM/DD/YYYY))"},
		{"short years need a century", header, []string{"1|SOL|A1|31/12/98|"}, []string{"dates: proven", "pivot: 50"}, "Years have two digits"},
		{"turned by a spreadsheet program", header, []string{"1|SOL|A1|2015-02-03|", "2|MAR|A2|2015-04-05|", "3|RIO|A3|2015-06-07|", "4|MON|A4|2015-08-09|", "5|LUZ|A5|2015-10-11|", "6|PAN|A6|16/03/2015|"},
			[]string{"dates: proven", "# Filing Date: CHECK, as a spreadsheet program may have taken the day for the month: all of its dates written like"},
			`all of its dates written like "2015-02-03" (row 2) fall on days 1 to 12 of a month, and all of those like "16/03/2015" (row 7) contain a number above 12. Import the export as it was`},
		{"the header states it", "Ref|Mark|App No|Filing date (mm/dd/yyyy)", []string{"1|SOL|A1|03/04/2020"},
			[]string{"dates: MM/DD/YYYY", "application_date: Filing date (mm/dd/yyyy)"}, ""},
		{"the header states it beside one that proves it", "Ref|Mark|App No|Filing date (d.m.yy)|Reg Date", []string{"1|SOL|A1|03/04/2020|31/12/2021"},
			[]string{"dates: proven", "application_date: {column: Filing date (d.m.yy), dates: DD/MM/YYYY}", "registration_date: Reg Date"}, ""},
		{"the header states it in German", "Zeichen|Marke|Anmeldenummer|Anmeldetag TT.MM.JJJJ", []string{"1|SOL|A1|03.04.2020"}, []string{"dates: DD.MM.YYYY"}, ""},
		{"the header states it in French", "Réf|Marque|N° de dépôt|Date de dépôt (jj/mm/aaaa)", []string{"1|SOL|A1|03/04/2020"}, []string{"dates: DD/MM/YYYY"}, ""},
		{"the rows contradict the header", "Ref|Mark|App No|Filing date (dd/mm/yyyy)", []string{"1|SOL|A1|12/31/2020"}, []string{"dates: MM/DD/YYYY"},
			"its header says DD/MM/YYYY, and its rows are written as MM/DD/YYYY (12/31/2020 in row 2)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := propose(t, payload.UpdateTrademark, append([]string{test.header}, test.rows...)...)
			has(t, p, test.want...)
			asked := strings.Join(p.Decide, "\n")
			if !strings.Contains(asked, test.asked) || test.asked == "" && strings.Contains(asked, "dates") {
				t.Errorf("asks %q, want %q", asked, test.asked)
			}
			if test.name == "the standard needs nothing" && lineOf(p.Mapping, "dates") != "" {
				t.Errorf("declares %q", lineOf(p.Mapping, "dates"))
			}
			if test.asked == "" || strings.HasPrefix(test.asked, "Years") {
				bound(t, p, append([]string{test.header}, test.rows...)...)
			}
		})
	}
}

// Patterns would say that the dates are right, which stops nothing.
func TestDatesThatWereTurnedHaveToBeProven(t *testing.T) {
	t.Parallel()
	header := table.Header{Names: []string{"Ref", "Mark", "App No", "Filing Date"}}
	p, err := infer.Propose(infer.Options{Operation: payload.UpdateTrademark}, header, func(yield func(table.Row, error) bool) {
		for i := range 40 {
			day := table.Cell{Kind: table.Date, Text: "2020-04-0" + string(rune('1'+i%9))}
			if i%2 == 1 {
				day = table.Cell{Kind: table.Text, Text: "2" + string(rune('0'+i%9)) + "/04/2020"}
			}
			ref := table.Cell{Kind: table.Text, Text: "R" + strings.Repeat("1", i+1)}
			if !yield(table.Row{Number: i + 2, Cells: []table.Cell{ref, ref, ref, day}}, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, p, "dates: proven")
	if asked := strings.Join(p.Decide, "\n"); !strings.Contains(asked, "taken the day for the month") {
		t.Errorf("asks %q\n%s", asked, p.Mapping)
	}
}
