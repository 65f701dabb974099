package edit

import (
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// From is where the value of a field comes from.
type From string

// The places that a value may come from.
const (
	Nothing    From = "nothing"    // the field is not mapped
	Column     From = "column"     // one column, or several that are joined
	Constant   From = "constant"   // the same value for every row
	Expression From = "expression" // worked out for each row
	Part       From = "part"       // the class or the text of the entry in hand
	Written    From = "written"    // in a way that only the text shows
)

// Choice is what a form says about a field. What else is written there, such as max or blanks, stays as it is.
type Choice struct {
	From       From
	Columns    []string
	Value      string // of Constant; null where that is what is sent
	Expression string
	Lookup     string
	Default    string
	Words      []Word   // what the words of the column become
	Dates      []string // how this field's dates are written
}

// Word is a word of a column and what becomes of it; nothing makes the cell an empty one.
type Word struct{ Is, Becomes string }

// option is a key of a field with its value, as YAML within braces; an empty value takes the key away.
type option struct{ key, value string }

// origins are the keys that say where a value comes from.
var origins = []string{"column", "columns", "value", "expr", "part"}

// optionRank is the order in which the options of a field are written.
var optionRank = []string{"column", "columns", "join", "value", "expr", "part", "type", "split", "blanks", "values", "unknown", "default", "empty", "lookup", "required",
	"max", "truncate", "pattern", "trim", "rounded", "number_format", "dates", "pivot", "zone", "date_as", "numbers", "yes", "no"}

// Choose writes what a form says about the field of a path, as Fields names it.
func (d *File) Choose(path string, c Choice) (*File, error) {
	field, ok := d.field(path)
	if !ok {
		return nil, byHand([]string{path})
	}
	now := field.Choice
	if sameChoice(now, c) {
		return d, nil
	}
	if c.From == Nothing {
		return d.chosen(field, now, c, func() (*File, error) { return d.remove(field.at) })
	}
	if field.Target.Items != nil || field.Target.Type == payload.TypeComponents || c.From == Written || c.From == Part {
		return nil, byHand(field.at)
	}
	return d.chosen(field, now, c, func() (*File, error) { return d.write(field, now, c) })
}

// chosen makes a choice, then declares the lookup that it names and takes away the one that nothing names any more.
func (d *File) chosen(field Field, now, c Choice, choose func() (*File, error)) (*File, error) {
	next, err := choose()
	if err != nil {
		return nil, err
	}
	if c.From != Nothing && c.Lookup != "" {
		if next, err = next.Declare(c.Lookup); err != nil {
			return nil, err
		}
	}
	if now.Lookup != "" && now.Lookup != c.Lookup || c.From == Nothing {
		if next, err = next.undeclare(now.Lookup); err != nil {
			return nil, err
		}
	}
	return next.noteUsed(c.Columns), nil
}

// write writes the options that a choice changes.
func (d *File) write(field Field, now, c Choice) (*File, error) {
	changes := changesOf(field.Target, now, c)
	n := at(d.root, field.at...)
	anew := []string{}
	if !sameOrigin(now, c) {
		anew = append(anew, "origin")
	}
	order := field.order
	if n != nil && n.Kind == document.Block && n.Style&document.Flow == 0 {
		var err error
		for _, change := range changes {
			path := append(slices.Clone(field.at), change.key)
			if change.value == "" {
				continue
			}
			if d, err = d.set(path, change.value, optionRank, anew...); err != nil {
				return nil, err
			}
		}
		for _, change := range changes {
			if change.value == "" {
				if d, err = d.remove(append(slices.Clone(field.at), change.key)); err != nil {
					return nil, err
				}
			}
		}
		return d, nil
	}
	options := optionsOf(n)
	for _, change := range changes {
		options = changed(options, change, optionRank)
	}
	value := braces(options)
	if len(options) == 1 && options[0].key == "column" {
		value = options[0].value
	}
	return d.set(field.at, value, order, anew...)
}

// changesOf lists the options that make one choice of another.
func changesOf(t payload.Field, now, c Choice) (list []option) {
	if !sameOrigin(now, c) {
		chosen := originOf(t, c)
		for _, key := range origins {
			if key != chosen.key {
				list = append(list, option{key, ""})
			}
		}
		if len(c.Columns) < 2 {
			list = append(list, option{"join", ""})
		}
		list = append(list, chosen)
	}
	if now.Lookup != c.Lookup {
		list = append(list, option{"lookup", scalarOrNone(c.Lookup)})
	}
	if now.Default != c.Default {
		list = append(list, option{"default", constant(t, c.Default)})
	}
	if !slices.Equal(now.Words, c.Words) {
		list = append(list, option{"values", wordsText(c.Words)})
	}
	if !slices.Equal(now.Dates, c.Dates) {
		value := ""
		if len(c.Dates) > 0 {
			value = listText(c.Dates)
		}
		list = append(list, option{"dates", value})
	}
	return list
}

func originOf(t payload.Field, c Choice) option {
	switch {
	case c.From == Constant:
		return option{"value", constant(t, c.Value)}
	case c.From == Expression:
		return option{"expr", "'" + strings.ReplaceAll(strings.ReplaceAll(c.Expression, "\n", " "), "'", "''") + "'"}
	case len(c.Columns) == 1:
		return option{"column", scalar(c.Columns[0])}
	}
	return option{"columns", listText(c.Columns)}
}

// constant is a value as a person writes it: yes or no, and nothing, without quotes.
func constant(t payload.Field, text string) string {
	switch {
	case text == "":
		return ""
	case t.Type == payload.TypeBool && (text == "true" || text == "false"), text == "null":
		return text
	}
	return scalar(text)
}

func scalarOrNone(text string) string {
	if text == "" {
		return ""
	}
	return scalar(text)
}

func wordsText(words []Word) string {
	var options []option
	for _, w := range words {
		becomes := "''"
		if w.Becomes != "" {
			becomes = scalar(w.Becomes)
		}
		options = append(options, option{scalar(w.Is), becomes})
	}
	if len(options) == 0 {
		return ""
	}
	return braces(options)
}

func sameOrigin(a, b Choice) bool {
	return a.From == b.From && slices.Equal(a.Columns, b.Columns) && a.Value == b.Value && a.Expression == b.Expression
}

func sameChoice(a, b Choice) bool {
	return sameOrigin(a, b) && a.Lookup == b.Lookup && a.Default == b.Default && slices.Equal(a.Words, b.Words) && slices.Equal(a.Dates, b.Dates)
}

// optionsOf are the options of a field as it is written; the short form is its column.
func optionsOf(n *document.Node) (options []option) {
	switch {
	case n == nil || isNull(n) || n.Kind == document.List:
	case n.Kind == document.Scalar:
		options = append(options, option{"column", flow(n)})
	default:
		for i := 0; i+1 < len(n.Content); i += 2 {
			options = append(options, option{n.Content[i].Value, flow(n.Content[i+1])})
		}
	}
	return options
}

// changed sets one option in a list, at its place in the order where it is new.
func changed(options []option, change option, order []string) []option {
	n := slices.IndexFunc(options, func(o option) bool { return o.key == change.key })
	switch {
	case n >= 0 && change.value == "":
		return slices.Delete(slices.Clone(options), n, n+1)
	case n >= 0:
		options = slices.Clone(options)
		options[n] = change
		return options
	case change.value == "":
		return options
	}
	rank := func(o option) int {
		if n := slices.Index(order, o.key); n >= 0 {
			return n
		}
		return len(order)
	}
	for n = len(options); n > 0 && rank(options[n-1]) > rank(change); n-- {
	}
	return slices.Insert(slices.Clone(options), n, change)
}

func braces(options []option) string {
	parts := make([]string, len(options))
	for i, o := range options {
		parts[i] = o.key + ": " + o.value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
