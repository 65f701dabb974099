package sheet

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/mapping/table"
)

// Options say what becomes of merged cells; see source.Options.
type Options struct {
	Merged      string // "", "down", "right" or "all"
	KeepCovered bool
	Limits      format.Limits
}

// Table is one sheet of a workbook, read as a stream.
type Table struct {
	Options
	Name   string
	Hidden bool
	Size   int            // of the file, in bytes
	Styles *numfmt.Styles // of an .xlsx or .xls
	Body   Body

	ahead  []format.Range // merged ranges that were read ahead of the rows
	noted  []format.Range // those that cells told of, as far as they begin in the first rows
	latest format.Range   // the one that a cell told of last
	notes  notes
}

// Body is how a format stores the rows of a sheet.
type Body interface {
	// Read reads the sheet from its top to its end. It puts the cells of a row into c and then calls emit, with the row without its cells
	// and for how many equal rows it stands; what emit returns ends the reading. Faults name the part of the workbook that they are in.
	Read(ctx context.Context, c *Cells, emit func(row table.Row, repeat int) error) error
}

// MergedAhead is a body that tells of merged ranges apart from its rows. In others the cells do (Cells.Merge).
type MergedAhead interface {
	// Merges returns those merged ranges that are wanted, ordered by their first row.
	Merges(ctx context.Context, wanted func(format.Range) bool) ([]format.Range, error)
}

// DateFormats are the number formats in which dates are shown, by column from 0, in the words of the workbook: of each column
// that of the first date read so far.
func (t *Table) DateFormats() map[int]string { return t.notes.dates }

// Bared tells of the columns in which some numbers have decimals, and whole ones are read without those that the sheet shows of them: 1.01 and 1.10
// beside 1, which it shows as 1.00. That is right for amounts, and wrong for references.
func (t *Table) Bared() (all []format.Warning) {
	for _, column := range slices.Sorted(maps.Keys(t.notes.bared)) {
		if b := t.notes.bared[column]; b.others && b.Count > 0 {
			b.Sheet, b.Column = t.Name, column
			all = append(all, b.Warning)
		}
	}
	return all
}

// Warnings implements format.Table.
func (t *Table) Warnings() []format.Warning { return t.notes.warnings(t.Name, t.Hidden) }

// Rows yields the rows that the sheet stores, from the top. Blank rows after the last one with content are none: many
// programs store a million of them because somebody once formatted a column.
func (t *Table) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		if err := t.read(ctx, yield); err != nil && !errors.Is(err, errStopped) {
			yield(table.Row{}, format.WorkbookFault(err))
		}
	}
}

// errStopped says that the consumer of the rows wants no more.
var errStopped = errors.New("stopped")

func (t *Table) read(ctx context.Context, yield func(table.Row, error) bool) error {
	t.notes, t.noted, t.latest = notes{bared: map[int]*bared{}, dates: map[int]string{}}, nil, format.Range{}
	if err := t.readAhead(ctx); err != nil {
		return err
	}
	c := &Cells{table: t, merges: mergeFill{waiting: t.ahead, mode: t.Merged, keep: t.KeepCovered}, spread: spread{size: t.Size}}
	return t.Body.Read(ctx, c, func(row table.Row, repeat int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return c.emit(row, repeat, yield)
	})
}

// Unfilled is the table with the value of merged cells in their top left one alone.
func (t *Table) Unfilled() *Table {
	plain := *t
	plain.Merged, plain.ahead = "", []format.Range{}
	return &plain
}

// Spans returns the merged ranges that begin in the first HeadRows rows. It may take reading the whole table; it is called after the first
// rows were read.
func (t *Table) Spans() ([]format.Range, error) {
	body, ok := t.Body.(MergedAhead)
	if !ok {
		return t.noted, nil
	}
	spans, err := body.Merges(context.Background(), func(m format.Range) bool { return m.Top <= format.HeadRows })
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	return spans, nil
}

// Across returns a function that tells if a row, which was read last, is one merged cell over the columns from left to right. It may take
// reading the whole table.
func (t *Table) Across(left, right int) (func(row int) bool, error) {
	isAcross := func(m format.Range) bool { return m.Top == m.Bottom && m.Left <= left && m.Right >= right }
	body, ok := t.Body.(MergedAhead)
	if !ok {
		return func(row int) bool { return t.latest.Top == row && isAcross(t.latest) }, nil
	}
	ranges, err := body.Merges(context.Background(), isAcross)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	rows := make(map[int]bool, len(ranges))
	for _, m := range ranges {
		rows[m.Top] = true
	}
	return func(row int) bool { return rows[row] }, nil
}

// readAhead reads the merged ranges, to fill them or to look beneath them.
func (t *Table) readAhead(ctx context.Context) (err error) {
	body, ok := t.Body.(MergedAhead)
	if !ok || t.Merged == "" && t.KeepCovered || t.ahead != nil {
		return nil
	}
	t.ahead, err = body.Merges(ctx, func(format.Range) bool { return true })
	return err
}
