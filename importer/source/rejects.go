package source

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/mapping/table"
)

// belowRejects returns the options for the rows of a sheet of rejected rows. Rows that somebody has hidden, by a filter
// on their reasons, count as well.
func (o Options) belowRejects() Options {
	o.NoHeader, o.Header, o.HeaderRows, o.Footer, o.FooterRows, o.Hidden = false, 1, 1, "", 0, "keep"
	return o
}

// rejectsSheets finds the sheets of rejected rows: all that have the columns of the first one, or the one that is
// named, whatever its name. It finds none if there is no such sheet. A sheet number does not apply here: it refers to
// the job's own workbooks.
func rejectsSheets(ctx context.Context, sheets []format.Sheet, o Options) (parts []part, warnings []format.Warning, err error) {
	var first []string
	var others []string
	var unlike error
	for _, c := range sheets {
		asked := o.Sheet != "" && strings.EqualFold(strings.TrimSpace(c.Name), strings.TrimSpace(o.Sheet))
		if !c.Cells || !asked && !strings.HasPrefix(c.Name, "Rejects") {
			continue
		}
		names, err := ownHeader(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case names == nil && asked:
			unlike = &format.Error{What: "this sheet holds no rejected rows, as the workbook's others do", Sheet: c.Name, Hint: "Name one whose first column is " + table.OwnColumn("reasons") + ", or leave the sheet out to read all of them."}
		case names == nil:
		case asked:
			return []part{{table: c.Open(), sheet: c.Name, why: header.WhyRejects}}, nil, nil
		case first == nil || slices.Equal(names, first):
			first = names
			parts = append(parts, part{table: c.Open(), sheet: c.Name, why: header.WhyRejects})
		default:
			others = append(others, strconv.Quote(c.Name))
		}
	}
	if unlike != nil && len(parts) > 0 {
		return nil, nil, unlike
	}
	if len(others) > 0 {
		warnings = append(warnings, format.Warning{Code: "several_sheets", Sheet: parts[0].sheet,
			Message: fmt.Sprintf("the sheet %q was chosen; the rows on %s have other columns and were not read", parts[0].sheet, strings.Join(others, ", ")),
			Hint:    "They come from files with other columns: set sheet to their sheet's name in the job for those files, and import the workbook with it."})
	}
	return parts, warnings, nil
}

// ownHeader returns the header of a sheet of rejected rows, or nil if the sheet is not one.
func ownHeader(ctx context.Context, s format.Sheet) ([]string, error) {
	for row, err := range s.Open().Rows(ctx) {
		if err != nil {
			return nil, format.At(err, "", s.Name)
		}
		if !header.IsRejects(row) {
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
