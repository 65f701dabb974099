package rejects

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

var ownWidths = []float64{64, 22, 14, 12}

// The limits of a worksheet, and how many notes are put on cells: a spreadsheet slows down over many more.
const (
	sheetRows    = 1048576
	sheetColumns = 16384
	cellLength   = 32767 // UTF-16 units
	maxComments  = 5000
)

// rejectsWriter fills the workbook as records come. Rows are streamed to temporary files.
type rejectsWriter struct {
	out     io.Writer
	folder  string // of the temporary files, "" for the system's
	summary *report.Summary
	file    *excelize.File
	styles  styles
	sheets  []*rejectsSheet
	byShape map[string]*rejectsSheet // the one being filled, by the header of its sources

	comments int
	unfit    []string // records that no worksheet can hold, a sentence each
	unfits   int
}

func New(w io.Writer, s *report.Summary, folder string) *rejectsWriter {
	return &rejectsWriter{out: w, folder: folder, summary: s, byShape: map[string]*rejectsSheet{}}
}

func (r *rejectsWriter) Begin() error {
	r.file = excelize.NewFile(excelize.Options{TmpDir: r.folder})
	r.styles = styles{file: r.file, known: map[style]int{}}
	calculate := true
	if err := r.file.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &calculate}); err != nil {
		return err
	}
	return r.file.SetDocProps(&excelize.DocProperties{
		Creator: "docketsync", LastModifiedBy: "docketsync", Title: "Rejects of " + r.summary.Run.Job, Identifier: r.summary.Run.ID,
		Created: r.summary.Run.Started.UTC().Format("2006-01-02T15:04:05Z"), Modified: r.summary.Run.Started.UTC().Format("2006-01-02T15:04:05Z"),
	})
}

// Complete says that the workbook has the rejects that a check does not list, too.
func (r *rejectsWriter) Complete() {}

func (r *rejectsWriter) Add(e report.Entry) error {
	if outcome.Of(e.Record) != outcome.Rejected {
		return nil
	}
	if len(e.Rows) == 0 {
		r.leaveOut(e, "it was made of no row")
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
		sheet, err := r.sheetFor(row.Source, len(e.Rows)-n)
		if err != nil {
			return err
		}
		if err := r.row(sheet, e, n, rows[n], faults); err != nil {
			return fmt.Errorf("write row %d into the workbook of rejects: %w", row.Number, err)
		}
	}
	return nil
}

// unfit says why a worksheet cannot hold a row, "" when it can.
func unfit(row ledger.Row, cells []table.Cell) string {
	switch {
	case cells == nil:
		return fmt.Sprintf("the cells of row %d were not kept", row.Number)
	case len(cells)+len(corrected.Columns) > sheetColumns:
		return fmt.Sprintf("row %d has %d columns, and with those in front a worksheet cannot hold them", row.Number, len(cells))
	}
	for column, c := range cells {
		if len(c.Text) > cellLength && len(utf16.Encode([]rune(c.Text))) > cellLength {
			return fmt.Sprintf("cell %s is longer than the %d characters that a worksheet's cell can hold", table.CellName(column, row.Number), cellLength)
		}
		if at := strings.IndexFunc(c.Text, unwritable); at >= 0 {
			letter, _ := utf8.DecodeRuneInString(c.Text[at:])
			return fmt.Sprintf("cell %s holds the character %U, which a worksheet cannot hold", table.CellName(column, row.Number), letter)
		}
	}
	return ""
}

// unwritable tells the characters that no XML document can hold. What there is to write them in worksheets all the same
// is not understood by all programs.
func unwritable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// mostUnfit is how many of them are named.
const mostUnfit = 100

// leaveOut remembers a record that the workbook cannot hold without changing it: it is named on the sheet of causes.
func (r *rejectsWriter) leaveOut(e report.Entry, why string) {
	r.unfits++
	if len(r.unfit) < mostUnfit {
		r.unfit = append(r.unfit, fmt.Sprintf("%s (%s) is not in this workbook: %s. Correct it in the original file.", cmp.Or(e.Key, "A record without a key"), wording.Positions(r.summary.Run, e.Rows), why))
	}
}

// row writes one row of a record: what is wrong with it, and its cells as they were.
func (r *rejectsWriter) row(sheet *rejectsSheet, e report.Entry, index int, cells []table.Cell, faults []cause.Blamed) error {
	at, reasons, _ := cause.RowReasons(r.summary.Run, e.Record, index)
	own := style{own: true, wrap: true, quiet: len(at) == 0 && len(faults) > 0 && !pointed(faults, index)}
	values := make([]any, 0, len(corrected.Columns)+len(cells))
	for _, text := range []string{
		strings.Join(withHints(e.Record, faults, index, reasons), "\n"),
		fmt.Sprintf("%s row %d", wording.SourceName(r.summary.Run, e.Rows[index].Source), e.Rows[index].Number),
		strings.Join(at, " "), corrected.NewMark(r.summary.Run.ID, e.Seq).String(),
	} {
		values = append(values, excelize.Cell{StyleID: r.styles.id(own), Value: wording.Short(text, cellLength/4)})
	}
	sheet.rows++
	dates := dateFormats(r.summary.Run, e.Rows[index].Source)
	for n, column := range sheet.columns(len(cells)) {
		var c table.Cell
		if column < len(cells) {
			c = cells[column]
		}
		wrong := reasonsAt(faults, index, column)
		value := r.cell(sheet, column, c, dates[column], len(wrong) > 0)
		values = append(values, value)
		if len(wrong) > 0 {
			if err := r.comment(sheet, len(corrected.Columns)+n, e.Record, wrong); err != nil {
				return err
			}
		}
	}
	return sheet.stream.SetRow(fmt.Sprintf("A%d", sheet.rows), values)
}

func (r *rejectsWriter) End() error {
	defer r.file.Close()
	if len(r.sheets) == 0 {
		if _, err := r.sheetFor(0, 1); err != nil {
			return err
		}
	}
	for _, sheet := range r.sheets {
		last, err := excelize.CoordinatesToCellName(min(len(corrected.Columns)+len(sheet.kept), sheetColumns), max(sheet.rows, 2))
		if err != nil {
			return err
		}
		if err := r.file.AutoFilter(sheet.name, "A1:"+last, nil); err != nil {
			return err
		}
		if err := sheet.stream.Flush(); err != nil {
			return fmt.Errorf("write the workbook of rejects: %w", err)
		}
	}
	if err := r.writeCauses(); err != nil {
		return fmt.Errorf("write the sheet of causes: %w", err)
	}
	if err := r.file.MoveSheet(causesSheet, r.sheets[0].name); err != nil {
		return fmt.Errorf("put the sheet of causes first: %w", err)
	}
	r.file.SetActiveSheet(0)
	if _, err := r.file.WriteTo(r.out); err != nil {
		return fmt.Errorf("write the workbook of rejects: %w", err)
	}
	return nil
}
