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

// Converted is a text converted to the field's type: its JSON, the moment that a date names, and a note if something is
// odd about it.
type Converted struct {
	JSON   []byte
	Moment date.Moment
	Note   *reason.Problem
	// Reading says what a textual date or number shows about its declared format. It is set even if the text could not
	// be read.
	Reading table.Reading
}

// Convert appends a non-empty text as JSON of the field's type, through its lookup if it has one. The value of a
// component is always a JSON string.
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

// number returns the digits of a number. A workbook number needs no convention. In text without a convention, the 1.234
// of a component is an amount that could be read in two ways; the number of a folder's file is a reference, and keeps
// its signs.
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

// quoted appends plain characters, within quotes for a component.
func (f *Field) quoted(dst []byte, plain string) []byte {
	if f.Component {
		return jsontext.AppendPlain(dst, plain)
	}
	return append(dst, plain...)
}

// guid returns the id for a text: from the lookup, or the text itself if there is no lookup.
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

// CanBeRounded reports whether the field's value identifies something, so that a lost digit would identify something
// else. This holds for keys, references, names to look up, and text components.
func (f *Field) CanBeRounded() bool {
	return f.Target.Reference || f.Lookup != "" || f.Component && f.Target.Type == payload.TypeText
}

// Rounded returns the problem that a spreadsheet cut off digits of the field's text. It returns nil if the text is not
// rounded or the field accepts such texts.
func (f *Field) Rounded(text string, kind table.Kind) *reason.Problem {
	if f.KeepRounded || !f.CanBeRounded() {
		return nil
	}
	return value.Rounded(text, kind)
}
