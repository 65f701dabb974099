package record

import (
	"bytes"
	"errors"
	"io"
)

// quoted reads from an opening quote to the end of the closing one and any spaces after it.
func (r *Reader) quoted(open, stop int, q quoting) (int, error) {
	for rel := open + 1; ; {
		found, err := r.toQuote(open, &rel, stop, q)
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
		case following == int(r.dialect.Quote):
			r.scratch = append(r.scratch, r.dialect.Quote)
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
		r.scratch = append(r.scratch, r.dialect.Quote)
		rel++
	}
}

// toQuote copies characters up to the next quote (or backslash, if it escapes), which it returns. open is where the
// cell opened.
func (r *Reader) toQuote(open int, rel *int, stop int, q quoting) (byte, error) {
	for {
		if q.oneLine && *rel > stop || r.Lenient && *rel > lenientAhead { // a backslash may lead beyond the end of the line
			return 0, r.unclosed(open)
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
		if q.oneLine {
			return 0, r.unclosed(open)
		}
		if err := r.fill(); errors.Is(err, io.EOF) {
			return 0, r.unclosed(open)
		} else if err != nil {
			return 0, err
		}
	}
}

func (r *Reader) unclosed(open int) error {
	return &errStray{rel: open, column: len(r.ends) + 1, unclosed: true}
}

// mark returns the index of the first quote, or escaping backslash, in b, or -1.
func (r *Reader) mark(b []byte) int {
	i := bytes.IndexByte(b, r.dialect.Quote)
	if !r.dialect.Backslash {
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

// escaped copies what the backslash at rel stands for. Before a delimiter, a quote, a backslash or a line break it
// escapes; before anything else it is itself.
func (r *Reader) escaped(rel *int) error {
	next, err := r.at(*rel + 1)
	if err != nil {
		return err
	}
	*rel++
	switch next {
	case '\r':
		if after, err := r.at(*rel + 1); err != nil {
			return err
		} else if after == '\n' {
			r.scratch = append(r.scratch, '\r')
			next = '\n'
			*rel++
		}
		fallthrough
	case '\\', '\n', int(r.dialect.Quote):
		r.scratch = append(r.scratch, byte(next))
		*rel++
		return nil
	}
	if found, err := r.delimiterAt(*rel); found || err != nil {
		r.scratch = append(r.scratch, r.dialect.Delimiter...)
		*rel += len(r.dialect.Delimiter)
		return err
	}
	r.scratch = append(r.scratch, '\\')
	return nil
}

// closing reports whether the cell ends after the quote before rel, and where, allowing for spaces.
func (r *Reader) closing(rel int) (after int, closed bool, err error) {
	if d := r.dialect.Delimiter; len(d) == 1 && r.pos+rel < r.end && r.buf[r.pos+rel] == d[0] {
		return rel, true, nil // the usual case
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
			r.Repairs.Padded = true
		}
		return rel, closed, nil
	}
}

// bare copies an unquoted cell up to the delimiter or the end of its line.
func (r *Reader) bare(rel, stop int, q quoting) (int, error) {
	if r.dialect.Backslash {
		return r.bareEscaped(rel, q)
	}
	text := r.buf[r.pos+rel : r.pos+stop]
	if d := r.dialect.Delimiter; len(d) == 1 {
		if i := bytes.IndexByte(text, d[0]); i >= 0 {
			text = text[:i]
		}
	} else if d != "" {
		if i := bytes.Index(text, []byte(d)); i >= 0 {
			text = text[:i]
		}
	}
	if i := bytes.IndexByte(text, r.dialect.Quote); i >= 0 && r.dialect.Quote != 0 && !q.loose {
		return 0, &errStray{rel: rel + i, column: len(r.ends) + 1}
	}
	r.scratch = append(r.scratch, text...)
	return rel + len(text), nil
}

// bareEscaped is bare for dialects in which a backslash escapes a delimiter, quote or line break.
func (r *Reader) bareEscaped(rel int, q quoting) (int, error) {
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
			r.Repairs.UnquotedEscape = r.Repairs.UnquotedEscape || r.dialect.Quote != 0 && r.scratch[before] == r.dialect.Quote
			continue
		}
		if found, err := r.delimiterAt(rel); found || err != nil {
			return rel, err
		}
		if c == int(r.dialect.Quote) && c != 0 && !q.loose {
			return 0, &errStray{rel: rel, column: len(r.ends) + 1}
		}
		r.scratch = append(r.scratch, byte(c))
		rel++
	}
}

// at returns the byte at the offset from the record's beginning, or -1 after the end of the file.
func (r *Reader) at(rel int) (int, error) {
	for r.pos+rel >= r.end {
		if err := r.fill(); errors.Is(err, io.EOF) {
			return -1, nil
		} else if err != nil {
			return 0, err
		}
	}
	return int(r.buf[r.pos+rel]), nil
}

// delimiterAt reports whether there is a delimiter at the offset.
func (r *Reader) delimiterAt(rel int) (bool, error) {
	d := r.dialect.Delimiter
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

// countBreaks counts the line breaks in the text; CR LF counts once.
func countBreaks(text []byte) int {
	n := bytes.Count(text, []byte{'\n'}) + bytes.Count(text, []byte{'\r'})
	return n - bytes.Count(text, []byte("\r\n"))
}
