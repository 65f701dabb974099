package sourcetest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"
)

// The XML namespaces of workbooks.
const (
	SpreadsheetNS   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	RelationshipsNS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// Archive packs parts into a zip archive; the values are the parts' contents.
func Archive(tb testing.TB, parts map[string]string) []byte {
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

// Sheet is one sheet of a workbook written by hand.
type Sheet struct {
	Name  string
	State string
	Data  string // content of sheetData
	After string // what follows it
}

// Book returns the parts of a workbook with these sheets; styles and shared are the content of their root elements.
func Book(styles, shared string, properties string, sheets ...Sheet) map[string]string {
	parts := map[string]string{
		"_rels/.rels":          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + RelationshipsNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/styles.xml":        `<styleSheet xmlns="` + SpreadsheetNS + `">` + styles + `</styleSheet>`,
		"xl/sharedStrings.xml": `<sst xmlns="` + SpreadsheetNS + `">` + shared + `</sst>`,
	}
	book, rels := "", ""
	for i, s := range sheets {
		book += fmt.Sprintf(`<sheet name="%s" sheetId="%d" state="%s" r:id="s%d"/>`, s.Name, i+1, s.State, i+1)
		rels += fmt.Sprintf(`<Relationship Id="s%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, RelationshipsNS, i+1)
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = `<worksheet xmlns="` + SpreadsheetNS + `"><sheetData>` + s.Data + `</sheetData>` + s.After + `</worksheet>`
	}
	parts["xl/workbook.xml"] = `<workbook xmlns="` + SpreadsheetNS + `" xmlns:r="` + RelationshipsNS + `">` + properties + `<sheets>` + book + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels +
		`<Relationship Id="st" Type="` + RelationshipsNS + `/styles" Target="styles.xml"/>` +
		`<Relationship Id="sh" Type="` + RelationshipsNS + `/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`
	return parts
}

// Styles are ten cell styles: general, day, day and time, time, duration, percentage, "00000", "0.0000", "dd/mm/yyyy;;"
// and text.
const Styles = `<numFmts count="4"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="0.0000"/>` +
	`<numFmt numFmtId="166" formatCode="dd/mm/yyyy;;"/><numFmt numFmtId="167" formatCode="yyyy\-mm\-dd\ hh:mm:ss.000"/></numFmts><cellXfs>` +
	`<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="167"/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="9"/>` +
	`<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="49"/></cellXfs>`

// SmallTable is content for sheetData: a header of two names and a row.
const SmallTable = `<row r="1"><c t="str"><v>Ref</v></c><c t="str"><v>Name</v></c></row><row r="2"><c><v>1</v></c><c><v>2</v></c></row>`
