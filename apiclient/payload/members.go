package payload

import (
	"strings"
	"unicode/utf8"

	"docketsync/apiclient/jsontext"
)

// Error lists everything that keeps a payload from being sent.
type Error struct {
	Operation Operation
	Fields    []fieldError
}

// Error names the operation and all problems.
func (e *Error) Error() string {
	parts := make([]string, len(e.Fields))
	for i, field := range e.Fields {
		parts[i] = field.Error()
	}
	return string(e.Operation) + " payload: " + strings.Join(parts, "; ")
}

// fieldError says what is wrong with one field of a payload.
type fieldError struct {
	Field   string // "name", "files[3].number", "" for the payload as a whole
	Message string
}

// Error returns the field and what is wrong with it.
func (e fieldError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + " " + e.Message
}

// members holds the members of an object until each has been taken by name.
type members struct {
	object jsontext.Object
	taken  []bool
	next   int // the likely position of the next member: payloads come in the order of Fields
}

// newMembers splits an object of valid JSON. It returns nil if the text is not an object.
func newMembers(text []byte) *members {
	object, ok := jsontext.SplitObject(text)
	if !ok {
		return nil
	}
	return &members{object: object, taken: make([]bool, len(object))}
}

// take finds a member that has not been taken yet, and takes it.
func (m *members) take(name string) (value []byte, there bool) {
	for range m.object {
		m.next %= len(m.object)
		if member := m.object[m.next]; string(member.Name) == name && !m.taken[m.next] {
			m.taken[m.next] = true
			return member.Value, true
		}
		m.next++
	}
	return nil, false
}

// twice reports whether another member has the same name as the nth.
func (m *members) twice(n int) bool {
	for other, member := range m.object {
		if other != n && string(member.Name) == string(m.object[n].Name) {
			return true
		}
	}
	return false
}

// shorten cuts a value that a message quotes.
func shorten(value []byte) string {
	const most = 40
	text := string(value)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
