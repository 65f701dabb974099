package record

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"docketsync/importer/source/format"
)

// Reader splits UTF-8 text into records and cells. The package comment says how it differs from encoding/csv.
//
// A record costs one string; its cells are slices of it. A record without quotes is cut at its delimiters directly (the
// usual case, which determines the speed); any other is assembled in scratch first.
type Reader struct {
	Cells   []string // of the record; valid until the next one
	Raw     []byte   // the record as it is in the file, without its line break; valid until the next one
	Line    int      // physical line on which the record began
	Unended bool     // only the end of the file ended the record
	Repairs repairs
	Ending  LineEnds // the line ends so far, except line breaks inside quotes

	// Lenient takes a stray quote as a character. Width is how many cells a regular record has, 0 if unknown; it
	// decides what such a quote meant.
	Lenient bool
	Width   int
	// QuoteKnown says that the quote was configured: lines inside quotes are never taken for rows.
	QuoteKnown bool

	in      io.Reader
	dialect Dialect
	limits  format.Limits

	buf      []byte
	pos, end int   // the unread part of buf
	lf, cr   int   // there is no line feed, no carriage return, between pos and here
	inErr    error // why nothing more can be read; io.EOF at the end

	consumed int64 // bytes of the earlier records
	wasted   int64 // bytes examined in vain, see wasteShare
	reach    int   // how far from pos the current parse has looked

	after   int // physical line on which the next record begins
	scratch []byte
	ends    []int
}

// LineEnds counts the line breaks between records by kind.
type LineEnds struct{ LF, CRLF, CR int }

// String returns "LF", "CRLF", "CR" or "mixed", or "" for a file of one line.
func (e LineEnds) String() string {
	switch {
	case e.LF > 0 && e.CRLF+e.CR > 0, e.CRLF > 0 && e.CR > 0:
		return "mixed"
	case e.LF > 0:
		return "LF"
	case e.CRLF > 0:
		return "CRLF"
	case e.CR > 0:
		return "CR"
	}
	return ""
}

// repairs says what was tolerated in the current record.
type repairs struct {
	Stray          bool // a stray quote was taken as a character
	Padded         bool // spaces around quotes were left out
	Formula        bool // an equals sign before a quote was left out
	UnquotedEscape bool // there is a backslash before a quote in an unquoted cell
}

const firstBuffer = 64 << 10

// New returns a Reader of records from UTF-8 text.
func New(in io.Reader, d Dialect, limits format.Limits) *Reader {
	return &Reader{in: in, dialect: d, limits: limits, buf: make([]byte, firstBuffer), after: 1}
}

// AtEnd reports whether nothing follows the record.
func (r *Reader) AtEnd() bool { return r.pos == r.end && r.inErr != nil }

// Next reads one record into Cells. It returns io.EOF if there is none.
func (r *Reader) Next() error {
	r.Cells, r.Repairs = r.Cells[:0], repairs{}
	r.Line = r.after
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
			r.after += countBreaks(r.Raw)
		}
	} else {
		r.Raw = r.buf[r.pos : r.pos+stop]
		r.cut()
	}
	r.count(r.pos+stop, skip)
	r.pos += stop + skip
	r.consumed += int64(stop + skip)
	return r.check()
}

// special reports whether a line needs more than cutting at its delimiters.
func (r *Reader) special(line []byte) bool {
	if q := r.dialect.Quote; q != 0 && bytes.IndexByte(line, q) >= 0 {
		return true
	}
	return r.dialect.Backslash && bytes.IndexByte(line, '\\') >= 0
}

// cut splits a record without quotes into cells.
func (r *Reader) cut() {
	rest := string(r.Raw)
	d := r.dialect.Delimiter
	if d == "" {
		r.Cells = append(r.Cells, rest)
		return
	}
	if d == Spaces {
		r.Cells = cutAtSpaces(rest, r.Cells)
		return
	}
	for {
		i := strings.IndexByte(rest, d[0])
		if len(d) > 1 {
			i = strings.Index(rest, d)
		}
		if i < 0 || len(r.Cells) > r.limits.Columns {
			r.Cells = append(r.Cells, rest)
			return
		}
		r.Cells = append(r.Cells, rest[:i])
		rest = rest[i+len(d):]
	}
}

// count records the line break at the given position of the buffer and advances the line number.
func (r *Reader) count(at, skip int) {
	switch r.Unended = skip == 0; {
	case r.Unended:
		return
	case skip == 2:
		r.Ending.CRLF++
	case r.buf[at] == '\n':
		r.Ending.LF++
	default:
		r.Ending.CR++
	}
	r.after++
}

// check refuses what no cell may contain and what exceeds the limits.
func (r *Reader) check() error {
	if len(r.Cells) > r.limits.Columns {
		return r.fault(0, fmt.Sprintf("the row has more than %d cells", r.limits.Columns), hintDelimiter)
	}
	if !utf8.Valid(r.Raw) {
		return r.invalid()
	}
	if bytes.IndexByte(r.Raw, 0) >= 0 {
		return r.nul()
	}
	if len(r.Raw) <= r.limits.Cell {
		return nil
	}
	for i, cell := range r.Cells {
		if len(cell) > r.limits.Cell {
			return r.fault(i+1, fmt.Sprintf("the cell holds more than %s", format.ByteSize(uint64(r.limits.Cell))), hintDelimiter)
		}
	}
	return nil
}

const hintDelimiter = "Check that the delimiter and the quote are the right ones; no table that firms export has such a row."

func (r *Reader) fault(column int, what, hint string) *format.Error {
	return &format.Error{What: what, Line: r.Line, Column: column, Hint: hint}
}

// lineEnd finds the first line break at or after the offset rel from pos, reading more as needed. It returns the
// break's offset and its length, which is 0 at the end of the file.
func (r *Reader) lineEnd(rel int) (stop, skip int, err error) {
	for {
		at := min(r.find('\n', &r.lf, r.pos+rel), r.find('\r', &r.cr, r.pos+rel))
		found := at < r.end
		if found && r.buf[at] == '\r' && at+1 < r.end && r.buf[at+1] == '\n' {
			return at - r.pos, 2, nil
		}
		if found && (r.buf[at] == '\n' || at+1 < r.end) {
			return at - r.pos, 1, nil
		}
		stop = at - r.pos // of a CR that may be followed by an LF, or of the end of the buffered data
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

// find returns the first position of c at or after from, or end. The cache remembers how far the search has come, so
// that a file without any c is searched only once.
func (r *Reader) find(c byte, cache *int, from int) int {
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

// fill reads more data after end. It moves the unread part to the front of the buffer, which grows up to the limit of a
// record.
func (r *Reader) fill() error {
	if r.inErr != nil {
		return r.inErr
	}
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end, r.lf, r.cr, r.pos = r.end-r.pos, max(0, r.lf-r.pos), max(0, r.cr-r.pos), 0
	}
	if r.end > r.limits.Record {
		return r.fault(0, fmt.Sprintf("the row is longer than %s", format.ByteSize(uint64(r.limits.Record))),
			"A quote that opens in it is probably never closed; correct the file, or set the quote, the escape or the encoding.")
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := io.ReadAtLeast(r.in, r.buf[r.end:], 1)
	r.end, r.inErr = r.end+n, err
	return err
}
