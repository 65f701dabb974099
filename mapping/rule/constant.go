package rule

import (
	"cmp"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Constant is a value written in the mapping itself: null, a text, or a list of texts.
type Constant struct {
	Null, List bool
	Texts      []Literal
}

// Literal is a text of the file with its place.
type Literal struct {
	Text  string
	Place Place
}

// Text returns the text of a constant that is a single text, and "" for others.
func (c *Constant) Text() string {
	if c.List || len(c.Texts) != 1 {
		return ""
	}
	return c.Texts[0].Text
}

// MissingConstant is a constant whose id nobody has filled in yet. It is not a mistake in the mapping. It only rejects
// the records that need it, so that checking a new mapping shows everything that must be filled in.
type MissingConstant struct {
	Text string
	Fail *reason.Problem
}

// ConstantJSON converts a value that is the same for every row, using the field's lookup if it has one. It calls wrong
// for each text that the field cannot take.
func (f *Field) ConstantJSON(c *Constant, in *lookup.Table, wrong func(Place, *reason.Problem)) (json []byte, lacking *MissingConstant) {
	switch {
	case c.Null:
		return []byte("null"), nil
	case !c.List && f.Target.Type != payload.TypeGUIDs:
		return f.literalJSON(c.Texts[0], in, wrong)
	}
	json = []byte{'['}
	for n, element := range c.Texts {
		if n > 0 {
			json = append(json, ',')
		}
		one, lacks := f.literalJSON(element, in, wrong)
		json, lacking = append(json, one...), cmp.Or(lacks, lacking)
	}
	return append(json, ']'), lacking
}

func (f *Field) literalJSON(l Literal, in *lookup.Table, wrong func(Place, *reason.Problem)) ([]byte, *MissingConstant) {
	text := l.Text
	if !f.KeepTrim {
		text = table.Trim(text)
	}
	if l.Text == "" && f.Target.Type == payload.TypeText {
		return []byte(`""`), nil
	}
	// A GUID stands for itself, even if the field has a lookup.
	if id, ok := value.GUID(text); ok && in != nil && !in.Asks() {
		return jsontext.AppendPlain(nil, id), nil
	}
	kind := table.Text
	switch f.Target.Type { // a constant is written as YAML has it, whatever the source does
	case payload.TypeDate:
		kind = table.Date
	case payload.TypeNumber, payload.TypeInteger:
		kind = table.Number
	}
	is, fail := f.Convert(nil, in, text, kind)
	switch {
	case fail.Is(reason.LookupUnfilled):
		return nil, &MissingConstant{text, fail}
	case fail.Is(reason.DateUnreadable), fail.Is(reason.DateImpossible): // dates: applies only to cells
		wrong(l.Place, reason.New(reason.DateUnreadableHere, text))
	case fail != nil:
		wrong(l.Place, fail)
	}
	return is.JSON, nil
}
