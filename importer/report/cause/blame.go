package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/mapping/table"
)

// Blamed is a cell that reasons point at: the row by its index in the record, the column from 0, or -1 when the reasons
// are about the row and not about one of its cells. Reasons are indexes into the record's reasons.
type Blamed struct {
	Row, Column int
	Reasons     []int
}

// Blame finds what a record's reasons point at, in the order of the reasons. A reason that names no row is about every
// row of the record, and so is one that names a row the record does not have. What the service says of a field is about
// the cells that the field was read from.
func Blame(run ledger.Run, r ledger.Record) []Blamed {
	var list []Blamed
	for n, reason := range r.Reasons {
		var fields []string
		if RefusedByService(r) {
			fields = namedFields(r, reason)
		}
		for _, row := range rowsOf(r, reason) {
			for _, column := range columnsOf(run, r.Rows[row].Source, reason, fields) {
				at := slices.IndexFunc(list, func(b Blamed) bool { return b.Row == row && b.Column == column })
				if at < 0 {
					at = len(list)
					list = append(list, Blamed{Row: row, Column: column})
				}
				list[at].Reasons = append(list[at].Reasons, n)
			}
		}
	}
	return list
}

// rowsOf are the rows of the record that a reason is about, by their indexes. Rows of several sources may have one number.
func rowsOf(r ledger.Record, reason ledger.Reason) []int {
	number := rowOf(reason)
	var named []int
	for n, row := range r.Rows {
		if row.Number == number && (reason.Source == 0 || row.Source == reason.Source-1) {
			named = append(named, n)
		}
	}
	if len(named) > 0 {
		return named
	}
	for n := range r.Rows {
		named = append(named, n)
	}
	return named
}

// columnsOf are the columns of a row that a reason is about, -1 alone when it is about the row.
func columnsOf(run ledger.Run, source int, reason ledger.Reason, fields []string) []int {
	if column := columnOf(reason.Cell); column >= 0 {
		return []int{column}
	}
	if columns := originColumns(run, source, fields); len(columns) > 0 {
		return columns
	}
	return []int{headerColumn(run, source, reason.Column)}
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

// columnOf is the column of a cell's address, -1 when there is none: "C17" is 2.
func columnOf(cell string) int {
	column := 0
	for n, letter := range cell {
		if letter < 'A' || letter > 'Z' {
			if n == 0 {
				return -1
			}
			break
		}
		column = column*26 + int(letter-'A') + 1
		if column > 1<<14 {
			return -1
		}
	}
	return column - 1
}

// RowReasons are the cells at fault, the reasons and the hints for one row of a record, by its index. A row that nothing
// is wrong with, in a record that did not go in, says so.
func RowReasons(run ledger.Run, r ledger.Record, index int) (cells, reasons, hints []string) {
	if outcome.Of(r) != outcome.Rejected {
		return nil, nil, nil
	}
	for _, b := range Blame(run, r) {
		if b.Row != index {
			continue
		}
		if b.Column >= 0 && len(r.Rows) > index {
			cells = append(cells, table.CellName(b.Column, r.Rows[index].Number))
		}
		for _, n := range b.Reasons {
			reasons = append(reasons, r.Reasons[n].Message)
			if hint := r.Reasons[n].Hint; hint != "" && !slices.Contains(hints, hint) {
				hints = append(hints, hint)
			}
		}
	}
	if len(reasons) == 0 {
		reasons = []string{innocent(r)}
	}
	return cells, reasons, hints
}

// innocent is said of a row with nothing wrong in it that stays out because of the others of its record.
func innocent(r ledger.Record) string {
	if len(r.Reasons) == 0 {
		return cmp.Or(r.Message, "no reason was recorded")
	}
	return fmt.Sprintf("nothing is wrong here: another row of %s needs correcting, and they are imported together", cmp.Or(r.Key, "this record"))
}
