package reason

import (
	"strconv"
	"unicode/utf8"
)

// The codes of reasons and notes. They are stable: reports group by them and tests of mappings name them. The checks of
// check.go have their own names as codes.
const (
	Empty           = "required_empty"    // nothing there, and the field may not be empty
	KeyEmpty        = "key_empty"         // no key, so the record cannot be identified
	CellError       = "cell_error"        // the cell holds a spreadsheet error such as #N/A
	TextInvalid     = "text_invalid"      // not valid text
	TextLong        = "text_too_long"     // more characters than the field takes
	Pattern         = "pattern_mismatch"  // not in the form that the mapping requires
	URL             = "url_invalid"       // not a web address
	GUID            = "guid_invalid"      // no GUID
	Number          = "number_invalid"    // not a number in plain digits
	Rounded         = "number_rounded"    // a number that a spreadsheet has shortened
	Shown           = "number_formatted"  // a number that its sheet shows differently, where what it shows is not known exactly
	Boolean         = "boolean_unknown"   // not mapped to yes or no
	JSON            = "json_invalid"      // no JSON
	DateUnreadable  = "date_unreadable"   // matches no declared pattern
	DateImpossible  = "date_impossible"   // not a valid date
	DateAmbiguous   = "date_ambiguous"    // two declared patterns give different days
	DateInText      = "date_in_text"      // a date where text is expected: spreadsheets make dates of 3-4
	ZoneMissing     = "time_without_zone" // a time of day without a time zone
	TimeUnclear     = "time_unclear"      // a time that the zone has twice or not at all, as when clocks change
	ValueUnknown    = "value_unknown"     // not in the field's values
	LookupUnknown   = "lookup_unknown"    // not in the lookup
	LookupUnfilled  = "lookup_unfilled"   // in the lookup, and nobody has given it an id yet
	LookupAmbiguous = "lookup_ambiguous"  // spelled like several names of the lookup
	LookupPending   = "lookup_pending"    // in the ledger, and its id is not known
	LookupFailed    = "lookup_failed"     // the ledger could not be asked
	Expression      = "expression_failed" // an expression that fails for this row
	Check           = "check"             // a check that the firm wrote itself; its name is the message
	RowsDisagree    = "rows_disagree"     // the rows of one record contradict each other
	Goods           = "goods_unreadable"  // a list of classes and goods that cannot be split
	Truncated       = "text_truncated"    // note: cut to the length the field takes, as set in the mapping
	Fraction        = "fraction_dropped"  // note: the service's dates have no fractions of a second
	TimeDropped     = "time_dropped"      // note: a time that in UTC belongs to another day
	Source          = "source_doubt"      // note: the source has a doubt about the cell
)

// Reason says why a row or record did not become a payload, or (as a note) what is odd about it. Code is a stable word
// for grouping, such as "lookup_unknown" or "date_ambiguous"; Field is the target field ("files.number");
// Column is the header's name and Cell its address ("C17"), both empty when no single cell is to blame; Value quotes
// what was found; Message says what is wrong in a sentence; Hint says what to do next. Source tells rows of one number apart
// where those of a record are of several sources: it is the row's, counted from 1, and 0 elsewhere.
type Reason struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Column  string `json:"column,omitempty"`
	Cell    string `json:"cell,omitempty"`
	Row     int    `json:"row,omitempty"`
	Source  int    `json:"source_number,omitempty"`
	Value   string `json:"value,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Problem is a Reason before it is known where: what is wrong with a value and what to do.
type Problem struct {
	Code, Message, Hint string
}

// New says what is wrong with a value, and what to do.
func New(code, message, hint string) *Problem { return &Problem{code, message, hint} }

func (p *Problem) Is(code string) bool { return p != nil && p.Code == code }

// Quote quotes a value for a message, or the beginning of a long one.
func Quote(text string) string { return strconv.Quote(Clip(text, 60)) }

// Clip keeps at most so many characters, with "…" for the rest.
func Clip(text string, runes int) string {
	if len(text) <= runes || utf8.RuneCountInString(text) <= runes {
		return text
	}
	at := 0
	for ; runes > 0; runes-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at] + "…"
}
