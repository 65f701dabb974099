package text

import (
	"fmt"
	"slices"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
)

// notes collects what was odd while a text file was read.
type notes struct {
	stray, padded, formula, kept format.Warning

	decimals    column.Decimals
	columns     int // of the widest row
	ending      record.LineEnds
	watchQuotes bool // that quotes are characters was guessed: a cell in quotes speaks against it
}

// record looks at the record that was just read.
func (n *notes) record(r *record.Reader, number int) {
	if r.Repairs.Stray {
		n.stray.AddRow(number)
	}
	if r.Repairs.Padded {
		n.padded.AddRow(number)
	}
	if r.Repairs.Formula {
		n.formula.AddRow(number)
	}
	if n.watchQuotes && slices.ContainsFunc(r.Cells, meansQuotes) {
		n.kept.AddRow(number)
	}
}

// Unproven is an error where the encoding is a guess: a short name says too little of it, and a wrong letter is not noticed later.
func (t *Table) Unproven() error {
	if t.charset.Example == "" {
		return nil
	}
	return &format.Error{What: fmt.Sprintf("the file is not UTF-8; read as Windows-1252 it says %q", t.charset.Example), Hint: hintEncoding}
}

const hintEncoding = "If that is right, set source: {file: …, encoding: windows-1252}; if not, name the encoding that the file was saved in, or save it as UTF-8."

// Guessed is the code of the warning that the encoding was guessed.
const Guessed = "encoding_guessed"

// guesses warns of guesses that a person should look at.
func (t *Table) guesses() (all []format.Warning) {
	if t.charset.Example != "" {
		all = append(all, format.Warning{Code: Guessed, Message: fmt.Sprintf("the file is not UTF-8 and was read as Windows-1252, in which it says %q", t.charset.Example),
			Hint: hintEncoding})
	}
	if t.finding.doubt != "" {
		all = append(all, format.Warning{Code: "delimiter_doubtful", Message: fmt.Sprintf("the delimiter was detected as %s, but %s fits nearly as well", record.DelimiterName(t.finding.dialect.Delimiter), t.finding.doubt),
			Hint: "Look at the columns, and set the delimiter."})
	}
	return all
}

// Found is how a text file is written, in words. The members ending in _why say how each thing is known.
type Found struct {
	Encoding     string `json:"encoding,omitempty"`
	EncodingWhy  string `json:"encoding_why,omitempty"`
	Delimiter    string `json:"delimiter,omitempty"`
	DelimiterWhy string `json:"delimiter_why,omitempty"`
	Quote        string `json:"quote,omitempty"`
	QuoteWhy     string `json:"quote_why,omitempty"`
	Escape       string `json:"escape,omitempty"` // "double" or "backslash"
	EscapeWhy    string `json:"escape_why,omitempty"`
	LineEnds     string `json:"line_ends,omitempty"` // "LF", "CRLF", "CR" or "mixed", in what was read so far
}

// Found returns what was found out about the file.
func (t *Table) Found() Found {
	dialect := t.finding.dialect
	f := Found{Encoding: t.charset.Name, EncodingWhy: t.charset.Why, Delimiter: record.DelimiterName(dialect.Delimiter), DelimiterWhy: t.finding.delimiterWhy,
		Quote: "none", QuoteWhy: t.finding.quoteWhy, LineEnds: t.notes.ending.String()}
	if dialect.Quote != 0 {
		f.Quote, f.Escape, f.EscapeWhy = string(dialect.Quote), "double", t.finding.escapeWhy
	}
	if dialect.Backslash {
		f.Escape = "backslash"
	}
	return f
}

// Warnings implements format.Table.
func (t *Table) Warnings() []format.Warning { return slices.Concat(t.doubts, t.notes.warnings()) }

func (n *notes) warnings() []format.Warning {
	all := slices.Concat(
		n.stray.Counted("stray_quote", "", "there is a quote in the middle of a cell, which was read as a character", "Compare these rows with the file."),
		n.padded.Counted("blanks_around_quotes", "", "blanks between a delimiter and a quote were ignored", ""),
		n.formula.Counted("text_formula", "", "a cell is a formula that only contains text, such as =\"00123\", and was read as that text", ""),
		n.kept.Counted("quotes_kept", "", "a cell is in quotes, which were kept: the rows before it showed quotes as ordinary characters",
			"Set quote: '\"' if such quotes are not part of the cell, or quote: none if they are."),
		n.decimals.Warnings("", n.columns))
	if e := n.ending; e.CR > 0 && e.LF+e.CRLF > 0 {
		all = append(all, format.Warning{Code: "line_ends_mixed", Message: fmt.Sprintf("%d rows end in a carriage return alone and %d in a line feed", e.CR, e.LF+e.CRLF),
			Hint: "If rows were split, the carriage returns belong inside cells: export with quotes."})
	}
	return all
}
