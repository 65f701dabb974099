package edit

import (
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// From says where the value of a field comes from.
type From string

const (
	Nothing    From = "nothing"    // the field is not mapped
	Column     From = "column"     // one column, or several joined
	Constant   From = "constant"   // the same value for every row
	Expression From = "expression" // computed for each row
	Part       From = "part"       // the class or the text of the entry
	Written    From = "written"    // written in a way that only the text shows
)

// Choice is what a form says about a field. Other options in the file, such as max or blanks, stay as they are.
type Choice struct {
	From       From
	Columns    []string
	Value      string // for Constant; "null" if null is sent
	Expression string
	Lookup     string
	Default    string
	Words      []Word   // what the words of the column become
	Dates      []string // how this field's dates are written
}

// Word is a word of a column and what it becomes; "" means an empty cell.
type Word struct{ Is, Becomes string }

// option is a key of a field with its value, as YAML in flow style. An empty value removes the key.
type option struct{ key, value string }

// origins are the keys that say where a value comes from.
var origins = []string{"column", "columns", "value", "expr", "part"}

// optionRank is the order in which the options of a field are written.
var optionRank = []string{"column", "columns", "join", "value", "expr", "part", "type", "split", "blanks", "values", "unknown", "default", "empty", "lookup", "required",
	"max", "truncate", "pattern", "trim", "rounded", "number_format", "dates", "pivot", "zone", "date_as", "numbers", "yes", "no"}

// Choose writes what a form says about the field with a path, as Fields names it. It declares the lookup that the
// choice names, and removes a lookup that nothing names any more.
func (d *File) Choose(path string, c Choice) (*File, error) {
	field, ok := d.field(path)
	if !ok {
		return nil, byHand([]string{path})
	}
	now := field.Choice
	changes := changesOf(field.Target, now, c)
	if len(changes) == 0 {
		return d, nil
	}
	var next *File
	var err error
	switch {
	case c.From == Nothing:
		next, err = d.remove(field.at)
	case field.Target.Items != nil || field.Target.Type == payload.TypeComponents || c.From == Written || c.From == Part:
		err = byHand(field.at)
	default:
		next, err = d.write(field, changes, !sameOrigin(now, c))
	}
	if err == nil && c.From != Nothing && c.Lookup != "" && at(next.root, "lookups", c.Lookup) == nil {
		next, err = next.DeclareLookup(c.Lookup, "")
	}
	if err == nil && (c.From == Nothing || now.Lookup != c.Lookup) {
		next, err = next.undeclare(now.Lookup)
	}
	if err != nil {
		return nil, err
	}
	return next.noteUsed(c.Columns), nil
}

// write writes the options that a choice changes.
func (d *File) write(field Field, changes []option, anew bool) (*File, error) {
	n := at(d.root, field.at...)
	if n == nil || n.Kind != document.Block || n.Style&document.Flow != 0 {
		options := optionsOf(n)
		for _, change := range changes {
			n := slices.IndexFunc(options, func(o option) bool { return o.key == change.key })
			options = changed(options, n, change, optionRank)
		}
		value := braces(options)
		if len(options) == 1 && options[0].key == "column" {
			value = options[0].value
		}
		return d.set(field.at, value, field.order, anew)
	}
	// Add before removing: a block cannot be empty.
	var err error
	for _, removes := range []bool{false, true} {
		for _, change := range changes {
			path := append(slices.Clone(field.at), change.key)
			switch {
			case removes != (change.value == ""):
			case removes:
				d, err = d.remove(path)
			default:
				d, err = d.set(path, change.value, optionRank, anew)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// changesOf returns the options that turn one choice into another.
func changesOf(t payload.Field, now, c Choice) (list []option) {
	if !sameOrigin(now, c) {
		is := option{"columns", listText(c.Columns)}
		switch {
		case c.From == Constant:
			is = option{"value", constant(t, c.Value)}
		case c.From == Expression:
			is = option{"expr", "'" + strings.ReplaceAll(strings.ReplaceAll(c.Expression, "\n", " "), "'", "''") + "'"}
		case len(c.Columns) == 1:
			is = option{"column", scalar(c.Columns[0])}
		}
		for _, key := range origins {
			if key != is.key {
				list = append(list, option{key, ""})
			}
		}
		if len(c.Columns) < 2 {
			list = append(list, option{"join", ""})
		}
		list = append(list, is)
	}
	differ := func(key, was, is string) {
		if was != is {
			list = append(list, option{key, is})
		}
	}
	differ("lookup", orNone(now.Lookup), orNone(c.Lookup))
	differ("default", constant(t, now.Default), constant(t, c.Default))
	differ("values", wordsText(now.Words), wordsText(c.Words))
	differ("dates", listText(now.Dates), listText(c.Dates))
	return list
}

// constant writes a value as a person would: true, false and null without quotes.
func constant(t payload.Field, text string) string {
	if t.Type == payload.TypeBool && (text == "true" || text == "false") || text == "null" {
		return text
	}
	return orNone(text)
}

func orNone(text string) string {
	if text == "" {
		return ""
	}
	return scalar(text)
}

func wordsText(words []Word) string {
	if len(words) == 0 {
		return ""
	}
	var options []option
	for _, w := range words {
		options = append(options, option{scalar(w.Is), scalar(w.Becomes)})
	}
	return braces(options)
}

func sameOrigin(a, b Choice) bool {
	return a.From == b.From && slices.Equal(a.Columns, b.Columns) && a.Value == b.Value && a.Expression == b.Expression
}

// optionsOf returns the entries of a block as they are written, or the options of a field, whose short form is its
// column.
func optionsOf(n *document.Node) (options []option) {
	switch {
	case n == nil || document.IsNull(n) || n.Kind == document.List:
	case n.Kind == document.Scalar:
		options = append(options, option{"column", flow(n)})
	default:
		for key, value := range document.Pairs(n) {
			options = append(options, option{flow(key), flow(value)})
		}
	}
	return options
}

// changed sets the n-th option of a list. If n is -1, it inserts a new option at its place in the order.
func changed(options []option, n int, change option, order []string) []option {
	switch options = slices.Clone(options); {
	case n >= 0 && change.value == "":
		return slices.Delete(options, n, n+1)
	case n >= 0:
		options[n].value = change.value
		return options
	case change.value == "":
		return options
	}
	for n = len(options); n > 0 && rank(order, options[n-1].key) > rank(order, change.key); n-- {
	}
	return slices.Insert(options, n, change)
}

// rank returns the position of a key in an order; a key that is not in it comes last.
func rank(order []string, key string) int {
	if n := slices.Index(order, key); n >= 0 {
		return n
	}
	return len(order)
}

func braces(options []option) string {
	parts := make([]string, len(options))
	for i, o := range options {
		parts[i] = o.key + ": " + o.value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
