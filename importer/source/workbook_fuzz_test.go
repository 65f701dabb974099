package source

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/mapping/table"
)

// checkReading reads a workbook and checks what holds for any: it ends in rows of the documented form or in an Error
// with a hint.
func checkReading(t *testing.T, data []byte, o Options) {
	o.Limits = Limits{Unpacked: 32 << 20, Columns: 2000}
	begin := time.Now()
	rows, err := readBytes(data, o)
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("reading took %v", took)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Hint == "" || e.What == "" {
			t.Errorf("the error %v (%T) is not for a person", err, err)
		}
		return
	}
	for _, row := range rows {
		if row.Number < 1 || row.Number > maxSheetRows || len(row.Cells) > maxSheetColumns {
			t.Fatalf("row %d has %d cells", row.Number, len(row.Cells))
		}
		for column, cell := range row.Cells {
			if !wellFormed(cell) {
				t.Errorf("cell %s is %+v", table.CellName(column, row.Number), cell)
			}
		}
	}
}

// wellFormed tells if a cell is as table.Kind documents it.
func wellFormed(c table.Cell) bool {
	switch c.Kind {
	case table.Empty:
		return c.Text == ""
	case table.Number:
		n, ok := parseNumeral(c.Text)
		return ok && n.places >= 0 && !strings.HasPrefix(c.Text, "+")
	case table.Date:
		day, clock, timed := strings.Cut(c.Text, "T")
		return isDay(day) && (!timed || wellFormed(table.Cell{Kind: table.Clock, Text: clock}))
	case table.Clock:
		_, err := time.Parse("15:04:05", c.Text)
		return err == nil
	case table.Bool:
		return c.Text == "TRUE" || c.Text == "FALSE"
	}
	return c.Text != ""
}

// FuzzWorkbook reads files made from the workbooks of the data folder, where that is at hand, and some written here.
func FuzzWorkbook(f *testing.F) {
	f.Add(sheetsBytes(f, sheetSpec{name: "Data", data: smallTable}, sheetSpec{name: "Other", data: readMe}))
	f.Add(odsBytes(f, odsTable("Data", `<table:table-row>`+odsFive+odsFive+`</table:table-row>`)))
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

// FuzzCompound reads the containers of encrypted workbooks up to the point where the password would be tried.
func FuzzCompound(f *testing.F) {
	f.Add(encrypted(f, "x"))
	for _, path := range seedWorkbooks(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if containerShape(data) == "compound" {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readCompound(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if held := 4 * (len(c.fat) + len(c.miniFAT)); held > 2*len(data)+8192 {
			t.Errorf("%d bytes of tables are held for a file of %d", held, len(data))
		}
		for _, s := range c.entries {
			if s.kind != compoundData {
				continue
			}
			if content, err := c.content(s); err == nil && uint64(len(content)) != s.size {
				t.Errorf("stream %q has %d bytes, declared are %d", s.name, len(content), s.size)
			}
			_ = c.checkEncryption(s)
		}
	})
}

// FuzzSheet reads a workbook whose sheet, shared strings and styles are made up: an archive is too stiff a shape for
// changes to get through to them.
func FuzzSheet(f *testing.F) {
	f.Add(smallTable, `<si><t>x</t></si>`, testStyles, `<mergeCells><mergeCell ref="A1:B2"/></mergeCells>`)
	f.Add(`<row r="3" hidden="1"><c r="B3" s="1"><v>45352.5</v></c><c t="d"><v>2024-03-01T10:00:00Z</v></c><c t="s"><v>0</v></c></row>`, `<si><r><t>a_x000D_</t></r><rPh><t>b</t></rPh></si>`, testStyles, "")
	f.Add(`<row><c s="4"><v>-1.5</v></c><c s="6"><v>12</v></c><c s="7"><v>1e-3</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row>`, "", testStyles, "")
	f.Add(`<row r="1"><c t="inlineStr"><is><t xml:space="preserve"> &amp;<![CDATA[x]]></t></is></c></row>`, "", `<cellXfs><xf numFmtId="34"/></cellXfs>`, "")
	f.Fuzz(func(t *testing.T, data, shared, styles, after string) {
		parts := bookParts(styles, shared, "", sheetSpec{name: "Data", data: data, after: after})
		checkReading(t, archiveOf(t, parts), Options{Merged: "all"})
	})
}

// FuzzODS does the same for the table of an .ods.
func FuzzODS(f *testing.F) {
	f.Add(`<table:table-row table:number-rows-repeated="2">` + odsFive + `<table:table-cell table:number-columns-repeated="3" office:value-type="string"><text:p>a<text:s text:c="2"/></text:p></table:table-cell></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell office:value-type="time" office:time-value="PT13H30M05.5S"/><table:table-cell office:value-type="date" office:date-value="2024-03-01T10:00:00"/></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell table:number-rows-spanned="3" table:number-columns-spanned="2" office:value-type="float" office:value="1.5"><text:p>1,50</text:p></table:table-cell></table:table-row><table:table-row/>`)
	f.Fuzz(func(t *testing.T, rows string) {
		checkReading(t, odsBytes(t, odsTable("Data", rows)), Options{Merged: "all", Sheet: "1"})
	})
}
