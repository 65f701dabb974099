package source

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/mapping/table"
)

// ownColumn is the first cell of every sheet of rejected rows that docketsync writes, and so of what somebody has saved of
// it in another format. Whatever a job says about its source's sheet, header and footer is not about such a sheet: its
// header is its first row, and all below it is rows.
const ownColumn = "docketsync: reasons"

const whyRejects = "it holds the rows that docketsync rejected"

// rejectsHeader tells whether a row is the header of a sheet of rejected rows.
func rejectsHeader(row table.Row) bool {
	return row.Number == 1 && len(row.Cells) > 0 && strings.TrimSpace(row.Cells[0].Text) == ownColumn
}

// belowRejects are the options for the rows of a sheet of rejected rows. That somebody hid rows, by a filter on their
// reasons, does not make them less meant.
func (o Options) belowRejects() Options {
	o.NoHeader, o.Header, o.HeaderRows, o.Footer, o.FooterRows, o.IgnoreHidden = false, 1, 1, "", 0, false
	return o
}

// rejectsSheets finds the sheets of rejected rows: all that have the columns of the first one, or the one that was asked for by
// its name. None is found where there is no such sheet.
func rejectsSheets(ctx context.Context, sheets []candidate, o Options) (tables []grid, warnings []Warning, err error) {
	var first []string
	var others []string
	for _, c := range sheets {
		if !c.table || !strings.HasPrefix(c.name, "Rejects") {
			continue
		}
		header, err := ownHeader(ctx, c.open(""))
		if err != nil {
			return nil, nil, err
		}
		switch {
		case header == nil:
		case c.name == o.Sheet:
			return []grid{c.open(whyRejects)}, nil, nil
		case first == nil || slices.Equal(header, first):
			first = header
			tables = append(tables, c.open(whyRejects))
		default:
			others = append(others, strconv.Quote(c.name))
		}
	}
	if len(others) > 0 {
		warnings = append(warnings, Warning{Code: "several_sheets", Sheet: tables[0].sheet(),
			Message: fmt.Sprintf("the sheet %q was taken; the rows on %s have other columns and were not read", tables[0].sheet(), strings.Join(others, ", ")),
			Hint:    "They come from files with other columns: set sheet to their sheet's name in the job for those files, and import the workbook with it."})
	}
	return tables, warnings, nil
}

// ownHeader is the header of a sheet of rejected rows, nil when the sheet is none.
func ownHeader(ctx context.Context, t grid) ([]string, error) {
	for row, err := range t.rows(ctx) {
		if err != nil {
			return nil, at(err, "", t.sheet())
		}
		if !rejectsHeader(row) {
			return nil, nil
		}
		var names []string
		for _, c := range row.Cells {
			names = append(names, c.Text)
		}
		return names, nil
	}
	return nil, nil
}
