package edit

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/document"
)

// set writes a value at a path. value is YAML that fits on one line, or that begins with a line break. A new key goes
// to its place in order, or last. anew says that the value changes its meaning, so the proposal's comment about it is
// removed.
func (d *File) set(path []string, value string, order []string, anew bool) (*File, error) {
	text, ok := d.splice(path, value, order, anew)
	if !ok {
		return nil, byHand(path)
	}
	return d.again(text, path, value)
}

// remove removes a key, which need not exist.
func (d *File) remove(path []string) (*File, error) {
	parent := at(d.root, path[:len(path)-1]...)
	key, node := document.Entry(parent, path[len(path)-1])
	if key == nil {
		return d, nil
	}
	var text string
	if parent.Style&document.Flow != 0 {
		var ok bool
		if text, ok = d.splice(path[:len(path)-1], braces(changed(optionsOf(parent), place(parent, key), option{}, nil)), nil, false); !ok {
			return nil, byHand(path)
		}
	} else {
		lines := newLines(d.text)
		span := lines.entry(key, node)
		if lines.commented(span, d.proposed) {
			return nil, byHand(path)
		}
		span.from = lines.above(span.from, d.proposed)
		text = lines.replaced(span)
	}
	return d.again(text, path, "")
}

// prune removes a key, and the blocks that would be empty without it.
func (d *File) prune(path []string) (*File, error) {
	for len(path) > 1 && len(at(d.root, path[:len(path)-1]...).Content) == 2 {
		path = path[:len(path)-1]
	}
	return d.remove(path)
}

func byHand(path []string) error { return fmt.Errorf("%w (%s)", ErrByHand, strings.Join(path, ".")) }

// splice returns the text with a value at a path. ok is false if the place is written in a way that splice does not
// understand.
func (d *File) splice(path []string, value string, order []string, anew bool) (text string, ok bool) {
	if len(path) == 0 {
		return "", false
	}
	parent := at(d.root, path[:len(path)-1]...)
	if parent == nil || parent.Kind != document.Block {
		return "", false
	}
	name := path[len(path)-1]
	key, node := document.Entry(parent, name)
	if parent.Style&document.Flow != 0 {
		return d.splice(path[:len(path)-1], braces(changed(optionsOf(parent), place(parent, key), option{scalar(name), value}, order)), nil, anew)
	}
	lines := newLines(d.text)
	if key == nil {
		return lines.inserted(parent, name, value, order), true
	}
	span := lines.entry(key, node)
	if span.to-span.from > 1 && lines.commented(span, d.proposed) {
		return "", false
	}
	head := lines.head(key, node)
	comment := ""
	if line := lines.all[span.from]; document.CommentAt(line) >= 0 {
		if comment = strings.TrimSpace(line[document.CommentAt(line):]); anew && d.proposed[comment] {
			comment = ""
		}
	}
	if anew {
		span.from = lines.above(span.from, d.proposed)
	}
	line := head + value
	if comment != "" {
		line += "  " + comment
	}
	return lines.replaced(span, line), true
}

// place returns the index of the entry with a key in a block, or -1.
func place(block, key *document.Node) int { return slices.Index(block.Content, key) >> 1 }

// lines are the lines of a text, counted from 0, without their line breaks.
type lines struct {
	all []string
	end string // the line break
}

func newLines(text string) lines {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return lines{strings.Split(text, "\n"), end}
}

// span is a range of lines, excluding to.
type span struct{ from, to int }

func (l lines) replaced(s span, by ...string) string {
	return strings.Join(slices.Concat(l.all[:s.from], by, l.all[s.to:]), l.end)
}

// entry finds the lines of a key and its value: the following lines that are indented deeper, or a list that begins
// under its key. Comments after it belong to it if they are indented deeper than the key.
func (l lines) entry(key, node *document.Node) span {
	s := span{key.Line - 1, key.Line}
	depth := key.Column - 1
	under := node.Kind == document.List && node.Style&document.Flow == 0 && node.Column == key.Column
	for n := s.to; n < len(l.all); n++ {
		line := strings.TrimLeft(l.all[n], " ")
		if line == "" {
			continue
		}
		indent := len(l.all[n]) - len(line)
		item := under && indent == depth && strings.HasPrefix(line, "-")
		if indent <= depth && !item {
			if strings.HasPrefix(line, "#") {
				continue
			}
			return s
		}
		s.to = n + 1
	}
	return s
}

// head returns what precedes a value on its line.
func (l lines) head(key, node *document.Node) string {
	line := []rune(l.all[key.Line-1])
	if node.Line == key.Line && !document.IsNull(node) && node.Column-1 <= len(line) {
		return string(line[:node.Column-1])
	}
	return string(line[:key.Column-1]) + flow(key) + ": "
}

// above returns the first of the proposal's comment lines directly above line n, or n.
func (l lines) above(n int, proposed map[string]bool) int {
	for n > 0 && strings.HasPrefix(strings.TrimSpace(l.all[n-1]), "#") && proposed[strings.TrimSpace(l.all[n-1])] && depthOf(l.all[n-1]) == depthOf(l.all[n]) {
		n--
	}
	return n
}

func depthOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// commented reports whether the lines have a comment by anyone other than the proposal.
func (l lines) commented(s span, proposed map[string]bool) bool {
	return slices.ContainsFunc(l.all[s.from:s.to], func(line string) bool {
		at := document.CommentAt(line)
		return at >= 0 && !proposed[strings.TrimSpace(line[at:])]
	})
}

// inserted returns the text with a new key in a block.
func (l lines) inserted(parent *document.Node, name, value string, order []string) string {
	after := -1
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if rank(order, parent.Content[i].Value) <= rank(order, name) {
			after = i
		}
	}
	first := parent.Content[0]
	line := strings.Repeat(" ", first.Column-1) + scalar(name) + ": " + value
	if strings.HasPrefix(value, "\n") {
		line = strings.Repeat(" ", first.Column-1) + scalar(name) + ":" + strings.ReplaceAll(value, "\n", l.end)
	}
	n := first.Line - 1
	if after >= 0 {
		n = l.entry(parent.Content[after], parent.Content[after+1]).to
	} else {
		for n > 0 && strings.HasPrefix(strings.TrimSpace(l.all[n-1]), "#") && depthOf(l.all[n-1]) == first.Column-1 {
			n--
		}
	}
	if n == len(l.all) || n == len(l.all)-1 && l.all[n] == "" {
		return strings.Join(append(slices.Clone(l.all[:n]), line, ""), l.end)
	}
	return l.replaced(span{n, n}, line)
}
