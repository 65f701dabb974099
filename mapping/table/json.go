package table

import (
	"encoding/json"
	"fmt"

	"docketsync/apiclient/jsontext"
)

var kindLetters = [...]string{Number: "n", Date: "d", Clock: "t", Bool: "b", Error: "e"}

// MarshalJSON writes an empty cell as null, text as a string, and anything else as an object of one member whose name
// is the kind's letter: {"n":"12.50"}, {"d":"2024-03-01"}, {"t":"13:30:00"}, {"b":"TRUE"}, {"e":"#N/A"}. What the sheet shows
// of a number stands beside it: {"n":"0042","shown":"TM-0042","format":"\"TM-\"0000"}. Notes are not kept.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch c.Kind {
	case Empty:
		return []byte("null"), nil
	case Text:
		return json.Marshal(c.Text)
	}
	return json.Marshal(c.members())
}

// members are those of a cell that is no text.
func (c Cell) members() map[string]string {
	members := map[string]string{kindLetters[c.Kind]: c.Text}
	if c.Shown != nil {
		members["shown"], members["format"] = c.Shown.Text, c.Shown.Format
	}
	return members
}

// AppendCells appends the JSON list of cells, each as MarshalJSON writes it. It is what json.Marshal of the list gives,
// apart from escapes, without the cost of reflection: every row of a plan goes through it.
func AppendCells(dst []byte, cells []Cell) []byte {
	dst = append(dst, '[')
	for n, c := range cells {
		if n > 0 {
			dst = append(dst, ',')
		}
		switch c.Kind {
		case Empty:
			dst = append(dst, "null"...)
		case Text:
			dst = jsontext.AppendString(dst, c.Text)
		default:
			dst = append(append(append(dst, `{"`...), kindLetters[c.Kind]...), `":`...)
			dst = jsontext.AppendString(dst, c.Text)
			if c.Shown != nil {
				dst = jsontext.AppendString(append(dst, `,"shown":`...), c.Shown.Text)
				dst = jsontext.AppendString(append(dst, `,"format":`...), c.Shown.Format)
			}
			dst = append(dst, '}')
		}
	}
	return append(dst, ']')
}

// StoredCells reads the cells of a row as they are stored, nil for none: the ledger keeps none of an unchanged record.
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
