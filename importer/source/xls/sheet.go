package xls

import (
	"context"
	"errors"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/mapping/table"
)

const (
	maxColumns = 256
	// maxRuns is how often the cells of a sheet may switch from one row to another: programs write them row by row, or
	// column by column in small sheets.
	maxRuns = 1 << 20
)

var (
	errOrder  = format.Harm("its cells are in no order")
	errMerges = format.Harm("it has too many merged ranges")
)

// sheetRecords are the records of a sheet: where they are, and what a first pass over them found.
type sheetRecords struct {
	book *book
	format.Sheet
	from, end int64
	index     *sheetIndex
}

// sheetIndex is the result of a first pass over a sheet: rows need not be in order, and the properties of the sheet
// follow them.
type sheetIndex struct {
	runs    []uint64 // row, from 0, and position of each run of cells of one row; in the order of the rows
	hidden  map[int]bool
	columns [][2]int // the first and last column of hidden ranges, from 1
	merges  []format.Range
	results bool // a formula has a result other than nothing
	stale   bool // the program says that it has not calculated the formulas
}

// indexed reads the sheet's index once.
func (s *sheetRecords) indexed(ctx context.Context) (*sheetIndex, error) {
	if s.index != nil {
		return s.index, nil
	}
	r := newBIFFReader(s.book.stream, s.from, s.end)
	x := &sheetIndex{hidden: map[int]bool{}}
	if err := x.readAll(ctx, r); err != nil {
		return nil, format.PartFault("Workbook", err)
	}
	slices.Sort(x.runs)
	s.index = x
	return x, nil
}

// readAll reads from the record that begins the sheet to the one that ends it. A chart in a sheet has such records as
// well.
func (x *sheetIndex) readAll(ctx context.Context, r *biffReader) error {
	row := -1
	for depth := 0; ; {
		from := r.at
		if err := errors.Join(ctx.Err(), r.read()); err != nil {
			return err
		}
		switch {
		case r.id == biffBOF && r.word(0) == biffVersion:
			depth, row = depth+1, -1 // run ends its cells here too
		case depth == 0 || r.id == biffBOF:
			return errBIFF
		case r.id == biffEOF:
			depth--
		case depth > 1:
		case isCell(r.id):
			if r.word(0) != row || len(x.runs) == 0 {
				row = r.word(0)
				x.runs = append(x.runs, uint64(row)<<32|uint64(from))
			}
			nothing := r.word(12) == 0xffff && len(r.data) > 6 && r.data[6] == resultNothing
			x.results = x.results || r.id == biffFormula && !nothing
		default:
			x.property(r)
		}
		switch {
		case depth == 0:
			return nil
		case len(x.runs) > maxRuns:
			return errOrder
		case len(x.merges) > sheet.MostMerges:
			return errMerges
		}
	}
}

// isCell reports whether a record is a cell or several cells of one row, including blank ones.
func isCell(id uint16) bool {
	switch id {
	case biffFormula, biffManyNumbers, biffManyBlanks, biffRichText, biffShared, biffBlank, biffNumber, biffText, biffBoolean, biffSmallNumber:
		return true
	}
	return false
}

// property records a property of the sheet, a row or columns.
func (x *sheetIndex) property(r *biffReader) {
	const hiddenRow, hiddenColumn = 0x20, 0x01
	switch r.id {
	case biffRow:
		if r.word(12)&hiddenRow != 0 {
			x.hidden[r.word(0)] = true
		}
	case biffColumns:
		if r.word(8)&hiddenColumn != 0 && len(x.columns) < maxColumns {
			x.columns = append(x.columns, [2]int{r.word(0) + 1, r.word(2) + 1})
		}
	case biffMerged:
		for at := 2; at+8 <= len(r.data); at += 8 {
			m := format.Range{Top: r.word(at) + 1, Bottom: r.word(at+2) + 1, Left: r.word(at + 4), Right: r.word(at + 6)}
			if m.Bottom >= m.Top && m.Right >= m.Left && m.Right < maxColumns {
				x.merges = append(x.merges, m)
			}
		}
	case biffUncalced:
		x.stale = true
	}
}

// Merges implements sheet.MergedAhead.
func (s *sheetRecords) Merges(ctx context.Context, wanted func(format.Range) bool) ([]format.Range, error) {
	x, err := s.indexed(ctx)
	if err != nil {
		return nil, err
	}
	merges := []format.Range{}
	for _, m := range x.merges {
		if wanted(m) {
			merges = append(merges, m)
		}
	}
	slices.SortStableFunc(merges, sheet.ByTop)
	return merges, nil
}

// Read implements sheet.Body.
func (s *sheetRecords) Read(ctx context.Context, cells *sheet.Cells, emit func(table.Row, int) error) error {
	x, err := s.indexed(ctx)
	if err != nil {
		return err
	}
	for _, hidden := range x.columns {
		cells.HideColumns(hidden[0], hidden[1])
	}
	r := &sheetReader{Cells: cells, book: s.book, index: x, runs: x.runs, records: newBIFFReader(s.book.stream, s.from, s.end)}
	for len(r.runs) > 0 {
		row, err := r.row(ctx)
		if err == nil {
			err = emit(row, 1)
		}
		if err != nil {
			return format.PartFault("Workbook", err)
		}
	}
	return nil
}

// sheetReader reads one sheet once, from the top.
type sheetReader struct {
	*sheet.Cells
	book    *book
	index   *sheetIndex
	runs    []uint64
	records *biffReader
	waiting int // the column of a formula whose text is yet to come, from 1; 0 for none
}

// row reads the cells of the next row.
func (r *sheetReader) row(ctx context.Context) (table.Row, error) {
	stored := int(r.runs[0] >> 32)
	row := table.Row{Number: stored + 1, Hidden: r.index.hidden[stored]}
	r.Begin(row.Number)
	for len(r.runs) > 0 && int(r.runs[0]>>32) == stored {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		r.records.seek(int64(uint32(r.runs[0])))
		if err := r.run(stored); err != nil {
			return row, format.Placed(err, row.Number)
		}
		r.runs = r.runs[1:]
	}
	return row, nil
}

// run reads cells up to the first one of another row.
func (r *sheetReader) run(stored int) error {
	for {
		from := r.records.at
		if err := r.records.read(); err != nil {
			return err
		}
		if r.records.id == biffResult && r.waiting > 0 {
			if err := r.text(r.waiting-1, 0); err != nil {
				return err
			}
			r.waiting = 0
			continue
		}
		over := r.records.id == biffEOF || r.records.id == biffBOF
		cell := isCell(r.records.id)
		if r.waiting > 0 && (cell || over) {
			if err := r.uncalculated(); err != nil {
				return err
			}
		}
		if over || cell && r.records.word(0) != stored {
			r.records.seek(from)
			return nil
		}
		if cell {
			if err := r.cell(); err != nil {
				return err
			}
		}
	}
}
