package source

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
)

// belowRejects are the options for the rows of a sheet of rejected rows. That somebody hid rows, by a filter on their
// reasons, does not make them less meant.
func (o Options) belowRejects() Options {
	o.NoHeader, o.Header, o.HeaderRows, o.Footer, o.FooterRows, o.Hidden = false, 1, 1, "", 0, "keep"
	return o
}

// rejectsSheets finds the sheets of rejected rows: all that have the columns of the first one, or the one that was asked for by
// its name. None is found where there is no such sheet.
func rejectsSheets(ctx context.Context, sheets []format.Sheet, o Options) (parts []part, warnings []format.Warning, err error) {
	var first []string
	var others []string
	for _, c := range sheets {
		if !c.Cells || !strings.HasPrefix(c.Name, "Rejects") {
			continue
		}
		names, err := ownHeader(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case names == nil:
		case c.Name == o.Sheet:
			return []part{{table: c.Open(), sheet: c.Name, why: header.WhyRejects}}, nil, nil
		case first == nil || slices.Equal(names, first):
			first = names
			parts = append(parts, part{table: c.Open(), sheet: c.Name, why: header.WhyRejects})
		default:
			others = append(others, strconv.Quote(c.Name))
		}
	}
	if len(others) > 0 {
		warnings = append(warnings, format.Warning{Code: "several_sheets", Sheet: parts[0].sheet,
			Message: fmt.Sprintf("the sheet %q was chosen; the rows on %s have other columns and were not read", parts[0].sheet, strings.Join(others, ", ")),
			Hint:    "They come from files with other columns: set sheet to their sheet's name in the job for those files, and import the workbook with it."})
	}
	return parts, warnings, nil
}

// ownHeader is the header of a sheet of rejected rows, nil when the sheet is none.
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
