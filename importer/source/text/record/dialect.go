package record

import (
	"fmt"
	"strings"

	"docketsync/importer/source/format"
)

// Dialect says how a text file is written.
type Dialect struct {
	Encoding  string // for messages
	Delimiter string // "" for a file of one column
	Quote     byte   // 0 if quotes are ordinary characters
	Backslash bool   // a backslash makes the next character an ordinary one
	Width     int    // cells of a regular record
}

// delimiterNames are the words for delimiters in configuration and in Detected.
var delimiterNames = map[string]string{",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", Spaces: "spaces", "": "none"}

// Spaces is the delimiter of aligned columns: two spaces or more.
const Spaces = "  +"

// LongestDelimiter is the maximum length of a delimiter in bytes.
const LongestDelimiter = 8

// DelimiterName returns the word for a delimiter, or the delimiter itself.
func DelimiterName(d string) string {
	if name, ok := delimiterNames[d]; ok {
		return name
	}
	return d
}

// ParseDelimiter reads a delimiter of the options.
func ParseDelimiter(text string) (string, error) {
	for d, name := range delimiterNames {
		if strings.EqualFold(text, name) {
			return d, nil
		}
	}
	if text == `\t` {
		return "\t", nil
	}
	if len(text) > LongestDelimiter || strings.ContainsAny(text, "\"\r\n\x00") {
		return "", &format.Error{What: fmt.Sprintf("delimiter %q cannot be used", text),
			Hint: "Give the character between the cells, or one of comma, semicolon, tab, pipe, space, spaces, none."}
	}
	return text, nil
}

// ParseQuote reads a quote of the options; 0 means that there is none.
func ParseQuote(text string) (byte, error) {
	switch {
	case text == "":
		return '"', nil
	case strings.EqualFold(text, "none"):
		return 0, nil
	case len(text) == 1 && text[0] > ' ' && text[0] < 0x7f:
		return text[0], nil
	}
	return 0, &format.Error{What: fmt.Sprintf("quote %q cannot be used", text), Hint: `Give one ASCII character such as ' or ", or none.`}
}

// cutAtSpaces splits a line at two or more spaces. Spaces before and after the line only align it and delimit nothing.
func cutAtSpaces(line string, cells []string) []string {
	line = strings.Trim(line, " ")
	for {
		cell, rest, found := strings.Cut(line, "  ")
		cells = append(cells, cell)
		if !found {
			return cells
		}
		line = strings.TrimLeft(rest, " ")
	}
}
