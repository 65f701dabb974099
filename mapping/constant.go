package mapping

import (
	"cmp"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
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

// constantJSON works out a value that is the same for every row, with the field's lookup as far as it is known. wrong receives what
// cannot be the field's.
func (f *field) constantJSON(c *constant, in *lookup.Table, wrong func(place, *reason.Problem)) (json []byte, lacking *missingConstant) {
	switch {
	case c.null:
		return []byte("null"), nil
	case !c.list && f.target.Type != payload.TypeGUIDs:
		return f.literalJSON(c.texts[0], in, wrong)
	}
	json = []byte{'['}
	for n, element := range c.texts {
		if n > 0 {
			json = append(json, ',')
		}
		one, lacks := f.literalJSON(element, in, wrong)
		json, lacking = append(json, one...), cmp.Or(lacks, lacking)
	}
	return append(json, ']'), lacking
}

func (f *field) literalJSON(l literal, in *lookup.Table, wrong func(place, *reason.Problem)) ([]byte, *missingConstant) {
	text := l.text
	if !f.keepTrim {
		text = table.Trim(text)
	}
	if l.text == "" && f.target.Type == payload.TypeText {
		return []byte(`""`), nil
	}
	// A GUID stands for itself, also where the field has a lookup.
	if id, ok := value.GUID(text); ok && in != nil && !in.Asks() {
		return jsontext.AppendPlain(nil, id), nil
	}
	kind := table.Text
	switch f.target.Type { // a constant is written as YAML has it, whatever the source does
	case payload.TypeDate:
		kind = table.Date
	case payload.TypeNumber, payload.TypeInteger:
		kind = table.Number
	}
	is, fail := f.convert(nil, in, text, kind)
	switch {
	case fail.Is(reason.LookupUnfilled):
		return nil, &missingConstant{text, fail}
	case fail != nil:
		wrong(l.place, fail)
	}
	return is.json, nil
}
