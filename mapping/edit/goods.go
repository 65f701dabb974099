package edit

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// The layouts of classes and goods in a table of marks.
const (
	Split = "split" // one cell holds all
	Pairs = "pairs" // numbered columns of classes and of their goods
	Flags = "flags" // one column for each class, marked where it applies
	Rows  = "rows"  // one row for each class
)

// Goods says where a table has the entries of goods and services.
type Goods struct {
	Layout string // "" if they are not mapped
	Class  string // the column of the classes; for Pairs and Flags with # for the number
	Text   string // the column of the goods; "" if they are in the cell of the class, or nowhere
	// Entries and Separator separate the entries of a cell, and a class from its goods; "" for the default.
	Entries, Separator string
}

// Goods reads the layout. ok is false if it is written in a way that a form cannot show.
func (d *File) Goods() (g Goods, ok bool) {
	n := at(d.root, "fields", payload.Goods)
	if n == nil || document.IsNull(n) {
		return g, true
	}
	if n.Kind != document.Block {
		return g, false
	}
	ok = true
	text := func(path ...string) string {
		v := at(n, path...)
		if v != nil && v.Kind == document.Block {
			v = at(v, "column")
		}
		if v == nil {
			return ""
		}
		ok = ok && v.Kind == document.Scalar
		return v.Value
	}
	g.Layout = Rows
	for key, value := range document.Pairs(n) {
		switch key.Value {
		case Split:
			g.Layout, g.Entries, g.Separator = Split, text(Split, "entries"), text(Split, "class")
			g.Class = text(Split)
			ok = ok && value.Kind == document.Block
		case Pairs:
			g.Layout, g.Class, g.Text = Pairs, text(Pairs, "class"), text(Pairs, "text")
		case Flags:
			g.Layout, g.Class = Flags, text(Flags)
		case "item":
			ok = ok && value.Kind == document.Block
		default:
			return g, false
		}
	}
	if g.Layout == Rows {
		g.Class = text("item", "search_class_id")
	}
	if g.Layout != Pairs {
		g.Text = text("item", "text")
	}
	return g, ok
}

// ChooseGoods writes the layout. What the file says about the language of entries, and about anything but their class
// and goods, stays.
func (d *File) ChooseGoods(g Goods) (*File, error) {
	now, ok := d.Goods()
	switch path := []string{"fields", payload.Goods}; {
	case !ok:
		return nil, byHand(path)
	case now == g:
		return d, nil
	case g.Layout == "":
		return d.remove(path)
	}
	next := d
	var err error
	for _, lookup := range []string{"classes", "constants"} {
		if at(d.root, "fields", payload.Goods) == nil && !slices.Contains(next.Lookups(), lookup) {
			if next, err = next.DeclareLookup(lookup, ""); err != nil {
				return nil, err
			}
		}
	}
	order := namesOf(payload.Fields(d.Operation(), d.options.Switches))
	return next.set([]string{"fields", payload.Goods}, braces(append(g.layout(), option{"item", braces(next.entry(g))})), order, true)
}

// layout returns the options that say where the entries are.
func (g Goods) layout() []option {
	switch g.Layout {
	case Split:
		return []option{{Split, given(option{"column", scalar(g.Class)}, option{"entries", orNone(g.Entries)}, option{"class", orNone(g.Separator)})}}
	case Pairs:
		return []option{{Pairs, given(option{"class", scalar(g.Class)}, option{"text", orNone(g.Text)})}}
	case Flags:
		return []option{{Flags, scalar(g.Class)}}
	}
	return nil
}

// given writes the options that have a value.
func given(options ...option) string {
	return braces(slices.DeleteFunc(options, func(o option) bool { return o.value == "" }))
}

// entry returns the options of one entry.
func (d *File) entry(g Goods) []option {
	lookup := "classes"
	item := at(d.root, "fields", payload.Goods, "item")
	if known := at(item, "search_class_id", "lookup"); known != nil && known.Kind == document.Scalar {
		lookup = known.Value
	}
	class := []option{{"lookup", scalar(lookup)}}
	if g.Layout == Rows {
		class = append([]option{{"column", scalar(g.Class)}}, class...)
	}
	language := "{value: language of the goods, lookup: constants}"
	if known := at(item, "language_id"); known != nil {
		language = flow(known)
	}
	options := []option{{"search_class_id", braces(class)}, {"language_id", language}}
	switch {
	case g.Layout == Pairs:
	case g.Text != "":
		options = append(options, option{"text", scalar(g.Text)})
	case g.Layout == Flags:
		options = append(options, option{"text", "{value: all goods of the class}"})
	}
	for key, value := range document.Pairs(item) {
		if key.Value != "search_class_id" && key.Value != "language_id" && key.Value != "text" {
			options = append(options, option{key.Value, flow(value)})
		}
	}
	return options
}
