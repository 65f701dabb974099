package source

import (
	"bytes"
	"fmt"
	"slices"
)

// textNotes collects what was odd while a text file was read.
type textNotes struct {
	stray, padded, formula, lost, kept, twice, controls Warning

	decimals    decimalDoubts
	columns     int // of the widest row
	ending      lineEnds
	watchQuotes bool // that quotes are characters was guessed: a cell in quotes speaks against it
}

var replacement = []byte("\ufffd")

// record looks at the record that was just read.
func (n *textNotes) record(r *recordReader, number int) {
	if r.repairs.stray {
		n.stray.add(number)
	}
	if r.repairs.padded {
		n.padded.add(number)
	}
	if r.repairs.formula {
		n.formula.add(number)
	}
	if n.watchQuotes && slices.ContainsFunc(r.cells, meansQuotes) {
		n.kept.add(number)
	}
	if bytes.Contains(r.raw, replacement) {
		n.lost.add(number)
	}
	if encodedTwice(r.raw) {
		n.twice.add(number)
	} else if holdsC1(r.raw) {
		n.controls.add(number)
	}
}

// doubts warns of guesses that a person should look at.
func (t *textTable) doubts() {
	if t.charset.example != "" {
		t.found.warn(Warning{Code: "encoding_guessed", Message: fmt.Sprintf("the file is not UTF-8 and was read as Windows-1252, in which it says %q", t.charset.example),
			Hint: "If that is wrong, set the encoding; if it is right, set encoding: windows-1252 and this warning goes away."})
	}
	if t.finding.doubt != "" {
		t.found.warn(Warning{Code: "delimiter_doubtful", Message: fmt.Sprintf("the delimiter was taken to be %s, and %s would fit nearly as well", delimiterName(t.finding.dialect.delimiter), t.finding.doubt),
			Hint: "Look at the columns, and set the delimiter."})
	}
}

// describe implements table.
func (t *textTable) describe(d *Detected) {
	dialect := t.finding.dialect
	d.Encoding, d.EncodingWhy = t.charset.name, t.charset.why
	d.Delimiter, d.DelimiterWhy = delimiterName(dialect.delimiter), t.finding.delimiterWhy
	d.Quote, d.QuoteWhy = "none", t.finding.quoteWhy
	if dialect.quote != 0 {
		d.Quote, d.Escape, d.EscapeWhy = string(dialect.quote), "double", t.finding.escapeWhy
	}
	if dialect.backslash {
		d.Escape = "backslash"
	}
	d.LineEnds = t.notes.ending.String()
	d.Warnings = append(d.Warnings, t.found.Warnings...)
	for _, w := range t.notes.warnings() {
		d.warn(w)
	}
}

func (n *textNotes) warnings() []Warning {
	var all []Warning
	add := func(w Warning, code, message, hint string) {
		if w.Count > 0 {
			w.Code, w.Message, w.Hint = code, message, hint
			all = append(all, w)
		}
	}
	add(n.stray, "stray_quote", "a quote stands in the middle of a cell and was taken as a character", "Compare these rows with the file.")
	add(n.padded, "blanks_around_quotes", "blanks between a delimiter and a quote were left out", "")
	add(n.formula, "text_formula", "a cell is a formula that is nothing but a text, such as =\"00123\", and was read as that text", "")
	add(n.kept, "quotes_kept", "a cell is in quotes, which were kept: the rows before it showed quotes as ordinary characters",
		"Set quote: '\"' if such quotes are not part of the cell, or quote: none if they are.")
	add(n.lost, "replacement_character", "the file holds the character U+FFFD, which programs put where they could not read a character: something was lost before this file was written",
		"Export the file again from the system that has the data.")
	add(n.twice, "encoded_twice", "the file holds text such as \"Ã©\" or \"â€™\" where an accent, an apostrophe or a letter of another script was meant: it was encoded twice before it came here",
		"Export the file again from the system that has the data.")
	add(n.controls, "control_characters", "the file holds invisible control characters where a quotation mark, a dash or a euro sign was meant: it was converted from Windows-1252 as if it were ISO-8859-1",
		"Export the file again from the system that has the data.")
	all = append(all, n.decimals.warnings("", n.columns)...)
	if e := n.ending; e.cr > 0 && e.lf+e.crlf > 0 {
		all = append(all, Warning{Code: "line_ends_mixed", Message: fmt.Sprintf("%d rows end in a carriage return alone and %d in a line feed", e.cr, e.lf+e.crlf),
			Hint: "If rows were torn apart, the carriage returns belong into cells: export with quotes."})
	}
	return all
}

// String returns "LF", "CRLF", "CR" or "mixed", or "" for a file of one line.
func (e lineEnds) String() string {
	switch {
	case e.lf > 0 && e.crlf+e.cr > 0, e.crlf > 0 && e.cr > 0:
		return "mixed"
	case e.lf > 0:
		return "LF"
	case e.crlf > 0:
		return "CRLF"
	case e.cr > 0:
		return "CR"
	}
	return ""
}
