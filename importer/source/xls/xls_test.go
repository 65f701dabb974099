package xls

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/compound"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// open opens a workbook, in a compound file or without one.
func open(data []byte, o sheet.Options) (*format.Book, error) {
	o.Limits = o.Limits.WithDefaults()
	in, size := bytes.NewReader(data), int64(len(data))
	if !bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")) {
		return Open(context.Background(), in, size, o)
	}
	c, err := compound.Read(in, size)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	return OpenCompound(context.Background(), c, o)
}

// read reads the sheets of a workbook, the first alone unless all are wanted.
func read(data []byte, o sheet.Options, all bool) (rows []table.Row, err error) {
	b, err := open(data, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for _, s := range b.Sheets {
		more, err := sourcetest.Rows(s.Open())
		if rows = append(rows, more...); err != nil || !all {
			return rows, err
		}
	}
	return rows, nil
}

// mustRead reads the first sheet.
func mustRead(tb testing.TB, data []byte, o sheet.Options) []string {
	tb.Helper()
	rows, err := read(data, o, false)
	if err != nil {
		tb.Fatalf("the rows cannot be read: %v", err)
	}
	return sourcetest.Show(rows)
}

func registerXLS(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "register.xls"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// register.xls was written by LibreOffice 7.4 from an invented list; what is expected is what LibreOffice shows of it.
func TestOldWorkbookOfLibreOffice(t *testing.T) {
	t.Parallel()
	goods := strings.TrimRight(strings.Repeat("goods of class 9, namely software; ", 250), "")
	want := []string{
		"1|T Our Ref|T Mark|T Filed|T Seen|T Amount|T Paid|T Sum|T Goods",
		"2|T TM-0001|T Übermarke|D 2024-03-01|D 2024-03-01T13:30:05|N 1323722|N 1|N 2647444|T " + goods,
		"3|T 00123|T Ωμέγα 商標|E 1900-01-01|D 1900-03-01|N 0.1|N 0|E (not calculated)|T " + strings.Repeat("Ωμέγα 商標 Ž ", 400),
		"4|T TM-0003|T a<b> \"c\"|D 1999-12-31|D 9999-12-31|N -12.34||E #DIV/0!|T two\nlines",
		"5|T TM-0004|T 😀 emoji|D 2000-02-29|D 2024-12-31T23:59:59|N 123456789012345||B TRUE|T x",
		"6H|T hidden|N 0.15|D 1904-01-01|C 13:30:00|N 0.0000001|N 536870911||T 536870912|N 536870912|N -536870913|N 5368709.11|N 12345.678",
		"7|T merged over three|||N 00007|D 2024-05-06|N 1" + strings.Repeat("0", 300) + "|N 0003 shown TM-0003",
	}
	for i := range 40 {
		amount, sum := fmt.Sprintf("%.2f", float64(i)*1.13), fmt.Sprintf("%.2f", float64(i)*1.13+1)
		want = append(want, fmt.Sprintf("%d|T TM-%d|T Mark %d %s|D 20%02d-%02d-%02d|D 2020-01-01%s|N %s|N %d|N %s|T class %d", i+8, i+1000, i, strings.Repeat("é", i%50),
			i%25, i%12+1, i%28+1, strings.Replace(fmt.Sprintf("T%02d:%02d:%02d", i%24, i%60, 7*i%60), "T00:00:00", "", 1),
			plainNumber(amount), i*1000003, plainNumber(sum), i%45+1))
	}
	b, err := open(registerXLS(t), sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Format != "xls" || b.DateSystem != "1900" || b.Sheets[0].Name != "Register ä" || len(b.Sheets) != 2 {
		t.Errorf("opened %+v", b)
	}
	table := b.Sheets[0].Open()
	rows, err := sourcetest.Rows(table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sourcetest.Show(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	warnings := sourcetest.Codes(table.Warnings())
	for _, code := range []string{"hidden_columns", "formula_without_value"} {
		if !strings.Contains(warnings, code) {
			t.Errorf("no warning %s in %s", code, warnings)
		}
	}
	if rows, err = sourcetest.Rows(b.Sheets[1].Open()); err != nil || !b.Sheets[1].Hidden {
		t.Errorf("the second sheet is hidden: %t, error %v", b.Sheets[1].Hidden, err)
	}
	if diff := cmp.Diff([]string{"1|T hidden sheet|T b", "2|T c|T d"}, sourcetest.Show(rows)); diff != "" {
		t.Errorf("hidden sheet (-want +got):\n%s", diff)
	}
}

// plainNumber is a number without the zeros that end its decimals.
func plainNumber(text string) string {
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func TestOldWorkbookRecords(t *testing.T) {
	t.Parallel()
	formats := biff(biffFormat, uint16(164), latin("dd/mm/yyyy")) + biff(biffXF, uint16(0), uint16(0)) + biff(biffXF, uint16(0), uint16(164)) + biff(biffXF, uint16(0), uint16(14))
	rich := packed(uint16(3), uint8(8|4|1), uint16(2), uint32(5), wide("añb"), "runs0123", "phone")
	tests := map[string]struct {
		globals, cells string
		want           []string
	}{
		"numbers of all kinds": {"", biff(biffSmallNumber, cellAt(0, 0, 0), uint32(0xfffffffe)) + biff(biffSmallNumber, cellAt(0, 1, 0), uint32(12345<<2|3)) +
			biff(biffSmallNumber, cellAt(0, 2, 0), uint32(math.Float64bits(1.5)>>32)) + biff(biffManyNumbers, uint16(0), uint16(3), uint16(0), uint32(4<<2|2), uint16(0), uint32(5<<2|2), uint16(4)) +
			biff(biffNumber, cellAt(0, 5, 0), 0.1) + biff(biffBoolean, cellAt(0, 6, 0), uint8(1), uint8(0)) + biff(biffBoolean, cellAt(0, 7, 0), uint8(42), uint8(1)) + biff(biffBoolean, cellAt(0, 8, 0), uint8(99), uint8(1)),
			[]string{"1|N -1|N 123.45|N 1.5|N 4|N 5|N 0.1|B TRUE|E #N/A|E (error)"}},
		"dates by the number format": {formats, biff(biffNumber, cellAt(0, 0, 1), 45352.0) + biff(biffSmallNumber, cellAt(0, 1, 2), uint32(45352<<2|2)) + biff(biffNumber, cellAt(0, 2, 9), 45352.0),
			[]string{"1|D 2024-03-01|D 2024-03-01|N 45352"}},
		"dates from 1904": {formats + biff(biffDates, uint16(1)), biff(biffNumber, cellAt(0, 0, 1), 43890.0), []string{"1|D 2024-03-01"}},
		"texts that go on in other records": {sharedText(latin("one")+packed(uint16(6), uint8(0), "Mün"[:1]), packed(uint8(1), wide("ünch")), packed(uint8(0), "!"), wideText("商標")+rich+packed(uint16(2)), packed(uint8(0), "xy")),
			sharedAt(0, 0, 0) + sharedAt(0, 1, 1) + sharedAt(0, 2, 2) + sharedAt(0, 3, 3) + sharedAt(0, 4, 4), []string{"1|T one|T Münch!|T 商標|T añb|T xy"}},
		"results of formulas": {"", formulaAt(0, 0, packed(2.5)) + formulaAt(0, 1, resultOf(resultText, 0)) + biff(0x04bc, "shared formula") + biff(biffResult, wideText("é")) +
			formulaAt(0, 2, resultOf(1, 1)) + formulaAt(0, 3, resultOf(resultError, 7)) + formulaAt(0, 4, resultOf(resultNothing, 0)) + formulaAt(0, 5, packed(0.0)),
			[]string{"1|N 2.5|T é|B TRUE|E #DIV/0!||N 0"}},
		"a formula whose text is not there": {"", formulaAt(0, 0, resultOf(resultText, 0)) + biff(biffNumber, cellAt(0, 1, 0), 1.0) + formulaAt(1, 0, resultOf(resultText, 0)),
			[]string{"1|E (not calculated)|N 1", "2|E (not calculated)"}},
		"formulas that a library did not calculate":           {"", formulaAt(0, 0, resultOf(resultNothing, 0)) + formulaAt(1, 0, resultOf(resultNothing, 0)), []string{"1|E (not calculated)", "2|E (not calculated)"}},
		"formulas that the program says it did not calculate": {"", biff(biffUncalced, uint16(0)) + formulaAt(0, 0, packed(2.5)), []string{"1|E (not calculated)"}},
		"rows in another order, hidden ones, blank ones": {"", biff(biffRow, uint16(2), strings.Repeat("\x00", 10), uint32(0x20)) + biff(biffText, cellAt(2, 0, 0), latin("c")) + biff(biffText, cellAt(0, 0, 0), latin("a")) +
			biff(biffBlank, cellAt(1, 0, 0)) + biff(biffText, cellAt(2, 1, 0), latin("d")) + biff(biffManyBlanks, uint16(7), uint16(0), uint16(0), uint16(0)),
			[]string{"1|T a", "2", "3H|T c|T d"}},
		"a chart between the cells of a row": {"", biff(biffText, cellAt(0, 0, 0), latin("a")) + xlsBegin(0x20, excelBuild) + xlsEnd + biff(biffText, cellAt(0, 1, 0), latin("b")), []string{"1|T a|T b"}},
		"a chart in the sheet":               {"", xlsBegin(0x20, excelBuild) + biff(biffNumber, cellAt(0, 0, 0), 9.0) + xlsEnd + biff(biffRichText, cellAt(0, 0, 0), latin("a"), uint16(0)), []string{"1|T a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mustRead(t, xlsStream(test.globals, test.cells), sheet.Options{})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestZerosOfProgramsThatDoNotCalculate(t *testing.T) {
	t.Parallel()
	for _, build := range []uint16{buildLibreOffice, buildPOI} {
		data := xlsStreamOf(xlsBegin(5, build), formulaAt(0, 0, packed(0.0))+formulaAt(0, 1, packed(7.0)))
		if diff := cmp.Diff([]string{"1|E (not calculated)|N 7"}, mustRead(t, data, sheet.Options{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestOldWorkbookMergedCells(t *testing.T) {
	t.Parallel()
	cells := biff(biffText, cellAt(0, 0, 0), latin("a")) + biff(biffBlank, cellAt(1, 0, 0)) + biff(biffText, cellAt(2, 1, 0), latin("b")) + biff(biffMerged, uint16(1), uint16(0), uint16(2), uint16(0), uint16(0))
	if diff := cmp.Diff([]string{"1|T a", "2|T a", "3|T a|T b"}, mustRead(t, xlsStream("", cells), sheet.Options{Merged: "all"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOldWorkbooksThatAreRefused(t *testing.T) {
	t.Parallel()
	register := registerXLS(t)
	fatLoop, directoryLoop := append([]byte{}, register...), append([]byte{}, register...)
	fat := (binary.LittleEndian.Uint32(register[76:]) + 1) * 512
	for i := range 128 {
		binary.LittleEndian.PutUint32(fatLoop[fat+uint32(4*i):], uint32(i))
		binary.LittleEndian.PutUint32(directoryLoop[fat+uint32(4*i):], binary.LittleEndian.Uint32(register[48:]))
	}
	var references strings.Builder
	for n := range 40_000 {
		references.WriteString(sharedAt(uint16(n), 0, 0) + sharedAt(uint16(n), 1, 0))
	}
	tests := map[string]struct {
		data  []byte
		words string
	}{
		"encrypted":                        {xlsStream(biff(biffPassword, uint16(1)), xlsCells), "the workbook is encrypted"},
		"Excel 95":                         {[]byte(biff(biffBOF, uint16(0x0500), uint16(5), uint32(0))), "Excel 95 or before"},
		"Excel 4":                          {[]byte("\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00"), "Excel 95 or before"},
		"no workbook in it":                {oldDocument(t), "holds no workbook"},
		"a text that is not there":         {xlsStream("", sharedAt(0, 0, 7)), "shared string 7"},
		"cut off in a sheet":               {xlsStream("", xlsCells)[:100], "ends too early"},
		"a cell twice":                     {xlsStream("", xlsCells+biff(biffNumber, cellAt(1, 0, 0), 1.0)), "twice"},
		"a column beyond the last":         {xlsStream("", biff(biffNumber, cellAt(0, 300, 0), 1.0)), "contradicts itself"},
		"a record too short":               {xlsStream("", biff(biffNumber, cellAt(0, 0, 0), uint8(1))), "contradicts itself"},
		"a number that is none":            {xlsStream("", biff(biffNumber, cellAt(0, 0, 0), math.NaN())), "contradicts itself"},
		"shared texts that end early":      {xlsStream(biff(biffStrings, uint32(1<<31), uint32(1<<31), uint16(65535), uint8(1), "ab"), xlsCells), "ends too early"},
		"sheets in one place":              {inOnePlace(3), "ends too early"},
		"too many sheets":                  {inOnePlace(maxXLSSheets + 1), "too many sheets"},
		"a shared text shown very often":   {xlsStream(sharedText(latin(strings.Repeat("goods of class 9 ", 470))), references.String()), "of text of a file of"},
		"sectors in a circle":              {fatLoop, "damaged"},
		"a directory in a circle":          {directoryLoop, "damaged"},
		"rows that go to and fro":          {xlsStream("", strings.Repeat(biff(biffBlank, cellAt(0, 0, 0))+biff(biffBlank, cellAt(1, 0, 0)), maxRuns/2+1)), "in no order"},
		"more merged ranges than are held": {xlsStream("", strings.Repeat(biff(biffMerged, uint16(1000), strings.Repeat(packed(uint16(0), uint16(1), uint16(0), uint16(1)), 1000)), sheet.MostMerges/1000+1)+xlsCells), "too many merged ranges"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(test.data, sheet.Options{}, false)
			sourcetest.WantRefusal(t, err, test.words)
		})
	}
}

// oldDocument is a compound file without a workbook.
func oldDocument(tb testing.TB) []byte {
	return []byte(strings.ReplaceAll(string(registerXLS(tb)), sourcetest.Encode("Workbook", "utf-16le"), sourcetest.Encode("Document", "utf-16le")))
}

// inOnePlace is a workbook of so many sheets whose records are said to begin in one place.
func inOnePlace(n int) []byte {
	at := uint32(len(xlsGlobals) + n*(biffHeader+9) + len(xlsEnd))
	return []byte(xlsGlobals + strings.Repeat(biff(biffSheet, at, uint16(0), uint8(1), uint8(0), "A"), n) + xlsEnd + xlsBegin(0x10, excelBuild) + xlsCells + xlsEnd)
}

// FuzzXLS reads workbook streams without their container, for which FuzzCompound is.
func FuzzXLS(f *testing.F) {
	f.Add(xlsStream("", xlsCells))
	f.Add(xlsStream(sharedText(latin("one")+packed(uint16(3), uint8(0), "M"), packed(uint8(1), wide("ün"))), sharedAt(0, 0, 0)+sharedAt(0, 1, 1), xlsCells))
	f.Add(xlsStream(biff(biffFormat, uint16(164), latin("dd/mm/yyyy"))+biff(biffXF, uint16(0), uint16(164)), formulaAt(0, 0, resultOf(resultText, 0))+biff(biffResult, latin("x"))+biff(biffMerged, uint16(1), uint16(0), uint16(2), uint16(0), uint16(1))))
	f.Add(inOnePlace(2))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.HasPrefix(data, []byte("\x09\x08")) {
			data = append([]byte(xlsGlobals), data...)
		}
		for _, merged := range []string{"", "all"} {
			rows, err := read(data, sheet.Options{Merged: merged, Limits: format.Limits{Columns: 2000}}, merged != "")
			sourcetest.CheckReading(t, rows, err)
		}
	})
}
