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

// The places of a term that are not fields of a payload.
const (
	FieldKey  = "key"
	FieldID   = "id"   // that the service gave, or that the payload names
	FieldCell = "cell" // a cell of a row that became no payload
)

// SearchFields are the fields of payloads (interface.md part 4) by which people know a record, including those of a
// folder's files.
var SearchFields = []string{FieldID, "name", "number", "mark_text", "application_number", "registration_number"}

// How many words of a text, bytes of a term, and cells of a record without a payload are stored, at most.
const (
	termWords = 8
	termBytes = 60
	termCells = 60
)

// term is something that a record is found by.
type term struct{ text, field string }

// termsOf returns the terms of a record: each text from its beginning and from each of its words, so that golden finds
// THE GOLDEN STAR. Terms are in small letters, without accents or anything that is neither letter nor digit, so that
// 87654321 finds 87/654,321.
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

// payload adds what people know a record, or a file of a folder, by.
func (t *termSet) payload(stored json.RawMessage) {
	values, _ := payload.Walk(stored) // a payload that cannot be read has no terms
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

// cells adds those of a row, as table.AppendCells writes them.
func (t *termSet) cells(data json.RawMessage) {
	var cells []json.RawMessage
	if json.Unmarshal(data, &cells) != nil {
		return
	}
	for _, cell := range cells[:min(len(cells), termCells)] {
		t.add(FieldCell, CellText(cell))
	}
}

// CellText returns the text of a cell: a JSON string or number, or a number or date with its type ({"n": "17"}). It
// returns "" for anything else.
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

// fold returns a text as it is searched for: small letters and digits only, no accents, no longer than is stored.
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
