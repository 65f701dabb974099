package edit

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// Field is a field of the operation and what the text says about it.
type Field struct {
	Target payload.Field
	// Path is the field's name in reasons, such as files.number.
	Path string
	// Depth is 0 for a field of the record, and 1 for a field of an entry or a component.
	Depth  int
	Choice Choice
	// Text is what the file has for the field, or "".
	Text string
	// Options are the keys in the file that are not part of the choice.
	Options []string

	at    []string // its place in the file
	order []string // the order of its siblings
}

// Fields returns the fields of the operation in order. The fields of entries, and the components that are mapped,
// follow the field they belong to.
func (d *File) Fields() []Field {
	return d.fields(payload.Fields(d.Operation(), d.options.Switches), "", []string{"fields"}, 0)
}

func (d *File) field(path string) (Field, bool) {
	all := d.Fields()
	n := slices.IndexFunc(all, func(f Field) bool { return f.Path == path })
	if n < 0 {
		return Field{}, false
	}
	return all[n], true
}

func (d *File) fields(targets []payload.Field, prefix string, in []string, depth int) (list []Field) {
	order := namesOf(targets)
	for _, t := range targets {
		f := d.describe(t, prefix+t.Name, append(slices.Clone(in), t.Name), order, depth)
		list = append(list, f)
		switch n := at(d.root, f.at...); {
		case n == nil || n.Kind != document.Block:
		case t.Type == payload.TypeItems:
			list = append(list, d.fields(t.Items, f.Path+".", append(slices.Clone(f.at), "item"), depth+1)...)
		case t.Type == payload.TypeComponents:
			list = append(list, d.components(f, depth+1)...)
		}
	}
	return list
}

func namesOf(targets []payload.Field) (names []string) {
	for _, t := range targets {
		names = append(names, t.Name)
	}
	return names
}

// components returns the components that the text names, each as a text field unless the text says that it is a date.
func (d *File) components(of Field, depth int) (list []Field) {
	path := append(slices.Clone(of.at), "items")
	for name, value := range document.Pairs(at(d.root, path...)) {
		t := payload.Field{Name: name.Value, Type: payload.TypeText, Doc: "component"}
		if kind := at(value, "type"); kind != nil && kind.Value == "date" {
			t.Type = payload.TypeDate
		}
		list = append(list, d.describe(t, of.Path+"."+t.Name, append(slices.Clone(path), t.Name), nil, depth))
	}
	return list
}

func (d *File) describe(t payload.Field, path string, place, order []string, depth int) Field {
	f := Field{Target: t, Path: path, Depth: depth, at: place, order: order, Choice: Choice{From: Nothing}}
	n := at(d.root, place...)
	if n == nil {
		if t.Name == "search_class_id" || t.Name == "text" {
			f.Choice.From = d.partOf(place)
		}
		return f
	}
	f.Text = flow(n)
	if t.Type == payload.TypeItems || t.Type == payload.TypeComponents {
		f.Choice.From = Written
		// The fields of entries are shown separately.
		inner := func(o option) bool { return o.key == "item" || o.key == "items" }
		text := braces(slices.DeleteFunc(optionsOf(n), inner))
		f.Text = text[1 : len(text)-1]
	} else if f.Choice, f.Options = choiceOf(n); f.Choice.From == Nothing {
		f.Choice.From = d.partOf(place)
	}
	return f
}

// partOf says where a field of an entry comes from if the text does not say it: Part if entries come from a cell, from
// pairs or from flags.
func (d *File) partOf(place []string) From {
	if len(place) < 4 || place[2] != "item" {
		return Nothing
	}
	if slices.ContainsFunc([]string{"split", "pairs", "flags"}, func(mode string) bool { return at(d.root, append(slices.Clone(place[:2]), mode)...) != nil }) {
		return Part
	}
	return Nothing
}

// choiceOf reads what the text says about a field, and which of the options are not part of a choice.
func choiceOf(n *document.Node) (c Choice, options []string) {
	c.From = Nothing
	switch {
	case document.IsNull(n):
		return Choice{From: Constant, Value: "null"}, nil
	case n.Kind == document.Scalar:
		return Choice{From: Column, Columns: []string{n.Value}}, nil
	case n.Kind == document.List:
		return Choice{From: Written}, nil
	}
	for key, value := range document.Pairs(n) {
		if !c.take(key.Value, value) {
			options = append(options, key.Value)
		}
	}
	return c, options
}

// take reads one option. It returns false if the option is not part of a choice.
func (c *Choice) take(key string, n *document.Node) bool {
	plain := n.Kind == document.Scalar
	var ok bool
	switch {
	case key == "column" && plain:
		c.From, c.Columns = Column, []string{n.Value}
	case key == "columns":
		if c.Columns, ok = texts(n); ok {
			c.From = Column
		} else {
			c.From = Written
		}
	case key == "value" && document.IsNull(n):
		c.From, c.Value = Constant, "null"
	case key == "value" && plain:
		c.From, c.Value = Constant, n.Value
	case key == "expr" && plain:
		c.From, c.Expression = Expression, n.Value
	case key == "part":
		c.From = Part
	case slices.Contains(origins, key):
		c.From = Written
	case key == "lookup" && plain:
		c.Lookup = n.Value
	case key == "default" && plain:
		if c.Default = n.Value; document.IsNull(n) {
			c.Default = "null"
		}
	case key == "values" && n.Kind == document.Block:
		c.Words = wordsOf(n)
		return c.Words != nil
	case key == "dates":
		c.Dates, ok = texts(n)
		return ok
	default:
		return false
	}
	return true
}

// wordsOf reads values:. It returns nil if one of them is not a scalar.
func wordsOf(n *document.Node) (words []Word) {
	for is, becomes := range document.Pairs(n) {
		if becomes.Kind != document.Scalar || is.Kind != document.Scalar {
			return nil
		}
		w := Word{Is: is.Value, Becomes: becomes.Value}
		if document.IsNull(becomes) {
			w.Becomes = ""
		}
		words = append(words, w)
	}
	return words
}
