package document

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"docketsync/config/diagnostic"
)

// place is a character of a scalar's value and its position in the file.
type place struct {
	r            rune
	line, column int
}

// locate finds the line and column of a character of a scalar. It reads the text of the file again by the rules of the
// scalar's style, and compares what it reads with the value. So a text that this small reader does not understand gets
// the position of the node, never a wrong one.
func (f *File) locate(n *Node, runes int) (line, column int) {
	if n.Kind != Scalar || runes < 0 || n.Line < 1 || n.Line > len(f.lines) {
		return n.Line, n.Column
	}
	places := f.places(n)
	var read strings.Builder
	for _, p := range places {
		read.WriteRune(p.r)
	}
	value := n.Value
	if runes > utf8.RuneCountInString(value) || !strings.HasPrefix(read.String(), value) {
		return n.Line, n.Column
	}
	if runes < len(places) {
		return places[runes].line, places[runes].column
	}
	if runes == 0 {
		return n.Line, n.Column
	}
	last := places[runes-1]
	return last.line, last.column + 1
}

func (f *File) places(n *Node) []place {
	text := []rune(f.lines[n.Line-1])
	start := f.skipProperties(text, n.Column-1)
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0:
		return f.quoted(n.Line, start+1, '\'')
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return f.quoted(n.Line, start+1, '"')
	case n.Style&yaml.LiteralStyle != 0:
		return f.literal(n.Line)
	case n.Style&yaml.FoldedStyle != 0:
		return nil
	}
	return row(text, n.Line, start)
}

// skipProperties skips an anchor and a tag before the value.
func (f *File) skipProperties(text []rune, at int) int {
	for at < len(text) && (text[at] == '&' || text[at] == '!') {
		for at < len(text) && text[at] != ' ' {
			at++
		}
		for at < len(text) && text[at] == ' ' {
			at++
		}
	}
	return at
}

func row(text []rune, line, from int) []place {
	var places []place
	for i := from; i < len(text); i++ {
		places = append(places, place{text[i], line, i + 1})
	}
	return places
}

// quoted reads a quoted scalar up to its closing quote. Line breaks become a space.
func (f *File) quoted(line, column int, quote rune) []place {
	var places []place
	for ; line <= len(f.lines); line, column = line+1, 0 {
		text := []rune(f.lines[line-1])
		if len(places) > 0 {
			column = len(text) - len([]rune(strings.TrimLeft(string(text), " \t")))
			places = append(places, place{' ', line, column + 1})
		}
		for i := column; i < len(text); i++ {
			switch {
			case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
				places = append(places, place{quote, line, i + 1})
				i++
			case text[i] == quote:
				return places
			case text[i] == '\\' && quote == '"':
				r, length := escape(text[i:])
				places = append(places, place{r, line, i + 1})
				i += length - 1
			default:
				places = append(places, place{text[i], line, i + 1})
			}
		}
	}
	return places
}

// escape reads an escape of a double-quoted scalar and says how many characters it takes. It knows only those that
// people write; any other makes the text differ from the value, and locate falls back to the node.
func escape(text []rune) (rune, int) {
	if len(text) < 2 {
		return utf8.RuneError, 1
	}
	switch text[1] {
	case '"', '\\', '/', ' ':
		return text[1], 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	}
	return utf8.RuneError, 2
}

// literal reads the lines below a | up to the first that is indented less than the first one.
func (f *File) literal(line int) []place {
	var places []place
	indent := -1
	for line++; line <= len(f.lines); line++ {
		text := []rune(f.lines[line-1])
		leading := len(text) - len([]rune(strings.TrimLeft(string(text), " ")))
		switch {
		case leading == len(text): // a blank line belongs to the text whatever its indentation
		case indent < 0:
			indent = leading
		case leading < indent:
			return places
		}
		places = append(places, row(text, line, max(indent, 0))...)
		places = append(places, place{'\n', line, len(text) + 1})
	}
	return places
}

// At returns a fault at the beginning of a node; a nil node stands for the beginning of the file.
func (f *File) At(n *Node, message, hint string) diagnostic.Fault {
	if n == nil {
		return f.at(1, 1, message, hint)
	}
	return f.of(n).at(n.Line, n.Column, message, hint)
}

// AtOffset returns a fault inside a scalar, at a character of its value, taking the opening quote, escapes and line
// breaks into account. If the position cannot be determined (a folded text, an offset beyond the end), it is that of
// the node.
func (f *File) AtOffset(n *Node, runes int, message, hint string) diagnostic.Fault {
	if n == nil {
		return f.At(n, message, hint)
	}
	f = f.of(n)
	line, column := f.locate(n, runes)
	return f.at(line, column, message, hint)
}

func (f *File) at(line, column int, message, hint string) diagnostic.Fault {
	line, column = max(line, 1), max(column, 1)
	fault := diagnostic.Fault{File: f.name, Line: line, Column: column, Message: message, Hint: hint}
	if line <= len(f.lines) {
		fault.Excerpt = diagnostic.Excerpt(f.lines[line-1], column)
	}
	return fault
}

// CommentAt returns the position where a comment begins in a line, or in the end of a line, or -1 if there is none. A
// number sign within quotes does not begin a comment.
func CommentAt(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		c, before := line[i], line[:i]
		begins := i == 0 || strings.IndexByte(" \t[{,", line[i-1]) >= 0 || strings.HasSuffix(before, `":`) || strings.HasSuffix(before, `':`)
		switch {
		case quote == '"' && c == '\\', quote == '\'' && strings.HasPrefix(line[i:], "''"):
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && begins:
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
	}
	return -1
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines splits a file at the line ends that the YAML library knows, so that its line numbers match.
func splitLines(text []byte) []string { return strings.Split(lineEnds.Replace(string(text)), "\n") }
