package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/column"
)

// errStray says that a quote is where a cell neither begins nor ends. It becomes an Error unless quotes are read
// leniently.
type errStray struct {
	rel      int // offset in the record
	column   int // from 1
	unclosed bool
}

func (e *errStray) Error() string { return "stray quote" }

// Unclosed reports whether an error says that a quote is never closed.
func Unclosed(err error) bool {
	stray, is := errors.AsType[*errStray](err)
	return is && stray.unclosed
}

// quoting says how strictly the quotes of a record are read.
type quoting struct {
	loose   bool // a quote inside a quoted cell that is neither doubled nor at its end is a character
	oneLine bool // a quote that is not closed on its line is a character
}

// assemble reads a record that has quotes or backslashes, whose first line ends at stop with a line break of the given
// width. It returns where the record ends, possibly lines further down, and the width of the line break there.
//
// A stray quote is an error unless reading is lenient. Lenient reading prefers, in this order: the strict reading if it
// fits, the first line alone with its odd quotes as characters, then several lines. To fit means to have the width of a
// regular row. So a stray quote costs one row and never swallows the rows below.
func (r *Reader) assemble(stop, width int) (end, endWidth int, err error) {
	end, endWidth, err = r.parse(stop, width, quoting{})
	stray, _ := errors.AsType[*errStray](err)
	if err != nil && stray == nil {
		return 0, 0, err
	}
	if stray == nil && end > stop && (!r.Lenient || len(r.Cells) == r.Width) { // in lenient reading, a record that does not fit is read again
		if err := r.swallowed(); err != nil {
			return 0, 0, err
		}
	}
	if !r.Lenient {
		if stray != nil {
			return 0, 0, r.strayFault(stray)
		}
		return end, endWidth, nil
	}
	if stray == nil && (end == stop || r.Width == 0 || len(r.Cells) == r.Width) {
		return end, endWidth, nil
	}
	return r.assembleLenient(stop, width, stray == nil)
}

// A quote that belongs to a text, at the beginning of a cell, may pair with another quote in a later row. Everything
// between them becomes one cell, of a row that may have the regular width, and the rows inside it are lost. The lines
// of an intended multi-line cell are seldom split by the delimiter into as many cells as a row has. So the record is
// refused if half of the lines are (at least two in a table of two columns) and begin with a reference like that of the
// row, or if there are three or more lines and all are.

// swallowed returns the error for a record of several lines that look like rows. It returns nil if they do not, or if
// it is unknown how rows look.
func (r *Reader) swallowed() error {
	delimiter := r.dialect.Delimiter
	if r.Width < 2 || delimiter == "" || r.QuoteKnown {
		return nil
	}
	broken := func(cell string) bool { return strings.ContainsAny(cell, "\r\n") }
	cells := slices.Clone(r.Cells)
	for n, cell := range cells {
		if !broken(cell) {
			cells[n] = strings.ReplaceAll(cell, delimiter, "") // it was in quotes of its own
		}
	}
	lines := strings.FieldsFunc(strings.Join(cells, delimiter), func(c rune) bool { return c == '\n' || c == '\r' })
	first, full, alike := "", 0, 0
	for n, line := range lines {
		begins, _, _ := strings.Cut(line, delimiter)
		switch whole := strings.Count(line, delimiter)+1 == r.Width; {
		case n == 0 && !whole:
			return nil
		case n == 0:
			first = begins
		case whole:
			if full++; column.Alike(first, begins) {
				alike++
			}
		}
	}
	rows := 2*full >= len(lines) && (alike > 1 || alike == 1 && r.Width > 2)
	if all := full > 1 && full == len(lines)-1 && r.Width > 2; !rows && !all {
		return nil
	}
	return r.fault(slices.IndexFunc(r.Cells, broken)+1,
		fmt.Sprintf("a quote opens in line %d and closes in line %d, and these lines look like rows of their own", r.Line, r.Line+countBreaks(r.Raw)),
		`If they are rows, export the file again with quotes inside texts doubled, or set quote: none if it never puts cells in quotes; if they are lines of one cell, set quote: '"'; in a lookup file, leave that column out.`)
}

// Lenient reading looks ahead for a closing quote, in vain if a quote is stray. lenientAhead limits how far. What was
// examined in vain may be wasteFloor bytes plus wasteShare times what was read. Beyond that the file is refused, so
// that a file full of stray quotes takes time in proportion to its length.
const (
	lenientAhead = 256 << 10
	wasteFloor   = 64 << 20
	wasteShare   = 16
)

// assembleLenient continues if the strict reading did not fit. strict says that the strict reading had at least no
// error.
func (r *Reader) assembleLenient(stop, width int, strict bool) (end, endWidth int, err error) {
	for _, q := range []quoting{{loose: true, oneLine: true}, {loose: true}} {
		if r.Width == 0 {
			break // nothing is certain to fit
		}
		r.waste(stop)
		end, endWidth, err = r.parse(stop, width, q)
		if err == nil && len(r.Cells) == r.Width {
			r.Repairs.Stray = true
			return end, endWidth, nil
		}
	}
	r.waste(stop)
	if r.wasted > wasteFloor+wasteShare*r.consumed {
		return 0, 0, r.fault(0, "there are too many stray quotes to tell which ones belong to cells",
			"Set quote: none if quotes are ordinary characters in this file, or export it again with proper quotes.")
	}
	if strict {
		return r.parse(stop, width, quoting{})
	}
	r.Repairs.Stray = true
	return r.parse(stop, width, quoting{loose: true, oneLine: true})
}

// waste counts what the last parse examined beyond the first line.
func (r *Reader) waste(stop int) {
	r.wasted += int64(max(0, r.reach-stop))
}

// parse reads cells from the beginning of the record up to a line break outside quotes.
func (r *Reader) parse(stop, width int, q quoting) (end, endWidth int, err error) {
	r.Cells, r.scratch, r.ends = r.Cells[:0], r.scratch[:0], r.ends[:0]
	r.Repairs.Padded, r.Repairs.Formula, r.reach = false, false, 0
	for rel, more := 0, true; more && len(r.ends) <= r.limits.Columns; {
		if rel, more, err = r.cell(rel, stop, q); err != nil {
			return 0, 0, err
		}
		if rel <= stop {
			continue
		}
		if stop, width, err = r.lineEnd(rel); err != nil { // the cell spans several lines
			return 0, 0, err
		}
	}
	r.Raw = r.buf[r.pos : r.pos+stop]
	text, from := string(r.scratch), 0
	for _, to := range r.ends {
		r.Cells = append(r.Cells, text[from:to])
		from = to
	}
	return stop, width, nil
}

// cell reads the cell at rel into scratch and returns where the next one begins; more says whether there is one.
func (r *Reader) cell(rel, stop int, q quoting) (next int, more bool, err error) {
	from := len(r.scratch)
	if open := r.opening(rel, stop); open >= 0 {
		next, err = r.quoted(open, stop, q)
		if err == nil {
			if r.buf[r.pos+rel] == '=' {
				r.Repairs.Formula = true
			} else {
				r.Repairs.Padded = r.Repairs.Padded || open > rel
			}
			return r.closeCell(next)
		}
		if _, stray := errors.AsType[*errStray](err); !stray || !q.oneLine {
			return 0, false, err
		}
		r.scratch = r.scratch[:from]
	}
	if next, err = r.bare(rel, stop, q); err != nil {
		return 0, false, err
	}
	return r.closeCell(next)
}

// closeCell ends the cell at rel, where there must be a delimiter or the record's end.
func (r *Reader) closeCell(rel int) (next int, more bool, err error) {
	r.ends = append(r.ends, len(r.scratch))
	if found, err := r.delimiterAt(rel); found || err != nil {
		return rel + len(r.dialect.Delimiter), true, err
	}
	return rel, false, nil
}

// opening returns the position of the opening quote of the cell at rel, or -1. Spaces may precede the quote, or an
// equals sign: programs write ="00123" to stop a spreadsheet from dropping the zeros.
func (r *Reader) opening(rel, stop int) int {
	if r.dialect.Quote == 0 {
		return -1
	}
	line := r.buf[r.pos : r.pos+stop]
	if rel+1 < stop && line[rel] == '=' && line[rel+1] == r.dialect.Quote {
		return rel + 1
	}
	for ; rel < stop; rel++ {
		if line[rel] == r.dialect.Quote {
			return rel
		}
		if !r.blank(line[rel]) {
			return -1
		}
	}
	return -1
}

func (r *Reader) blank(c byte) bool {
	return (c == ' ' || c == '\t') && (r.dialect.Delimiter == "" || c != r.dialect.Delimiter[0])
}
