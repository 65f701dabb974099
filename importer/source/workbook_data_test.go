package source

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping/table"
)

// What a few files are in the folder for, spelled out.
func TestCellsOfTheDataFolder(t *testing.T) {
	t.Parallel()
	root := dataFolder(t)
	tests := []struct {
		name, sheet, cell string
		want              table.Cell
	}{
		{"matters/synthetic/actionstep_matters.xlsx", "", "D3", table.Cell{Kind: table.Text, Text: "073"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "D8", table.Cell{Kind: table.Text, Text: "1E5"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "D4", table.Cell{Kind: table.Text, Text: "3-4"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "E3", table.Cell{Kind: table.Date, Text: "2008-12-16"}},
		{"matters/synthetic/actionstep_matters.xlsx", "", "E2", table.Cell{Kind: table.Text, Text: "11/09/2022"}},
		{"matters/synthetic/matters_1904.xlsx", "", "A6", table.Cell{Kind: table.Text, Text: "00001"}},
		{"matters/synthetic/matters_1904.xlsx", "", "C6", table.Cell{Kind: table.Date, Text: "2010-05-09"}},
		{"trademarks/synthetic/verification_list.xlsx", "", "D4", table.Cell{Kind: table.Text, Text: "2.442.367"}},
		{"ugly/calamine/date_1904.xlsx", "", "A1", table.Cell{Kind: table.Date, Text: "2021-01-01"}},
		{"ugly/calamine/date_iso.xlsx", "", "A2", table.Cell{Kind: table.Date, Text: "2021-01-01T10:10:10"}},
		{"ugly/calamine/date_iso.xlsx", "", "A3", table.Cell{Kind: table.Clock, Text: "10:10:10"}},
		{"ugly/calamine/date.xlsx", "", "A3", table.Cell{Kind: table.Text, Text: "255:10:10", Note: "a duration of a day or more"}},
		{"ugly/calamine/strict_iso_paths.xlsx", "", "A3", table.Cell{Kind: table.Number, Text: "1625593500"}},
		{"ugly/closedxml/Examples__Misc__CellValues.xlsx", "", "B8", table.Cell{Kind: table.Error, Text: "#DIV/0!"}},
		{"ugly/closedxml/TryToLoad__Date1904System.xlsx", "", "A2", table.Cell{Kind: table.Date, Text: "2017-10-27T21:00:00"}},
		{"ugly/closedxml/TryToLoad__CellsWithDateTimeWithLocalePrefix.xlsx", "", "A4", table.Cell{Kind: table.Date, Text: "2019-01-21"}},
		{"ugly/excelize/OverflowNumericCell.xlsx", "", "A1", table.Cell{Kind: table.Number, Text: "8595602512225"}},
		{"ugly/frictionless/adjust-floating-point-error.xlsx", "", "C2", table.Cell{Kind: table.Number, Text: "242.26"}},
		{"ugly/frictionless/preserve-formatting.xlsx", "", "K2", table.Cell{Kind: table.Date, Text: "2040-05-20"}},
		{"ugly/phpspreadsheet-xlsx/issue.4629.xlsx", "bottom", "A2", table.Cell{Kind: table.Text, Text: "cheese"}},
		{"ugly/poi/TwoSheetsOneHidden.xlsx", "", "A1", table.Cell{Kind: table.Text, Text: "Sheet2A1"}},
		{"ugly/poi/TwoSheetsOneHidden.xlsx", "Sheet1", "A1", table.Cell{Kind: table.Text, Text: "Sheet1A1"}},
		{"ugly/readxl/utf8-sheet-names.xlsx", "∂", "A1", table.Cell{Kind: table.Text, Text: "x"}},
		{"ugly/readxl/whitespace-xlsx.xlsx", "", "A1", table.Cell{Kind: table.Text, Text: " <-space, space-> "}},
		{"ugly/readxl/color-date-lowercase-xlsx.xlsx", "", "A1", table.Cell{Kind: table.Number, Text: "0"}},
		{"ugly/sheetjs/crlf__crlf.xlsx", "", "B2", table.Cell{Kind: table.Text, Text: "abc\r\ndef"}},
		{"ugly/sheetjs/wtf_path.xlsx", "", "D1", table.Cell{Kind: table.Error, Text: "(not calculated)", Note: "formulas without a stored result; these cells cannot be read"}},
		{"ugly/sheetjs/xlsx-stream-d-date-cell.xlsx", "", "B5", table.Cell{Kind: table.Text, Text: "2014-02-14T08:27:48.765Z", Note: "a time with a zone, which spreadsheets do not show"}},
		{"ugly/sheetjs/xlsx-stream-d-date-cell.xlsx", "", "D3", table.Cell{Kind: table.Number, Text: "12345678900000000000000"}},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.name)+" "+test.cell, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), filepath.Join(root, filepath.FromSlash(test.name)), Options{Sheet: test.sheet})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, row := range mustRows(t, s) {
				for column, cell := range row.Cells {
					if table.CellName(column, row.Number) == test.cell {
						if diff := cmp.Diff(test.want, cell); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
						}
						return
					}
				}
			}
			t.Error("there is no such cell")
		})
	}
}
