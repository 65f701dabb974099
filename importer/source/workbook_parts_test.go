package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"docketsync/mapping/table"
)

const (
	spreadsheetNS   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationshipsNS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// archiveOf packs parts into a zip archive; the values are the parts' contents.
func archiveOf(tb testing.TB, parts map[string]string) []byte {
	tb.Helper()
	var data bytes.Buffer
	out := zip.NewWriter(&data)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := out.Create(name)
		if err == nil {
			_, err = io.WriteString(w, parts[name])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
	return data.Bytes()
}

// sheetSpec is one sheet of a workbook written by hand.
type sheetSpec struct {
	name  string
	state string
	data  string // what stands in sheetData
	after string // what follows it
}

// bookParts returns the parts of a workbook with these sheets; styles and strings are the inside of their root elements.
func bookParts(styles, shared string, properties string, sheets ...sheetSpec) map[string]string {
	parts := map[string]string{
		"_rels/.rels":          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + relationshipsNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/styles.xml":        `<styleSheet xmlns="` + spreadsheetNS + `">` + styles + `</styleSheet>`,
		"xl/sharedStrings.xml": `<sst xmlns="` + spreadsheetNS + `">` + shared + `</sst>`,
	}
	book, rels := "", ""
	for i, s := range sheets {
		book += fmt.Sprintf(`<sheet name="%s" sheetId="%d" state="%s" r:id="s%d"/>`, s.name, i+1, s.state, i+1)
		rels += fmt.Sprintf(`<Relationship Id="s%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relationshipsNS, i+1)
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = `<worksheet xmlns="` + spreadsheetNS + `"><sheetData>` + s.data + `</sheetData>` + s.after + `</worksheet>`
	}
	parts["xl/workbook.xml"] = `<workbook xmlns="` + spreadsheetNS + `" xmlns:r="` + relationshipsNS + `">` + properties + `<sheets>` + book + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels +
		`<Relationship Id="st" Type="` + relationshipsNS + `/styles" Target="styles.xml"/>` +
		`<Relationship Id="sh" Type="` + relationshipsNS + `/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`
	return parts
}

// testStyles are ten cell styles: general, day, day and time, time, duration, percentage, "00000", "0.0000",
// "dd/mm/yyyy;;" and text.
const testStyles = `<numFmts count="4"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="0.0000"/>` +
	`<numFmt numFmtId="166" formatCode="dd/mm/yyyy;;"/><numFmt numFmtId="167" formatCode="yyyy\-mm\-dd\ hh:mm:ss.000"/></numFmts><cellXfs>` +
	`<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="167"/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="9"/>` +
	`<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="49"/></cellXfs>`

// openBytes opens a workbook that is held in memory.
func openBytes(data []byte, o Options) ([]grid, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	file := memoryFile{bytes.NewReader(data), io.NopCloser(nil)}
	return openAs(context.Background(), file, int64(len(data)), o)
}

// openOne opens a workbook that must open, and returns its only chosen sheet.
func openOne(tb testing.TB, data []byte, o Options) grid {
	tb.Helper()
	tables, err := openBytes(data, o)
	if err != nil {
		tb.Fatalf("the workbook does not open: %v (%s)", err, hintOf(err))
	}
	if len(tables) != 1 {
		tb.Fatalf("%d sheets were chosen, want one", len(tables))
	}
	tb.Cleanup(func() {
		if err := tables[0].close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return tables[0]
}

func rowsOf(t grid) ([]table.Row, error) {
	var all []table.Row
	for row, err := range t.rows(context.Background()) {
		if err != nil {
			return all, err
		}
		row.Cells = slices.Clone(row.Cells)
		all = append(all, row)
	}
	return all, nil
}

func mustRows(tb testing.TB, t grid) []table.Row {
	tb.Helper()
	rows, err := rowsOf(t)
	if err != nil {
		tb.Fatalf("the rows cannot be read: %v", err)
	}
	return rows
}

// readBytes opens a workbook and reads its chosen sheets; the error is from either.
func readBytes(data []byte, o Options) ([]table.Row, error) {
	tables, err := openBytes(data, o)
	if err != nil {
		return nil, err
	}
	var all []table.Row
	for _, t := range tables {
		rows, err := rowsOf(t)
		if err != nil {
			return all, errors.Join(err, t.close())
		}
		all = append(all, rows...)
		if err := t.close(); err != nil {
			return all, err
		}
	}
	return all, nil
}

// show writes rows compactly: the number, H when hidden, and each cell as the letter of its kind and its text.
func show(rows []table.Row) []string {
	var lines []string
	for _, row := range rows {
		line := fmt.Sprint(row.Number)
		if row.Hidden {
			line += "H"
		}
		for _, c := range row.Cells {
			line += "|" + showCell(c)
		}
		lines = append(lines, line)
	}
	return lines
}

func showCell(c table.Cell) string {
	if c.Kind == table.Empty {
		return ""
	}
	if seen := c.Seen(); seen != c.Text {
		return string("-TNDCBE"[c.Kind]) + " " + c.Text + " shown " + seen
	}
	return string("-TNDCBE"[c.Kind]) + " " + c.Text
}

func hintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// wantRefusal checks that the error is for a person: an Error with a hint whose text holds the words.
func wantRefusal(tb testing.TB, err error, words string) {
	tb.Helper()
	var e *Error
	if !errors.As(err, &e) {
		tb.Fatalf("got error %v, want an Error that says %q", err, words)
	}
	if !strings.Contains(err.Error(), words) {
		tb.Errorf("the error says %q, want it to say %q", err, words)
	}
	if e.Hint == "" {
		tb.Errorf("the error %q does not say what to do", err)
	}
}

// wideText writes ASCII as UTF-16, little-endian.
func wideText(text string) []byte {
	wide := make([]byte, 0, 2*len(text))
	for i := range len(text) {
		wide = append(wide, text[i], 0)
	}
	return wide
}
