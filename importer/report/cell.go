package report

import (
	"encoding/json"
	"fmt"
)

// kind is what a source held in a cell, by the letter under which the ledger keeps it; text has none.
type kind byte

const (
	kindEmpty  kind = 0
	kindText   kind = 's'
	kindNumber kind = 'n'
	kindDate   kind = 'd'
	kindClock  kind = 't'
	kindBool   kind = 'b'
	kindError  kind = 'e'
)

// cell is one value of a source's row as the ledger keeps it: null, a string, or an object of one member whose name is
// the kind's letter and whose value is the text ({"n":"12.50"}, {"d":"2024-03-01"}), beside which stands what the sheet shows of a
// number, and by which number format.
type cell struct {
	kind          kind
	text          string
	shown, format string
}

func (c *cell) UnmarshalJSON(data []byte) error {
	*c = cell{}
	if string(data) == "null" {
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		c.kind = kindText
		return json.Unmarshal(data, &c.text)
	}
	var member map[string]string
	if err := json.Unmarshal(data, &member); err != nil {
		return fmt.Errorf("a stored cell: %w", err)
	}
	shown, format := member["shown"], member["format"]
	delete(member, "shown")
	delete(member, "format")
	for letter, text := range member {
		switch {
		case len(member) == 1 && (letter == "n" || letter == "d" || letter == "t" || letter == "b" || letter == "e"):
			*c = cell{kind(letter[0]), text, shown, format}
			return nil
		}
	}
	return fmt.Errorf("a stored cell %s is of no known kind", data)
}

// cellsOf reads the cells of a row. They are missing where the record was unchanged.
func cellsOf(stored json.RawMessage) ([]cell, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var cells []cell
	if err := json.Unmarshal(stored, &cells); err != nil {
		return nil, fmt.Errorf("read the stored cells: %w", err)
	}
	return cells, nil
}
