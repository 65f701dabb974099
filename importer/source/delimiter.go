package source

import (
	"fmt"
	"strings"
)

// dialect is how a text file is written.
type dialect struct {
	encoding  string
	delimiter string // "" for a file of one column
	quote     byte   // 0 when quotes are ordinary characters
	backslash bool   // a backslash takes the meaning from the character behind it
	width     int    // cells of a regular record
}

// delimiterNames are the words for delimiters in configuration and in Detected.
var delimiterNames = map[string]string{",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", spaces: "spaces", "": "none"}

// spaces is the delimiter of aligned columns: two spaces or more.
const spaces = "  +"

const longestDelimiter = 8

// delimiterName returns the word for a delimiter, or the delimiter itself.
func delimiterName(d string) string {
	if name, ok := delimiterNames[d]; ok {
		return name
	}
	return d
}

// parseDelimiter reads a delimiter of Options.
func parseDelimiter(text string) (string, error) {
	for d, name := range delimiterNames {
		if strings.EqualFold(text, name) {
			return d, nil
		}
	}
	if text == `\t` {
		return "\t", nil
	}
	if len(text) > longestDelimiter || strings.ContainsAny(text, "\"\r\n\x00") {
		return "", &Error{What: fmt.Sprintf("delimiter %q cannot be used", text),
			Hint: "Give the character between the cells, or one of comma, semicolon, tab, pipe, space, spaces, none."}
	}
	return text, nil
}

func parseQuote(text string) (byte, error) {
	switch {
	case text == "":
		return '"', nil
	case strings.EqualFold(text, "none"):
		return 0, nil
	case len(text) == 1 && text[0] > ' ' && text[0] < 0x7f:
		return text[0], nil
	}
	return 0, &Error{What: fmt.Sprintf("quote %q cannot be used", text), Hint: `Give one ASCII character such as ' or ", or none.`}
}
