package mapping

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// converted is a text as the field's type: its JSON, the moment that a date names, and what is odd about it.
type converted struct {
	json   []byte
	moment date.Moment
	note   *reason.Problem
}

// convertCell is convert for what a cell holds, which a spreadsheet may have rounded. A constant of the mapping is what somebody wrote.
func (f *boundField) convertCell(dst []byte, t found) (converted, *reason.Problem) {
	if fail := f.rounded(t.text, t.kind); fail != nil {
		return converted{}, fail
	}
	return f.convert(dst, f.table, t.text, t.kind)
}

// convert appends a text that is not empty as JSON of the field's type, through its lookup if it has one. A component's
// value is always JSON text.
func (f *field) convert(dst []byte, in *lookup.Table, text string, kind table.Kind) (is converted, fail *reason.Problem) {
	switch f.target.Type {
	case payload.TypeGUID, payload.TypeGUIDs:
		id, fail := f.guid(in, text)
		return converted{json: jsontext.AppendPlain(dst, id)}, fail
	case payload.TypeDate:
		is.moment, fail = f.dates.Read(text, kind)
		if fail != nil {
			return is, fail
		}
		if is.moment.Fraction {
			is.note = reason.New(reason.Fraction, text)
		}
		if is.moment.DayKept {
			is.note = reason.New(reason.TimeDropped, text)
		}
		is.json = is.moment.AppendJSON(dst)
		return is, nil
	case payload.TypeBool:
		yes, known := f.booleans.Read(text)
		if !known {
			return is, value.UnknownBoolean(text)
		}
		return converted{json: f.quoted(dst, strconv.FormatBool(yes))}, nil
	case payload.TypeNumber, payload.TypeInteger:
		if text, fail = f.number(text, kind); fail == nil {
			fail = f.pattern.Check(text)
		}
		return converted{json: f.quoted(dst, text)}, fail
	case typeJSON:
		if !json.Valid([]byte(text)) {
			return is, reason.New(reason.JSON, text)
		}
	}
	return f.text(dst, text)
}

// number gives the digits of a number. A number of a workbook needs no convention; it is no text there. Without one, the 1.234
// of a component is an amount that may be two; that of a folder's file is its reference, which keeps its signs.
func (f *field) number(text string, kind table.Kind) (string, *reason.Problem) {
	whole := f.target.Type == payload.TypeInteger
	switch {
	case kind == table.Number:
		return text, value.CheckNumber(text, whole)
	case f.numbers != nil:
		plain, fail := f.numbers.Read(text)
		if fail == nil {
			fail = value.CheckNumber(plain, whole)
		}
		return plain, fail
	}
	fail := value.CheckNumber(text, whole)
	if fail != nil || f.component {
		if undecided := value.UndecidedNumber(text); undecided != nil {
			fail = undecided
		}
	}
	return text, fail
}

// quoted appends plain characters, for a component within quotes.
func (f *field) quoted(dst []byte, plain string) []byte {
	if f.component {
		return jsontext.AppendPlain(dst, plain)
	}
	return append(dst, plain...)
}

// guid is the id of a text: through the lookup, or the text itself where there is none.
func (f *field) guid(in *lookup.Table, text string) (string, *reason.Problem) {
	switch {
	case in == nil:
		id, ok := value.GUID(text)
		if !ok {
			return "", reason.New(reason.GUID, text)
		}
		return id, nil
	case f.target.Name == "search_class_id":
		return in.FindClass(text)
	}
	return in.Find(text)
}

func (f *field) text(dst []byte, text string) (is converted, fail *reason.Problem) {
	if fail := value.CheckText(text); fail != nil {
		return is, fail
	}
	n := len(text)
	if f.max > 0 && n > f.max {
		n = utf8.RuneCountInString(text)
	}
	if f.max > 0 && n > f.max {
		if !f.truncate {
			return is, reason.New(reason.TextLong, n, f.target.Name, f.max)
		}
		text = value.Truncate(text, f.max)
		is.note = reason.New(reason.Truncated, n, utf8.RuneCountInString(text))
	}
	if fail := f.pattern.Check(text); fail != nil {
		return is, fail
	}
	if f.target.Type == payload.TypeURL {
		if fail := value.CheckURL(text); fail != nil {
			return is, fail
		}
	}
	is.json = jsontext.AppendString(dst, text)
	return is, nil
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
