package document

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"docketsync/config/diagnostic"
)

// syntax makes a fault of what the YAML library says about text that is not YAML.
func (f *File) syntax(err error) diagnostic.Fault {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return f.at(1, 1, "this is not YAML: "+err.Error(), "")
	}
	line, column := load.Mark.Line, load.Mark.Column
	switch load.ContextMsg {
	case "while scanning a simple key", "while scanning a quoted scalar", "while parsing a flow sequence", "while parsing a flow mapping":
		// The library stops where it lost patience, often a line or more further down; the mistake is where it began.
		line, column = load.ContextMark.Line, load.ContextMark.Column
	}
	message, hint := f.explain(load, line, column)
	return f.at(line, column, message, hint)
}

// explain words a syntax error for somebody who has never read the YAML specification.
func (f *File) explain(load *yaml.LoadError, line, column int) (message, hint string) {
	if f.tabBefore(line, column) {
		return "the line is indented with a tab", "YAML wants spaces: replace the tab by two spaces for each level"
	}
	switch said := load.Message; {
	case strings.HasPrefix(said, "mapping values are not allowed"):
		return "this colon is not expected here",
			"put quotes around a text that holds a colon and a blank, and let keys of one block begin in the same column"
	case strings.HasPrefix(said, "block sequence entries are not allowed"):
		return "a list cannot begin on the line of its key", "begin the list on the next line, or write it in brackets: [a, b]"
	case said == "found character that cannot start any token":
		return "a text cannot begin with this character", "put quotes around it: '%…', '@…', '`…'"
	case said == "could not find expected ':'":
		return "a colon is missing after this key", "write key: value, with a blank after the colon"
	case load.ContextMsg == "while scanning a quoted scalar":
		return "the quote that is opened here is not closed", "close it, or double it if it belongs to the text ('' or \\\")"
	case load.ContextMsg == "while parsing a flow sequence":
		return "the bracket [ that is opened here is not closed", "close it with ], and put a comma between the entries"
	case load.ContextMsg == "while parsing a flow mapping":
		return "the brace { that is opened here is not closed", "close it with }, and put a comma between the entries"
	case said == "did not find expected key", said == "did not find expected '-' indicator":
		return "this line does not fit the block that it stands in",
			"let all keys or dashes of one block begin in the same column; quote the whole of a text, not a part of it"
	case said == "did not find expected node content":
		return "a value or a closing bracket is missing before this place", "close what is open with ] or }"
	case strings.HasPrefix(said, "unknown anchor"):
		return fmt.Sprintf("nothing in the file is marked &%s", between(said, "'")),
			"put quotes around a text that begins with an asterisk"
	default:
		return "this is not YAML: " + said, ""
	}
}

func (f *File) tabBefore(line, column int) bool {
	if line < 1 || line > len(f.lines) {
		return false
	}
	text := f.lines[line-1]
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	return strings.Contains(indent, "\t") && column <= len(indent)+1
}

func between(text, quote string) string {
	parts := strings.Split(text, quote)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}
