package edit

import (
	"slices"
	"strconv"
	"strings"

	"docketsync/config/document"
	"docketsync/mapping/infer"
)

// at follows keys down from a node; nil where there is no such place.
func at(n *document.Node, path ...string) *document.Node {
	for _, key := range path {
		if _, n = entry(n, key); n == nil {
			return nil
		}
	}
	return n
}

// entry is a key of a block and its value, nil where the block does not have it.
func entry(n *document.Node, key string) (name, value *document.Node) {
	if n == nil || n.Kind != document.Block {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func isNull(n *document.Node) bool { return n.Kind == document.Scalar && n.ShortTag() == "!!null" }

// texts are the scalars of a list, or the one that stands there alone; ok is false where it is anything else.
func texts(n *document.Node) (list []string, ok bool) {
	if n.Kind == document.Scalar {
		if isNull(n) {
			return nil, true
		}
		return []string{n.Value}, true
	}
	if n.Kind != document.List {
		return nil, false
	}
	for _, c := range n.Content {
		if c.Kind != document.Scalar || isNull(c) {
			return nil, false
		}
		list = append(list, c.Value)
	}
	return list, true
}

// same tells whether two nodes mean the same, however they are written.
func same(a, b *document.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() || a.Value != b.Value {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// sameBut tells whether a block is what it was before but for the value at a path, which is the expected one now; nil is for
// none. The order of the other keys is kept.
func sameBut(before, after *document.Node, path []string, expected *document.Node) bool {
	if before == nil || isNull(before) {
		before = &document.Node{Kind: document.Block}
	}
	if before.Kind != document.Block || after == nil || after.Kind != document.Block {
		return false
	}
	rest := func(n *document.Node) (others []*document.Node) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value != path[0] {
				others = append(others, n.Content[i], n.Content[i+1])
			}
		}
		return others
	}
	if !slices.EqualFunc(rest(before), rest(after), same) {
		return false
	}
	_, was := entry(before, path[0])
	_, is := entry(after, path[0])
	if len(path) == 1 {
		return same(is, expected)
	}
	return sameBut(was, is, path[1:], expected)
}

// flow writes a node within braces, each scalar as it was written.
func flow(n *document.Node) string {
	var parts []string
	switch n.Kind {
	case document.List:
		for _, c := range n.Content {
			parts = append(parts, flow(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case document.Block:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, flow(n.Content[i])+": "+flow(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	switch {
	case n.ShortTag() != "!!str":
		return n.Value
	case n.Style&document.DoubleQuoted != 0:
		return strconv.Quote(n.Value)
	case n.Style&document.SingleQuoted != 0 && !strings.ContainsFunc(n.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	}
	return scalar(n.Value)
}

func scalar(text string) string { return infer.Scalar(text) }

func listText(texts []string) string {
	parts := make([]string, len(texts))
	for i, text := range texts {
		parts[i] = scalar(text)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
