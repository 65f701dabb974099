package mapping

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// convertCell is convert for what a cell holds, which a spreadsheet may have rounded. A constant of the mapping is what somebody wrote.
func (b *boundField) convertCell(dst []byte, t found) ([]byte, *reason.Problem) {
	if fail := b.rounded(t.text, t.kind); fail != nil {
		return dst, fail
	}
	return b.convert(dst, t.text, t.kind)
}

// convert writes a text that is not empty as JSON of the field's type, through its lookup if it has one. A component's
// value is always JSON text.
func (b *boundField) convert(dst []byte, text string, kind table.Kind) ([]byte, *reason.Problem) {
	switch b.target.Type {
	case payload.TypeGUID, payload.TypeGUIDs:
		return b.guid(dst, text)
	case payload.TypeDate:
		m, fail := b.dates.Read(text, kind)
		if fail != nil {
			return dst, fail
		}
		if m.Fraction {
			b.note = reason.New(reason.Fraction, fmt.Sprintf("the fraction of a second in %s is left out", reason.Quote(text)), "")
		}
		if m.DayKept {
			b.note = reason.New(reason.TimeDropped, fmt.Sprintf("the time in %s is left out, because in UTC it belongs to another day", reason.Quote(text)), "")
		}
		b.moment = m
		return m.AppendJSON(dst), nil
	case payload.TypeBool:
		yes, known := b.booleans.Read(text)
		if !known {
			return dst, value.UnknownBoolean(text)
		}
		return b.quoted(strconv.AppendBool(dst, yes), len(dst)), nil
	case payload.TypeNumber, payload.TypeInteger:
		text, fail := b.number(text, kind)
		if fail != nil {
			return dst, fail
		}
		if fail := b.pattern.Check(text); fail != nil {
			return dst, fail
		}
		return b.quoted(append(dst, text...), len(dst)), nil
	case typeJSON:
		if !json.Valid([]byte(text)) {
			return dst, reason.New(reason.JSON, fmt.Sprintf("%s is not JSON", reason.Quote(text)), "Correct it in the source.")
		}
	}
	return b.text(dst, text)
}

// number gives the digits of a number. A number of a workbook needs no convention; it is no text there. Without one, the 1.234
// of a component is an amount that may be two; that of a folder's file is its reference, which keeps its signs.
func (b *boundField) number(text string, kind table.Kind) (string, *reason.Problem) {
	whole := b.target.Type == payload.TypeInteger
	switch {
	case kind == table.Number:
		return text, value.CheckNumber(text, whole)
	case b.numbers != nil:
		plain, fail := b.numbers.Read(text)
		if fail == nil {
			fail = value.CheckNumber(plain, whole)
		}
		return plain, fail
	}
	fail := value.CheckNumber(text, whole)
	if fail != nil || b.component {
		if undecided := value.UndecidedNumber(text); undecided != nil {
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

func (b *boundField) guid(dst []byte, text string) ([]byte, *reason.Problem) {
	if b.table == nil {
		id, ok := value.GUID(text)
		if !ok {
			return dst, reason.New(reason.GUID, fmt.Sprintf("%s is not a GUID", reason.Quote(text)),
				"Give the field a lookup that turns names into GUIDs, or correct the cell.")

		}
		return jsontext.AppendPlain(dst, id), nil
	}
	find := b.table.Find
	if b.target.Name == "search_class_id" {
		find = b.table.FindClass
	}
	id, fail := find(text)
	if fail != nil {
		return dst, fail
	}
	return jsontext.AppendPlain(dst, id), nil
}

func (b *boundField) text(dst []byte, text string) ([]byte, *reason.Problem) {
	if fail := value.CheckText(text); fail != nil {
		return dst, fail
	}
	if b.max > 0 && len(text) > b.max {
		if n := utf8.RuneCountInString(text); n > b.max {
			if !b.truncate {
				return dst, reason.New(reason.TextLong, fmt.Sprintf("the text has %d characters, and %s takes at most %d", n, b.target.Name, b.max),
					"Shorten it in the source, or ask for truncate: true in the mapping.")

			}
			text = value.Truncate(text, b.max)
			b.note = reason.New(reason.Truncated, fmt.Sprintf("the text is cut from %d to %d characters, as the mapping asks", n, utf8.RuneCountInString(text)), "")
		}
	}
	if fail := b.pattern.Check(text); fail != nil {
		return dst, fail
	}
	if b.target.Type == payload.TypeURL {
		if fail := value.CheckURL(text); fail != nil {
			return dst, fail
		}
	}
	return jsontext.AppendString(dst, text), nil
}

// canBeRounded tells if the field's value is a name that things are found by, so that a digit lost in it is another thing: a key, a
// reference, what a lookup is asked for, and the components of a firm's own that are text.
func (f *field) canBeRounded() bool {
	return f.target.Reference || f.lookup != "" || f.component && f.target.Type == payload.TypeText
}

// rounded says that a spreadsheet cut off digits of the field's text; nil where the field takes such a text.
func (f *field) rounded(text string, kind table.Kind) *reason.Problem {
	if f.keepRounded || !f.canBeRounded() {
		return nil
	}
	return value.Rounded(text, kind)
}
