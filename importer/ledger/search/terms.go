package search

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger/model"
)

// The places where a term stands that are no fields of a payload.
const (
	FieldKey  = "key"
	FieldID   = "id"   // that the service gave, or that the payload names
	FieldCell = "cell" // a cell of a row that no payload came of
)

// SearchFields are the fields of payloads (interface.md part 4) that somebody knows a record by. Those of a folder's files are
// among them.
var SearchFields = []string{FieldID, "name", "number", "mark_text", "application_number", "registration_number"}

// Of one text so many words are remembered, of one term so many bytes, and of one record that became no payload so many cells.
const (
	termWords = 8
	termBytes = 60
	termCells = 60
)

// term is something that a record is found by.
type term struct{ text, field string }

// termsOf are the terms of a record: each text from the beginning and from each of its words, so that golden finds THE GOLDEN
// STAR, in small letters, without accents and all that is neither letter nor digit, so that 87654321 finds 87/654,321.
func termsOf(r model.Record) []term {
	t := termSet{seen: map[term]bool{}}
	t.add(FieldKey, r.Key)
	t.add(FieldID, r.ServiceID)
	if len(r.Payload) > 0 {
		t.payload(r.Payload)
		return t.list
	}
	for _, row := range r.Rows {
		t.cells(row.Cells)
	}
	return t.list
}

type termSet struct {
	seen map[term]bool
	list []term
}

func (t *termSet) add(field, text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) })
	for n := range min(len(words), termWords) {
		found := term{fold(strings.Join(words[n:], "")), field}
		if found.text != "" && !t.seen[found] {
			t.seen[found] = true
			t.list = append(t.list, found)
		}
	}
}

// payload takes in what somebody knows a record, or a file of a folder, by.
func (t *termSet) payload(stored json.RawMessage) {
	values, _ := payload.Walk(stored) // of one that cannot be read there is nothing to remember
	for _, v := range values {
		field := strings.TrimPrefix(v.Field(), "files.")
		if number := v.Text != "" && strings.Trim(v.Text[:1], "-0123456789") == ""; v.Literal && !number {
			continue // true, null, or an empty list
		}
		if slices.Contains(SearchFields, field) {
			t.add(field, v.Text)
		}
	}
}

// cells are those of a row, as table.AppendCells writes them.
func (t *termSet) cells(data json.RawMessage) {
	var cells []json.RawMessage
	if json.Unmarshal(data, &cells) != nil {
		return
	}
	for _, cell := range cells[:min(len(cells), termCells)] {
		t.add(FieldCell, CellText(cell))
	}
}

// CellText is the text of a cell: a JSON string or number, or a number or date with its type ({"n": "17"}); "" for anything else.
func CellText(cell json.RawMessage) string {
	var text string
	var number json.Number
	var typed map[string]string
	switch {
	case json.Unmarshal(cell, &text) == nil:
		return text
	case json.Unmarshal(cell, &number) == nil:
		return number.String()
	case json.Unmarshal(cell, &typed) == nil:
		return cmp.Or(slices.Sorted(maps.Values(typed))...)
	}
	return ""
}

// fold is a text as it is searched for: small letters and digits alone, no accents, not longer than is remembered.
func fold(text string) string {
	var folded strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		r = unicode.ToLower(r)
		if folded.Len()+len(string(r)) > termBytes {
			break
		}
		folded.WriteRune(r)
	}
	return folded.String()
}
