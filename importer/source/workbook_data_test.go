package source

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/mapping"

	"github.com/google/go-cmp/cmp"
)

// bookExpectation is what reading a workbook of the data folder must give: either fault, or the rest.
type bookExpectation struct {
	password      string
	sheet         string // the sheet chosen
	dates         string // date system
	rows, columns int    // rows yielded, and cells of the widest
	first, last   string // rows as show writes them, cut at 200 bytes
	sum           uint32 // checksum of all rows as show writes them: every cell, its kind, its place
	codes         string // warnings
	fault         string
}

// Every workbook of the data folder is read to the last cell or refused for the reason given. The checksums were
// taken when all cells of all these files agreed with what another library reads, by kind and value, but for
// differences that this package means to have: blanks at the ends of text without xml:space, line ends, formulas
// without a stored value.
func TestWorkbooksOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	for _, name := range manifest(t, root, ".xlsx", ".xlsm", ".ods", ".xls") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, known := bookExpectations[name]
			if !known {
				t.Error("the table has no expectation for this file")
			}
			got := readBook(t, filepath.Join(root, filepath.FromSlash(name)), want.password)
			got.password = want.password
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(bookExpectation{})); diff != "" {
				t.Errorf("%s\n%#v", diff, got)
			}
		})
	}
}

// Encrypted workbooks say so when there is no password.
func TestEncryptedWorkbooksOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	encrypted := 0
	for name, e := range bookExpectations {
		if e.password == "" {
			continue
		}
		encrypted++
		path := filepath.Join(root, filepath.FromSlash(name))
		if got := readBook(t, path, "").fault; got != "the workbook is encrypted" {
			t.Errorf("%s without a password: %q", name, got)
		}
		if got := readBook(t, path, "not it").fault; !strings.Contains(got, "does not open with the password") {
			t.Errorf("%s with a wrong password: %q", name, got)
		}
	}
	if encrypted == 0 {
		t.Error("no encrypted workbook was tried")
	}
}

func readBook(t *testing.T, path, password string) bookExpectation {
	t.Helper()
	o := Options{Password: password}
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	tables, err := openWorkbook(t.Context(), path, o)
	if err != nil {
		wantRefusal(t, err, "")
		return bookExpectation{fault: err.Error()}
	}
	defer tables[0].close()
	rows, err := rowsOf(tables[0])
	if err != nil {
		wantRefusal(t, err, "")
		return bookExpectation{fault: err.Error()}
	}
	var d Detected
	tables[0].describe(&d)
	lines := show(rows)
	sum := crc32.NewIEEE()
	columns := 0
	for i, line := range lines {
		fmt.Fprintln(sum, line)
		columns = max(columns, len(rows[i].Cells))
	}
	return bookExpectation{sheet: d.Sheet, dates: d.DateSystem, rows: len(rows), columns: columns, first: cutAt(lines[0], 200), last: cutAt(lines[len(lines)-1], 200), sum: sum.Sum32(), codes: codes(d.Warnings)}
}

func cutAt(text string, n int) string {
	for n < len(text) && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:min(n, len(text))]
}

// What a few files are in the folder for, spelled out.
func TestCellsOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	tests := []struct {
		name, sheet, cell string
		want              mapping.Cell
	}{
		{"matters/synthetic/actionstep_matters.xlsx", "", "D3", mapping.Cell{Kind: mapping.Text, Text: "073"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "D8", mapping.Cell{Kind: mapping.Text, Text: "1E5"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "D4", mapping.Cell{Kind: mapping.Text, Text: "3-4"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "E3", mapping.Cell{Kind: mapping.Date, Text: "2008-12-16"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "E2", mapping.Cell{Kind: mapping.Text, Text: "11/09/2022"}},
		{"matters/synthetic/matters_1904.xlsx", "", "A6", mapping.Cell{Kind: mapping.Text, Text: "00001"}},
		{"matters/synthetic/matters_1904.xlsx", "", "C6", mapping.Cell{Kind: mapping.Date, Text: "2010-05-09"}},
		{"trademarks/synthetic/verification_list.xlsx", "", "D4", mapping.Cell{Kind: mapping.Text, Text: "2.442.367"}},
		{"ugly/calamine/date_1904.xlsx", "", "A1", mapping.Cell{Kind: mapping.Date, Text: "2021-01-01"}},
		{"ugly/calamine/date_iso.xlsx", "", "A2", mapping.Cell{Kind: mapping.Date, Text: "2021-01-01T10:10:10"}},
		{"ugly/calamine/date_iso.xlsx", "", "A3", mapping.Cell{Kind: mapping.Clock, Text: "10:10:10"}},
		{"ugly/calamine/date.xlsx", "", "A3", mapping.Cell{Kind: mapping.Text, Text: "255:10:10", Note: noteLongDuration}},
		{"ugly/calamine/strict_iso_paths.xlsx", "", "A3", mapping.Cell{Kind: mapping.Number, Text: "1625593500"}},
		{"ugly/closedxml/Examples__Misc__CellValues.xlsx", "", "B8", mapping.Cell{Kind: mapping.Error, Text: "#DIV/0!"}},
		{"ugly/closedxml/TryToLoad__Date1904System.xlsx", "", "A2", mapping.Cell{Kind: mapping.Date, Text: "2017-10-27T21:00:00"}},
		{"ugly/closedxml/TryToLoad__CellsWithDateTimeWithLocalePrefix.xlsx", "", "A4", mapping.Cell{Kind: mapping.Date, Text: "2019-01-21"}},
		{"ugly/excelize/OverflowNumericCell.xlsx", "", "A1", mapping.Cell{Kind: mapping.Number, Text: "8595602512225"}},
		{"ugly/frictionless/adjust-floating-point-error.xlsx", "", "C2", mapping.Cell{Kind: mapping.Number, Text: "242.26"}},
		{"ugly/frictionless/preserve-formatting.xlsx", "", "K2", mapping.Cell{Kind: mapping.Date, Text: "2040-05-20"}},
		{"ugly/phpspreadsheet-xlsx/issue.4629.xlsx", "bottom", "A2", mapping.Cell{Kind: mapping.Text, Text: "cheese"}},
		{"ugly/poi/TwoSheetsOneHidden.xlsx", "", "A1", mapping.Cell{Kind: mapping.Text, Text: "Sheet2A1"}},
		{"ugly/poi/TwoSheetsOneHidden.xlsx", "Sheet1", "A1", mapping.Cell{Kind: mapping.Text, Text: "Sheet1A1"}},
		{"ugly/readxl/utf8-sheet-names.xlsx", "∂", "A1", mapping.Cell{Kind: mapping.Text, Text: "x"}},
		{"ugly/readxl/whitespace-xlsx.xlsx", "", "A1", mapping.Cell{Kind: mapping.Text, Text: " <-space, space-> "}},
		{"ugly/readxl/color-date-lowercase-xlsx.xlsx", "", "A1", mapping.Cell{Kind: mapping.Number, Text: "0"}},
		{"ugly/sheetjs/crlf__crlf.xlsx", "", "B2", mapping.Cell{Kind: mapping.Text, Text: "abc\r\ndef"}},
		{"ugly/sheetjs/wtf_path.xlsx", "", "D1", mapping.Cell{Kind: mapping.Error, Text: notCalculated, Note: notCalculatedMessage}},
		{"ugly/sheetjs/xlsx-stream-d-date-cell.xlsx", "", "B5", mapping.Cell{Kind: mapping.Text, Text: "2014-02-14T08:27:48.765Z", Note: noteZone}},
		{"ugly/sheetjs/xlsx-stream-d-date-cell.xlsx", "", "D3", mapping.Cell{Kind: mapping.Number, Text: "12345678900000000000000"}},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.name)+" "+test.cell, func(t *testing.T) {
			t.Parallel()
			o := Options{Sheet: test.sheet}
			if err := o.validate(); err != nil {
				t.Fatal(err)
			}
			tables, err := openWorkbook(t.Context(), filepath.Join(root, filepath.FromSlash(test.name)), o)
			if err != nil {
				t.Fatal(err)
			}
			defer tables[0].close()
			rows, err := rowsOf(tables[0])
			if err != nil {
				t.Fatal(err)
			}
			number, column := rowOf([]byte(test.cell)), columnOf([]byte(test.cell))
			for _, row := range rows {
				if row.Number == number {
					if diff := cmp.Diff(test.want, row.Cell(column)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					return
				}
			}
			t.Errorf("there is no row %d", number)
		})
	}
}
