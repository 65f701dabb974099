package rejects

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report/corrected"
	"docketsync/importer/report/wording"
	"docketsync/importer/report/workbook"
	"docketsync/mapping/table"
)

// rejectsSheet holds the rows of all sources with one header: the rows of a record that stand in several files have to
// be imported together.
type rejectsSheet struct {
	*workbook.Sheet
	header []string
	kept   []int          // the original columns that are written, by their index
	last   map[int]string // the format that a column had last
	files  []string
}

// sheetFor returns the sheet for rows of a source, with room for as many rows as are to follow.
func (r *rejectsWriter) sheetFor(source, room int) *rejectsSheet {
	header := wording.SourceOf(r.summary.Run, source).Header
	shape := strings.Join(header, "\x00")
	sheet := r.byShape[shape]
	if sheet == nil || sheet.Rows+room > workbook.Rows {
		sheet = r.newSheet(header)
		r.byShape[shape] = sheet
	}
	if name := wording.SourceName(r.summary.Run, source); !slices.Contains(sheet.files, name) && len(sheet.files) < 50 {
		sheet.files = append(sheet.files, name)
	}
	return sheet
}

func (r *rejectsWriter) newSheet(header []string) *rejectsSheet {
	name := "Rejects"
	if len(r.sheets) > 0 {
		name = fmt.Sprintf("Rejects %d", len(r.sheets)+1)
	}
	sheet := &rejectsSheet{Sheet: r.book.Sheet(name, true, ownWidths...), header: header, last: map[int]string{}}
	own, original := r.book.Style(workbook.Look{Fill: fillOwn, Bold: true}), r.book.Style(workbook.Look{Format: formatText, Bold: true})
	var names []any
	for _, name := range corrected.Columns {
		names = append(names, excelize.Cell{StyleID: own, Value: name})
	}
	for column, name := range header {
		if !table.IsOwnColumn(name) {
			sheet.kept = append(sheet.kept, column)
			names = append(names, name)
		}
	}
	for n, column := range sheet.kept[:min(len(sheet.kept), workbook.Columns-len(ownWidths))] {
		at := len(ownWidths) + 1 + n
		sheet.Width(at, at, float64(min(max(18, utf8.RuneCountInString(header[column])+3), 40))) // with the button of the filter
	}
	sheet.Put(original, names...)
	r.sheets = append(r.sheets, sheet)
	return sheet
}

// columns are the original columns to write for a row: those of the header, and those behind it that only this row has.
func (s *rejectsSheet) columns(width int) []int {
	columns := s.kept
	for column := len(s.header); column < width; column++ {
		columns = append(columns[:len(columns):len(columns)], column)
	}
	return columns
}
