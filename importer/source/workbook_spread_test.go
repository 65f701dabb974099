package source

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// Few stored cells may not stand for so many that reading them would take hours.
func TestSheetsOfManyCellsFromFewAreRefused(t *testing.T) {
	t.Parallel()
	var far, tall strings.Builder
	for n := range 10_000_000/format.SheetColumns + 2 {
		fmt.Fprintf(&far, `<row r="%d"><c t="str"><v>x</v></c><c r="XFD%[1]d"><v>1</v></c></row>`, n+1)
		fmt.Fprintf(&tall, `<row r="%d"><c><v>1</v></c></row>`, n+1)
	}
	const repeated = `<table:table-row table:number-rows-repeated="99999"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row>`
	tests := map[string]struct {
		data []byte
		o    Options
	}{
		"a cell in the last column of every row": {sourcetest.Archive(t, sourcetest.Book("", "", "", sourcetest.Sheet{Name: "S", Data: far.String()})), Options{}},
		"a merged range over the whole sheet":    {sourcetest.Archive(t, sourcetest.Book("", "", "", sourcetest.Sheet{Name: "S", Data: tall.String(), After: `<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`})), Options{Merged: "all"}},
		"repeated rows of repeated cells":        {sourcetest.ODS(t, sourcetest.ODSTable("S", `<table:table-row>`+sourcetest.ODSFive+sourcetest.ODSFive+`</table:table-row>`+strings.Repeat(repeated, 3))), Options{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := openBytes(test.data, test.o)
			if err == nil {
				defer s.Close()
				for _, rowErr := range s.parts[0].table.Rows(t.Context()) {
					err = rowErr
				}
			}
			sourcetest.WantRefusal(t, err, "the sheet makes more than 10 million cells")
		})
	}
}

func TestRowsAndColumnsOfNoSizeAreHidden(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book("", "", "", sourcetest.Sheet{Name: "S", Data: `<row r="1" ht="15"><c><v>1</v></c><c><v>2</v></c></row><row r="2" ht="0" customHeight="1"><c><v>1</v></c></row>`})
	// zeroHeight hides the rows that are not stored, not those that are.
	parts["xl/worksheets/sheet1.xml"] = strings.Replace(parts["xl/worksheets/sheet1.xml"], "<sheetData>", `<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><cols><col min="2" max="2" width="0"/></cols><sheetData>`, 1)
	sheet := openOne(t, sourcetest.Archive(t, parts), Options{})
	rows := mustRows(t, sheet)
	d := sheet.Detected()
	if got := strings.Join(sourcetest.Show(rows), " "); got != "1|N 1|N 2 2H|N 1" || sourcetest.Codes(d.Warnings) != "hidden_columns []" {
		t.Errorf("%s %s", got, sourcetest.Codes(d.Warnings))
	}
}
