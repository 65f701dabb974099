package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/column"
)

// errStray says that a quote stands where a cell neither begins nor ends. It becomes an Error unless quotes are read
// leniently.
type errStray struct {
	rel      int // offset in the record
	column   int // from 1
	unclosed bool
}

func (e *errStray) Error() string { return "stray quote" }

// Unclosed tells if an error says that a quote is never closed.
func Unclosed(err error) bool {
	stray, is := errors.AsType[*errStray](err)
	return is && stray.unclosed
}

// quoting is how strictly the quotes of a record are read.
type quoting struct {
	loose   bool // a quote inside a quoted cell that is neither doubled nor at its end is a character
	oneLine bool // a quote that is not closed on its line is a character
}

// assemble reads a record that has quotes or backslashes, whose first line ends at stop with a line break of the given
// width. It returns where the record ends, perhaps lines further down, and the width of the line break there.
//
// A stray quote is a fault unless lenient. Lenient reading prefers, in this order: the strict reading when it fits, the
// first line alone with its odd quotes as characters, then several lines; "fits" is having the width of a regular row.
// So a stray quote costs one row and never swallows the ones below.
func (r *Reader) assemble(stop, width int) (end, endWidth int, err error) {
	end, endWidth, err = r.parse(stop, width, quoting{})
	stray, _ := errors.AsType[*errStray](err)
	if err != nil && stray == nil {
		return 0, 0, err
	}
	if stray == nil && end > stop && (!r.Lenient || len(r.Cells) == r.Width) { // leniently, one that does not fit is read anew
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

// A quote that is part of a text, at the beginning of a cell, finds a fellow in a row further down. What lies between becomes one cell of a row that may be
// as wide as any, and the rows in it are gone. The lines of a cell that was meant are seldom cut by the delimiter into as many cells as a row has. Half of these
// are, and of a table of two columns two at least, and begin with a reference like that of the row; or they are three or more, and all are.

// swallowed returns the fault of a record of several lines that look like rows of their own; nil where they do not, or nobody knows how rows look.
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

// Reading leniently looks ahead for a closing quote, in vain where a quote is stray. lenientAhead bounds how far; what was
// looked at in vain may be wasteFloor bytes and wasteShare times what was read. Beyond that the file is refused, so that
// one full of stray quotes takes time in proportion to its length.
const (
	lenientAhead = 256 << 10
	wasteFloor   = 64 << 20
	wasteShare   = 16
)

// assembleLenient goes on where the strict reading did not fit; strict says that it was at least without fault.
func (r *Reader) assembleLenient(stop, width int, strict bool) (end, endWidth int, err error) {
	for _, q := range []quoting{{loose: true, oneLine: true}, {loose: true}} {
		if r.Width == 0 {
			break // nothing fits for certain
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

// waste accounts for what the last reading looked at beyond the first line.
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
		if stop, width, err = r.lineEnd(rel); err != nil { // the cell went on over lines
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

// cell reads the cell at rel into scratch and returns where the next one begins; more says if there is one.
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

// closeCell ends the cell at rel, where a delimiter or the record's end must stand.
func (r *Reader) closeCell(rel int) (next int, more bool, err error) {
	r.ends = append(r.ends, len(r.scratch))
	if found, err := r.delimiterAt(rel); found || err != nil {
		return rel + len(r.dialect.Delimiter), true, err
	}
	return rel, false, nil
}

// opening returns where the opening quote of the cell at rel stands, blanks before it allowed, or -1. The quote may also
// stand behind an equals sign: ="00123" is how programs keep a spreadsheet from dropping the zeros.
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
