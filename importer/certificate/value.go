package certificate

import (
	"encoding/json"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// value is one value of a payload, under the path of its field: "name", "tags", "files.number", or "components." and
// the component's id. Item is the index of the entry or element it is of, -1 outside of lists. Number tells a JSON number.
type value struct {
	path   string
	item   int
	text   string
	number bool
	empty  bool // null, "" or an empty list
}

// valuesOf splits a payload into its values, in its order. A component is one value, known by its id.
func valuesOf(text json.RawMessage) ([]value, error) {
	walked, err := payload.Walk(text)
	if err != nil {
		return nil, err
	}
	components, err := payload.Components(text)
	if err != nil {
		return nil, err
	}
	list, told := make([]value, 0, len(walked)), -1
	for _, v := range walked {
		one := newValue(v)
		if strings.HasPrefix(v.Path, componentList) && one.item >= 0 {
			if told == one.item {
				continue
			}
			told = one.item
			one = newComponent(components[told])
		}
		list = append(list, one)
	}
	return list, nil
}

const componentList = "components["

func newValue(v payload.Value) value {
	one := value{path: v.Field(), item: -1, text: v.Text, number: v.Literal && payload.IsNumeral(v.Text)}
	one.empty = v.IsNull() || v.Text == "" || v.Literal && (v.Text == "[]" || v.Text == "{}")
	if _, rest, listed := strings.Cut(v.Path, "["); listed {
		digits, _, _ := strings.Cut(rest, "]")
		if at, err := strconv.Atoi(digits); err == nil {
			one.item = at
		}
	}
	return one
}

func newComponent(c payload.Component) value {
	return value{path: componentsPath + c.ID, item: -1, text: c.Value, empty: c.Value == ""}
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
