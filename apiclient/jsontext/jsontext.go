// Package jsontext reads and writes JSON as text. It splits objects and lists without decoding their values, so that a
// value keeps its exact bytes (a number its digits, a text its escapes) and a member its position. It writes texts with
// only the escapes that JSON requires, so that a log shows what was in the cell.
//
// The Split functions and Value require text that is known to be valid JSON, from json.Valid or Parse; they may panic
// on anything else. The package imports nothing of ours.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Member is one member of an object. Name is the text between its quotes, including escapes.
type Member struct {
	Name, Value []byte
	At          int // where the value begins in the text of the object
}

// Text returns the name without escapes.
func (m Member) Text() string {
	if bytes.IndexByte(m.Name, '\\') < 0 {
		return string(m.Name)
	}
	return Text([]byte(`"` + string(m.Name) + `"`))
}

// Object holds the members of an object in order.
type Object []Member

// Parse reads an object. The members share the bytes of the text.
func Parse(text []byte) (Object, error) {
	if err := CheckObject(text); err != nil {
		return nil, err
	}
	object, _ := SplitObject(text)
	return object, nil
}

// CheckObject is Check for a text that must be an object.
func CheckObject(text []byte) error {
	if err := Check(text); err != nil {
		return err
	}
	if text[skipSpace(text, 0)] != '{' {
		return fmt.Errorf("the JSON is not an object")
	}
	return nil
}

// Check returns an error that says why a text is not JSON, or nil if it is.
func Check(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var none json.RawMessage
	return json.Unmarshal(text, &none)
}

// Value returns the value of a member, or nil if there is none with exactly that name.
func (o Object) Value(name string) []byte {
	for _, m := range o {
		if string(m.Name) == name {
			return m.Value
		}
	}
	return nil
}

// Is reports whether a member has a name, ignoring case and escapes: {"Successful": false} is a no as well.
func (m Member) Is(name string) bool {
	return bytes.EqualFold(m.Name, []byte(name)) || bytes.IndexByte(m.Name, '\\') >= 0 && strings.EqualFold(m.Text(), name)
}

// Find finds a member by its name, as Is does.
func (o Object) Find(name string) (value []byte, there bool) {
	for _, m := range o {
		if m.Is(name) {
			return m.Value, true
		}
	}
	return nil, false
}

// Torn reports whether the object has two different values under the same name in the same case. A JSON reader is free
// to take either.
func (o Object) Torn(name string) bool {
	return slices.ContainsFunc(o, func(a Member) bool {
		return bytes.EqualFold(a.Name, []byte(name)) && slices.ContainsFunc(o, func(b Member) bool {
			return bytes.Equal(a.Name, b.Name) && !bytes.Equal(a.Value, b.Value)
		})
	})
}

// Join returns the object with these members.
func (o Object) Join() []byte {
	out := []byte{'{'}
	for _, m := range o {
		out = append(AppendName(out, string(m.Name)), m.Value...)
	}
	return append(out, '}')
}

// SplitObject returns the members in order. ok is false if the text is not an object.
func SplitObject(text []byte) (object Object, ok bool) {
	i := skipSpace(text, 0)
	if text[i] != '{' {
		return nil, false
	}
	object = make(Object, 0, min(16, 1+len(text)/24)) // mostly enough
	for m, ok := member(text, i+1); ok; m, ok = member(text, m.At+len(m.Value)) {
		object = append(object, m)
	}
	return object, true
}

// Value returns the value of a member of an object, or nil if there is none of that name. It costs less than splitting
// the object.
func Value(text []byte, name string) []byte {
	i := skipSpace(text, 0)
	if text[i] != '{' {
		return nil
	}
	for m, ok := member(text, i+1); ok; m, ok = member(text, m.At+len(m.Value)) {
		if string(m.Name) == name {
			return m.Value
		}
	}
	return nil
}

// member returns the next member of an object after position i. ok is false at the end.
func member(text []byte, i int) (m Member, ok bool) {
	i = skipSpace(text, i)
	if text[i] == ',' {
		i = skipSpace(text, i+1)
	}
	if text[i] == '}' {
		return m, false
	}
	end := skipString(text, i)
	m.Name = text[i+1 : end-1]
	m.At = skipSpace(text, skipSpace(text, end)+1) // past the colon
	end = skipValue(text, m.At)
	m.Value = text[m.At:end:end]
	return m, true
}

// SplitList returns the elements; the result is not nil even if there are none. ok is false if the text is not a list.
func SplitList(text []byte) (elements [][]byte, ok bool) {
	i := skipSpace(text, 0)
	if text[i] != '[' {
		return nil, false
	}
	elements = [][]byte{}
	for i = skipSpace(text, i+1); text[i] != ']'; i = skipSpace(text, i) {
		if text[i] == ',' {
			i = skipSpace(text, i+1)
		}
		end := skipValue(text, i)
		elements = append(elements, text[i:end:end])
		i = end
	}
	return elements, true
}

// Text returns the text of a string, the literal of any other value, or "" for no value.
func Text(value []byte) string {
	if len(value) == 0 || value[0] != '"' {
		return string(value)
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	var text string
	_ = json.Unmarshal(value, &text) // known to be valid
	return text
}

// IsNull reports whether a value is null or missing.
func IsNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }

// IsNumber reports whether a value is a number.
func IsNumber(value []byte) bool {
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the position after the string that begins at i.
func skipString(text []byte, i int) int {
	i++
	if end := i + bytes.IndexByte(text[i:], '"'); end >= i && bytes.IndexByte(text[i:end], '\\') < 0 { // the usual case
		return end + 1
	}
	for ; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the position after the value that begins at i.
func skipValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
		for depth := 0; ; {
			switch text[i] {
			case '"':
				i = skipString(text, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
	}
	for i < len(text) && text[i] != ',' && text[i] != ']' && text[i] != '}' && text[i] > ' ' {
		i++
	}
	return i
}

const hexDigits = "0123456789abcdef"

// AppendString writes a text as a JSON string with only the required escapes. The text must be valid UTF-8.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	return append(append(dst, text[start:]...), '"')
}

// AppendPlain writes a text that needs no escapes, such as a GUID, as a JSON string.
func AppendPlain(dst []byte, text string) []byte {
	return append(append(append(dst, '"'), text...), '"')
}

// AppendName begins a member of an object that was opened with "{", with a comma unless it is the first.
func AppendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(AppendPlain(dst, name), ':')
}
