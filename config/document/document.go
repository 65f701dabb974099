// Package document reads the YAML files that people write for docketsync and says what is wrong in them: the file, the
// line and column, the line itself with a caret under the place, and what to do.
//
// It is a package of its own because two packages read such files, config and mapping, which must report mistakes in
// the same way and may not import each other. It imports nothing else of ours, except diagnostic, and no other package
// imports the YAML library: its node type is called Node here.
//
// The life of a file: Parse turns the text into nodes, or reports why it is not YAML. It also resolves aliases and
// merge keys, within a limit, so that a caller never meets one. Decode then fills a Go value from a node, or later from
// any node below it, and reports every mistake at once instead of stopping at the first. A caller that finds other
// mistakes reports them in the same form with At or AtOffset.
//
// Decode walks the nodes itself instead of using the library's decoder. The library loses its strict mode as soon as a
// type reads itself, its faults mention Go types, and it reads 007 as 7 and 2024-03-01 as a time. Here a text field
// gets the characters of the file unchanged.
package document

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/encoding/unicode"

	"docketsync/config/diagnostic"
)

// Node is one value of a YAML file with its position: a scalar, a list or a block of keys.
type Node = yaml.Node

// The kinds of a Node. Parse leaves no aliases, so there are no others.
const (
	Scalar = yaml.ScalarNode
	List   = yaml.SequenceNode
	Block  = yaml.MappingNode
)

// The styles of a Node, for code that writes a part of a file back as it was written.
const (
	SingleQuoted = yaml.SingleQuotedStyle
	DoubleQuoted = yaml.DoubleQuotedStyle
	Flow         = yaml.FlowStyle // within braces or brackets
)

// maxBytes limits the size of a file: people write these, and ten thousand lines are far smaller.
const maxBytes = 4 << 20

// File is a parsed YAML file together with its text.
type File struct {
	name     string
	lines    []string
	root     *Node
	looked   map[*Node]bool  // for duplicate keys
	appended map[*Node]*File // nodes that belong to other files
	based    bool            // one of these files is its base
}

// Parse reads one YAML document. name is what faults call the file. The text must be UTF-8, or UTF-16 with a byte order
// mark. An empty file is not a fault here, but its Root is nil. The error is of type Faults.
//
// The text may come from WithBase: then the File is the combination of both files, and each fault names the file that
// it is in.
func Parse(name string, data []byte) (*File, error) {
	f, err := parse(name, data)
	if err != nil {
		if both, faulty := parseBoth(name, data); both != nil || faulty != nil {
			return both, faulty
		}
	}
	return f, err
}

func parse(name string, data []byte) (*File, error) {
	text, fault := decodeText(name, data)
	f := &File{name: name, lines: splitLines(text), looked: map[*Node]bool{}, appended: map[*Node]*File{}}
	if fault != nil {
		return nil, diagnostic.Faults{*fault}
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, diagnostic.Faults{f.syntax(err)}
	}
	var first yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return f, nil
	case err != nil:
		return nil, diagnostic.Faults{f.syntax(err)}
	}
	if fault := f.onlyDocument(loader); fault != nil {
		return nil, diagnostic.Faults{*fault}
	}
	if len(first.Content) == 1 && !IsNull(first.Content[0]) {
		f.root = first.Content[0]
	}
	if faults := f.resolve(); len(faults) > 0 {
		return nil, faults.Err()
	}
	return f, nil
}

// Name returns the name given to Parse.
func (f *File) Name() string { return f.name }

// Root returns the content of the document, or nil if the file contains only white space and comments.
func (f *File) Root() *Node { return f.root }

// Node follows keys (string) and list positions (int, from 0) down from the root. If the path ends early, it returns
// the deepest existing node, so that a fault about something missing still has a place. It returns nil only for an
// empty file.
func (f *File) Node(path ...any) *Node {
	n := f.root
	for _, step := range path {
		next := child(n, step)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// Has reports whether the whole path (as in Node) is written in the file.
func (f *File) Has(path ...any) bool {
	n := f.root
	for _, step := range path {
		if n = child(n, step); n == nil {
			return false
		}
	}
	return n != nil
}

func child(n *Node, step any) *Node {
	switch step := step.(type) {
	case string:
		return Member(n, step)
	case int:
		if n != nil && n.Kind == List && step >= 0 && step < len(n.Content) {
			return n.Content[step]
		}
	}
	return nil
}

// Append adds the content of another file to the end of the list under a key of this file, and creates the list if
// there is none. Faults about the content name the other file. Append does nothing if the key holds something other
// than a list, which Decode reports.
func (f *File) Append(key string, other *File) {
	if f.root == nil || f.root.Kind != Block || other.root == nil {
		return
	}
	list := child(f.root, key)
	if list == nil {
		list = &Node{Kind: List, Line: 1, Column: 1}
		f.root.Content = append(f.root.Content, &Node{Kind: Scalar, Value: key, Line: 1, Column: 1}, list)
	} else if IsNull(list) {
		*list = Node{Kind: List, Line: list.Line, Column: list.Column}
	}
	if list.Kind != List {
		return
	}
	list.Content = append(list.Content, other.root)
	f.own(other, other.root)
}

// own records that a node and all below it belong to another file.
func (f *File) own(other *File, n *Node) {
	if f.appended[n] == nil {
		f.appended[n] = other
		for _, c := range n.Content {
			f.own(other, c)
		}
	}
}

// of returns the file that a node belongs to.
func (f *File) of(n *Node) *File {
	if other := f.appended[n]; other != nil {
		return other
	}
	return f
}

// onlyDocument reports a second document, because whoever wrote one expects it to be used.
func (f *File) onlyDocument(loader *yaml.Loader) *diagnostic.Fault {
	var second yaml.Node
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		fault := f.syntax(err)
		return &fault
	}
	fault := f.at(second.Line, second.Column, "a second YAML document starts here; only one per file is supported",
		"remove the line --- and merge both parts, or split them into two files")
	return &fault
}

// decodeText returns the file as UTF-8 without a byte order mark.
func decodeText(name string, data []byte) ([]byte, *diagnostic.Fault) {
	if len(data) > maxBytes {
		return nil, &diagnostic.Fault{File: name, Line: 1, Column: 1, Message: "the file is larger than 4 MiB",
			Hint: "configuration and mapping files are much smaller; is this the right file?"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err == nil {
			return text, nil
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for i, line, column := 0, 1, 1; i < len(data); column++ {
		r, size := utf8.DecodeRune(data[i:])
		if message := unreadable(r, size); message != "" {
			f := &File{name: name, lines: splitLines(data)}
			fault := f.at(line, column, message, "save the file as UTF-8 in your editor")
			return nil, &fault
		}
		if i += size; r == '\n' {
			line, column = line+1, 0
		}
	}
	return data, nil
}

func unreadable(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return "this character is not valid UTF-8"
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
		return "control characters are not allowed in YAML"
	}
	return ""
}

// IsNull reports whether a value is written as null, ~, or not at all.
func IsNull(n *Node) bool { return n.Kind == Scalar && n.ShortTag() == "!!null" }

// Pairs iterates over the keys and values of a block; it yields nothing for other kinds.
func Pairs(n *Node) iter.Seq2[*Node, *Node] {
	return func(yield func(key, value *Node) bool) {
		for i := 0; n != nil && n.Kind == Block && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Entry returns a key of a block and its value, or nil if the block does not have it.
func Entry(n *Node, name string) (key, value *Node) {
	for key, value := range Pairs(n) {
		if key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// Member returns the value of a key of a block, or nil if the block does not have it.
func Member(n *Node, name string) *Node {
	_, value := Entry(n, name)
	return value
}
