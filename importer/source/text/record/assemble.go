package record

import (
	"errors"
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
