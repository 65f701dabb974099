package source

import (
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// checkReading reads a workbook and checks what holds for any.
func checkReading(t *testing.T, data []byte, o Options) {
	o.Limits = format.Limits{Unpacked: 32 << 20, Columns: 2000}
	rows, err := readBytes(data, o)
	sourcetest.CheckReading(t, rows, err)
}

// FuzzWorkbook reads files made from the workbooks of the data folder, where that is at hand, and some written here.
func FuzzWorkbook(f *testing.F) {
	f.Add(sheetsBytes(f, sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable}, sourcetest.Sheet{Name: "Other", Data: readMe}))
	f.Add(sourcetest.ODS(f, sourcetest.ODSTable("Data", `<table:table-row>`+sourcetest.ODSFive+sourcetest.ODSFive+`</table:table-row>`)))
	for _, path := range seedWorkbooks(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 40_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if containerShape(data) == "compound" {
			t.Skip("decrypting takes its time by design; FuzzCompound has these files")
		}
		checkReading(t, data, Options{})
		checkReading(t, data, Options{Sheet: "*", Merged: "all"})
	})
}

// seedWorkbooks lists the workbooks of the data folder, none when it is not there.
func seedWorkbooks(f *testing.F) []string {
	folder := os.Getenv("DOCKETSYNC_TEST_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	var all []string
	for _, pattern := range []string{"*/*.xlsx", "*/*/*.xlsx", "*/*.ods", "*/*/*.ods"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// FuzzSheet reads a workbook whose sheet, shared strings and styles are made up: an archive is too stiff a shape for
// changes to get through to them.
func FuzzSheet(f *testing.F) {
	f.Add(sourcetest.SmallTable, `<si><t>x</t></si>`, sourcetest.Styles, `<mergeCells><mergeCell ref="A1:B2"/></mergeCells>`)
	f.Add(`<row r="3" hidden="1"><c r="B3" s="1"><v>45352.5</v></c><c t="d"><v>2024-03-01T10:00:00Z</v></c><c t="s"><v>0</v></c></row>`, `<si><r><t>a_x000D_</t></r><rPh><t>b</t></rPh></si>`, sourcetest.Styles, "")
	f.Add(`<row><c s="4"><v>-1.5</v></c><c s="6"><v>12</v></c><c s="7"><v>1e-3</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row>`, "", sourcetest.Styles, "")
	f.Add(`<row r="1"><c t="inlineStr"><is><t xml:space="preserve"> &amp;<![CDATA[x]]></t></is></c></row>`, "", `<cellXfs><xf numFmtId="34"/></cellXfs>`, "")
	f.Fuzz(func(t *testing.T, data, shared, styles, after string) {
		parts := sourcetest.Book(styles, shared, "", sourcetest.Sheet{Name: "Data", Data: data, After: after})
		checkReading(t, sourcetest.Archive(t, parts), Options{Merged: "all"})
	})
}

// FuzzODS does the same for the table of an .ods.
func FuzzODS(f *testing.F) {
	f.Add(`<table:table-row table:number-rows-repeated="2">` + sourcetest.ODSFive + `<table:table-cell table:number-columns-repeated="3" office:value-type="string"><text:p>a<text:s text:c="2"/></text:p></table:table-cell></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell office:value-type="time" office:time-value="PT13H30M05.5S"/><table:table-cell office:value-type="date" office:date-value="2024-03-01T10:00:00"/></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell table:number-rows-spanned="3" table:number-columns-spanned="2" office:value-type="float" office:value="1.5"><text:p>1,50</text:p></table:table-cell></table:table-row><table:table-row/>`)
	f.Fuzz(func(t *testing.T, rows string) {
		checkReading(t, sourcetest.ODS(t, sourcetest.ODSTable("Data", rows)), Options{Merged: "all", Sheet: "1"})
	})
}
