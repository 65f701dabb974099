package certificate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"docketsync/mapping/table"
)

// value is one value of a payload, under the path of its field: "name", "tags", "good_and_services.text", or "components." and
// the component's id. Item is the index of the entry or element it is of, -1 outside of lists. Number tells a JSON number.
type value struct {
	path   string
	item   int
	text   string
	number bool
	empty  bool // null, "" or an empty list
}

// valuesOf splits a payload into its values, in its order.
func valuesOf(payload json.RawMessage) ([]value, error) {
	if len(payload) == 0 {
		return nil, nil
	}
	var list []value
	err := members(payload, func(name string, raw json.RawMessage) error {
		if raw[0] != '[' {
			list = append(list, scalar(name, -1, raw))
			return nil
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(raw, &elements); err != nil {
			return err
		}
		if len(elements) == 0 {
			list = append(list, value{path: name, item: -1, text: "[]", empty: true})
		}
		for n, element := range elements {
			more, err := elementValues(name, n, element)
			if err != nil {
				return err
			}
			list = append(list, more...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read a stored payload: %w", err)
	}
	return list, nil
}

// elementValues are the values of an element of a list. A component is one value, known by its id.
func elementValues(name string, n int, element json.RawMessage) ([]value, error) {
	if element[0] != '{' {
		return []value{scalar(name, n, element)}, nil
	}
	if name == "components" {
		var c struct {
			ID     string          `json:"file_template_component_id"`
			Entity json.RawMessage `json:"entity_id"`
			Value  json.RawMessage `json:"value"`
		}
		if err := json.Unmarshal(element, &c); err != nil {
			return nil, err
		}
		raw := c.Value
		if len(c.Entity) > 0 && string(c.Entity) != "null" {
			raw = c.Entity
		}
		if len(raw) == 0 {
			raw = json.RawMessage("null")
		}
		return []value{scalar(name+"."+c.ID, -1, raw)}, nil
	}
	var list []value
	err := members(element, func(member string, raw json.RawMessage) error {
		list = append(list, scalar(name+"."+member, n, raw))
		return nil
	})
	return list, err
}

func scalar(path string, item int, raw json.RawMessage) value {
	v := value{path: path, item: item, text: string(raw)}
	switch {
	case raw[0] == '"':
		_ = json.Unmarshal(raw, &v.text) // it has been parsed once already
		v.empty = v.text == ""
	case string(raw) == "null":
		v.empty = true
	default:
		v.number = raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	}
	return v
}

// members goes through an object in its order.
func members(object json.RawMessage, do func(name string, raw json.RawMessage) error) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return fmt.Errorf("it begins with %v and is no object", token)
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return err
		}
		name, _ := token.(string)
		if err := do(name, bytes.TrimSpace(raw)); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// sheetRow is a row of a record with its cells, nil where the ledger keeps none.
type sheetRow struct {
	source, number int
	cells          []table.Cell
}

// filled is a cell with something in it.
type filled struct {
	row, column int // row is the index among the record's rows
	table.Cell
}

// filledCells are the cells in these columns that hold more than blanks.
func filledCells(rows []sheetRow, columnsOf func(source int) []int) []filled {
	var list []filled
	for n, row := range rows {
		for _, column := range columnsOf(row.source) {
			if column >= 0 && column < len(row.cells) && strings.TrimSpace(row.cells[column].Text) != "" {
				list = append(list, filled{n, column, row.cells[column]})
			}
		}
	}
	return list
}

// shown tells whether a value says what its cell shows: the same text, or the same day.
func shown(c table.Cell, v value) bool {
	text := strings.TrimSpace(c.Text)
	if text == v.text {
		return true
	}
	day, midnight := strings.CutSuffix(v.text, "T00:00:00Z")
	return midnight && isDay(text) && text == day
}

// isDay tells a text like 2024-03-01.
func isDay(text string) bool {
	if len(text) != len("2024-03-01") || text[4] != '-' || text[7] != '-' {
		return false
	}
	for n := range len(text) {
		if n != 4 && n != 7 && (text[n] < '0' || text[n] > '9') {
			return false
		}
	}
	return true
}
