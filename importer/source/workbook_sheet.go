package source

import (
	"context"
	"errors"
	"io"
	"iter"

	"docketsync/mapping/table"
)

// The size of a sheet in every spreadsheet program.
const (
	maxSheetRows    = 1_048_576
	maxSheetColumns = 16_384
)

// sheet is one worksheet of an .xlsx, .xlsm or .xls, read as a stream.
type sheet struct {
	book        *workbook
	info        sheetInfo
	why         string // how the sheet was chosen
	merged      string // Options.Merged
	keepCovered bool   // Options.Covered
	limits      Limits

	merges []mergedRange // read ahead of the rows
	notes  sheetNotes
}

func (s *sheet) sheet() string { return s.info.name }

// close releases the workbook when it is the last of its sheets.
func (s *sheet) close() error { return s.book.close() }

func (s *sheet) describe(d *Detected) {
	d.Format, d.DateSystem = s.book.format, s.book.cover.dates.String()
	d.Sheet, d.SheetWhy, d.Sheets = s.info.name, s.why, s.book.sheetNames()
	s.notes.describe(d, s.info.name, s.merged, s.info.hidden)
	d.Warnings = append(d.Warnings, s.book.warnings...)
}

// rows yields the rows that the sheet stores, from the top. Blank rows after the last one with content are none: many
// programs store a million of them because somebody once formatted a column.
func (s *sheet) rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		s.notes = sheetNotes{}
		r, err := s.open(ctx)
		if err != nil {
			yield(table.Row{}, s.book.fault(err, s.info.part))
			return
		}
		defer r.close()
		var blanks heldRows
		for {
			row, err := r.next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(table.Row{}, s.book.fault(err, s.info.part))
				return
			}
			if len(row.Cells) == 0 {
				blanks.add(row)
				continue
			}
			if !blanks.release(yield) || !yield(row, nil) {
				return
			}
		}
	}
}

// rowReader reads the rows of a sheet once.
type rowReader interface {
	// next returns the next row, without cells when it is blank, and io.EOF after the last one.
	next(ctx context.Context) (table.Row, error)
	close()
}

func (s *sheet) open(ctx context.Context) (rowReader, error) {
	if err := s.readMerges(ctx); err != nil {
		return nil, err
	}
	cells := rowCells{sheet: s, merges: mergeFill{waiting: s.merges, mode: s.merged, keep: s.keepCovered}, spread: spread{size: s.book.size}}
	if s.info.records != nil {
		return s.openRecords(ctx, cells)
	}
	return s.openPart(ctx, cells)
}
