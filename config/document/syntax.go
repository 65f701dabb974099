package document

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"docketsync/config/diagnostic"
)

// syntax makes a fault of an error of the YAML library about text that is not YAML.
func (f *File) syntax(err error) diagnostic.Fault {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return f.at(1, 1, "invalid YAML: "+err.Error(), "")
	}
	line, column := load.Mark.Line, load.Mark.Column
	switch load.ContextMsg {
	case "while scanning a simple key", "while scanning a quoted scalar", "while parsing a flow sequence", "while parsing a flow mapping":
		// The library often stops one or more lines too late; the mistake is where the context began.
		line, column = load.ContextMark.Line, load.ContextMark.Column
	}
	message, hint := f.explain(load, line, column)
	return f.at(line, column, message, hint)
}

// explain words a syntax error for somebody who has never read the YAML specification.
func (f *File) explain(load *yaml.LoadError, line, column int) (message, hint string) {
	if f.tabBefore(line, column) {
		return "the line is indented with a tab", "use spaces: replace each tab with two spaces"
	}
	switch said := load.Message; {
	case strings.HasPrefix(said, "mapping values are not allowed"):
		return "unexpected colon",
			"quote text that contains a colon and a space, and align the keys of a block"
	case strings.HasPrefix(said, "block sequence entries are not allowed"):
		return "a list cannot start on the line of its key", "start the list on the next line, or write it in brackets: [a, b]"
	case said == "found character that cannot start any token":
		return "text cannot start with this character", "quote it: '%…', '@…', '`…'"
	case said == "could not find expected ':'":
		return "a colon is missing after this key", "write key: value, with a space after the colon"
	case said == "found unknown escape character", said == "did not find expected hexadecimal number":
		return "a backslash in double quotes begins an escape", `use single quotes, or slashes in a path: 'C:\data' or C:/data`
	case said == "did not find expected alphabetic or numeric character":
		return "text that begins with an asterisk or an ampersand must be quoted", "write \"*/5 * * * *\""
	case load.ContextMsg == "while scanning a quoted scalar":
		return "this quote is not closed", "close it, or double it if it is part of the text ('' or \\\")"
	case load.ContextMsg == "while parsing a flow sequence":
		return "this bracket [ is not closed", "close it with ], and put a comma between the entries"
	case load.ContextMsg == "while parsing a flow mapping":
		return "this brace { is not closed", "close it with }, and put a comma between the entries"
	case said == "did not find expected key", said == "did not find expected '-' indicator":
		return "this line does not fit its block",
			"align all keys or dashes of a block; quote the whole text, not part of it"
	case said == "did not find expected node content":
		return "a value or a closing bracket is missing before this point", "close the open bracket with ] or }"
	case strings.HasPrefix(said, "unknown anchor"):
		return fmt.Sprintf("unknown anchor &%s", quoted(said)),
			"quote text that starts with an asterisk"
	default:
		return "invalid YAML: " + said, ""
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

// quoted returns the text between the first two single quotes, or "" if there are not two.
func quoted(text string) string {
	_, rest, _ := strings.Cut(text, "'")
	if inside, _, found := strings.Cut(rest, "'"); found {
		return inside
	}
	return ""
}
