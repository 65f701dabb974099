package source

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// The reasons in Row.Skip.
const (
	skipBlank    = "blank"
	skipRepeated = "repeated header"
	skipFooter   = "footer"
	skipHidden   = "hidden"
	skipBand     = "band"
)

// Rows yields every row below the header, part after part. Rows that are no data come with Skip set. The slice of cells
// is reused for the next row. After an error, which is an *Error or the context's, nothing more comes. It may be ranged
// over again, and then starts from the top.
func (s *Source) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		s.tally = newTally(s.options)
		s.tally.numbers = newRowNumbers(s.layouts[0].names)
		for i, t := range s.tables {
			part := &partReader{source: s, index: i, table: t, layout: s.layouts[i], tally: s.tally, ragged: newRagged(t, s.layouts[i], s.options), ending: newEnding(s.layouts[i]), text: t.sheet() == "", other: otherHeader{names: s.layouts[i].names}}
			s.tally.sheet = t.sheet()
			if err := part.footer(ctx, t); err != nil {
				yield(table.Row{}, at(err, s.file, t.sheet()))
				return
			}
			for row, err := range t.rows(ctx) {
				if err == nil {
					err = ctx.Err() // what is done with a row may take long
				}
				if err != nil {
					yield(table.Row{}, at(err, s.file, t.sheet()))
					return
				}
				if row.Number <= part.layout.last {
					continue
				}
				if row, err = part.row(row); err != nil {
					yield(table.Row{}, at(err, s.file, t.sheet()))
					return
				}
				if !yield(row, nil) {
					return
				}
			}
			if err := part.ragged.refuse(); err != nil {
				yield(table.Row{}, at(err, s.file, t.sheet()))
				return
			}
			s.tally.close()
		}
	}
}

// partReader turns the physical rows of one table into rows of the source.
type partReader struct {
	source *Source
	index  int
	table  grid
	layout layout
	tally  *tally
	ragged *ragged
	ending *ending
	other  otherHeader
	text   bool
	cells  []table.Cell
	end    int                // first row of the footer, 0 when there is none
	across func(row int) bool // tells if a row is merged over the whole table; nil until it has to be known
}

// footer finds where the footer begins, when Options give its length; that takes reading the table once before.
func (p *partReader) footer(ctx context.Context, t grid) error {
	n := p.source.options.FooterRows
	if n == 0 {
		return nil
	}
	last := make([]int, 0, n)
	for row, err := range t.rows(ctx) {
		if err != nil {
			return err
		}
		if blankRow(row) || row.Number <= p.layout.last {
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

// row completes a physical row: its source, why it is skipped, and cells as many as the header has.
func (p *partReader) row(row table.Row) (table.Row, error) {
	row.Source = p.index
	var err error
	if row.Skip, err = p.skip(row); err != nil {
		return row, err
	}
	p.tally.row(row, len(p.layout.names), p.text)
	faults, err := p.ragged.look(row)
	if err != nil {
		return row, err
	}
	row.Faults = append(append(append(row.Faults, faults...), p.cut(row)...), p.other.look(row)...)
	if width := len(p.layout.names); len(row.Cells) < width {
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
	case blankRow(row):
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
	case row.Hidden && p.source.options.IgnoreHidden:
		return skipHidden, nil
	}
	return "", nil
}

// isBand tells if the row is one cell that is merged over all named columns, as headings between rows are. Only rows that
// show one text are asked, because the answer may take reading the sheet once more.
func (p *partReader) isBand(row table.Row) (bool, error) {
	merged, may := p.table.(mergedTable)
	if p.text || !may || p.layout.row == 0 || !oneText(row) {
		return false, nil
	}
	if p.across == nil {
		left := slices.IndexFunc(p.layout.names, func(name string) bool { return name != "" })
		right := len(p.layout.names) - 1
		for right > left && p.layout.names[right] == "" {
			right--
		}
		if left < 0 || right == left {
			return false, nil
		}
		var err error
		if p.across, err = merged.across(left, right); err != nil {
			return false, err
		}
	}
	return p.across(row.Number), nil
}

// oneText tells if all filled cells of the row say the same.
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

// repeats tells if the row says again what a line of the header says, in capitals or not: exports that were put together
// differ in that. A header of one name is not looked for: it may well be a value.
func (p *partReader) repeats(row table.Row) bool {
	return slices.ContainsFunc(p.layout.lines, func(line []string) bool {
		names := 0
		for i := range max(len(line), len(row.Cells)) {
			name := nameAt(line, i)
			if !strings.EqualFold(strings.TrimFunc(row.Cell(i).Text, invisible), name) {
				return false
			}
			if name != "" {
				names++
			}
		}
		return names > 1
	})
}

// invisible tells if a character leaves no mark: white space; the byte order mark, which files that were put together
// have in the middle; and the end-of-file mark of DOS.
func invisible(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' || c == '\x1a' }

func blankText(text string) bool {
	if text != "" && text[0] > ' ' && text[0] < utf8.RuneSelf {
		return false // as most texts are
	}
	return strings.TrimFunc(text, invisible) == ""
}

func blankRow(row table.Row) bool {
	for i := range row.Cells {
		if cell := &row.Cells[i]; cell.Kind != table.Empty && !blankText(cell.Text) {
			return false
		}
	}
	return true
}
