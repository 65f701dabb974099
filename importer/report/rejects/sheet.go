package rejects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/report/corrected"
	"docketsync/importer/report/wording"
)

// rejectsSheet holds the rows of all sources with one header: the rows of a record that stand in several files have to
// be imported together.
type rejectsSheet struct {
	name   string
	stream *excelize.StreamWriter
	header []string
	kept   []int // the original columns that are written, by their index
	rows   int   // written, the header included
	last   map[int]int
	files  []string
}

// sheetFor returns the sheet for rows of a source, with room for as many rows as are to follow.
func (r *rejectsWriter) sheetFor(source, room int) (*rejectsSheet, error) {
	var header []string
	if source >= 0 && source < len(r.summary.Run.Sources) {
		header = r.summary.Run.Sources[source].Header
	}
	shape := strings.Join(header, "\x00")
	sheet := r.byShape[shape]
	if sheet == nil || sheet.rows+room > sheetRows {
		var err error
		if sheet, err = r.newSheet(header); err != nil {
			return nil, err
		}
		r.byShape[shape] = sheet
	}
	if name := wording.SourceName(r.summary.Run, source); !slices.Contains(sheet.files, name) && len(sheet.files) < 50 {
		sheet.files = append(sheet.files, name)
	}
	return sheet, nil
}

func (r *rejectsWriter) newSheet(header []string) (*rejectsSheet, error) {
	sheet := &rejectsSheet{name: "Rejects", header: header, last: map[int]int{}}
	if len(r.sheets) == 0 {
		if err := r.file.SetSheetName("Sheet1", sheet.name); err != nil {
			return nil, err
		}
	} else {
		sheet.name = fmt.Sprintf("Rejects %d", len(r.sheets)+1)
		if _, err := r.file.NewSheet(sheet.name); err != nil {
			return nil, err
		}
	}
	for column, name := range header {
		if !corrected.Own(name) {
			sheet.kept = append(sheet.kept, column)
		}
	}
	r.sheets = append(r.sheets, sheet)
	return sheet, r.writeHeader(sheet)
}

func (r *rejectsWriter) writeHeader(sheet *rejectsSheet) (err error) {
	if sheet.stream, err = r.file.NewStreamWriter(sheet.name); err != nil {
		return err
	}
	for n, width := range ownWidths {
		if err := sheet.stream.SetColWidth(n+1, n+1, width); err != nil {
			return err
		}
	}
	if len(sheet.kept) > 0 {
		if err := sheet.stream.SetColWidth(len(ownWidths)+1, min(len(ownWidths)+len(sheet.kept), sheetColumns), 18); err != nil {
			return err
		}
	}
	if err := sheet.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	values := make([]any, 0, len(corrected.Columns)+len(sheet.kept))
	for _, name := range corrected.Columns {
		values = append(values, excelize.Cell{StyleID: r.styles.id(style{own: true, bold: true}), Value: name})
	}
	for _, column := range sheet.kept {
		values = append(values, excelize.Cell{StyleID: r.styles.id(style{format: formatText, bold: true}), Value: sheet.header[column]})
	}
	sheet.rows = 1
	return sheet.stream.SetRow("A1", values)
}

// columns are the original columns to write for a row: those of the header, and those behind it that only this row has.
func (s *rejectsSheet) columns(width int) []int {
	columns := s.kept
	for column := len(s.header); column < width; column++ {
		columns = append(columns[:len(columns):len(columns)], column)
	}
	return columns
}
