package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
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

// readData reads the rows of a sheet with this inside of its sheetData.
func readData(tb testing.TB, data string, o sheet.Options) []table.Row {
	tb.Helper()
	parts := sourcetest.Book(sourcetest.Styles, `<si><t>shared</t></si><si><t xml:space="preserve"> 007 </t></si><si><r><rPr><strike/></rPr><t>Smith</t></r><r><t xml:space="preserve"> Jones</t></r></si>`, "", sourcetest.Sheet{Name: "Data", Data: data})
	return sourcetest.MustRows(tb, openOne(tb, sourcetest.Archive(tb, parts), o))
}

func TestCellsOfEveryType(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, cell, want string }{
		{"a number", `<c r="A1"><v>1323722</v></c>`, "N 1323722"},
		{"a number with its type", `<c r="A1" t="n"><v>0.5</v></c>`, "N 0.5"},
		{"a shared text", `<c r="A1" t="s"><v>0</v></c>`, "T shared"},
		{"a shared text with zeros and blanks", `<c r="A1" t="s"><v>1</v></c>`, "T  007 "},
		{"an inline text", `<c r="A1" t="inlineStr"><is><t>00123</t></is></c>`, "T 00123"},
		{"an inline rich text", `<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><rPr/><t>b</t></r></is></c>`, "T ab"},
		{"an old text that is struck through beside the new one", `<c r="A1" t="inlineStr"><is><r><rPr><strike/></rPr><t>01234567</t></r><r><rPr><strike val="0"/></rPr><t>89</t></r></is></c>`, "E 0123456789"},
		{"a shared text of which a part is struck through", `<c r="A1" t="s"><v>2</v></c>`, "E Smith Jones"},
		{"a text that is struck through as a whole", `<c r="A1" t="inlineStr"><is><r><rPr><strike val="true"/></rPr><t>a</t></r><r><rPr><strike/></rPr><t>b</t></r><r><t xml:space="preserve"> </t></r></is></c>`, "T ab "},
		{"an inline text that is kept in v", `<c r="A1" t="inlineStr"><v>x</v></c>`, "T x"},
		{"an inline text without its type", `<c r="A1"><is><t>x</t></is></c>`, "T x"},
		{"a text result", `<c r="A1" t="str"><f>"0"&amp;1</f><v>01</v></c>`, "T 01"},
		{"a text result with blanks", `<c r="A1" t="str"><f>x</f><v> 1 </v></c>`, "T  1 "},
		{"an empty text result", `<c r="A1" t="str"><f>""</f><v></v></c>`, ""},
		{"a numeric result", `<c r="A1"><f>1+1</f><v>2</v></c>`, "N 2"},
		{"a formula nobody calculated", `<c r="A1"><f>1+1</f></c>`, "E (not calculated)"},
		{"a formula nobody calculated, with a blank value", `<c r="A1"><f>1+1</f><v></v></c>`, "E (not calculated)"},
		{"a formula nobody calculated, of a known type", `<c r="A1" t="n"><f>1+1</f><v/></c>`, "E (not calculated)"},
		{"a formula that is an error", `<c r="A1"><f>NA()</f></c>`, "E #N/A"},
		{"an error as a formula", `<c r="A1"><f>#REF!</f><v></v></c>`, "E #REF!"},
		{"true", `<c r="A1" t="b"><v>1</v></c>`, "B TRUE"},
		{"false", `<c r="A1" t="b"><v>0</v></c>`, "B FALSE"},
		{"an error", `<c r="A1" t="e"><v>#REF!</v></c>`, "E #REF!"},
		{"an error that does not say which", `<c r="A1" t="e"><v></v></c>`, "E (error)"},
		{"an error without a value", `<c r="A1" t="e"/>`, "E (error)"},
		{"a date as text", `<c r="A1" t="d"><v>2024-03-01</v></c>`, "D 2024-03-01"},
		{"a day", `<c r="A1" s="1"><v>45352</v></c>`, "D 2024-03-01"},
		{"a day and a time", `<c r="A1" s="2"><v>45352.5625</v></c>`, "D 2024-03-01T13:30:00"},
		{"a time", `<c r="A1" s="3"><v>0.5625</v></c>`, "C 13:30:00"},
		{"a duration", `<c r="A1" s="4"><v>1.5625</v></c>`, "T 37:30:00"},
		{"a percentage", `<c r="A1" s="5"><v>0.15</v></c>`, "N 0.15"},
		{"zeros by format", `<c r="A1" s="6"><v>123</v></c>`, "N 00123"},
		{"decimals by format", `<c r="A1" s="7"><v>3.003</v></c>`, "N 3.0030"},
		{"a text in a day's format", `<c r="A1" s="1" t="s"><v>0</v></c>`, "T shared"},
		{"a text in a text's format", `<c r="A1" s="9" t="inlineStr"><is><t>1E5</t></is></c>`, "T 1E5"},
		{"an empty cell", `<c r="A1" s="1"/>`, ""},
		{"an empty value", `<c r="A1"><v></v></c>`, ""},
		{"an empty inline text", `<c r="A1" t="inlineStr"><is><t></t></is></c>`, ""},
		{"a style that does not exist", `<c r="A1" s="99"><v>7</v></c>`, "N 7"},
		{"a number that is none", `<c r="A1"><v>x1</v></c>`, "E x1"},
		{"an element of a later version", `<c r="A1"><extLst><ext><v>9</v></ext></extLst><v>7</v></c>`, "N 7"},
		{"prefixed elements", `<x:c xmlns:x="u" r="A1"><x:v>7</x:v></x:c>`, "N 7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := readData(t, `<row r="1">`+test.cell+`<c r="B1"><v>1</v></c></row>`, sheet.Options{})
			if diff := cmp.Diff([]string{"1|" + test.want + "|N 1"}, sourcetest.Show(rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestZerosOfAWorkbookThatIsToBeCalculatedAreNone as libraries write 0 in the place of each result.
func TestZerosOfAWorkbookThatIsToBeCalculatedAreNone(t *testing.T) {
	t.Parallel()
	const data = `<row r="1"><c r="A1"><f>1+1</f><v>0</v></c><c r="B1"><f>1+1</f><v>2</v></c><c r="C1"><v>0</v></c></row>`
	for properties, want := range map[string]string{`<calcPr calcId="124519" fullCalcOnLoad="1"/>`: "1|E (not calculated)|N 2|N 0", `<calcPr calcId="124519"/>`: "1|N 0|N 2|N 0"} {
		rows := sourcetest.MustRows(t, openOne(t, sourcetest.Archive(t, sourcetest.Book(sourcetest.Styles, "", properties, sourcetest.Sheet{Name: "Data", Data: data})), sheet.Options{}))
		if diff := cmp.Diff([]string{want}, sourcetest.Show(rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", properties, diff)
		}
	}
}

func TestRowsAndColumnsAreWhereTheSheetSaysThem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		want       []string
	}{
		{"numbers and gaps", `<row r="3"><c r="B3"><v>1</v></c></row><row r="7"><c r="D7"><v>2</v></c></row>`, []string{"3||N 1", "7||||N 2"}},
		{"no addresses", `<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>`, []string{"1|N 1|N 2", "2|N 3"}},
		{"addresses on some", `<row r="5"><c r="C5"><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>`, []string{"5|||N 1|N 2", "6|N 3"}},
		{"cells out of order", `<row r="1"><c r="B1"><v>2</v></c><c r="A1"><v>1</v></c></row>`, []string{"1|N 1|N 2"}},
		{"lower case and long columns", `<row r="1"><c r="ab1"><v>1</v></c></row>`, []string{"1" + strings.Repeat("|", 28) + "N 1"}},
		{"stored blank rows", `<row r="1"><c r="A1"><v>1</v></c></row><row r="2"/><row r="3" hidden="1"><c r="A3" s="1"/></row><row r="5"><c r="A5"><v>2</v></c></row>`,
			[]string{"1|N 1", "2", "3H", "5|N 2"}},
		{"blank rows at the end are none", `<row r="1"><c r="A1"><v>1</v></c></row><row r="2"/><row r="3"/>`, []string{"1|N 1"}},
		{"hidden rows", `<row r="1" hidden="true"><c><v>1</v></c></row><row r="2" hidden="false"><c><v>2</v></c></row>`, []string{"1H|N 1", "2|N 2"}},
		{"the last row and column", `<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`, []string{"1048576" + strings.Repeat("|", 16384) + "N 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, sourcetest.Show(readData(t, test.data, sheet.Options{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSheetsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data, words string
		o                 sheet.Options
	}{
		{name: "rows in an element of another program", data: `<mc:AlternateContent><mc:Choice><row r="2"><c><v>2</v></c></row></mc:Choice></mc:AlternateContent>`, words: `rows of the sheet stand in an element "AlternateContent"`},
		{name: "cells in one", data: `<row r="1"><mc:AlternateContent><c><v>2</v></c></mc:AlternateContent></row>`, words: `cells of the sheet stand in an element "AlternateContent"`},
		{name: "a row too many", data: `<row r="1048577"><c><v>1</v></c></row>`, words: "spreadsheets end at 1048576"},
		{name: "a row of ten digits", data: `<row r="1"><c><v>1</v></c></row><row r="2000000000"><c><v>1</v></c></row>`, words: "beyond the billionth; spreadsheets end at 1048576"},
		{name: "a row beyond all numbers", data: `<row r="99999999999999999999999"><c><v>1</v></c></row>`, words: "beyond the billionth; spreadsheets end at 1048576"},
		{name: "a column too many", data: `<row r="1"><c r="XFE1"><v>1</v></c></row>`, words: "more than 16384 columns"},
		{name: "a column beyond all", data: `<row r="1"><c r="ZZZZ1"><v>1</v></c></row>`, words: "a cell has the address"},
		{name: "a column over the configured limit", data: `<row r="1"><c r="K1"><v>1</v></c></row>`, words: "more than 10 columns", o: sheet.Options{Limits: format.Limits{Columns: 10}}},
		{name: "an address that is none", data: `<row r="1"><c r="1A"><v>1</v></c></row>`, words: "a cell has the address"},
		{name: "a cell of another row", data: `<row r="2"><c r="B7"><v>1</v></c></row>`, words: `row 2: a cell has the address "B7", of another row`},
		{name: "a row twice", data: `<row r="2"><c><v>1</v></c></row><row r="2"><c><v>1</v></c></row>`, words: "row 2: the row comes after row 2"},
		{name: "a row without a number that is one", data: `<row r="0"><c><v>1</v></c></row>`, words: "invalid row number in the first row"},
		{name: "a later row without a number that is one", data: `<row r="3"><c><v>1</v></c></row><row r="x"><c><v>1</v></c></row>`, words: "invalid row number in the row after row 3"},
		{name: "a cell twice", data: `<row r="4"><c r="B4"><v>1</v></c><c r="B4"><v>2</v></c></row>`, words: `sheet "Data", row 4, column B: the cell B4 is there twice`},
		{name: "a shared text that is not there", data: `<row r="4"><c r="B4" t="s"><v>77</v></c></row>`, words: `row 4: a cell refers to the shared string "77"`},
		{name: "a shared text without a number", data: `<row r="4"><c r="B4" t="s"><v>x</v></c></row>`, words: `the shared string "x"`},
		{name: "a long row", data: `<row r="4"><c t="str"><v>` + strings.Repeat("x", 60) + `</v></c><c t="str"><v>` + strings.Repeat("x", 60) + `</v></c></row>`, words: "row 4: the row holds more than", o: sheet.Options{Limits: format.Limits{Record: 100}}},
		{name: "malformed XML", data: `<row r="4"><c></row>`, words: "row 4: the workbook is damaged"},
		{name: "a document type", data: `<!DOCTYPE x>`, words: "could do harm"},
		{name: "an entity", data: `<row r="1"><c t="str"><v>&boom;</v></c></row>`, words: "not well-formed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: test.data})
			rows, err := sourcetest.ReadFirst(open(sourcetest.Archive(t, parts), test.o))
			if err == nil {
				t.Fatalf("the sheet was read: %v", sourcetest.Show(rows))
			}
			sourcetest.WantRefusal(t, format.At(err, "", "Data"), test.words)
		})
	}
}

func TestRowsStartAgainFromTheTop(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: `<row r="1"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row><row r="3"><c><v>3</v></c></row>`})
	data := openOne(t, sourcetest.Archive(t, parts), sheet.Options{})
	for row, err := range data.Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Number == 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{"1|N 1", "2|N 2", "3|N 3"}, sourcetest.Show(sourcetest.MustRows(t, data))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCancelledReadingStops(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: strings.Repeat(`<row><c><v>1</v></c></row>`, 100)})
	data := openOne(t, sourcetest.Archive(t, parts), sheet.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	read := 0
	var last error
	for _, err := range data.Rows(ctx) {
		if last = err; err == nil {
			if read++; read == 10 {
				cancel()
			}
		}
	}
	cancel()
	if read != 10 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d rows were read after a cancellation at the tenth, ending in %v", read, last)
	}
}

func TestMergedCells(t *testing.T) {
	t.Parallel()
	const data = `<row r="1"><c r="A1"><v>1</v></c><c r="D1"><v>9</v></c></row><row r="2"><c r="C2"><v>5</v></c></row><row r="3"><c r="A3"/></row><row r="4"><c r="B4"><v>7</v></c></row>`
	const after = `<mergeCells><mergeCell ref="A1:B3"/><mergeCell ref="D1"/><mergeCell ref="C4:D4"/></mergeCells>`
	tests := map[string][]string{
		"":      {"1|N 1|||N 9", "2|||N 5", "3", "4||N 7"},
		"down":  {"1|N 1|||N 9", "2|N 1||N 5", "3|N 1", "4||N 7"},
		"right": {"1|N 1|N 1||N 9", "2|||N 5", "3", "4||N 7"},
		"all":   {"1|N 1|N 1||N 9", "2|N 1|N 1|N 5", "3|N 1|N 1", "4||N 7"},
	}
	for mode, want := range tests {
		t.Run(fmt.Sprintf("merged=%s", mode), func(t *testing.T) {
			t.Parallel()
			parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Data", Data: data, After: after})
			if diff := cmp.Diff(want, sourcetest.Show(sourcetest.MustRows(t, openOne(t, sourcetest.Archive(t, parts), sheet.Options{Merged: mode})))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
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
		rows, err := sourcetest.ReadFirst(open(sourcetest.Archive(t, parts), sheet.Options{Merged: "all", Limits: format.Limits{Unpacked: 32 << 20, Columns: 2000}}))
		sourcetest.CheckReading(t, rows, err)
	})
}
