package source

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/text"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// The values of Row.Skip.
const (
	skipBlank    = "blank"
	skipRepeated = "repeated header"
	skipFooter   = "footer"
	skipHidden   = "hidden"
	skipBand     = "band"
)

// Rows yields every row below the header, part after part. Rows that are not data have Skip set. The slice of cells is
// reused for the next row. After an error, which is an *Error or the context's, nothing more follows. Rows may be
// iterated again, and then starts from the top.
func (s *Source) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return s.rows(ctx, func(ctx context.Context, t format.Table) iter.Seq2[table.Row, error] { return t.Rows(ctx) })
}

// AllRows is Rows for a caller that wants all rows: a separate goroutine reads the file a few hundred rows ahead.
func (s *Source) AllRows(ctx context.Context) iter.Seq2[table.Row, error] { return s.rows(ctx, ahead) }

// readTable reads the rows of a table.
type readTable func(context.Context, format.Table) iter.Seq2[table.Row, error]

func (s *Source) rows(ctx context.Context, read readTable) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		s.tally = newTally(s.options)
		s.tally.numbers = column.NewRowNumbers(s.parts[0].layout.Names)
		for i, p := range s.parts {
			if err := s.readPart(ctx, i, p, read, yield); err != nil {
				if !errors.Is(err, errStopped) {
					yield(table.Row{}, format.At(err, s.file, p.sheet))
				}
				return
			}
			s.tally.close()
		}
	}
}

// Disregard removes the row that was just yielded from the warnings: the caller leaves it out, so it is no trouble.
func (s *Source) Disregard() { s.tally.disregard() }

// errStopped means that the consumer of the rows wants no more.
var errStopped = errors.New("stopped")

// readPart yields the rows of one table. It returns an error that has not been yielded.
func (s *Source) readPart(ctx context.Context, index int, p part, read readTable, yield func(table.Row, error) bool) error {
	s.tally.sheet = p.sheet
	r := newPartReader(s, index, p)
	if err := r.footer(ctx); err != nil {
		return err
	}
	for row, err := range r.besideShort(read(ctx, p.table)) {
		if err == nil {
			err = ctx.Err() // the consumer may take long over a row
		}
		if err != nil {
			return err
		}
		if row.Number <= p.layout.Last {
			continue
		}
		if row, err = r.row(row); err != nil {
			return err
		}
		if !yield(row, nil) {
			return errStopped
		}
	}
	return r.ragged.refuse()
}

// partReader turns the physical rows of one table into rows of the source.
type partReader struct {
	part
	source *Source
	index  int
	text   *text.Table // nil for a sheet
	tally  *tally
	ragged *ragged
	ending *column.Ending
	other  otherHeader
	cells  []table.Cell
	end    int                // first row of the footer, 0 if there is none
	across func(row int) bool // reports whether a row is merged over the whole table; nil until needed
}

func newPartReader(s *Source, index int, p part) *partReader {
	r := &partReader{part: p, source: s, index: index, tally: s.tally, ending: column.NewEnding(len(p.layout.Names)), other: newOtherHeader(p.layout.Names, s.Heads)}
	r.text, _ = p.table.(*text.Table)
	r.ragged = newRagged(r.text, p.layout, s.options)
	return r
}

// footer finds where the footer begins if Options give its length. For that it reads the whole table in advance.
func (p *partReader) footer(ctx context.Context) error {
	n := p.source.options.FooterRows
	if n == 0 {
		return nil
	}
	last := make([]int, 0, n)
	for row, err := range p.table.Rows(ctx) {
		if err != nil {
			return err
		}
		if header.Blank(row) || row.Number <= p.layout.Last {
			continue
		}
		if len(last) == n {
			last = append(last[:0], last[1:]...)
		}
		last = append(last, row.Number)
	}
	if len(last) > 0 {
		p.end = last[0]
	}
	return nil
}

// row completes a physical row: its source, why it is skipped, and as many cells as the header has.
func (p *partReader) row(row table.Row) (table.Row, error) {
	row.Source = p.index
	var err error
	if row.Skip, err = p.skip(row); err != nil {
		return row, err
	}
	total := row.Skip == "" && isTotal(row)
	p.tally.row(row, total, len(p.layout.Names), p.text != nil)
	faults, err := p.ragged.look(row)
	if err != nil {
		return row, err
	}
	row.Faults = slices.Concat(row.Faults, faults, p.cut(row), p.total(row, total), p.hidden(row), p.other.look(row))
	if width := len(p.layout.Names); len(row.Cells) < width {
		if len(p.cells) < width {
			p.cells = make([]table.Cell, width)
		}
		clear(p.cells[copy(p.cells, row.Cells):])
		row.Cells = p.cells[:width]
	}
	return row, nil
}

func (p *partReader) skip(row table.Row) (string, error) {
	switch {
	case header.Blank(row):
		return skipBlank, nil
	case p.repeats(row):
		return skipRepeated, nil
	case p.end > 0 && row.Number >= p.end, p.tally.isFooter(row):
		return skipFooter, nil
	}
	switch band, err := p.isBand(row); {
	case err != nil:
		return "", err
	case band:
		return skipBand, nil
	case row.Hidden && p.source.options.Hidden == "skip":
		return skipHidden, nil
	}
	return "", nil
}

// hidden returns the fault of a hidden row. A filter that was left on hides records, while people hide dead rows by
// hand, and nothing distinguishes the two.
func (p *partReader) hidden(row table.Row) []table.Fault {
	if !row.Hidden || row.Skip != "" || p.source.options.Hidden == "keep" {
		return nil
	}
	return []table.Fault{{Problem: *reason.New(reason.Hidden), Column: table.NoRecord}}
}

// isBand reports whether the row is one cell merged over all named columns, like the headings between rows. It looks
// only at rows that show a single text, because finding out may require reading the sheet once more.
func (p *partReader) isBand(row table.Row) (bool, error) {
	sheet, is := p.table.(*sheet.Table)
	if !is || p.layout.Row == 0 || !oneText(row) {
		return false, nil
	}
	if p.across == nil {
		left := slices.IndexFunc(p.layout.Names, func(name string) bool { return name != "" })
		right := len(p.layout.Names) - 1
		for right > left && p.layout.Names[right] == "" {
			right--
		}
		if left < 0 || right == left {
			return false, nil
		}
		var err error
		if p.across, err = sheet.Across(left, right); err != nil {
			return false, err
		}
	}
	return p.across(row.Number), nil
}

// oneText reports whether all filled cells of the row have the same text.
func oneText(row table.Row) bool {
	text := ""
	for i := range row.Cells {
		switch cell := &row.Cells[i]; {
		case cell.Kind == table.Empty:
		case text == "":
			text = cell.Text
		case cell.Text != text:
			return false
		}
	}
	return text != ""
}

// repeats reports whether the row repeats a line of the header, ignoring case, in which exports that were put together
// may differ. A header of one name is not considered: it may well be a value.
func (p *partReader) repeats(row table.Row) bool {
	return slices.ContainsFunc(p.layout.Lines, func(line []string) bool {
		names := 0
		for i := range max(len(line), len(row.Cells)) {
			name := header.NameAt(line, i)
			if !strings.EqualFold(format.Trim(row.Cell(i).Text), name) {
				return false
			}
			if name != "" {
				names++
			}
		}
		return names > 1
	})
}
