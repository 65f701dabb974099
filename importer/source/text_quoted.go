package source

import (
	"bytes"
	"errors"
	"io"
)

// errStray says that a quote stands where a cell neither begins nor ends. It becomes an Error unless quotes are read
// leniently.
type errStray struct {
	rel      int // offset in the record
	column   int // from 1
	unclosed bool
}

func (e *errStray) Error() string { return "stray quote" }

func isStray(err error) bool {
	var stray *errStray
	return errors.As(err, &stray)
}

// quoting is how strictly the quotes of a record are read.
type quoting struct {
	loose   bool // a quote inside a quoted cell that is neither doubled nor at its end is a character
	oneLine bool // a quote that is not closed on its line is a character
}

// Reading leniently looks ahead for a closing quote, in vain where a quote is stray. lenientAhead bounds how far; what was
// looked at in vain may be wasteFloor bytes and wasteShare times what was read. Beyond that the file is refused, so that
// one full of stray quotes takes time in proportion to its length.
const (
	lenientAhead = 256 << 10
	wasteFloor   = 64 << 20
	wasteShare   = 16
)

// assemble reads a record that has quotes or backslashes, whose first line ends at stop with a line break of the given
// width. It returns where the record ends, perhaps lines further down, and the width of the line break there.
//
// A stray quote is a fault unless lenient. Lenient reading prefers, in this order: the strict reading when it fits, the
// first line alone with its odd quotes as characters, then several lines; "fits" is having the width of a regular row.
// So a stray quote costs one row and never swallows the ones below.
func (r *recordReader) assemble(stop, width int) (end, endWidth int, err error) {
	end, endWidth, err = r.parse(stop, width, quoting{})
	var stray *errStray
	if err != nil && !errors.As(err, &stray) {
		return 0, 0, err
	}
	if !r.lenient {
		if stray != nil {
			return 0, 0, r.strayFault(stray)
		}
		return end, endWidth, nil
	}
	if stray == nil && (end == stop || r.width == 0 || len(r.cells) == r.width) {
		return end, endWidth, nil
	}
	return r.assembleLenient(stop, width, stray == nil)
}

// assembleLenient goes on where the strict reading did not fit; strict says that it was at least without fault.
func (r *recordReader) assembleLenient(stop, width int, strict bool) (end, endWidth int, err error) {
	for _, q := range []quoting{{loose: true, oneLine: true}, {loose: true}} {
		if r.width == 0 {
			break // nothing fits for certain
		}
		r.waste(stop)
		end, endWidth, err = r.parse(stop, width, q)
		if err == nil && len(r.cells) == r.width {
			r.repairs.stray = true
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
	r.repairs.stray = true
	return r.parse(stop, width, quoting{loose: true, oneLine: true})
}

// waste accounts for what the last reading looked at beyond the first line.
func (r *recordReader) waste(stop int) {
	r.wasted += int64(max(0, r.reach-stop))
}

// parse reads cells from the beginning of the record up to a line break outside quotes.
func (r *recordReader) parse(stop, width int, q quoting) (end, endWidth int, err error) {
	r.cells, r.scratch, r.ends = r.cells[:0], r.scratch[:0], r.ends[:0]
	r.repairs.padded, r.reach = false, 0
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
	r.raw = r.buf[r.pos : r.pos+stop]
	text, from := string(r.scratch), 0
	for _, to := range r.ends {
		r.cells = append(r.cells, text[from:to])
		from = to
	}
	return stop, width, nil
}

// cell reads the cell at rel into scratch and returns where the next one begins; more says if there is one.
func (r *recordReader) cell(rel, stop int, q quoting) (next int, more bool, err error) {
	from := len(r.scratch)
	if open := r.opening(rel, stop); open >= 0 {
		next, err = r.quoted(open+1, stop, q)
		if err == nil {
			r.repairs.padded = r.repairs.padded || open > rel
			return r.closeCell(next)
		}
		if !q.oneLine || !isStray(err) {
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
func (r *recordReader) closeCell(rel int) (next int, more bool, err error) {
	r.ends = append(r.ends, len(r.scratch))
	if found, err := r.delimiterAt(rel); found || err != nil {
		return rel + len(r.dialect.delimiter), true, err
	}
	return rel, false, nil
}

// opening returns where the opening quote of the cell at rel stands, blanks before it allowed, or -1.
func (r *recordReader) opening(rel, stop int) int {
	if r.dialect.quote == 0 {
		return -1
	}
	for line := r.buf[r.pos : r.pos+stop]; rel < stop; rel++ {
		if line[rel] == r.dialect.quote {
			return rel
		}
		if !r.blank(line[rel]) {
			return -1
		}
	}
	return -1
}

func (r *recordReader) blank(c byte) bool {
	return (c == ' ' || c == '\t') && (r.dialect.delimiter == "" || c != r.dialect.delimiter[0])
}

// quoted reads from behind an opening quote to behind the closing one and the blanks that follow it.
func (r *recordReader) quoted(rel, stop int, q quoting) (int, error) {
	for {
		found, err := r.toQuote(&rel, stop, q)
		if err != nil {
			return 0, err
		}
		if found == '\\' {
			if err := r.escaped(&rel); err != nil {
				return 0, err
			}
			continue
		}
		following, err := r.at(rel + 1)
		switch {
		case err != nil:
			return 0, err
		case following == int(r.dialect.quote):
			r.scratch = append(r.scratch, r.dialect.quote)
			rel += 2
			continue
		}
		after, closed, err := r.closing(rel + 1)
		if err != nil || closed {
			return after, err
		}
		if !q.loose {
			return 0, &errStray{rel: rel, column: len(r.ends) + 1}
		}
		r.scratch = append(r.scratch, r.dialect.quote)
		rel++
	}
}

// toQuote copies characters up to the next quote (or backslash, where it escapes), which it returns.
func (r *recordReader) toQuote(rel *int, stop int, q quoting) (byte, error) {
	for open := *rel - 1; ; {
		if r.lenient && *rel > lenientAhead {
			return 0, &errStray{rel: open, column: len(r.ends) + 1, unclosed: true}
		}
		b := r.buf[r.pos+*rel : r.end]
		if q.oneLine {
			b = r.buf[r.pos+*rel : r.pos+stop]
		}
		if i := r.mark(b); i >= 0 {
			r.scratch = append(r.scratch, b[:i]...)
			*rel += i
			r.reach = max(r.reach, *rel)
			return b[i], nil
		}
		r.scratch = append(r.scratch, b...)
		*rel += len(b)
		r.reach = max(r.reach, *rel)
		unclosed := &errStray{rel: open, column: len(r.ends) + 1, unclosed: true}
		if q.oneLine {
			return 0, unclosed
		}
		if err := r.fill(); errors.Is(err, io.EOF) {
			return 0, unclosed
		} else if err != nil {
			return 0, err
		}
	}
}

// mark returns the index of the first quote, or backslash that escapes, in b, or -1.
func (r *recordReader) mark(b []byte) int {
	i := bytes.IndexByte(b, r.dialect.quote)
	if !r.dialect.backslash {
		return i
	}
	if i >= 0 {
		b = b[:i]
	}
	if j := bytes.IndexByte(b, '\\'); j >= 0 {
		return j
	}
	return i
}

// escaped copies what the backslash at rel stands for. It takes its meaning from a delimiter, a quote, a backslash or a
// line break behind it; before anything else it is itself.
func (r *recordReader) escaped(rel *int) error {
	next, err := r.at(*rel + 1)
	if err != nil {
		return err
	}
	*rel++
	switch next {
	case '\\', '\n', '\r', int(r.dialect.quote):
		r.scratch = append(r.scratch, byte(next))
		*rel++
		return nil
	}
	if found, err := r.delimiterAt(*rel); found || err != nil {
		r.scratch = append(r.scratch, r.dialect.delimiter...)
		*rel += len(r.dialect.delimiter)
		return err
	}
	r.scratch = append(r.scratch, '\\')
	return nil
}

// closing tells if the cell ends behind the quote before rel, and where, blanks allowed.
func (r *recordReader) closing(rel int) (after int, closed bool, err error) {
	if d := r.dialect.delimiter; len(d) == 1 && r.pos+rel < r.end && r.buf[r.pos+rel] == d[0] {
		return rel, true, nil // as nearly always
	}
	first := rel
	for {
		c, err := r.at(rel)
		switch {
		case err != nil:
			return 0, false, err
		case c < 0 || c == '\n' || c == '\r':
			closed = true
		case r.blank(byte(c)):
			rel++
			continue
		default:
			if closed, err = r.delimiterAt(rel); err != nil {
				return 0, false, err
			}
		}
		if closed && rel > first {
			r.repairs.padded = true
		}
		return rel, closed, nil
	}
}

// bare copies an unquoted cell up to the delimiter or the end of its line.
func (r *recordReader) bare(rel, stop int, q quoting) (int, error) {
	if r.dialect.backslash {
		return r.bareEscaped(rel, q)
	}
	text := r.buf[r.pos+rel : r.pos+stop]
	if d := r.dialect.delimiter; len(d) == 1 {
		if i := bytes.IndexByte(text, d[0]); i >= 0 {
			text = text[:i]
		}
	} else if d != "" {
		if i := bytes.Index(text, []byte(d)); i >= 0 {
			text = text[:i]
		}
	}
	if i := bytes.IndexByte(text, r.dialect.quote); i >= 0 && r.dialect.quote != 0 && !q.loose {
		return 0, &errStray{rel: rel + i, column: len(r.ends) + 1}
	}
	r.scratch = append(r.scratch, text...)
	return rel + len(text), nil
}

// bareEscaped is bare where a backslash takes its meaning from a delimiter, quote or line break.
func (r *recordReader) bareEscaped(rel int, q quoting) (int, error) {
	for {
		c, err := r.at(rel)
		if err != nil {
			return 0, err
		}
		if c < 0 || c == '\n' || c == '\r' {
			return rel, nil
		}
		if c == '\\' {
			before := len(r.scratch)
			if err := r.escaped(&rel); err != nil {
				return 0, err
			}
			r.repairs.unquotedEscape = r.repairs.unquotedEscape || r.dialect.quote != 0 && r.scratch[before] == r.dialect.quote
			continue
		}
		if found, err := r.delimiterAt(rel); found || err != nil {
			return rel, err
		}
		if c == int(r.dialect.quote) && c != 0 && !q.loose {
			return 0, &errStray{rel: rel, column: len(r.ends) + 1}
		}
		r.scratch = append(r.scratch, byte(c))
		rel++
	}
}

// at returns the byte at the offset from the record's beginning, or -1 behind the end of the file.
func (r *recordReader) at(rel int) (int, error) {
	for r.pos+rel >= r.end {
		if err := r.fill(); errors.Is(err, io.EOF) {
			return -1, nil
		} else if err != nil {
			return 0, err
		}
	}
	return int(r.buf[r.pos+rel]), nil
}

// delimiterAt tells if a delimiter stands at the offset.
func (r *recordReader) delimiterAt(rel int) (bool, error) {
	d := r.dialect.delimiter
	if len(d) == 1 && r.pos+rel < r.end {
		return r.buf[r.pos+rel] == d[0], nil
	}
	for i := range len(d) {
		if c, err := r.at(rel + i); err != nil || c != int(d[i]) {
			return false, err
		}
	}
	return d != "", nil
}

func (r *recordReader) strayFault(s *errStray) error {
	fault := r.fault(s.column, "a quote stands in the middle of the cell",
		"Double the quote inside a quoted cell, or put the whole cell in quotes; to take such quotes as characters set lenient, quote: none or escape: backslash.")
	fault.Err = s
	fault.Line += countBreaks(r.buf[r.pos : r.pos+s.rel])
	if s.unclosed {
		fault.What = "the quote that opens the cell is never closed"
	}
	return fault
}

// countBreaks counts the line breaks in the text; CR and LF together are one.
func countBreaks(text []byte) int {
	n := bytes.Count(text, []byte{'\n'}) + bytes.Count(text, []byte{'\r'})
	return n - bytes.Count(text, []byte("\r\n"))
}
