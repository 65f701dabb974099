package source

import (
	"context"
	"errors"
	"io"
	"slices"

	"docketsync/mapping/table"
)

const (
	maxXLSColumns = 256
	// maxXLSRuns is how often the cells of a sheet may go from one row to another: programs write them row by row, or column
	// by column in small sheets.
	maxXLSRuns = 1 << 20
)

var (
	errXLSOrder  = errors.New("its cells are in no order")
	errXLSMerges = errors.New("it has too many merged ranges")
)

// xlsSheet is where the records of a sheet are, and what a first pass over them found.
type xlsSheet struct {
	from, end int64
	index     *xlsIndex
}

// xlsIndex is what a first pass over a sheet finds: rows need not be in their order, and what is said about the sheet
// follows them.
type xlsIndex struct {
	runs    []uint64 // row, from 0, and place of each run of cells of one row; in the order of the rows
	hidden  map[int]bool
	columns []columnRange // hidden ones
	merges  []mergedRange
	results bool // a formula has a result other than nothing
	stale   bool // the program says that it has not calculated the formulas
}

// indexed reads the sheet's index once.
func (s *sheet) indexed(ctx context.Context) (*xlsIndex, error) {
	place := s.info.records
	if place.index != nil {
		return place.index, nil
	}
	r := newBIFFReader(s.book.stream, place.from, place.end)
	x := &xlsIndex{hidden: map[int]bool{}}
	if err := x.readAll(ctx, r); err != nil {
		return nil, err
	}
	slices.Sort(x.runs)
	place.index = x
	return x, nil
}

// readAll reads from the record that begins the sheet to the one that ends it. A chart in a sheet begins and ends as well.
func (x *xlsIndex) readAll(ctx context.Context, r *biffReader) error {
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
			x.results = x.results || r.id == biffFormula && !noResult(r)
		default:
			x.property(r)
		}
		switch {
		case depth == 0:
			return nil
		case len(x.runs) > maxXLSRuns:
			return errXLSOrder
		case len(x.merges) > maxMerges:
			return errXLSMerges
		}
	}
}

// isCell tells if a record is of a cell or of several of one row, blank ones included.
func isCell(id uint16) bool {
	switch id {
	case biffFormula, biffManyNumbers, biffManyBlanks, biffRichText, biffShared, biffBlank, biffNumber, biffText, biffBoolean, biffSmallNumber:
		return true
	}
	return false
}

// property takes note of what is said about the sheet, a row or columns.
func (x *xlsIndex) property(r *biffReader) {
	const hiddenRow, hiddenColumn = 0x20, 0x01
	switch r.id {
	case biffRow:
		if r.word(12)&hiddenRow != 0 {
			x.hidden[r.word(0)] = true
		}
	case biffColumns:
		if r.word(8)&hiddenColumn != 0 && len(x.columns) < maxXLSColumns {
			x.columns = append(x.columns, columnRange{r.word(0) + 1, r.word(2) + 1})
		}
	case biffMerged:
		for at := 2; at+8 <= len(r.data); at += 8 {
			m := mergedRange{top: r.word(at) + 1, bottom: r.word(at+2) + 1, left: r.word(at + 4), right: r.word(at + 6)}
			if m.bottom >= m.top && m.right >= m.left && m.right < maxXLSColumns {
				x.merges = append(x.merges, m)
			}
		}
	case biffUncalced:
		x.stale = true
	}
}

// recordedMerges returns those merged ranges that are wanted, ordered by their first row.
func (s *sheet) recordedMerges(ctx context.Context, wanted func(mergedRange) bool) ([]mergedRange, error) {
	x, err := s.indexed(ctx)
	if err != nil {
		return nil, err
	}
	merges := []mergedRange{}
	for _, m := range x.merges {
		if wanted(m) {
			merges = append(merges, m)
		}
	}
	slices.SortStableFunc(merges, byTop)
	return merges, nil
}

// openRecords starts reading the sheet's records.
func (s *sheet) openRecords(ctx context.Context, cells rowCells) (rowReader, error) {
	x, err := s.indexed(ctx)
	if err != nil {
		return nil, err
	}
	s.notes.hiddenColumns, s.notes.merges = slices.Clone(x.columns), len(x.merges)
	return &xlsReader{rowCells: cells, index: x, runs: x.runs, records: newBIFFReader(s.book.stream, s.info.records.from, s.info.records.end)}, nil
}

// xlsReader reads one sheet once, from the top.
type xlsReader struct {
	rowCells
	index   *xlsIndex
	runs    []uint64
	records *biffReader
	waiting int // the column of a formula whose text is yet to come, from 1; 0 for none
}

func (r *xlsReader) close() {}

// next implements rowReader.
func (r *xlsReader) next(ctx context.Context) (table.Row, error) {
	if len(r.runs) == 0 {
		return table.Row{}, io.EOF
	}
	stored := int(r.runs[0] >> 32)
	row := table.Row{Number: stored + 1, Hidden: r.index.hidden[stored]}
	r.begin(row.Number)
	for len(r.runs) > 0 && int(r.runs[0]>>32) == stored {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		r.records.seek(int64(uint32(r.runs[0])))
		if err := r.run(stored); err != nil {
			return row, placed(err, row.Number)
		}
		r.runs = r.runs[1:]
	}
	return r.finish(row)
}

// run reads cells up to the first one of another row.
func (r *xlsReader) run(stored int) error {
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
