package revert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
)

// sheet is a source that sends payloads back as they were: a column for the key and one for each field, named like it,
// and the mapping that turns it into the same payloads. Every payload is first passed to Learn; then the mapping and
// the rows can be made.
//
// An empty cell can mean only one thing in a column: that the field is left out, or null, or an empty text. Learn
// counts, and the most common wins. The caller must read the sheet back and compare, and leave out a payload that comes
// back differently.
type sheet struct {
	operation  payload.Operation
	scope      string
	targets    []payload.Field
	empties    map[string]map[string]int // by column, how often an empty cell means what
	used       map[string]bool           // fields that any payload has
	components []payload.Component       // in the order they were first seen
}

// columnOf returns the column of a component.
func columnOf(c payload.Component) string { return "component " + c.ID }

// What an empty cell means, in the words of a mapping.
const (
	emptyOmits = "omit"
	emptyNulls = "null"
	emptyKeeps = "keep"
)

// revertKey is the column of the key.
const revertKey = "key"

// NewSheet makes a sheet for the payloads of an operation that the ledger knows under a scope.
func NewSheet(operation payload.Operation, scope string, switches payload.Switches) *sheet {
	return &sheet{operation: operation, scope: scope, targets: payload.Fields(operation, switches), empties: map[string]map[string]int{}, used: map[string]bool{}}
}

// Learn notes what a payload has.
func (s *sheet) Learn(sent json.RawMessage) error {
	fields, err := jsontext.Parse(sent)
	if err != nil {
		return err
	}
	for _, t := range s.targets {
		raw := fields.Value(t.Name)
		if raw != nil {
			s.used[t.Name] = true
		}
		if means := emptyMeans(raw); means != "" {
			if s.empties[t.Name] == nil {
				s.empties[t.Name] = map[string]int{}
			}
			s.empties[t.Name][means]++
		}
		if t.Type == payload.TypeComponents {
			if err := s.learnComponents(sent); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyMeans says what an empty cell must mean to become this value, or "" if the cell is not empty.
func emptyMeans(raw []byte) string {
	switch {
	case raw == nil:
		return emptyOmits
	case string(raw) == "null":
		return emptyNulls
	case string(raw) == `""`, string(raw) == "[]":
		return emptyKeeps
	}
	return ""
}

func (s *sheet) learnComponents(sent json.RawMessage) error {
	list, err := payload.Components(sent)
	for _, c := range list {
		if !slices.ContainsFunc(s.components, func(o payload.Component) bool { return o.ID == c.ID }) {
			s.components = append(s.components, c)
		}
	}
	return err
}

// commonest returns what an empty cell of a column means most often.
func (s *sheet) commonest(column string) string {
	best := emptyOmits
	for _, means := range []string{emptyNulls, emptyKeeps} {
		if s.empties[column][means] > s.empties[column][best] {
			best = means
		}
	}
	return best
}

// Mapping returns the mapping file that reads the sheet. It checks and tidies nothing, because the values were accepted
// as they are.
func (s *sheet) Mapping() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Sends back what the service held before: each column is a field, as it was sent.\n")
	fmt.Fprintf(&b, "operation: %s\nscope: %q\nkey: %s\nchecks: off\nrows: {group: true}\nfields:\n", s.operation, s.scope, revertKey)
	for _, t := range s.targets {
		if !s.used[t.Name] {
			continue
		}
		switch t.Type {
		case payload.TypeItems:
			empty := emptyOmits // what no entries mean: the list is left out, or empty
			if s.commonest(t.Name) == emptyKeeps {
				empty = emptyKeeps
			}
			fmt.Fprintf(&b, "  %s:\n    empty: %s\n    item:\n", t.Name, empty)
			for _, item := range t.Items {
				fmt.Fprintf(&b, "      %s: %s\n", item.Name, fieldOf(item, t.Name+"."+item.Name, ""))
			}
		case payload.TypeComponents:
			s.writeComponents(&b, t)
		default:
			fmt.Fprintf(&b, "  %s: %s\n", t.Name, fieldOf(t, t.Name, s.commonest(t.Name)))
		}
	}
	return b.String()
}

func (s *sheet) writeComponents(b *strings.Builder, t payload.Field) {
	if len(s.components) == 0 {
		fmt.Fprintf(b, "  %s: []\n", t.Name)
		return
	}
	fmt.Fprintf(b, "  %s:\n    items:\n", t.Name)
	for _, c := range s.components {
		kind := "type: text, trim: false"
		if c.Entity {
			kind = "type: entity"
		}
		fmt.Fprintf(b, "      %s: {column: %q, %s}\n", c.ID, columnOf(c), kind)
	}
}

// fieldOf returns the rule of one column.
func fieldOf(t payload.Field, column, empty string) string {
	rule := fmt.Sprintf("column: %q", column)
	switch t.Type {
	case payload.TypeText:
		rule += ", trim: false"
	case payload.TypeGUIDs:
		rule += `, split: ";"`
	}
	if empty != "" && !t.Required && !t.Nullable {
		rule += ", empty: " + empty
	}
	return "{" + rule + "}"
}

// Header returns the first row.
func (s *sheet) Header() []string {
	header := []string{revertKey}
	for _, t := range s.targets {
		if !s.used[t.Name] {
			continue
		}
		switch t.Type {
		case payload.TypeItems:
			for _, item := range t.Items {
				header = append(header, t.Name+"."+item.Name)
			}
		case payload.TypeComponents:
			for _, c := range s.components {
				header = append(header, columnOf(c))
			}
		default:
			header = append(header, t.Name)
		}
	}
	return header
}

// Rows returns the rows of one record: one, or one for each entry of its goods and services.
func (s *sheet) Rows(key string, sent json.RawMessage) ([][]string, error) {
	fields, err := jsontext.Parse(sent)
	if err != nil {
		return nil, err
	}
	row := []string{key}
	first, entries := 0, [][]string(nil)
	for _, t := range s.targets {
		if !s.used[t.Name] {
			continue
		}
		switch t.Type {
		case payload.TypeItems:
			if entries, err = entryCells(t, fields.Value(t.Name)); err != nil {
				return nil, err
			}
			first = len(row)
			row = append(row, make([]string, len(t.Items))...)
		case payload.TypeComponents:
			cells, err := s.componentCells(sent)
			if err != nil {
				return nil, err
			}
			row = append(row, cells...)
		default:
			cell, err := cellText(fields.Value(t.Name))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Name, err)
			}
			row = append(row, cell)
		}
	}
	if len(entries) == 0 {
		return [][]string{row}, nil
	}
	rows := make([][]string, len(entries))
	for n, cells := range entries {
		rows[n] = slices.Clone(row)
		copy(rows[n][first:], cells)
	}
	return rows, nil
}

// entryCells returns the cells of each entry of a list.
func entryCells(t payload.Field, raw []byte) ([][]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	list, ok := jsontext.SplitList(raw)
	if !ok {
		return nil, fmt.Errorf("%s is no list", t.Name)
	}
	rows := make([][]string, 0, len(list))
	for _, text := range list {
		entry, _ := jsontext.SplitObject(text)
		cells := make([]string, len(t.Items))
		for n, item := range t.Items {
			var err error
			if cells[n], err = cellText(entry.Value(item.Name)); err != nil {
				return nil, fmt.Errorf("%s: %w", item.Name, err)
			}
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

func (s *sheet) componentCells(sent json.RawMessage) ([]string, error) {
	cells := make([]string, len(s.components))
	list, err := payload.Components(sent)
	for _, v := range list {
		n := slices.IndexFunc(s.components, func(c payload.Component) bool { return c.ID == v.ID })
		if n < 0 {
			return nil, fmt.Errorf("the component %s was not learned", v.ID)
		}
		cells[n] = v.Value
	}
	return cells, err
}

// cellText returns a value as a cell: a text as it is, a list of texts with ";" in between, a number or a word as JSON
// has it.
func cellText(raw []byte) (string, error) {
	if jsontext.IsNull(raw) {
		return "", nil
	}
	list, ok := jsontext.SplitList(raw)
	if !ok {
		return jsontext.Text(raw), nil
	}
	texts := make([]string, len(list))
	for n, element := range list {
		if texts[n] = jsontext.Text(element); element[0] != '"' {
			return "", fmt.Errorf("%s is no list of texts", raw)
		}
	}
	return strings.Join(texts, ";"), nil
}
