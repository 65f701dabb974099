package document

import (
	"strings"

	"docketsync/config/diagnostic"
)

// At returns a fault at the beginning of a node; a nil node stands for the beginning of the file.
func (f *File) At(n *Node, message, hint string) diagnostic.Fault {
	if n == nil {
		return f.at(1, 1, message, hint)
	}
	return f.of(n).at(n.Line, n.Column, message, hint)
}

// AtOffset returns a fault inside a scalar, so many characters into its value: behind the opening quote, past escapes
// and over line breaks. Where the place cannot be told (a folded text, an offset beyond the end) it is that of the node.
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

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines splits a file into its lines by the line ends that the YAML library knows, so that its line numbers fit.
func splitLines(text []byte) []string { return strings.Split(lineEnds.Replace(string(text)), "\n") }
