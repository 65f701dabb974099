package source

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
	goods := strings.TrimRight(inFull("goods of class 9, namely software; ", 250), "")
	want := []string{
		"1|T Our Ref|T Mark|T Filed|T Seen|T Amount|T Paid|T Sum|T Goods",
		"2|T TM-0001|T Übermarke|D 2024-03-01|D 2024-03-01T13:30:05|N 1323722|N 1|N 2647444|T " + goods,
		"3|T 00123|T Ωμέγα 商標|D 1900-01-01|D 1900-03-01|N 0.1|N 0|E (not calculated)|T " + inFull("Ωμέγα 商標 Ž ", 400),
		"4|T TM-0003|T a<b> \"c\"|D 1999-12-31|D 9999-12-31|N -12.34||E #DIV/0!|T two\nlines",
		"5|T TM-0004|T 😀 emoji|D 2000-02-29|D 2024-12-31T23:59:59|N 123456789012345||B TRUE|T x",
		"6H|T hidden|N 0.15|D 1904-01-01|C 13:30:00|N 0.0000001|N 536870911||T 536870912|N 536870912|N -536870913|N 5368709.11|N 12345.678",
		"7|T merged over three|||N 00007|D 2024-05-06|N 1" + inFull("0", 300) + "|N 0003 shown TM-0003",
	}
	for i := range 40 {
		amount, sum := fmt.Sprintf("%.2f", float64(i)*1.13), fmt.Sprintf("%.2f", float64(i)*1.13+1)
		want = append(want, fmt.Sprintf("%d|T TM-%d|T Mark %d %s|D 20%02d-%02d-%02d|D 2020-01-01%s|N %s|N %d|N %s|T class %d", i+8, i+1000, i, inFull("é", i%50),
			i%25, i%12+1, i%28+1, strings.Replace(fmt.Sprintf("T%02d:%02d:%02d", i%24, i%60, 7*i%60), "T00:00:00", "", 1),
			plainNumber(amount), i*1000003, plainNumber(sum), i%45+1))
	}
	s := openOne(t, registerXLS(t), Options{})
	if diff := cmp.Diff(want, show(mustRows(t, s))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var d Detected
	s.describe(&d)
	if d.Format != "xls" || d.DateSystem != "1900" || d.Sheet != "Register ä" || len(d.Sheets) != 2 {
		t.Errorf("detected %+v", d)
	}
	for _, code := range []string{"hidden_columns", "merged_cells", "formula_without_value"} {
		if warningOf(d, code).Code == "" {
			t.Errorf("no warning %s in %+v", code, d.Warnings)
		}
	}
	if diff := cmp.Diff([]string{"1|T hidden sheet|T b", "2|T c|T d"}, show(mustRows(t, openOne(t, registerXLS(t), Options{Sheet: "Notes"})))); diff != "" {
		t.Errorf("hidden sheet (-want +got):\n%s", diff)
	}
}

// plainNumber is a number without the zeros that end its decimals.
func plainNumber(text string) string {
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func warningOf(d Detected, code string) Warning {
	for _, w := range d.Warnings {
		if w.Code == code {
			return w
		}
	}
	return Warning{}
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
		"texts that go on in other records": {sharedText(latin("one")+packed(uint16(6), uint8(0), "Mün"[:1]), packed(uint8(1), wide("ünch")), packed(uint8(0), "!"), utf16Text("商標")+rich+packed(uint16(2)), packed(uint8(0), "xy")),
			sharedAt(0, 0, 0) + sharedAt(0, 1, 1) + sharedAt(0, 2, 2) + sharedAt(0, 3, 3) + sharedAt(0, 4, 4), []string{"1|T one|T Münch!|T 商標|T añb|T xy"}},
		"results of formulas": {"", formulaAt(0, 0, packed(2.5)) + formulaAt(0, 1, resultOf(resultText, 0)) + biff(0x04bc, "shared formula") + biff(biffResult, utf16Text("é")) +
			formulaAt(0, 2, resultOf(1, 1)) + formulaAt(0, 3, resultOf(resultError, 7)) + formulaAt(0, 4, resultOf(resultNothing, 0)) + formulaAt(0, 5, packed(0.0)),
			[]string{"1|N 2.5|T é|B TRUE|E #DIV/0!||N 0"}},
		"a formula whose text is not there": {"", formulaAt(0, 0, resultOf(resultText, 0)) + biff(biffNumber, cellAt(0, 1, 0), 1.0) + formulaAt(1, 0, resultOf(resultText, 0)),
			[]string{"1|E (not calculated)|N 1", "2|E (not calculated)"}},
		"formulas that a library did not calculate":           {"", formulaAt(0, 0, resultOf(resultNothing, 0)) + formulaAt(1, 0, resultOf(resultNothing, 0)), []string{"1|E (not calculated)", "2|E (not calculated)"}},
		"formulas that the program says it did not calculate": {"", biff(biffUncalced, uint16(0)) + formulaAt(0, 0, packed(2.5)), []string{"1|E (not calculated)"}},
		"rows in another order, hidden ones, blank ones": {"", biff(biffRow, uint16(2), inFull("\x00", 10), uint32(0x20)) + biff(biffText, cellAt(2, 0, 0), latin("c")) + biff(biffText, cellAt(0, 0, 0), latin("a")) +
			biff(biffBlank, cellAt(1, 0, 0)) + biff(biffText, cellAt(2, 1, 0), latin("d")) + biff(biffManyBlanks, uint16(7), uint16(0), uint16(0), uint16(0)),
			[]string{"1|T a", "2", "3H|T c|T d"}},
		"a chart between the cells of a row": {"", biff(biffText, cellAt(0, 0, 0), latin("a")) + biffBegin(0x20, excelBuild) + biffEnd + biff(biffText, cellAt(0, 1, 0), latin("b")), []string{"1|T a|T b"}},
		"a chart in the sheet":               {"", biffBegin(0x20, excelBuild) + biff(biffNumber, cellAt(0, 0, 0), 9.0) + biffEnd + biff(biffRichText, cellAt(0, 0, 0), latin("a"), uint16(0)), []string{"1|T a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := show(mustRows(t, openOne(t, xlsStream(test.globals, test.cells), Options{Sheet: "A"})))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestZerosOfProgramsThatDoNotCalculate(t *testing.T) {
	t.Parallel()
	for _, build := range []uint16{buildLibreOffice, buildPOI} {
		data := xlsStreamOf(biffBegin(5, build), formulaAt(0, 0, packed(0.0))+formulaAt(0, 1, packed(7.0)))
		if diff := cmp.Diff([]string{"1|E (not calculated)|N 7"}, show(mustRows(t, openOne(t, data, Options{})))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestOldWorkbookMergedCells(t *testing.T) {
	t.Parallel()
	cells := biff(biffText, cellAt(0, 0, 0), latin("a")) + biff(biffBlank, cellAt(1, 0, 0)) + biff(biffText, cellAt(2, 1, 0), latin("b")) + biff(biffMerged, uint16(1), uint16(0), uint16(2), uint16(0), uint16(0))
	if diff := cmp.Diff([]string{"1|T a", "2|T a", "3|T a|T b"}, show(mustRows(t, openOne(t, xlsStream("", cells), Options{Merged: "all"})))); diff != "" {
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
	tests := map[string]struct {
		data  []byte
		words string
	}{
		"encrypted":                        {xlsStream(biff(biffPassword, uint16(1)), xlsCells), "the workbook is encrypted"},
		"Excel 95":                         {[]byte(biff(biffBOF, uint16(0x0500), uint16(5), uint32(0))), "Excel 95 or before"},
		"Excel 4":                          {[]byte("\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00"), "Excel 95 or before"},
		"no workbook in it":                {oldDocument(t), "holds no workbook"},
		"a text that is not there":         {xlsStream("", sharedAt(0, 0, 7)), "shared text 7"},
		"cut off in a sheet":               {xlsStream("", xlsCells)[:100], "ends too early"},
		"no sheets":                        {xlsStream(""), "no sheets"},
		"a cell twice":                     {xlsStream("", xlsCells+biff(biffNumber, cellAt(1, 0, 0), 1.0)), "twice"},
		"a column beyond the last":         {xlsStream("", biff(biffNumber, cellAt(0, 300, 0), 1.0)), "contradicts itself"},
		"a record too short":               {xlsStream("", biff(biffNumber, cellAt(0, 0, 0), uint8(1))), "contradicts itself"},
		"a number that is none":            {xlsStream("", biff(biffNumber, cellAt(0, 0, 0), math.NaN())), "contradicts itself"},
		"shared texts that end early":      {xlsStream(biff(biffStrings, uint32(1<<31), uint32(1<<31), uint16(65535), uint8(1), "ab"), xlsCells), "ends too early"},
		"sheets in one place":              {inOnePlace(3), "ends too early"},
		"too many sheets":                  {inOnePlace(maxXLSSheets + 1), "too many sheets"},
		"sectors in a circle":              {fatLoop, "damaged"},
		"a directory in a circle":          {directoryLoop, "damaged"},
		"rows that go to and fro":          {xlsStream("", inFull(biff(biffBlank, cellAt(0, 0, 0))+biff(biffBlank, cellAt(1, 0, 0)), maxXLSRuns/2+1)), "in no order"},
		"more merged ranges than are held": {xlsStream("", inFull(biff(biffMerged, uint16(1000), inFull(packed(uint16(0), uint16(1), uint16(0), uint16(1)), 1000)), maxMerges/1000+1)+xlsCells), "too many merged ranges"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			_, err := readBytes(test.data, Options{})
			wantRefusal(t, err, test.words)
			if took := time.Since(begin); took > unnoticed {
				t.Errorf("refused after %v", took)
			}
		})
	}
}

// oldDocument is a compound file without a workbook.
func oldDocument(tb testing.TB) []byte {
	return []byte(strings.ReplaceAll(string(registerXLS(tb)), string(wideText("Workbook")), string(wideText("Document"))))
}

// inOnePlace is a workbook of so many sheets whose records are said to begin in one place.
func inOnePlace(n int) []byte {
	at := uint32(len(globalsBegin) + n*(biffHeader+9) + len(biffEnd))
	return []byte(globalsBegin + inFull(biff(biffSheet, at, uint16(0), uint8(1), uint8(0), "A"), n) + biffEnd + biffBegin(0x10, excelBuild) + xlsCells + biffEnd)
}

// FuzzXLS reads workbook streams without their container, for which FuzzCompound is.
func FuzzXLS(f *testing.F) {
	f.Add(xlsStream("", xlsCells))
	f.Add(xlsStream(sharedText(latin("one")+packed(uint16(3), uint8(0), "M"), packed(uint8(1), wide("ün"))), sharedAt(0, 0, 0)+sharedAt(0, 1, 1), xlsCells))
	f.Add(xlsStream(biff(biffFormat, uint16(164), latin("dd/mm/yyyy"))+biff(biffXF, uint16(0), uint16(164)), formulaAt(0, 0, resultOf(resultText, 0))+biff(biffResult, latin("x"))+biff(biffMerged, uint16(1), uint16(0), uint16(2), uint16(0), uint16(1))))
	f.Add(inOnePlace(2))
	f.Fuzz(func(t *testing.T, data []byte) {
		if containerShape(data) != "biff" {
			data = append([]byte(globalsBegin), data...)
		}
		checkReading(t, data, Options{})
		checkReading(t, data, Options{Sheet: "*", Merged: "all"})
	})
}
