package text

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
	"docketsync/mapping/table"
)

// notes collects what was odd while a text file was read.
type notes struct {
	stray, padded, formula format.Warning

	decimals column.Decimals
	ending   record.LineEnds
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
}

// guesses are what a person must check before rows are sent: a short name says too little about the encoding, and
// nobody notices a wrong letter later.
func (t *Table) guesses(inQuotes format.Warning) (all []format.Warning) {
	if t.charset.Example != "" {
		all = append(all, format.Warning{Code: "encoding_guessed", Setting: "encoding", Message: fmt.Sprintf("the file is not UTF-8; read as Windows-1252 it says %q", t.charset.Example),
			Hint: "If that is right, set source: {file: …, encoding: windows-1252}, or with --file: --encoding windows-1252; if not, name the encoding that the file was saved in, or save it as UTF-8."})
	}
	if f := t.finding; f.rival.records > 0 {
		found, other := record.DelimiterName(f.dialect.Delimiter), record.DelimiterName(f.rival.dialect.Delimiter)
		all = append(all, format.Warning{Code: "delimiter_doubtful", Setting: "delimiter",
			Message: fmt.Sprintf("the delimiter was detected as %s (%s), but %s fits nearly as well: %s", found, f.delimiterWhy, other, f.rival.why()),
			Hint:    fmt.Sprintf("If the first is right, set source: {file: …, delimiter: %s}; if the other is, delimiter: %s.", found, other)})
	}
	if inQuotes.Count > 0 {
		inQuotes.Code, inQuotes.Setting = "quotes_kept", "quote"
		inQuotes.Message = "a cell is in quotes, which were kept: the rows before it showed quotes as ordinary characters"
		inQuotes.Hint = `If the quotes are part of the cell, set source: {file: …, quote: none}; if not, quote: '"'.`
		all = append(all, inQuotes)
	}
	return all
}

// inQuotes counts the rows with quoted cells in a file whose beginning shows that quotes are ordinary characters. One
// such cell makes that a guess about the whole file, not just about its own row: if it is wrong, a cell may continue on
// the next line, and that line looks like any other row. An error ends the counting, because the reader of the rows
// meets it too.
func (t *Table) inQuotes(ctx context.Context) (found format.Warning) {
	for row, err := range t.Rows(ctx) {
		if err == nil && slices.ContainsFunc(row.Cells, func(cell table.Cell) bool { return meansQuotes(cell.Text) }) {
			found.AddRow(row.Number)
		}
	}
	return found
}

// Found says how a text file is written. The members ending in _why say how each property was determined.
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

// Found returns what was determined about the file.
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
		n.decimals.Warnings(""))
	if e := n.ending; e.CR > 0 && e.LF+e.CRLF > 0 {
		all = append(all, format.Warning{Code: "line_ends_mixed", Message: fmt.Sprintf("the rows end in a carriage return alone (%d) and in a line feed (%d)", e.CR, e.LF+e.CRLF),
			Hint: "If rows were split, the carriage returns belong inside cells: export with quotes."})
	}
	return all
}
