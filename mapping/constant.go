package mapping

import (
	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// constant is a value that stands in the mapping itself: null, a text, or a list of texts.
type constant struct {
	null, list bool
	texts      []literal
}

type literal struct {
	text  string
	place place
}

// text is a constant of one text, "" for others.
func (c *constant) text() string {
	if c.list || len(c.texts) != 1 {
		return ""
	}
	return c.texts[0].text
}

// missingConstant is a constant whose id nobody has filled in yet. It is no mistake in the mapping: the records that need it are
// rejected, so that a check of a mapping just begun tells everything that is to be filled in.
type missingConstant struct {
	text string
	fail *reason.Problem
}

// checkConstants tells of a value: or default: that cannot be the field's. inline is its lookup, where that stands in the mapping too.
func checkConstants(f *field, inline *lookup.Table) (faults diagnostic.Faults) {
	bound := &boundField{field: f, table: inline}
	for _, c := range []*constant{f.constant, f.fallback} {
		if c != nil && (!c.list || f.target.Type == payload.TypeGUIDs) {
			bound.constantJSON(c, func(p place, fail *reason.Problem) { faults = append(faults, p.fault(fail.Message, fail.Hint)) })
		}
	}
	return faults
}

// constantJSON works out a value that is the same for every row. wrong is told of what cannot be the field's.
func (f *boundField) constantJSON(c *constant, wrong func(place, *reason.Problem)) []byte {
	if c.null {
		return []byte("null")
	}
	if !c.list && f.target.Type != payload.TypeGUIDs {
		return f.literalJSON(c.texts[0], wrong)
	}
	out := []byte{'['}
	for _, element := range c.texts {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, f.literalJSON(element, wrong)...)
	}
	return append(out, ']')
}

func (f *boundField) literalJSON(l literal, wrong func(place, *reason.Problem)) []byte {
	text := l.text
	if !f.keepTrim {
		text = table.Trim(text)
	}
	if text == "" && f.target.Type == payload.TypeText && l.text == "" {
		return []byte(`""`)
	}
	// A GUID stands for itself, also where the field has a lookup.
	if id, ok := value.GUID(text); ok && f.table != nil && !f.table.Asks() {
		return jsontext.AppendPlain(nil, id)
	}
	kind := table.Text
	switch f.target.Type { // a constant is written as YAML has it, whatever the source does
	case payload.TypeDate:
		kind = table.Date
	case payload.TypeNumber, payload.TypeInteger:
		kind = table.Number
	}
	out, fail := f.convert(nil, text, kind)
	switch {
	case fail.Is(reason.LookupUnfilled):
		f.lacking = &missingConstant{text, fail}
	case fail != nil:
		wrong(l.place, fail)
	}
	return out
}
