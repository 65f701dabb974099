// Package rejects writes rejects.xlsx, the rows to correct and import again.
//
// The first sheet, Causes, is for the person who opens the workbook: what is wrong, grouped, and how to continue. The
// workbook opens on the sheet Rejects, because programs save the open sheet as CSV. That sheet has its header in row 1:
// docketsync's own columns, then those of the source, with their names, order and kinds of cells. A mapping finds
// columns by name, so the same mapping imports the corrected sheet; package source recognises the sheet by its first
// column, whatever sheet, header and footer the job's own source has. Sources with the same columns share a sheet,
// because the rows of one record may be in several files and have to be imported together; other sources have sheets of
// their own. All rows of a rejected record are there, including those with nothing wrong in them. Records that failed
// or are held are not: the next run sends them. Nor are records in doubt: imported again, they might be created twice.
// A record that a worksheet cannot hold without changing it (a cell too long, a control character) is named on the
// sheet of causes instead.
//
// The cells that a reason points at are named, coloured and have a note. If the service's words begin with names of
// fields ("client_id: is not known"), these are the cells from which those fields were read, by the run's origins.
//
// Cells come from anywhere. They are inline strings, never formulas, unless they were numbers, dates or booleans
// before.
package rejects

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/report/workbook"
	"docketsync/mapping/table"
)

var ownWidths = []float64{64, 22, 14, 12}

// maxComments limits the notes on cells: many more would slow a spreadsheet down.
const maxComments = 5000

// rejectsWriter fills the workbook as records come in. Rows are streamed to temporary files.
type rejectsWriter struct {
	out     io.Writer
	summary *report.Summary
	book    *workbook.Book
	sheets  []*rejectsSheet
	byShape map[string]*rejectsSheet // the sheet being filled, by the header of its sources

	comments int
	unfit    []string // records that no worksheet can hold, a sentence each
	unfits   int
}

// New begins a workbook.
func New(w io.Writer, s *report.Summary, folder string) *rejectsWriter {
	book, calculate := workbook.New("Rejects of "+s.Run.Job, s.Run.ID, s.Run.Started, folder), true
	book.Keep(book.File.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &calculate}))
	return &rejectsWriter{out: w, book: book, summary: s, byShape: map[string]*rejectsSheet{}}
}

func (r *rejectsWriter) Add(e report.Entry) error {
	if outcome.Of(e.Record) != outcome.Rejected {
		return nil
	}
	if len(e.Rows) == 0 {
		r.leaveOut(e, "it was made of no row")
		return nil
	}
	if why := cause.Elsewhere(e.Record); why != "" { // here, nobody who corrects other rows and imports them all would notice it
		r.leaveOut(e, why)
		return nil
	}
	rows := make([][]table.Cell, len(e.Rows))
	for n, row := range e.Rows {
		cells, err := table.StoredCells(row.Cells)
		if err != nil {
			return fmt.Errorf("row %d: %w", row.Number, err)
		}
		if why := unfit(row, cells); why != "" {
			r.leaveOut(e, why)
			return nil
		}
		rows[n] = cells
	}
	faults := cause.Blame(r.summary.Run, e.Record)
	for n, row := range e.Rows {
		r.row(r.sheetFor(row.Source, len(e.Rows)-n), e, n, rows[n], faults)
		if err := r.book.Err(); err != nil {
			return fmt.Errorf("write row %d into the workbook of rejects: %w", row.Number, err)
		}
	}
	return nil
}

// unfit says why a worksheet cannot hold a row, or "" if it can.
func unfit(row ledger.Row, cells []table.Cell) string {
	switch {
	case cells == nil:
		return fmt.Sprintf("the cells of row %d were not kept", row.Number)
	case len(cells)+len(corrected.Columns) > workbook.Columns:
		return fmt.Sprintf("row %d has %d columns, and with those in front a worksheet cannot hold them", row.Number, len(cells))
	}
	for column, c := range cells {
		if !workbook.Fits(c.Text) {
			return fmt.Sprintf("cell %s is longer than the %d characters that a worksheet's cell can hold", table.CellName(column, row.Number), workbook.CellLength)
		}
		if at := strings.IndexFunc(c.Text, workbook.Unwritable); at >= 0 {
			letter, _ := utf8.DecodeRuneInString(c.Text[at:])
			return fmt.Sprintf("cell %s holds the character %U, which a worksheet cannot hold", table.CellName(column, row.Number), letter)
		}
	}
	return ""
}

// mostUnfit limits how many of these records are named.
const mostUnfit = 100

// leaveOut remembers a record that the workbook cannot hold unchanged; the sheet of causes names it.
func (r *rejectsWriter) leaveOut(e report.Entry, why string) {
	r.unfits++
	if len(r.unfit) < mostUnfit {
		r.unfit = append(r.unfit, fmt.Sprintf("%s (%s) is not in this workbook: %s. Correct it in the original file.", cmp.Or(e.Key, "A record without a key"), wording.Positions(r.summary.Run, e.Rows), why))
	}
}

// row writes one row of a record: what is wrong with it, and its cells as they were.
func (r *rejectsWriter) row(sheet *rejectsSheet, e report.Entry, index int, cells []table.Cell, faults []cause.Blamed) {
	at, reasons := cause.RowReasons(r.summary.Run, e.Record, index)
	own := workbook.Look{Fill: fillOwn, Wrap: true}
	if len(faults) > 0 && reasons[0].Code == "" {
		own.Italic, own.Ink = true, "5F6670"
	}
	var lines []string
	if by := r.summary.AcknowledgedBy(e.Record); by != "" {
		lines = append(lines, wording.Sentence(by))
	}
	for _, reason := range reasons {
		line := reason.Message
		if reason.Code != "" {
			line = strings.TrimSpace(wording.Sentence(line) + " " + reason.Hint)
		}
		if reason.Cell != "" && !strings.Contains(reason.Message, reason.Cell) {
			line = reason.Cell + ": " + line
		}
		lines = append(lines, line)
	}
	var values []any
	for _, text := range []string{
		strings.Join(lines, "\n"),
		corrected.Place(r.summary.Run, e.Rows[index]),
		strings.Join(at, " "), corrected.NewMark(r.summary.Run.ID, e.Seq).String(),
	} {
		values = append(values, wording.Short(text, workbook.CellLength/4))
	}
	dates := wording.SourceOf(r.summary.Run, e.Rows[index].Source).DateFormats
	for _, column := range sheet.columns(len(cells)) {
		var c table.Cell
		if column < len(cells) {
			c = cells[column]
		}
		wrong := slices.IndexFunc(faults, func(b cause.Blamed) bool { return b.Row == index && b.Column == column })
		values = append(values, r.cell(sheet, column, c, dates[column], wrong >= 0))
		if wrong >= 0 {
			r.comment(sheet, len(values), e.Record, faults[wrong].Reasons)
		}
	}
	sheet.Put(r.book.Style(own), values...)
}

func (r *rejectsWriter) End() error {
	defer r.book.Close()
	if len(r.sheets) == 0 {
		r.sheetFor(0, 1)
	}
	for _, sheet := range r.sheets {
		last, err := excelize.CoordinatesToCellName(min(len(corrected.Columns)+len(sheet.kept), workbook.Columns), max(sheet.Rows, 2))
		r.book.Keep(err)
		r.book.Keep(r.book.File.AutoFilter(sheet.Name, "A1:"+last, nil))
	}
	r.writeCauses()
	r.book.Keep(r.book.File.MoveSheet(causesSheet, r.sheets[0].Name))
	r.book.File.SetActiveSheet(1) // the sheet of rows: programs save the active sheet as CSV
	if err := r.book.Write(r.out); err != nil {
		return fmt.Errorf("write the workbook of rejects: %w", err)
	}
	return nil
}

// rejectsSheet holds the rows of all sources with one header: the rows of a record that stand in several files have to
// be imported together.
type rejectsSheet struct {
	*workbook.Sheet
	header []string
	kept   []int          // the original columns that are written, by index
	last   map[int]string // the last format of each column
	files  []string
}

// sheetFor returns the sheet for rows of a source, with room for that many rows.
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
		sheet.Width(at, at, float64(min(max(18, utf8.RuneCountInString(header[column])+3), 40))) // leaves room for the filter button
	}
	sheet.Put(original, names...)
	r.sheets = append(r.sheets, sheet)
	return sheet
}

// columns returns the original columns to write for a row: those of the header, and those beyond it that only this row
// has.
func (s *rejectsSheet) columns(width int) []int {
	columns := s.kept
	for column := len(s.header); column < width; column++ {
		columns = append(columns[:len(columns):len(columns)], column)
	}
	return columns
}
