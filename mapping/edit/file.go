// Package edit changes a mapping file by choices: this field from that column, that one through a lookup. It does no input and
// output.
//
// The text of the file is all there is; nothing is kept beside it. Read takes a text apart, Fields and the like say what a form
// would show of it, and Choose and its like give the text that a person would have ended with who had changed that
// place alone: a field is written where the operation has it, an option where the reference has it, and every other character
// stays, comments and all. So a form and a text editor can take turns on one file, and a file that was written by hand can be
// changed by choosing.
//
// The decision that is not obvious is that a text is changed by lines and columns, and then proven. What was changed is read
// again, and has to be what was there before but for the one place: otherwise the change is refused, with the advice to make
// it in the text. A way of writing YAML that nobody thought of can make a choice impossible, and never a wrong one.
//
// A comment that the proposal wrote beside a field says why its column was chosen. It goes with that column; a comment that
// somebody else wrote stays.
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

// File is the text of a mapping file, taken apart. It does not change: a choice makes another one.
type File struct {
	name     string
	text     string
	root     *document.Node
	options  mapping.Options
	proposed map[string]bool // comments of the proposal, without what stands before them
}

// Read takes a text apart. proposal is the text that the draft began with, whose comments go with what they are about; it may be
// empty. The error is of type diagnostic.Faults: the text is no YAML, or no block of keys. Whether it makes a mapping is another
// question, which mapping.Parse answers.
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

// Text is the mapping file.
func (d *File) Text() string { return d.text }

// Operation is what the text says, whether there is such an operation or not.
func (d *File) Operation() payload.Operation {
	if n := at(d.root, "operation"); n != nil && n.Kind == document.Scalar {
		return payload.Operation(n.Value)
	}
	return ""
}

// Key lists the columns of the key; ok is false where it is an expression or a block, which only the text shows.
func (d *File) Key() (columns []string, ok bool) {
	return texts(at(d.root, "key"))
}

// Dates lists the patterns of dates that hold for the whole file.
func (d *File) Dates() (patterns []string, ok bool) {
	return texts(at(d.root, "dates"))
}

// Lookups lists the names of the lookups, in the order of the file.
func (d *File) Lookups() []string {
	var names []string
	for name := range document.Pairs(at(d.root, "lookups")) {
		names = append(names, name.Value)
	}
	return names
}

// ErrByHand says that a change can only be made in the text.
var ErrByHand = errors.New("the form cannot edit this part of the mapping; edit the text")

// ChooseKey writes the columns that tell one record from all others.
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

// ChooseDates writes how dates are written; none takes the line away.
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

// DeclareLookup says where the names of a lookup come from: a list of the service, or without one the CSV file of its name, where
// init puts them. What the lookup was before is replaced.
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

// topRank is the order of the keys of a mapping file, as far as it is written here.
var topRank = []string{"operation", "scope", "key", "rows", "dates", "dates_turned", "pivot", "zone", "numbers", "blanks", "empty", "booleans", "fields", "lookups", "order", "checks", "tests"}

// again reads a changed text, and proves that nothing but the place changed. expected is what stands there now, nil for nothing.
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
