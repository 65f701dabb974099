package cause

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Blamed is a cell that reasons point at: the row by its index in the record, the column from 0, or -1 if the reasons
// are about the row and not about one of its cells. Reasons are indexes into the record's reasons.
type Blamed struct {
	Row, Column int
	Reasons     []int
}

// Blame finds what a record's reasons point at, in the order of the reasons. A reason that names no row, or a row that
// the record does not have, is about every row of the record. If the service's words name a field, they are about the
// cells that the field was read from.
func Blame(run ledger.Run, r ledger.Record) []Blamed {
	var list []Blamed
	for n, why := range r.Reasons {
		var fields []string
		if RefusedByService(r) {
			fields = namedFields(r, why)
		}
		for _, row := range rowsOf(r, why) {
			for _, column := range columnsOf(run, r.Rows[row].Source, why, fields) {
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

// rowsOf returns the rows of the record that a reason is about, by index. Rows of several sources may have the same
// number.
func rowsOf(r ledger.Record, why ledger.Reason) []int {
	number := why.Row
	if number == 0 {
		_, number = splitCell(why.Cell)
	}
	var named, all []int
	for n, row := range r.Rows {
		all = append(all, n)
		if row.Number == number && (why.Source == 0 || row.Source == why.Source-1) {
			named = append(named, n)
		}
	}
	if len(named) == 0 || why.Code == reason.Duplicate { // each of them may be the one to correct
		return all
	}
	return named
}

// columnsOf returns the columns of a row that a reason is about, or -1 if it is about the row: the column of its cell,
// those that the fields were read from, or the one with that name if there is only one.
func columnsOf(run ledger.Run, source int, why ledger.Reason, fields []string) []int {
	letters, _ := splitCell(why.Cell)
	if column, ok := table.ColumnNumber(letters); ok {
		return []int{column}
	}
	if columns := originColumns(run, source, fields); len(columns) > 0 {
		return columns
	}
	if why.Column != "" {
		header := wording.SourceOf(run, source).Header
		if at := slices.Index(header, why.Column); at >= 0 && !slices.Contains(header[at+1:], why.Column) {
			return []int{at}
		}
	}
	return []int{-1}
}

// splitCell splits a cell's address into the letters of its column and the number of its row, 0 for none.
func splitCell(cell string) (letters string, row int) {
	digits := strings.TrimLeft(cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	row, _ = strconv.Atoi(digits)
	return strings.TrimSuffix(cell, digits), row
}

// RowReasons returns the cells at fault and the reasons for one row of a record, by its index. For a row with nothing
// wrong in it, in a record that did not go in, it returns a reason without a code that says so.
func RowReasons(run ledger.Run, r ledger.Record, index int) (cells []string, reasons []ledger.Reason) {
	if outcome.Of(r) != outcome.Rejected {
		return nil, nil
	}
	for _, b := range Blame(run, r) {
		if b.Row != index {
			continue
		}
		if b.Column >= 0 && len(r.Rows) > index {
			cells = append(cells, table.CellName(b.Column, r.Rows[index].Number))
		}
		for _, n := range b.Reasons {
			reasons = append(reasons, r.Reasons[n])
		}
	}
	if len(reasons) > 0 {
		return cells, reasons
	}
	said := cmp.Or(r.Message, "no reason was recorded")
	if len(r.Reasons) > 0 {
		said = fmt.Sprintf("nothing is wrong here: another row of %s needs correcting, and they are imported together", cmp.Or(r.Key, "this record"))
	}
	return cells, []ledger.Reason{{Message: said}}
}

// Elsewhere says why a record cannot be corrected in a workbook of rejects, apart from its file; "" if it can.
func Elsewhere(r ledger.Record) string {
	for _, why := range r.Reasons {
		switch {
		case why.Code == reason.Hidden:
			return "its row is hidden there, and here it would be sent with the others"
		case reason.TotalRow == why.Code+"/"+why.Form:
			return "its row is the total row of a table there, and here it would be sent with the others"
		case why.Code == reason.Split:
			return "the rest of a cell may stand in another row of it"
		}
	}
	return ""
}

var (
	// namedFirst matches the field names that a message begins with: "client_id: is not known", "files[2].number: …",
	// "client_id, user_id: …". The client writes the fields of a structured answer in the same way.
	namedFirst = regexp.MustCompile(`^(` + namedPath + `(?:, ?` + namedPath + `)*):(?:\s|$)`)
	// inComponents matches an element of components, or a member of one.
	inComponents = regexp.MustCompile(`^components\[(\d+)\]`)
)

const namedPath = `[A-Za-z_][A-Za-z0-9_]*(?:\[\d+\]|\.[A-Za-z0-9_-]+)*`

// namedFields returns the fields that the service names at the beginning of its message, spelled as in origins; none if
// the message does not begin with names alone. Names inside a sentence do not count: "name" and "number" are also plain
// words.
func namedFields(r ledger.Record, why ledger.Reason) []string {
	found := namedFirst.FindStringSubmatch(why.Message)
	if found == nil {
		return nil
	}
	var fields []string
	for name := range strings.SplitSeq(found[1], ",") {
		name = strings.TrimSpace(name)
		if place := inComponents.FindStringSubmatch(name); place != nil {
			fields = append(fields, "components."+componentAt(r, place[1]))
			continue
		}
		fields = append(fields, payload.FieldOf(name))
	}
	return fields
}

// componentAt returns the id of the component that was sent at a place, or "" if there is none.
func componentAt(r ledger.Record, place string) string {
	body := r.Body
	if len(body) == 0 {
		body = r.Payload
	}
	components, unread := payload.Components(body)
	at, err := strconv.Atoi(place)
	if unread != nil || err != nil || at >= len(components) {
		return ""
	}
	return components[at].ID
}

// keyOrigin is the origin of a record's key, which is not a field of the service.
const keyOrigin = "key"

// originColumns returns the columns of a source that the fields were read from, each once; none if the run did not
// record them.
func originColumns(run ledger.Run, source int, fields []string) []int {
	var columns []int
	for _, origin := range wording.SourceOf(run, source).Origins {
		if origin.Field == keyOrigin || !slices.Contains(fields, origin.Field) {
			continue
		}
		for _, column := range origin.Columns {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}
