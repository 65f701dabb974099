package source

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/importer/source/sourcetest"
)

func TestDatesThatASpreadsheetTurnedAroundAreTold(t *testing.T) {
	t.Parallel()
	const mar4, mar14 = "45355", "45365"
	for name, tt := range map[string]struct {
		cells string
		want  string
	}{
		"the day first, opened where the month is": {mar4 + "|25/12/2024|" + mar4 + "|31.01.24|13-1-2024 10:00|" + mar4 + "|31.01.24", "dates_turned [2 4 7]"},
		"the month first, opened where the day is": {strings.Repeat(mar4+"|", 5) + "12/25/2024", "dates_turned [2 3 4 5 6]"},
		"few of them":                               {mar4 + "|25/12/2024|" + mar4, ""},
		"a date cell of a later day":                {strings.Repeat(mar4+"|", 5) + "25/12/2024|" + mar14, ""},
		"one date cell of a later day in twenty":    {strings.Repeat(mar4+"|", 20) + "25/12/2024|" + mar14, "dates_turned [2 3 4 5 6 7 8 9 10 11]"},
		"one text in twenty that could be a date":   {mar4 + strings.Repeat("|25/12/2024", 20) + "|03/04/2024", "dates_turned [2]"},
		"a text that would have become a date cell": {strings.Repeat(mar4+"|", 5) + "25/12/2024|03/04/2024", ""},
		"other texts":                               {strings.Repeat(mar4+"|", 5) + "2024-12-25|25/12|TM/25/12/2024|25/12/x24|45/12/2024|0/25/2024", ""},
		"no date cells":                             {"25/12/2024|26/12/2024", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, ods := `<row><c t="inlineStr"><is><t>Ref</t></is></c></row>`, `<table:table-row><table:table-cell office:value-type="string"><text:p>Ref</text:p></table:table-cell></table:table-row>`
			for _, cell := range strings.Split(tt.cells, "|") {
				switch cell {
				case mar4, mar14:
					rows += `<row><c s="1"><v>` + cell + `</v></c></row>`
					day := map[string]string{mar4: "2024-03-04", mar14: "2024-03-14"}[cell]
					ods += `<table:table-row><table:table-cell office:value-type="date" office:date-value="` + day + `"/></table:table-row>`
				default:
					rows += `<row><c t="inlineStr"><is><t>` + cell + `</t></is></c></row>`
					ods += `<table:table-row><table:table-cell office:value-type="string"><text:p>` + cell + `</text:p></table:table-cell></table:table-row>`
				}
			}
			for format, data := range map[string][]byte{
				"xlsx": sourcetest.Archive(t, sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: rows})),
				"ods":  sourcetest.ODS(t, sourcetest.ODSTable("Data", ods)),
			} {
				sheet := openOne(t, data, Options{})
				for range 2 { // the second reading starts anew
					mustRows(t, sheet)
				}
				d := sheet.Detected()
				if got := sourcetest.Codes(d.Warnings); got != tt.want {
					t.Errorf("%s: %s, want %s", format, fmt.Sprint(d.Warnings), tt.want)
				}
			}
		})
	}
}
