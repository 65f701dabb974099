package source

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/text"
)

// Options set what would otherwise be detected. The zero value detects everything.
type Options struct {
	// Format is "csv" (any delimited text), "xlsx" (also .xlsm), "ods" or "xls"; "" detects it by the file's first
	// bytes.
	Format string
	// Encoding of a text file: any label of the WHATWG Encoding Standard ("utf-8", "windows-1250", "shift_jis", "big5",
	// "macintosh"), or "utf-32", "utf-32le", "utf-32be"; "" detects UTF-8, UTF-16, UTF-32 and Windows-1252.
	Encoding string
	// Certain refuses a file whose format was partly guessed (Warning.Setting). It is required for files whose rows are
	// sent.
	Certain bool
	// Delimiter between the cells of a text file: one character, or "comma", "semicolon", "tab", "pipe", "space", or
	// "spaces" for two or more; "none" for a file of one column; "" detects it.
	Delimiter string
	// Quote around cells of a text file: one character, or "none" if quotes are ordinary characters. "" means the
	// double quote, and refuses a file in which lines inside quotes look like rows.
	Quote string
	// Escape says how a quote is written inside a quoted cell: "double" ("") or "backslash" (\"); "" detects it.
	Escape string
	// Lenient takes a misplaced quote as an ordinary character, with a warning, instead of refusing the file.
	Lenient bool
	// Ragged says what happens to rows of a text file that have another width than the header: "" or "reject" gives
	// them a fault, and refuses a file in which most rows have one; "keep" takes them as they are.
	Ragged string
	// Cut says what happens to the last row of a text file that may be truncated, because no line break ends it: "" or
	// "reject" gives it a fault if the row is short, its last cell is unlike its column, or Ended is set; "keep" takes
	// it as it is.
	Cut string
	// Ended says that most of the files before this one ended with a line break.
	Ended bool
	// Totals says what happens to rows that look like totals of the rows above: "" or "reject" gives them a fault,
	// "keep" takes them as they are.
	Totals string
	// Sheet selects sheets of a workbook: a name, a number from 1 ("2"), a pattern with * or ?, or several of these
	// separated by " | ", for several sheets with the same columns. "" selects the sheet whose header fits Columns,
	// otherwise the first visible one that holds a table; if Columns are set and more sheets have that header, the
	// workbook is refused.
	Sheet string
	// Alike reads all visible sheets with the detected header if Sheet is "".
	Alike bool
	// Merged says what happens to merged cells in a workbook: "" leaves the value in the top left cell only, "down"
	// repeats it in the cells below, "right" in those beside it, "all" in every cell of the range.
	Merged string
	// Covered says what happens to a cell covered by merged cells that holds another value than they show, or that is
	// blank while Merged repeats nothing: "" or "reject" gives it a fault, "keep" takes it as it is. The content of
	// such cells in an .ods is not read.
	Covered string
	// Password opens an encrypted workbook. It appears in no error.
	Password string
	// Hidden says what happens to rows that a workbook does not show, because of a filter or because a person hid them:
	// "" or "reject" gives them a fault, "keep" takes them like any other, "skip" leaves them out.
	Hidden string
	// Header is the number of the header row as a spreadsheet shows it; 0 detects it.
	Header int
	// HeaderRows is the number of header rows, starting at Header; 0 detects it.
	HeaderRows int
	// NoHeader says that the first row is already data; the columns are named by letter.
	NoHeader bool
	// Columns are the names that the reader of the rows needs; they help to find the header and the right sheet.
	Columns []string
	// FooterRows is how many rows at the end are not data, not counting trailing blank rows.
	FooterRows int
	// Footer is a regular expression; a row whose first non-blank cell matches it is not data ("^(Sub)?total").
	Footer string
	// Limits protect against files that would take all memory or time.
	Limits format.Limits
}

func (o *Options) validate() error {
	o.Limits = o.Limits.WithDefaults()
	for _, s := range []struct{ name, value, words, hint string }{
		{"format", o.Format, "csv xlsx ods xls", "Use csv (for any delimited text), xlsx, ods or xls"},
		{"ragged", o.Ragged, "reject keep", "Use reject or keep"}, {"cut", o.Cut, "reject keep", "Use reject or keep"},
		{"totals", o.Totals, "reject keep", "Use reject or keep"}, {"covered", o.Covered, "reject keep", "Use reject or keep"},
		{"hidden", o.Hidden, "reject keep skip", "Use reject, keep or skip"}, {"merged", o.Merged, "down right all", "Use down, right or all"}, {"escape", o.Escape, "double backslash", "Use double or backslash"},
	} {
		if s.value != "" && !slices.Contains(strings.Fields(s.words), s.value) {
			return &format.Error{What: fmt.Sprintf("%s %q is unknown", s.name, s.value), Hint: s.hint + ", or leave it out."}
		}
	}
	if o.Header < 0 || o.HeaderRows < 0 || o.FooterRows < 0 {
		return &format.Error{What: "a row number or count is negative", Hint: "Rows are counted from 1; leave the setting out to have the header detected."}
	}
	if o.NoHeader && (o.Header > 0 || o.HeaderRows > 0) {
		return &format.Error{What: "both a header row and no header are configured", Hint: "Remove one of the two settings."}
	}
	if _, err := regexp.Compile(o.Footer); err != nil {
		return &format.Error{What: fmt.Sprintf("footer %q is not a valid regular expression", o.Footer), Hint: err.Error(), Err: err}
	}
	return nil
}

func (o Options) header() header.Options {
	return header.Options{Header: o.Header, HeaderRows: o.HeaderRows, NoHeader: o.NoHeader, Columns: o.Columns}
}

func (o Options) text() text.Options {
	return text.Options{Encoding: o.Encoding, Delimiter: o.Delimiter, Quote: o.Quote, Escape: o.Escape, Lenient: o.Lenient, Columns: o.Columns, Limits: o.Limits}
}

func (o Options) sheet() sheet.Options {
	return sheet.Options{Merged: o.Merged, KeepCovered: o.Covered == "keep", Limits: o.Limits}
}
