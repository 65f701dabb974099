package source

import (
	"fmt"
	"strings"
	"testing"
)

// Few stored cells may not stand for so many that reading them would take hours.
func TestSheetsOfManyCellsFromFewAreRefused(t *testing.T) {
	t.Parallel()
	var far, tall strings.Builder
	for n := range spreadFloor/maxSheetColumns + 2 {
		fmt.Fprintf(&far, `<row r="%d"><c t="str"><v>x</v></c><c r="XFD%[1]d"><v>1</v></c></row>`, n+1)
		fmt.Fprintf(&tall, `<row r="%d"><c><v>1</v></c></row>`, n+1)
	}
	const repeated = `<table:table-row table:number-rows-repeated="99999"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row>`
	tests := map[string]struct {
		data []byte
		o    Options
	}{
		"a cell in the last column of every row": {archiveOf(t, bookParts("", "", "", sheetSpec{name: "S", data: far.String()})), Options{}},
		"a merged range over the whole sheet":    {archiveOf(t, bookParts("", "", "", sheetSpec{name: "S", data: tall.String(), after: `<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`})), Options{Merged: "all"}},
		"repeated rows of repeated cells":        {odsBytes(t, odsTable("S", `<table:table-row>`+odsFive+odsFive+`</table:table-row>`+strings.Repeat(repeated, 3))), Options{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tables, err := openBytes(test.data, test.o)
			if err == nil {
				defer tables[0].close()
				for _, rowErr := range tables[0].rows(t.Context()) {
					err = rowErr
				}
			}
			wantRefusal(t, err, "the sheet makes more than 10 million cells")
		})
	}
}

func TestRowsAndColumnsOfNoSizeAreHidden(t *testing.T) {
	t.Parallel()
	parts := bookParts("", "", "", sheetSpec{name: "S", data: `<row r="1" ht="15"><c><v>1</v></c><c><v>2</v></c></row><row r="2" ht="0" customHeight="1"><c><v>1</v></c></row>`})
	// zeroHeight hides the rows that are not stored, not those that are.
	parts["xl/worksheets/sheet1.xml"] = strings.Replace(parts["xl/worksheets/sheet1.xml"], "<sheetData>", `<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><cols><col min="2" max="2" width="0"/></cols><sheetData>`, 1)
	sheet := openOne(t, archiveOf(t, parts), Options{})
	rows := mustRows(t, sheet)
	var d Detected
	sheet.describe(&d)
	if got := strings.Join(show(rows), " "); got != "1|N 1|N 2 2H|N 1" || codes(d.Warnings) != "hidden_columns []" {
		t.Errorf("%s %s", got, codes(d.Warnings))
	}
}
