package rule

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

// Converted is a text as the field's type: its JSON, the moment that a date names, and what is odd about it.
type Converted struct {
	JSON   []byte
	Moment date.Moment
	Note   *reason.Problem
	// Reading is what a date or number that is text says about the format which is declared for it, also when it could not be read.
	Reading table.Reading
}

// Convert appends a text that is not empty as JSON of the field's type, through its lookup if it has one. A component's
// value is always JSON text.
func (f *Field) Convert(dst []byte, in *lookup.Table, text string, kind table.Kind) (is Converted, fail *reason.Problem) {
	switch f.Target.Type {
	case payload.TypeGUID, payload.TypeGUIDs:
		id, fail := f.guid(in, text)
		return Converted{JSON: jsontext.AppendPlain(dst, id)}, fail
	case payload.TypeDate:
		if is.Moment, fail = f.Dates.Read(text, kind); kind != table.Date {
			is.Reading = is.Moment.Reading
		}
		if fail != nil {
			return is, fail
		}
		if is.Moment.Fraction {
			is.Note = reason.New(reason.Fraction, text)
		}
		if is.Moment.DayKept {
			is.Note = reason.New(reason.TimeDropped, text)
		}
		is.JSON = is.Moment.AppendJSON(dst)
		return is, nil
	case payload.TypeBool:
		yes, known := f.Booleans.Read(text)
		if !known {
			return is, value.UnknownBoolean(text)
		}
		return Converted{JSON: f.quoted(dst, strconv.FormatBool(yes))}, nil
	case payload.TypeNumber, payload.TypeInteger:
		if f.Numbers != nil && kind != table.Number {
			is.Reading = f.Numbers.Reading(text)
		}
		if text, fail = f.number(text, kind); fail == nil {
			fail = f.Pattern.Check(text)
		}
		is.JSON = f.quoted(dst, text)
		return is, fail
	case TypeJSON:
		if !json.Valid([]byte(text)) {
			return is, reason.New(reason.JSON, text)
		}
	}
	return f.text(dst, text)
}

// number gives the digits of a number. A number of a workbook needs no convention; it is no text there. Without one, the 1.234
// of a component is an amount that may be two; that of a folder's file is its reference, which keeps its signs.
func (f *Field) number(text string, kind table.Kind) (string, *reason.Problem) {
	whole := f.Target.Type == payload.TypeInteger
	switch {
	case kind == table.Number:
		return text, value.CheckNumber(text, whole)
	case f.Numbers != nil:
		plain, fail := f.Numbers.Read(text)
		if fail == nil {
			fail = value.CheckNumber(plain, whole)
		}
		return plain, fail
	}
	fail := value.CheckNumber(text, whole)
	if fail != nil || f.Component {
		if undecided := value.UndecidedNumber(text); undecided != nil {
			fail = undecided
		}
	}
	return text, fail
}

// quoted appends plain characters, for a component within quotes.
func (f *Field) quoted(dst []byte, plain string) []byte {
	if f.Component {
		return jsontext.AppendPlain(dst, plain)
	}
	return append(dst, plain...)
}

// guid is the id of a text: through the lookup, or the text itself where there is none.
func (f *Field) guid(in *lookup.Table, text string) (string, *reason.Problem) {
	switch {
	case in == nil:
		id, ok := value.GUID(text)
		if !ok {
			return "", value.NoGUID(text)
		}
		return id, nil
	case f.Target.Name == "search_class_id":
		return in.FindClass(text)
	}
	return in.Find(text)
}

func (f *Field) text(dst []byte, text string) (is Converted, fail *reason.Problem) {
	if fail := value.CheckText(text); fail != nil {
		return is, fail
	}
	n := len(text)
	if f.Max > 0 && n > f.Max {
		n = utf8.RuneCountInString(text)
	}
	if f.Max > 0 && n > f.Max {
		if !f.Truncate {
			return is, reason.New(reason.TextLong, n, f.Target.Name, f.Max)
		}
		text = value.Truncate(text, f.Max)
		is.Note = reason.New(reason.Truncated, n, utf8.RuneCountInString(text))
	}
	if fail := f.Pattern.Check(text); fail != nil {
		return is, fail
	}
	if f.Target.Type == payload.TypeURL {
		if fail := value.CheckURL(text); fail != nil {
			return is, fail
		}
	}
	is.JSON = jsontext.AppendString(dst, text)
	return is, nil
}

// CanBeRounded tells if the field's value is a name that things are found by, so that a digit lost in it is another thing: a key, a
// reference, what a lookup is asked for, and the components of a firm's own that are text.
func (f *Field) CanBeRounded() bool {
	return f.Target.Reference || f.Lookup != "" || f.Component && f.Target.Type == payload.TypeText
}

// Rounded says that a spreadsheet cut off digits of the field's text; nil where the field takes such a text.
func (f *Field) Rounded(text string, kind table.Kind) *reason.Problem {
	if f.KeepRounded || !f.CanBeRounded() {
		return nil
	}
	return value.Rounded(text, kind)
}
