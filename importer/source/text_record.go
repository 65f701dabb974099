package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// recordReader splits UTF-8 text into records and cells. It differs from encoding/csv where a firm's files need it: a
// blank line is a record (a spreadsheet counts it), CR alone ends one, a line break inside a cell stays as it is, the
// text around a fault is known, and no cell and no record may grow without bound.
//
// A record costs one string; its cells are slices of it. A record without quotes is cut at its delimiters as it stands
// (the common case, which sets the speed); any other is put together in scratch first.
type recordReader struct {
	in      io.Reader
	dialect dialect
	limits  Limits
	lenient bool
	width   int // cells of a regular record, 0 when unknown; settles what a stray quote meant when lenient

	buf      []byte
	pos, end int   // the unread part of buf
	lf, cr   int   // no line feed, no carriage return, lies between pos and here
	inErr    error // why nothing more can be read; io.EOF at the end

	consumed int64 // bytes of the records before
	wasted   int64 // bytes looked at in vain, see wasteShare
	reach    int   // how far from pos the current parse has looked

	line    int    // physical line on which the record began
	after   int    // physical line on which the next one begins
	raw     []byte // the record as it stands in the file, without its line break; valid until the next one
	cells   []string
	scratch []byte
	ends    []int
	ending  lineEnds // how lines ended so far, line breaks inside quotes left out
	unended bool     // nothing ended the record but the end of the file
	repairs repairs
}

// lineEnds counts the line breaks between records by kind.
type lineEnds struct{ lf, crlf, cr int }

// repairs says what had to be overlooked in the current record.
type repairs struct {
	stray          bool // a stray quote was taken as a character
	padded         bool // blanks around quotes were left out
	formula        bool // an equals sign before a quote was left out
	unquotedEscape bool // a backslash stands before a quote in a cell that is not in quotes
}

const firstBuffer = 64 << 10

func newRecordReader(in io.Reader, d dialect, limits Limits) *recordReader {
	return &recordReader{in: in, dialect: d, limits: limits, buf: make([]byte, firstBuffer), after: 1}
}

// next reads one record into cells; io.EOF says there is none.
func (r *recordReader) next() error {
	r.cells, r.repairs = r.cells[:0], repairs{}
	r.line = r.after
	if r.pos == r.end {
		if err := r.fill(); err != nil {
			return err
		}
	}
	stop, skip, err := r.lineEnd(0)
	if err != nil {
		return err
	}
	if r.special(r.buf[r.pos : r.pos+stop]) {
		first := stop
		if stop, skip, err = r.assemble(first, skip); err != nil {
			return err
		}
		if stop > first {
			r.after += countBreaks(r.raw)
		}
	} else {
		r.raw = r.buf[r.pos : r.pos+stop]
		r.cut()
	}
	r.count(r.pos+stop, skip)
	r.pos += stop + skip
	r.consumed += int64(stop + skip)
	return r.check()
}

// special tells if a line needs more than cutting at its delimiters.
func (r *recordReader) special(line []byte) bool {
	if q := r.dialect.quote; q != 0 && bytes.IndexByte(line, q) >= 0 {
		return true
	}
	return r.dialect.backslash && bytes.IndexByte(line, '\\') >= 0
}

// cut makes cells of a record that has no quotes.
func (r *recordReader) cut() {
	rest := string(r.raw)
	d := r.dialect.delimiter
	if d == "" {
		r.cells = append(r.cells, rest)
		return
	}
	if d == spaces {
		r.cells = cutAtSpaces(rest, r.cells)
		return
	}
	for {
		i := strings.IndexByte(rest, d[0])
		if len(d) > 1 {
			i = strings.Index(rest, d)
		}
		if i < 0 || len(r.cells) > r.limits.Columns {
			r.cells = append(r.cells, rest)
			return
		}
		r.cells = append(r.cells, rest[:i])
		rest = rest[i+len(d):]
	}
}

// count notes the line break at the given place of the buffer and moves the line number on.
func (r *recordReader) count(at, skip int) {
	switch r.unended = skip == 0; {
	case r.unended:
		return
	case skip == 2:
		r.ending.crlf++
	case r.buf[at] == '\n':
		r.ending.lf++
	default:
		r.ending.cr++
	}
	r.after++
}

// check refuses what no cell may hold and what goes over the limits.
func (r *recordReader) check() error {
	if len(r.cells) > r.limits.Columns {
		return r.fault(0, fmt.Sprintf("the row has more than %d cells", r.limits.Columns), hintDelimiter)
	}
	if !utf8.Valid(r.raw) {
		return r.invalid()
	}
	if bytes.IndexByte(r.raw, 0) >= 0 {
		return r.nul()
	}
	if len(r.raw) <= r.limits.Cell {
		return nil
	}
	for i, cell := range r.cells {
		if len(cell) > r.limits.Cell {
			return r.fault(i+1, fmt.Sprintf("the cell holds more than %s", byteSize(uint64(r.limits.Cell))), hintDelimiter)
		}
	}
	return nil
}

const hintDelimiter = "Check that the delimiter and the quote are the right ones; no table that firms export has such a row."

func (r *recordReader) fault(column int, what, hint string) *Error {
	return &Error{What: what, Line: r.line, Column: column, Hint: hint}
}

// lineEnd finds the first line break at or after the offset rel from pos, reading on as needed: the offset at which it
// stands and its length, which is 0 at the end of the file.
func (r *recordReader) lineEnd(rel int) (stop, skip int, err error) {
	for {
		at := min(r.find('\n', &r.lf, r.pos+rel), r.find('\r', &r.cr, r.pos+rel))
		found := at < r.end
		if found && r.buf[at] == '\r' && at+1 < r.end && r.buf[at+1] == '\n' {
			return at - r.pos, 2, nil
		}
		if found && (r.buf[at] == '\n' || at+1 < r.end) {
			return at - r.pos, 1, nil
		}
		stop = at - r.pos // of a CR that may have an LF behind it, or of the end of what is there
		err := r.fill()
		switch {
		case err == io.EOF && found:
			return stop, 1, nil
		case err == io.EOF:
			return stop, 0, nil
		case err != nil:
			return 0, 0, err
		}
	}
}

// find returns where c stands first at or after from, or end. The cache remembers how far the search has come, so that
// a file without any c is searched only once.
func (r *recordReader) find(c byte, cache *int, from int) int {
	if *cache < from {
		*cache = from
	}
	if *cache < r.end && r.buf[*cache] != c {
		if i := bytes.IndexByte(r.buf[*cache:r.end], c); i >= 0 {
			*cache += i
		} else {
			*cache = r.end
		}
	}
	return *cache
}

// fill reads more behind end; what is unread moves to the front of the buffer, which grows up to the limit of a record.
func (r *recordReader) fill() error {
	if r.inErr != nil {
		return r.inErr
	}
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end, r.lf, r.cr, r.pos = r.end-r.pos, max(0, r.lf-r.pos), max(0, r.cr-r.pos), 0
	}
	if r.end > r.limits.Record {
		return r.fault(0, fmt.Sprintf("the row is longer than %s", byteSize(uint64(r.limits.Record))),
			"A quote that opens in it is probably never closed; correct the file, or set the quote, the escape or the encoding.")
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for range 100 {
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.inErr = err
		}
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
