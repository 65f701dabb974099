package table

import (
	"encoding/json"
	"fmt"

	"docketsync/apiclient/jsontext"
)

// Kind says what a source holds in a cell, before any mapping looks at it.
type Kind uint8

// The kinds of a cell. A CSV file has only Empty and Text; a workbook has all of them.
const (
	Empty  Kind = iota // nothing there
	Text               // characters exactly as stored, including leading zeros and spaces
	Number             // a decimal numeral without exponent, "1323722" or "0.5": the digits that a person sees, never rounded through a float
	Date               // a calendar day "2024-03-01", or a local date and time "2024-03-01T13:30:00" (with ".123" only if the source holds a fraction); no zone
	Clock              // a time of day without a date, "13:30:00"
	Bool               // "TRUE" or "FALSE"
	Error              // a spreadsheet error, "#N/A", "#REF!"
)

// Cell is one value of a row as its source holds it. Text has the form that Kind documents. Note, if not empty, is a
// doubt that the source has about the value ("stored as a number: trailing zeros may be lost").
type Cell struct {
	Kind Kind
	Text string
	Note string
	// Shown says how the sheet shows a number, if that is more than its digits; text fields use it. For a date it holds
	// the number format, if that shows only a part of the date. Otherwise it is nil.
	Shown *Shown
}

// Shown is a number as its sheet shows it, such as TM-0042 for 42.
type Shown struct {
	Text   string `json:"shown,omitempty"`  // "" if it cannot be told exactly
	Format string `json:"format,omitempty"` // the number format; "" if the source gives only the text
}

// Partial reports whether the sheet shows only a part of a date, such as Mar-24 for 1 March 2024.
func (c Cell) Partial() bool { return c.Kind == Date && c.Shown != nil }

// Seen returns the text that the sheet shows, if it is known, and otherwise the cell's text.
func (c Cell) Seen() string {
	if c.Shown != nil && c.Shown.Text != "" {
		return c.Shown.Text
	}
	return c.Text
}

var kindLetters = [...]string{Number: "n", Date: "d", Clock: "t", Bool: "b", Error: "e"}

// MarshalJSON writes an empty cell as null, text as a string, and anything else as an object with one member named
// after the kind's letter: {"n":"12.50"}, {"d":"2024-03-01"}, {"t":"13:30:00"}, {"b":"TRUE"}, {"e":"#N/A"}. A number
// that the sheet shows differently has two more members: {"n":"0042","shown":"TM-0042","format":"\"TM-\"0000"}. Notes
// are not written.
func (c Cell) MarshalJSON() ([]byte, error) { return c.appendJSON(nil), nil }

// AppendCells appends a JSON list of cells, each as MarshalJSON writes it. Apart from escapes the result is that of
// json.Marshal, without the cost of reflection: every row of a plan goes through it.
func AppendCells(dst []byte, cells []Cell) []byte {
	dst = append(dst, '[')
	for n := range cells {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = cells[n].appendJSON(dst)
	}
	return append(dst, ']')
}

func (c *Cell) appendJSON(dst []byte) []byte {
	switch c.Kind {
	case Empty:
		return append(dst, "null"...)
	case Text:
		return jsontext.AppendString(dst, c.Text)
	}
	dst = append(append(append(dst, `{"`...), kindLetters[c.Kind]...), `":`...)
	dst = jsontext.AppendString(dst, c.Text)
	if c.Shown != nil {
		dst = jsontext.AppendString(append(dst, `,"shown":`...), c.Shown.Text)
		dst = jsontext.AppendString(append(dst, `,"format":`...), c.Shown.Format)
	}
	return append(dst, '}')
}

// StoredCells reads the stored cells of a row. It returns nil if there are none: the ledger keeps no cells of an
// unchanged record.
func StoredCells(stored json.RawMessage) ([]Cell, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var cells []Cell
	if err := json.Unmarshal(stored, &cells); err != nil {
		return nil, fmt.Errorf("read the stored cells: %w", err)
	}
	return cells, nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Cell) UnmarshalJSON(data []byte) error {
	*c = Cell{}
	if string(data) == "null" {
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		c.Kind = Text
		return json.Unmarshal(data, &c.Text)
	}
	var member map[string]string
	if err := json.Unmarshal(data, &member); err != nil {
		return err
	}
	if format, ok := member["format"]; ok {
		c.Shown = &Shown{Text: member["shown"], Format: format}
		delete(member, "shown")
		delete(member, "format")
	}
	for kind, letter := range kindLetters {
		if text, ok := member[letter]; ok && letter != "" && len(member) == 1 {
			c.Kind, c.Text = Kind(kind), text
			return nil
		}
	}
	return fmt.Errorf("a stored cell %s is of no known kind", data)
}
