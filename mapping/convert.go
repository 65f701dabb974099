package mapping

import (
	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// convertCell is convert for what a cell holds, which a spreadsheet may have rounded. A constant of the mapping is what somebody wrote.
func (b *boundField) convertCell(dst []byte, t found) ([]byte, *problem) {
	if fail := b.rounded(t.text, t.kind); fail != nil {
		return dst, fail
	}
	return b.convert(dst, t.text, t.kind)
}

// convert writes a text that is not empty as JSON of the field's type, through its lookup if it has one. A component's
// value is always JSON text.
func (b *boundField) convert(dst []byte, text string, kind table.Kind) ([]byte, *problem) {
	switch b.target.Type {
	case payload.TypeGUID, payload.TypeGUIDs:
		return b.guid(dst, text)
	case payload.TypeDate:
		m, fail := b.dates.read(text, kind)
		if fail != nil {
			return dst, fail
		}
		if m.fraction {
			b.note = newProblem(codeFraction, fmt.Sprintf("the fraction of a second in %s is left out", quote(text)), "")
		}
		if m.dayKept {
			b.note = newProblem(codeTimeDropped, fmt.Sprintf("the time in %s is left out, because in UTC it belongs to another day", quote(text)), "")
		}
		b.moment = m
		return m.appendJSON(dst), nil
	case payload.TypeBool:
		yes, known := b.booleans.read(text)
		if !known {
			return dst, unknownBoolean(text)
		}
		return b.quoted(strconv.AppendBool(dst, yes), len(dst)), nil
	case payload.TypeNumber, payload.TypeInteger:
		text, fail := b.number(text, kind)
		if fail != nil {
			return dst, fail
		}
		if fail := b.pattern.check(text); fail != nil {
			return dst, fail
		}
		return b.quoted(append(dst, text...), len(dst)), nil
	case typeJSON:
		if !json.Valid([]byte(text)) {
			return dst, newProblem(codeJSON, fmt.Sprintf("%s is not JSON", quote(text)), "Correct it in the source.")
		}
	}
	return b.text(dst, text)
}

// number gives the digits of a number. A number of a workbook needs no convention; it is no text there. Without one, the 1.234
// of a component is an amount that may be two; that of a folder's file is its reference, which keeps its signs.
func (b *boundField) number(text string, kind table.Kind) (string, *problem) {
	whole := b.target.Type == payload.TypeInteger
	switch {
	case kind == table.Number:
		return text, jsonNumber(text, whole)
	case b.numbers != nil:
		plain, fail := b.numbers.read(text)
		if fail == nil {
			fail = jsonNumber(plain, whole)
		}
		return plain, fail
	}
	fail := jsonNumber(text, whole)
	if fail != nil || b.component {
		if undecided := undecidedNumber(text); undecided != nil {
			fail = undecided
		}
	}
	return text, fail
}

// quoted puts quotes around a component's value, which stands from at on.
func (b *boundField) quoted(dst []byte, at int) []byte {
	if !b.component {
		return dst
	}
	dst = append(dst, 0, '"')
	copy(dst[at+1:], dst[at:len(dst)-2])
	dst[at] = '"'
	return dst
}

func (b *boundField) guid(dst []byte, text string) ([]byte, *problem) {
	if b.table == nil {
		id, ok := guid(text)
		if !ok {
			return dst, newProblem(codeGUID, fmt.Sprintf("%s is not a GUID", quote(text)),
				"Give the field a lookup that turns names into GUIDs, or correct the cell.")

		}
		return jsontext.AppendPlain(dst, id), nil
	}
	find := b.table.id
	if b.target.Name == "search_class_id" {
		find = b.table.class
	}
	id, fail := find(text)
	if fail != nil {
		return dst, fail
	}
	return jsontext.AppendPlain(dst, id), nil
}

func (b *boundField) text(dst []byte, text string) ([]byte, *problem) {
	if fail := validText(text); fail != nil {
		return dst, fail
	}
	if b.max > 0 && len(text) > b.max {
		if n := utf8.RuneCountInString(text); n > b.max {
			if !b.truncate {
				return dst, newProblem(codeTextLong, fmt.Sprintf("the text has %d characters, and %s takes at most %d", n, b.target.Name, b.max),
					"Shorten it in the source, or ask for truncate: true in the mapping.")

			}
			text = cutText(text, b.max)
			b.note = newProblem(codeTruncated, fmt.Sprintf("the text is cut from %d to %d characters, as the mapping asks", n, utf8.RuneCountInString(text)), "")
		}
	}
	if fail := b.pattern.check(text); fail != nil {
		return dst, fail
	}
	if b.target.Type == payload.TypeURL {
		if fail := validURL(text); fail != nil {
			return dst, fail
		}
	}
	return jsontext.AppendString(dst, text), nil
}
