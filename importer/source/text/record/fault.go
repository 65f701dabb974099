package record

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"docketsync/importer/source/format"
)

// faultTeller is a decoder that remembers the first invalid bytes.
type faultTeller interface{ Fault() string }

// invalid returns the error for a record that is not UTF-8.
func (r *Reader) invalid() error {
	column, before, at := r.place(func(cell string) int {
		for i := range cell {
			if c, n := utf8.DecodeRuneInString(cell[i:]); c == utf8.RuneError && n == 1 {
				return i
			}
		}
		return -1
	})
	what := fmt.Sprintf("%s is not a valid character in %s", r.badText(at), r.dialect.Encoding)
	if before != "" {
		what += fmt.Sprintf(" (after %q)", before)
	}
	hint := "Set the encoding that the file was written in (for example windows-1252), or export it again as UTF-8."
	return r.fault(column, what, hint)
}

// badText quotes the bytes that could not be read; text is the decoded text that starts there.
func (r *Reader) badText(text string) string {
	if t, ok := r.in.(faultTeller); ok { // text has what stands for the byte
		return cmp.Or(t.Fault(), "a byte")
	}
	if text == "" {
		return "a byte"
	}
	return fmt.Sprintf("byte 0x%02X", text[0])
}

// nul returns the error for a record that contains a NUL character.
func (r *Reader) nul() error {
	column, _, _ := r.place(func(cell string) int { return strings.IndexByte(cell, 0) })
	return r.fault(column, "the cell contains a NUL character: the file is damaged, is not text, or has another encoding",
		"Export it again; if it is UTF-16 set encoding: utf-16le or utf-16be.")
}

// strayFault returns the error for a record with a stray quote.
func (r *Reader) strayFault(s *errStray) error {
	fault := r.fault(s.column, "there is a quote in the middle of the cell",
		"Double the quote inside a quoted cell, or put the whole cell in quotes; to take such quotes as characters set lenient, quote: none or escape: backslash.")
	fault.Err = s
	fault.Line += countBreaks(r.buf[r.pos : r.pos+s.rel])
	if s.unclosed {
		fault.What = "the quote that opens the cell is never closed"
	}
	return fault
}

// place finds the first cell in which find finds something. It returns the cell's column from 1 (0 if there is none), a
// few characters before the place, and the text from there on.
func (r *Reader) place(find func(string) int) (column int, before, at string) {
	for i, cell := range r.Cells {
		if found := find(cell); found >= 0 {
			return i + 1, format.Tail(cell[:found], 20), cell[found:]
		}
	}
	return 0, "", ""
}
