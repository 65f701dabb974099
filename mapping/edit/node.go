package edit

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"docketsync/config/document"
	"docketsync/mapping/infer"
)

// at follows keys down from a node. It returns nil if there is no such place.
func at(n *document.Node, path ...string) *document.Node {
	for _, key := range path {
		n = document.Member(n, key)
	}
	return n
}

// texts returns the scalars of a list, or a single scalar. ok is false for anything else.
func texts(n *document.Node) (list []string, ok bool) {
	switch {
	case n == nil || document.IsNull(n):
		return nil, true
	case n.Kind == document.Scalar:
		return []string{n.Value}, true
	case n.Kind != document.List:
		return nil, false
	}
	for _, c := range n.Content {
		if c.Kind != document.Scalar || document.IsNull(c) {
			return nil, false
		}
		list = append(list, c.Value)
	}
	return list, true
}

// same reports whether two nodes mean the same, however they are written.
func same(a, b *document.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}

// sameBut reports whether a block is unchanged except for the value at a path, which must be the expected one; nil
// means that there must be none. The order of the other keys must be the same.
func sameBut(before, after *document.Node, path []string, expected *document.Node) bool {
	if before == nil || document.IsNull(before) {
		before = &document.Node{Kind: document.Block}
	}
	if before.Kind != document.Block || after == nil || after.Kind != document.Block {
		return false
	}
	rest := func(n *document.Node) (others []*document.Node) {
		for key, value := range document.Pairs(n) {
			if key.Value != path[0] {
				others = append(others, key, value)
			}
		}
		return others
	}
	if !slices.EqualFunc(rest(before), rest(after), same) {
		return false
	}
	is := document.Member(after, path[0])
	if len(path) == 1 {
		return same(is, expected)
	}
	return sameBut(document.Member(before, path[0]), is, path[1:], expected)
}

// flow writes a node in flow style, each scalar as it was written.
func flow(n *document.Node) string {
	var parts []string
	switch n.Kind {
	case document.List:
		for _, c := range n.Content {
			parts = append(parts, flow(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case document.Block:
		for key, value := range document.Pairs(n) {
			parts = append(parts, flow(key)+": "+flow(value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	switch {
	case n.ShortTag() != "!!str", n.Style == 0 && !strings.ContainsFunc(n.Value, func(r rune) bool { return !unicode.IsLetter(r) }): // also off and yes
		return n.Value
	case n.Style&document.DoubleQuoted != 0:
		return strconv.Quote(n.Value)
	case n.Style&document.SingleQuoted != 0 && !strings.ContainsFunc(n.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	}
	return scalar(n.Value)
}

func scalar(text string) string { return infer.Scalar(text) }

// listText writes a list, or "" for an empty one.
func listText(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	parts := make([]string, len(texts))
	for i, text := range texts {
		parts[i] = scalar(text)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
