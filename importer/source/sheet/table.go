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

// Options say what happens to merged cells; see source.Options.
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

	ahead  []format.Range // merged ranges that were read before the rows
	noted  []format.Range // ranges reported by cells, as far as they begin in the first rows
	latest format.Range   // the range reported last by a cell
	notes  notes
}

// Body is how a format stores the rows of a sheet.
type Body interface {
	// Read reads the sheet from its top to its end. For each row it puts the cells into c and then calls emit, with the
	// row without its cells and with the number of equal rows that it stands for. An error of emit ends the reading.
	// Errors name the part of the workbook that they are in.
	Read(ctx context.Context, c *Cells, emit func(row table.Row, repeat int) error) error
}

// MergedAhead is a body that reports merged ranges separately from its rows. In other formats the cells do
// (Cells.Merge).
type MergedAhead interface {
	// Merges returns the wanted merged ranges, ordered by their first row.
	Merges(ctx context.Context, wanted func(format.Range) bool) ([]format.Range, error)
}

// DateFormats returns the number formats in which dates are shown, by column from 0, as the workbook spells them: for
// each column that of the first date read so far.
func (t *Table) DateFormats() map[int]string { return t.notes.dates }

// Bared reports the columns in which some numbers have decimals, and whole numbers are read without the decimals that
// the sheet shows: 1.01 and 1.10 beside 1, which the sheet shows as 1.00. That is right for amounts, but wrong for
// references.
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

// Rows yields the rows that the sheet stores, from the top. It leaves out blank rows after the last one with content:
// many programs store a million of them because somebody once formatted a column.
func (t *Table) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		if err := t.read(ctx, yield); err != nil && !errors.Is(err, errStopped) {
			yield(table.Row{}, format.WorkbookFault(err))
		}
	}
}

// errStopped means that the consumer of the rows wants no more.
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

// Unfilled returns the table with the value of merged cells only in the top left one.
func (t *Table) Unfilled() *Table {
	plain := *t
	plain.Merged, plain.ahead = "", []format.Range{}
	return &plain
}

// Spans returns the merged ranges that begin in the first HeadRows rows. It may read the whole table. It must be called
// after the first rows were read.
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

// Across returns a function that reports whether a row, the last one read, is one merged cell over the columns from
// left to right. Across may read the whole table.
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

// readAhead reads the merged ranges in advance, to fill them or to look beneath them.
func (t *Table) readAhead(ctx context.Context) (err error) {
	body, ok := t.Body.(MergedAhead)
	if !ok || t.Merged == "" && t.KeepCovered || t.ahead != nil {
		return nil
	}
	t.ahead, err = body.Merges(ctx, func(format.Range) bool { return true })
	return err
}
