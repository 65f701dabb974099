package source

import (
	"testing"

	"docketsync/importer/source/sourcetest"
)

// FuzzRejects reads workbooks of rejected rows that somebody has changed in a spreadsheet.
func FuzzRejects(f *testing.F) {
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	head := `<row r="1">` + cell("docketsync: reasons") + cell("Ref") + cell("Mark") + `</row>`
	for _, rows := range []string{
		`<row r="2">` + cell("Ref is empty") + cell("A1") + cell("MILLER") + `</row>`, `<row r="2" hidden="1">` + cell("") + cell("A1") + cell("X") + cell("too wide") + `</row>`,
		`<row r="7"><c r="C7"><v>45000</v></c></row><row r="3"/>`, head, ``,
	} {
		f.Add("Rejects", head+rows, head)
		f.Add("Rejects (2)", head+rows, rows)
	}
	f.Fuzz(func(t *testing.T, name, rows, other string) {
		data := sheetsBytes(t, sourcetest.Sheet{Name: "Rejects", Data: rows}, sourcetest.Sheet{Name: "Rejects 2", Data: other}, sourcetest.Sheet{Name: "Summary", Data: sourcetest.SmallTable})
		checkReading(t, data, Options{})
		checkReading(t, data, Options{Sheet: name})
	})
}
