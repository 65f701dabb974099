package report

import (
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
)

// blamed is a cell that reasons point at: the row by its index in the record, the column from 0, or -1 when the reasons
// are about the row and not about one of its cells. Reasons are indexes into the record's reasons.
type blamed struct {
	row, column int
	reasons     []int
}

// blame finds what a record's reasons point at, in the order of the reasons. A reason that names no row is about every
// row of the record, and so is one that names a row the record does not have.
func blame(run ledger.Run, r ledger.Record) []blamed {
	var list []blamed
	for n, reason := range r.Reasons {
		number := rowOf(reason)
		if !slices.ContainsFunc(r.Rows, func(row ledger.Row) bool { return row.Number == number }) {
			number = 0
		}
		for row := range r.Rows {
			if number != 0 && number != r.Rows[row].Number {
				continue
			}
			column := columnOf(reason.Cell)
			if column < 0 {
				column = headerColumn(run, r.Rows[row].Source, reason.Column)
			}
			at := slices.IndexFunc(list, func(b blamed) bool { return b.row == row && b.column == column })
			if at < 0 {
				at = len(list)
				list = append(list, blamed{row: row, column: column})
			}
			list[at].reasons = append(list[at].reasons, n)
		}
	}
	return list
}

// rowOf is the row a reason is about, 0 when it is about the whole record.
func rowOf(reason ledger.Reason) int {
	if reason.Row != 0 {
		return reason.Row
	}
	number, err := strconv.Atoi(strings.TrimLeft(reason.Cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil {
		return 0
	}
	return number
}

// headerColumn is the column of that name, -1 when there is none or the name stands there twice.
func headerColumn(run ledger.Run, source int, name string) int {
	if name == "" || source < 0 || source >= len(run.Sources) {
		return -1
	}
	header := run.Sources[source].Header
	at := slices.Index(header, name)
	if at >= 0 && slices.Contains(header[at+1:], name) {
		return -1
	}
	return at
}
