package apiclient

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// object writes one JSON object member by member, in the order of the calls, without white space. What cannot be
// written is collected as problems; the text is of use only when there are none.
type object struct {
	text     []byte
	first    bool
	path     string // of the object in the payload, "components[2]."
	problems []FieldError
}

// FieldError says what is wrong with one member of a payload.
type FieldError struct {
	Field   string // "name", "files[3].number", "" for the payload as a whole
	Message string
}

// Error is the field and what is wrong with it.
func (e FieldError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + " " + e.Message
}

func (o *object) begin() { o.text, o.first = append(o.text, '{'), true }

func (o *object) end() { o.text, o.first = append(o.text, '}'), false }

func (o *object) name(name string) {
	if !o.first {
		o.text = append(o.text, ',')
	}
	o.first = false
	o.text = append(o.text, '"')
	o.text = append(o.text, name...)
	o.text = append(o.text, '"', ':')
}

func (o *object) fail(name, format string, arguments ...any) {
	o.problems = append(o.problems, FieldError{Field: o.path + name, Message: fmt.Sprintf(format, arguments...)})
}

func (o *object) null(name string) {
	o.name(name)
	o.text = append(o.text, "null"...)
}

func (o *object) literal(name, literal string) {
	o.name(name)
	o.text = append(o.text, literal...)
}

func (o *object) string(name, value string) {
	o.name(name)
	if !utf8.ValidString(value) {
		o.fail(name, "is not valid UTF-8: %q", value)
	}
	o.text = appendString(o.text, value)
}

func (o *object) bool(name string, value bool) { o.literal(name, strconv.FormatBool(value)) }

func (o *object) nullable(name string, value *string) {
	if value == nil {
		o.null(name)
		return
	}
	o.string(name, *value)
}

func (o *object) optional(name string, value Optional[string]) {
	switch {
	case !value.Present:
	case value.Null:
		o.null(name)
	default:
		o.string(name, value.Value)
	}
}

func (o *object) optionalList(name string, value Optional[[]string]) {
	switch {
	case !value.Present:
	case value.Null:
		o.null(name)
	default:
		o.list(name, len(value.Value), func(i int) {
			if !utf8.ValidString(value.Value[i]) {
				o.fail(name, "item %d is not valid UTF-8: %q", i+1, value.Value[i])
			}
			o.text = appendString(o.text, value.Value[i])
		})
	}
}

// list writes an array of n items, each by a call of item.
func (o *object) list(name string, n int, item func(i int)) {
	o.name(name)
	o.text = append(o.text, '[')
	for i := range n {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		item(i)
	}
	o.text = append(o.text, ']')
}

// objects writes an array of n objects, the members of each by a call of members.
func (o *object) objects(name string, n int, members func(i int)) {
	outer := o.path
	o.list(name, n, func(i int) {
		o.path = outer + name + "[" + strconv.Itoa(i) + "]."
		o.begin()
		members(i)
		o.end()
	})
	o.path = outer
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string. Only what JSON must have escaped is escaped, so that a person reads in a log what
// stood in the cell.
func appendString(text []byte, value string) []byte {
	text = append(text, '"')
	start := 0
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		text = append(text, value[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			text = append(text, '\\', c)
		case '\n':
			text = append(text, '\\', 'n')
		case '\r':
			text = append(text, '\\', 'r')
		case '\t':
			text = append(text, '\\', 't')
		default:
			text = append(text, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	text = append(text, value[start:]...)
	return append(text, '"')
}
