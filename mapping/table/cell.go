package table

// Kind says what a source holds in a cell, before any mapping has looked at it.
type Kind uint8

// The kinds of a cell. A CSV file has only Empty and Text; a workbook has all of them.
const (
	Empty  Kind = iota // nothing there
	Text               // characters, exactly as stored: leading zeros and blanks included
	Number             // a decimal numeral without exponent, "1323722" or "0.5": the digits a person sees, never through a float's rounding
	Date               // a calendar day "2024-03-01", or a local date and time "2024-03-01T13:30:00" (with ".123" only when the source holds a fraction); no zone
	Clock              // a time of day without a date, "13:30:00"
	Bool               // "TRUE" or "FALSE"
	Error              // a spreadsheet error, "#N/A", "#REF!"
)

// Cell is one value of a row as its source holds it. Text is in the form that Kind documents; Note, when not empty,
// is a doubt the source has about the value ("stored as a number: trailing zeros may be lost").
type Cell struct {
	Kind Kind
	Text string
	Note string
	// Shown is what the sheet shows of a number besides its digits, nil for nothing: a field of text takes that.
	Shown *Shown
}

// Shown is a number as its sheet shows it: TM-0042 of 42.
type Shown struct {
	Text   string `json:"shown,omitempty"`  // "" where that cannot be told exactly
	Format string `json:"format,omitempty"` // the number format; "" where the source gives the text alone
}

// Seen is the text that the sheet shows, as far as that is known.
func (c Cell) Seen() string {
	if c.Shown != nil && c.Shown.Text != "" {
		return c.Shown.Text
	}
	return c.Text
}
