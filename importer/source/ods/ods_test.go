package ods

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sourcetest"
)

// open opens a workbook that is held in memory.
func open(data []byte, o sheet.Options) (*format.Book, error) {
	o.Limits = o.Limits.WithDefaults()
	parts, err := archive.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	return Open(context.Background(), parts, len(data), o)
}

func openOne(tb testing.TB, data []byte, o sheet.Options) format.Table {
	tb.Helper()
	b, err := open(data, o)
	return sourcetest.First(tb, b, err)
}

func TestODSCellsOfEveryType(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, cell, want string }{
		{"text", `<table:table-cell office:value-type="string"><text:p>00123</text:p></table:table-cell>`, "T 00123"},
		{"paragraphs, blanks, tabs and line breaks", `<table:table-cell office:value-type="string"><text:p>a<text:s text:c="3"/>b<text:tab/>c</text:p><text:p> d<text:line-break/>e</text:p></table:table-cell>`, "T a   b\tc\n d\ne"},
		{"collapsed white space", "<table:table-cell office:value-type='string'><text:p>a \n\t b</text:p></table:table-cell>", "T a b"},
		{"spans and links", `<table:table-cell office:value-type="string"><text:p>a<text:span>b</text:span><text:a>c</text:a>d</text:p></table:table-cell>`, "T abcd"},
		{"a comment is not the text", `<table:table-cell office:value-type="string"><office:annotation><text:p>note</text:p></office:annotation><text:p>text</text:p></table:table-cell>`, "T text"},
		{"a stored text", `<table:table-cell office:value-type="string" office:string-value="stored"><text:p>shown</text:p></table:table-cell>`, "T stored"},
		{"a number", `<table:table-cell office:value-type="float" office:value="1323722"><text:p>1.323.722,00</text:p></table:table-cell>`, "N 1323722"},
		{"a number with noise", `<table:table-cell office:value-type="float" office:value="0.30000000000000004"><text:p>0.3</text:p></table:table-cell>`, "N 0.3"},
		{"a number with an exponent", `<table:table-cell office:value-type="float" office:value="1.23E+16"><text:p>1.23E+16</text:p></table:table-cell>`, "N 12300000000000000"},
		{"zeros that the format adds", `<table:table-cell office:value-type="float" office:value="123"><text:p>00123</text:p></table:table-cell>`, "N 00123"},
		{"signs that the format adds", `<table:table-cell office:value-type="float" office:value="42"><text:p>TM-0042</text:p></table:table-cell>`, "N 42 shown TM-0042"},
		{"a hyphen that the format adds", `<table:table-cell office:value-type="float" office:value="123456"><text:p>123-456</text:p></table:table-cell>`, "N 123456 shown 123-456"},
		{"a plus that the format adds", `<table:table-cell office:value-type="float" office:value="5"><text:p>+5</text:p></table:table-cell>`, "N 5"},
		{"a word that the format shows", `<table:table-cell office:value-type="float" office:value="1"><text:p>Registered</text:p></table:table-cell>`, "N 1 shown Registered"},
		{"a word of a percentage", `<table:table-cell office:value-type="percentage" office:value="0"><text:p>none</text:p></table:table-cell>`, "N 0 shown none"},
		{"a dash for nothing", `<table:table-cell office:value-type="float" office:value="0"><text:p> - </text:p></table:table-cell>`, "N 0"},
		{"a column that is too narrow", `<table:table-cell office:value-type="float" office:value="42"><text:p>###</text:p></table:table-cell>`, "N 42"},
		{"a negative number", `<table:table-cell office:value-type="float" office:value="-5"><text:p>-5</text:p></table:table-cell>`, "N -5"},
		{"French and Swiss groups and a true minus", "<table:table-cell office:value-type='float' office:value='-1234567'><text:p>\u22121\u202f234\u2019567</text:p></table:table-cell>", "N -1234567"},
		{"decimals that the format adds", `<table:table-cell office:value-type="float" office:value="3.003"><text:p>3,0030</text:p></table:table-cell>`, "N 3.0030"},
		{"a whole number stays one", `<table:table-cell office:value-type="float" office:value="3"><text:p>3.00</text:p></table:table-cell>`, "N 3"},
		{"decimals that the format hides", `<table:table-cell office:value-type="float" office:value="3.007"><text:p>3.01</text:p></table:table-cell>`, "N 3.007"},
		{"money", `<table:table-cell office:value-type="currency" office:currency="EUR" office:value="12.5"><text:p>12,50 €</text:p></table:table-cell>`, "N 12.5"},
		{"a percentage", `<table:table-cell office:value-type="percentage" office:value="0.15"><text:p>15%</text:p></table:table-cell>`, "N 0.15"},
		{"a day", `<table:table-cell office:value-type="date" office:date-value="2024-03-01"><text:p>01/03/24</text:p></table:table-cell>`, "D 2024-03-01"},
		{"a day and a time", `<table:table-cell office:value-type="date" office:date-value="2024-03-01T13:30:00"><text:p>x</text:p></table:table-cell>`, "D 2024-03-01T13:30:00"},
		{"a time", `<table:table-cell office:value-type="time" office:time-value="PT13H30M05S"><text:p>x</text:p></table:table-cell>`, "C 13:30:05"},
		{"a long time", `<table:table-cell office:value-type="time" office:time-value="P1DT13H30M00.5S"><text:p>x</text:p></table:table-cell>`, "T 37:30:00.500"},
		{"the time of a day that is hidden", `<table:table-cell office:value-type="time" office:time-value="PT1089258H00M00S"><text:p>18:00</text:p></table:table-cell>`, "C 18:00:00"},
		{"the time of a day near 1900", `<table:table-cell office:value-type="time" office:time-value="PT30H00M00S"><text:p>6:00</text:p></table:table-cell>`, "C 06:00:00"},
		{"thousands of hours", `<table:table-cell office:value-type="time" office:time-value="PT30000H00M00S"><text:p>30000:00</text:p></table:table-cell>`, "T 30000:00:00"},
		{"minutes", `<table:table-cell office:value-type="time" office:time-value="PT30H00M00S"><text:p>1800:00</text:p></table:table-cell>`, "T 30:00:00"},
		{"a negative time", `<table:table-cell office:value-type="time" office:time-value="-PT1H"><text:p>x</text:p></table:table-cell>`, "T -01:00:00"},
		{"a time that is none", `<table:table-cell office:value-type="time" office:time-value="PT1X"><text:p>x</text:p></table:table-cell>`, "E PT1X"},
		{"true", `<table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>`, "B TRUE"},
		{"a truth value of a formula", `<table:table-cell table:formula="of:=TRUE()" office:value-type="float" office:value="1"><text:p>TRUE</text:p></table:table-cell>`, "B TRUE"},
		{"an error", `<table:table-cell table:formula="of:=1/0" office:value-type="string" calcext:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell>`, "E #DIV/0!"},
		{"an error that shows nothing", `<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error"/>`, "E (error)"},
		{"an error of an older program", `<table:table-cell table:formula="of:=x" office:value-type="float" office:value="0"><text:p>Err:508</text:p></table:table-cell>`, "E Err:508"},
		{"a formula nobody calculated", `<table:table-cell table:formula="of:=1"/>`, "E (not calculated)"},
		{"a number that is none", `<table:table-cell office:value-type="float" office:value="x"/>`, "E x"},
		{"a day without its value", `<table:table-cell office:value-type="date"><text:p>soon</text:p></table:table-cell>`, "T soon"},
		{"a number without its value", `<table:table-cell office:value-type="float"/>`, ""},
		{"neither true nor false", `<table:table-cell office:value-type="boolean" office:boolean-value="maybe"/>`, "E maybe"},
		{"an empty cell", `<table:table-cell/>`, ""},
		{"a covered cell", `<table:covered-table-cell office:value-type="float" office:value="9"><text:p>9</text:p></table:covered-table-cell>`, ""},
	}
	end := `<table:table-cell office:value-type="float" office:value="1"/><table:table-cell table:number-columns-repeated="16382"/>`
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := sourcetest.MustRows(t, openOne(t, sourcetest.ODS(t, sourcetest.ODSTable("Data", `<table:table-row>`+test.cell+end+`</table:table-row>`)), sheet.Options{}))
			if diff := cmp.Diff([]string{"1|" + test.want + "|N 1"}, sourcetest.Show(rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestODSRepeatsAndGroups(t *testing.T) {
	t.Parallel()
	rows := `<table:table-header-rows><table:table-row>` + sourcetest.ODSFive + `</table:table-row></table:table-header-rows>` +
		`<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>` +
		`<table:table-row-group><table:table-row table:number-rows-repeated="2" table:visibility="filter"><table:table-cell table:number-columns-repeated="2"/>` +
		`<table:table-cell table:number-columns-repeated="3" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table-row-group>` +
		`<table:table-row table:visibility="collapse">` + sourcetest.ODSFive + `</table:table-row>` +
		`<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
	want := []string{"1|N 5", "2", "3", "4", "5H|||T x|T x|T x", "6H|||T x|T x|T x", "7H|N 5"}
	data := openOne(t, sourcetest.ODS(t, sourcetest.ODSTable("Data", rows)), sheet.Options{})
	if diff := cmp.Diff(want, sourcetest.Show(sourcetest.MustRows(t, data))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for row, err := range data.Rows(context.Background()) {
		if err != nil || row.Number != 1 {
			t.Fatalf("row %d, error %v", row.Number, err)
		}
		break
	}
}

func TestODSMergedCells(t *testing.T) {
	t.Parallel()
	rows := `<table:table-row><table:table-cell office:value-type="float" office:value="1" table:number-rows-spanned="3" table:number-columns-spanned="2"/><table:covered-table-cell/>` + sourcetest.ODSFive + `</table:table-row>` +
		`<table:table-row table:number-rows-repeated="2"><table:covered-table-cell table:number-columns-repeated="2"/></table:table-row><table:table-row>` + sourcetest.ODSFive + `</table:table-row>`
	tests := map[string][]string{
		"":      {"1|N 1||N 5", "2", "3", "4|N 5"},
		"down":  {"1|N 1||N 5", "2|N 1", "3|N 1", "4|N 5"},
		"right": {"1|N 1|N 1|N 5", "2", "3", "4|N 5"},
		"all":   {"1|N 1|N 1|N 5", "2|N 1|N 1", "3|N 1|N 1", "4|N 5"},
	}
	for mode, want := range tests {
		data := openOne(t, sourcetest.ODS(t, sourcetest.ODSTable("Data", rows)), sheet.Options{Merged: mode})
		for range 2 {
			if diff := cmp.Diff(want, sourcetest.Show(sourcetest.MustRows(t, data))); diff != "" {
				t.Errorf("merged=%s (-want +got):\n%s", mode, diff)
			}
		}
		merged, faults := 0, 0
		for _, row := range sourcetest.MustRows(t, data) {
			if row.Merged {
				merged++
			}
			faults += len(row.Faults)
		}
		if want := map[string]int{"": 1}[mode]; merged != want || faults != want { // the other two are blank
			t.Errorf("merged=%s: %d rows have merged cells without their value, and %d faults", mode, merged, faults)
		}
	}
}

func TestODSThatIsRefused(t *testing.T) {
	t.Parallel()
	cell := `<table:table-cell office:value-type="string" table:number-columns-repeated="REPEAT"><text:p>x</text:p></table:table-cell>`
	repeated := func(n string) string {
		return `<table:table-row>` + strings.Replace(cell, "REPEAT", n, 1) + `</table:table-row>`
	}
	long := strings.Repeat("x", 1<<20)
	tests := []struct{ name, rows, words string }{
		{"a row repeated without end", `<table:table-row table:number-rows-repeated="1048576">` + sourcetest.ODSFive + `</table:table-row>`, "repeated 1048576 times"},
		{"rows beyond the sheet", `<table:table-row table:number-rows-repeated="1048570"/><table:table-row table:number-rows-repeated="20">` + sourcetest.ODSFive + `</table:table-row>`, "spreadsheets end at 1048576"},
		{"blank rows beyond all sheets", `<table:table-row table:number-rows-repeated="99999999"/>`, "spreadsheets end at 1048576"},
		{"a cell repeated without end", repeated("99999999"), "more than 16384 columns"},
		{"a long cell repeated", strings.Replace(repeated("1000"), ">x<", ">"+long+"<", 1), "the row holds more than 16.0 MiB"},
		{"a repeat that is no number", repeated("-5"), "number-columns-repeated"},
		{"rows in an element of another program", `<x:part>` + repeated("1") + `</x:part>`, `rows of the sheet stand in an element "part"`},
		{"cells in one", `<table:table-row><x:part>` + sourcetest.ODSFive + `</x:part></table:table-row>`, `cells of the sheet stand in an element "part"`},
		{"a document type", `<!DOCTYPE a>`, "could do harm"},
		{"a missing end tag", `<table:table-row>`, "damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows, err := sourcetest.ReadFirst(open(sourcetest.ODS(t, sourcetest.ODSTable("Data", `<table:table-row>`+sourcetest.ODSFive+sourcetest.ODSFive+`</table:table-row>`+test.rows)), sheet.Options{}))
			if err == nil {
				t.Fatalf("it was read: %d rows", len(rows))
			}
			sourcetest.WantRefusal(t, err, test.words)
		})
	}
	_, err := sourcetest.ReadFirst(open(sourcetest.Archive(t, map[string]string{"mimetype": "x", "content.xml": "\x00\x01",
		"META-INF/manifest.xml": `<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>`}), sheet.Options{}))
	sourcetest.WantRefusal(t, err, "the .ods workbook is encrypted")
}

func TestODSTellsWhatAnXLSXTells(t *testing.T) {
	t.Parallel()
	columns := `<table:table-column/><table:table-column-group><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/></table:table-column-group>` +
		`<table:table-column table:visibility="collapse" table:number-columns-repeated="16381"/>`
	var rows strings.Builder
	for n := range 12 {
		number, behind := "3.0031", ""
		switch n {
		case 3:
			behind = `<table:table-cell table:formula="of:=1"/>`
		case 7:
			number = "3.003"
		}
		rows.WriteString(`<table:table-row>` + sourcetest.ODSFive + sourcetest.ODSFive + sourcetest.ODSFive + `<table:table-cell office:value-type="float" office:value="` + number + `"><text:p>` + number + `</text:p></table:table-cell>` + behind + `</table:table-row>`)
	}
	data := openOne(t, sourcetest.ODS(t, `<table:table table:name="Data">`+columns+rows.String()+`</table:table>`), sheet.Options{})
	for range 2 {
		sourcetest.MustRows(t, data)
		warnings := data.Warnings()
		if len(warnings) != 3 || warnings[0].Message != "hidden columns are read like any other: B–C, D–E" ||
			sourcetest.Codes(warnings[1:]) != "formula_without_value [4], zeros_lost [8]" {
			t.Errorf("warnings %+v", warnings)
		}
	}
}

// FuzzODS reads a workbook whose table is made up.
func FuzzODS(f *testing.F) {
	f.Add(`<table:table-row table:number-rows-repeated="2">` + sourcetest.ODSFive + `<table:table-cell table:number-columns-repeated="3" office:value-type="string"><text:p>a<text:s text:c="2"/></text:p></table:table-cell></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell office:value-type="time" office:time-value="PT13H30M05.5S"/><table:table-cell office:value-type="date" office:date-value="2024-03-01T10:00:00"/></table:table-row>`)
	f.Add(`<table:table-row><table:table-cell table:number-rows-spanned="3" table:number-columns-spanned="2" office:value-type="float" office:value="1.5"><text:p>1,50</text:p></table:table-cell></table:table-row><table:table-row/>`)
	f.Fuzz(func(t *testing.T, rows string) {
		read, err := sourcetest.ReadFirst(open(sourcetest.ODS(t, sourcetest.ODSTable("Data", rows)), sheet.Options{Merged: "all", Limits: format.Limits{Unpacked: 32 << 20, Columns: 2000}}))
		sourcetest.CheckReading(t, read, err)
	})
}
