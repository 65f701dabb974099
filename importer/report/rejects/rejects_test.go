package rejects

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/mapping/table"
)

// written are the rows of the sheet of rejects below its header, without docketsync's own columns, of a workbook of these records.
func written(t *testing.T, records ...ledger.Record) (rows [][]string) {
	t.Helper()
	var out bytes.Buffer
	r := New(&out, &report.Summary{Run: ledger.Run{ID: "run", Sources: []ledger.Source{{File: "a.csv", Header: []string{"Ref", "Number"}}}}}, t.TempDir())
	for n, record := range records {
		record.Run, record.Seq = "run", int64(n+1)
		if err := r.Add(report.Entry{Record: record}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.GetRows("Rejects")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		rows = append(rows, row[len(ownWidths):])
	}
	return rows
}

func row(number int, cells ...table.Cell) ledger.Row {
	return ledger.Row{Number: number, Cells: table.AppendCells(nil, cells)}
}

func text(s string) table.Cell { return table.Cell{Kind: table.Text, Text: s} }

// All rows of all rejected and refused records are in the workbook, and nothing of those that the next run sends or that may be in.
func TestEveryRowOfEveryRejectIsThere(t *testing.T) {
	t.Parallel()
	var records []ledger.Record
	var want [][]string
	number := 2
	for n, state := range []ledger.State{ledger.Rejected, ledger.Refused, ledger.Accepted, ledger.Rejected, ledger.Failed, ledger.InDoubt, ledger.Held, ledger.Unchanged, ledger.Rejected} {
		record := ledger.Record{Key: fmt.Sprint("R", n), State: state}
		for range n%3 + 1 {
			record.Rows = append(record.Rows, row(number, text(record.Key), text(fmt.Sprintf("%03d", number))))
			if state == ledger.Rejected || state == ledger.Refused {
				record.Reasons = []ledger.Reason{{Code: "wrong", Message: "it is wrong"}}
				want = append(want, []string{record.Key, fmt.Sprintf("%03d", number)})
			}
			number++
		}
		records = append(records, record)
	}
	if diff := cmp.Diff(want, written(t, records...)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A number of which the source gave the text alone that its sheet shows, without a number format that a worksheet could show it by,
// is not left with its digits.
func TestANumberIsWrittenAsItsSheetShowsIt(t *testing.T) {
	t.Parallel()
	number := func(digits, shown string) table.Cell {
		return table.Cell{Kind: table.Number, Text: digits, Shown: &table.Shown{Text: shown}}
	}
	var rows []ledger.Row
	want := [][]string{}
	for n, c := range []table.Cell{number("42", "TM-0042"), number("7.50", "7.50 EUR"), number("0042", "0042 A")} {
		rows = append(rows, row(n+2, text("R"), c))
		want = append(want, []string{"R", c.Shown.Text})
	}
	got := written(t, ledger.Record{Key: "R", State: ledger.Rejected, Rows: rows, Reasons: []ledger.Reason{{Code: "wrong", Message: "it is wrong"}}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}
