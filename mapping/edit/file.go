// Package edit changes a mapping file by choices: this field from that column, that one through a lookup. It does no
// input or output.
//
// The text of the file is the only state. Read parses a text; Fields and similar methods say what a form would show of
// it; Choose and similar methods return the text that a person would have produced by editing that place alone. A field
// is written where the operation has it, an option where the reference has it, and every other character stays,
// including comments. So a form and a text editor can take turns on one file, and a file written by hand can be changed
// by choices.
//
// One decision is not obvious: a text is changed by lines and columns, and the result is then verified. The changed
// text is read again and must equal the old one except for the one place. Otherwise the change is refused, with the
// advice to make it in the text. So YAML in an unexpected style can make a choice impossible, but never wrong.
//
// A comment that the proposal wrote beside a field says why its column was chosen. It is removed together with that
// column; comments by anyone else stay.
package edit

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping"
)

// File is the parsed text of a mapping file. It is immutable: a choice returns a new one.
type File struct {
	name     string
	text     string
	root     *document.Node
	options  mapping.Options
	proposed map[string]bool // comments of the proposal, without what precedes them on their lines
}

// Read parses a text. proposal is the text that the draft began with; its comments are removed together with what they
// describe. It may be empty. The error is of type diagnostic.Faults: the text is not YAML, or not a block of keys.
// Whether it is a valid mapping is for mapping.Parse to say.
func Read(name, text, proposal string, o mapping.Options) (*File, error) {
	if !utf8.ValidString(text) {
		return nil, diagnostic.Faults{{File: name, Line: 1, Column: 1, Message: "the text is not UTF-8"}}
	}
	file, err := document.Parse(name, []byte(text))
	if err != nil {
		return nil, err
	}
	root := file.Root()
	if root == nil || root.Kind != document.Block {
		return nil, diagnostic.Faults{file.At(root, "not a mapping file", "start with operation:, key: and fields:")}
	}
	d := &File{name: name, text: text, root: root, options: o, proposed: map[string]bool{}}
	for _, line := range strings.Split(proposal, "\n") {
		if at := document.CommentAt(line); at >= 0 {
			d.proposed[strings.TrimSpace(line[at:])] = true
		}
	}
	return d, nil
}

// Text returns the mapping file.
func (d *File) Text() string { return d.text }

// Operation returns the operation in the text, whether it exists or not.
func (d *File) Operation() payload.Operation {
	if n := at(d.root, "operation"); n != nil && n.Kind == document.Scalar {
		return payload.Operation(n.Value)
	}
	return ""
}

// Key returns the columns of the key. ok is false if the key is an expression or a block, which only the text shows.
func (d *File) Key() (columns []string, ok bool) {
	return texts(at(d.root, "key"))
}

// Dates returns the date patterns for the whole file.
func (d *File) Dates() (patterns []string, ok bool) {
	return texts(at(d.root, "dates"))
}

// Lookups returns the names of the lookups, in the order of the file.
func (d *File) Lookups() []string {
	var names []string
	for name := range document.Pairs(at(d.root, "lookups")) {
		names = append(names, name.Value)
	}
	return names
}

// ErrByHand means that a change can be made only in the text.
var ErrByHand = errors.New("the form cannot edit this part of the mapping; edit the text")

// ChooseKey writes the columns that identify a record.
func (d *File) ChooseKey(columns []string) (*File, error) {
	if now, ok := d.Key(); ok && slices.Equal(now, columns) || len(columns) == 0 {
		return d, nil
	}
	value := listText(columns)
	if len(columns) == 1 {
		value = scalar(columns[0])
	}
	return d.set([]string{"key"}, value, topRank, true)
}

// ChooseDates writes how dates are written; an empty list removes the line.
func (d *File) ChooseDates(patterns []string) (*File, error) {
	now, ok := d.Dates()
	switch {
	case ok && slices.Equal(now, patterns):
		return d, nil
	case len(patterns) == 0:
		return d.remove([]string{"dates"})
	case len(patterns) == 1 && patterns[0] == "proven":
		return d.set([]string{"dates"}, "proven", topRank, true)
	}
	return d.set([]string{"dates"}, listText(patterns), topRank, true)
}

// DeclareLookup says where the names of a lookup come from: a list of the service or, if list is empty, the CSV file
// with the lookup's name, where init puts them. It replaces an earlier declaration.
func (d *File) DeclareLookup(name, list string) (*File, error) {
	value := scalar("lookups/" + name + ".csv")
	if list != "" {
		value = "{service: " + scalar(list) + "}"
	}
	if at(d.root, "lookups") == nil {
		return d.set([]string{"lookups"}, "\n  "+scalar(name)+": "+value, topRank, true)
	}
	return d.set([]string{"lookups", name}, value, nil, true)
}

// topRank is the order of the top-level keys of a mapping file, as far as this package writes them.
var topRank = []string{"operation", "scope", "key", "rows", "dates", "dates_turned", "pivot", "zone", "numbers", "blanks", "empty", "booleans", "fields", "lookups", "order", "checks", "tests"}

// again reads a changed text and verifies that only the one place changed. expected is the new value there, "" for
// none.
func (d *File) again(text string, path []string, expected string) (*File, error) {
	changed, err := Read(d.name, text, "", d.options)
	if err != nil {
		return nil, byHand(path)
	}
	var value *document.Node
	if expected != "" {
		file, err := document.Parse(d.name, []byte("x: "+expected+"\n"))
		if err != nil {
			return nil, byHand(path)
		}
		value = at(file.Root(), "x")
	}
	if !sameBut(d.root, changed.root, path, value) {
		return nil, byHand(path)
	}
	changed.proposed = d.proposed
	return changed, nil
}

// undeclare removes a lookup that nothing names any more, if it is written as init writes it. A declaration that a
// person has changed stays.
func (d *File) undeclare(name string) (*File, error) {
	n := at(d.root, "lookups", name)
	if name == "" || n == nil || n.Value != "lookups/"+name+".csv" || names(at(d.root, "fields"), name) || names(at(d.root, "rows"), name) || names(at(d.root, "key"), name) {
		return d, nil
	}
	return d.prune([]string{"lookups", name})
}

// names reports whether a lookup is named anywhere below a node, including in expressions.
func names(n *document.Node, lookup string) bool {
	if n == nil {
		return false
	}
	l := at(n, "lookup")
	return l != nil && l.Value == lookup ||
		n.Kind == document.Scalar && (strings.Contains(n.Value, `"`+lookup+`"`) || strings.Contains(n.Value, "'"+lookup+"'")) ||
		slices.ContainsFunc(n.Content, func(c *document.Node) bool { return names(c, lookup) })
}

// notUsed and isSample occur in the proposal's list of columns that no field uses.
const (
	notUsed  = "# Not used:"
	isSample = " rows, such as "
)

// noteUsed removes columns from the proposal's list of unused columns.
func (d *File) noteUsed(columns []string) *File {
	lines := newLines(d.text)
	start := slices.Index(lines.all, notUsed)
	if start < 0 || !d.proposed[notUsed] {
		return d
	}
	var kept []string
	n, dropping, left := start+1, false, 0
	for ; n < len(lines.all) && strings.HasPrefix(lines.all[n], "#   ") && d.proposed[lines.all[n]]; n++ {
		line := lines.all[n]
		if strings.Contains(line, isSample) || strings.Contains(line, ": all rows, such as ") {
			dropping = slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(line, "#   "+c+": ") })
		}
		if !dropping {
			kept = append(kept, line)
			left++
		}
	}
	if n-start-1 == left {
		return d
	}
	if left > 0 {
		kept = append([]string{notUsed}, kept...)
	}
	next := *d
	next.text = lines.replaced(span{start, n}, kept...)
	return &next
}
