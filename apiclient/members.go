package apiclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// members holds the members of one JSON object until each has been asked for by name.
type members struct {
	path     string // "" or "files[2]."
	parts    []part
	taken    []bool
	next     int  // where the next member asked for is likely to be: payloads come in the order of interface.md
	whole    bool // the object could be read
	problems *[]FieldError
}

// readMembers splits an object of valid JSON.
func readMembers(path string, text []byte, problems *[]FieldError) *members {
	m := &members{path: path, problems: problems}
	m.parts, m.whole = splitObject(text)
	m.taken = make([]bool, len(m.parts))
	if !m.whole {
		m.fail("", "is not a JSON object")
	}
	for i := range m.parts {
		for j := range i {
			if bytes.Equal(m.parts[i].name, m.parts[j].name) && !m.taken[i] {
				m.fail(string(m.parts[i].name), "is there twice")
				m.taken[i] = true
			}
		}
	}
	return m
}

func (m *members) fail(name, format string, arguments ...any) {
	field := strings.TrimSuffix(m.path+name, ".")
	*m.problems = append(*m.problems, FieldError{Field: field, Message: fmt.Sprintf(format, arguments...)})
}

// finish reports the members that nobody asked for.
func (m *members) finish() {
	for i, part := range m.parts {
		if !m.taken[i] {
			m.fail(string(part.name), "is no member that interface.md lists here")
		}
	}
}

// find returns the place of the member among those not taken, -1 when it is not there.
func (m *members) find(name string) int {
	for range m.parts {
		m.next %= len(m.parts)
		if string(m.parts[m.next].name) == name && !m.taken[m.next] {
			return m.next
		}
		m.next++
	}
	return -1
}

// isNull tells whether the member is there and null, and takes it if so.
func (m *members) isNull(name string) bool {
	i := m.find(name)
	if i < 0 || string(m.parts[i].value) != "null" {
		return false
	}
	m.taken[i] = true
	return true
}

func (m *members) text(name string) string { return required(m, name, readText) }

func (m *members) bool(name string) bool { return required(m, name, readBool) }

// nullable reads a member that must be there and may be null.
func (m *members) nullable(name string) *string {
	if m.isNull(name) {
		return nil
	}
	text := m.text(name)
	return &text
}

// reader reads one value, or says what it should have been.
type reader[T any] func(value []byte) (T, error)

func required[T any](m *members, name string, read reader[T]) (result T) {
	i := m.find(name)
	if i < 0 {
		if m.whole {
			m.fail(name, "is missing")
		}
		return result
	}
	m.taken[i] = true
	result, err := read(m.parts[i].value)
	if err != nil {
		m.fail(name, "%v", err)
	}
	return result
}

func optional[T any](m *members, name string, read reader[T]) Optional[T] {
	switch {
	case m.find(name) < 0:
		return Optional[T]{}
	case m.isNull(name):
		return Null[T]()
	}
	return Some(required(m, name, read))
}

func readText(value []byte) (string, error) {
	if value[0] != '"' {
		return "", fmt.Errorf("must be text, not %s", shorten(string(value), 40))
	}
	if !bytes.ContainsRune(value, '\\') {
		return string(value[1 : len(value)-1]), nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", fmt.Errorf("is not a JSON string: %w", err)
	}
	// Half of a surrogate pair has no character: the decoder puts U+FFFD in its place, which the source never held.
	if strings.ContainsRune(text, utf8.RuneError) && !bytes.ContainsRune(value, utf8.RuneError) && !bytes.Contains(bytes.ToLower(value), []byte(`\ufffd`)) {
		return "", fmt.Errorf("holds half of a surrogate pair: %s", shorten(string(value), 40))
	}
	return text, nil
}

func readBool(value []byte) (bool, error) {
	switch string(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("must be true or false, not %s", shorten(string(value), 40))
}

func readNumber(value []byte) (Number, error) {
	switch c := value[0]; {
	case c == '"':
		text, err := readText(value)
		return Number(text), err
	case c == '-' || c >= '0' && c <= '9':
		return Number(value), nil
	}
	return "", fmt.Errorf("must be a number or text, not %s", shorten(string(value), 40))
}

func readTexts(value []byte) ([]string, error) {
	values, ok := splitArray(value)
	if !ok {
		return nil, fmt.Errorf("must be a list of texts, not %s", shorten(string(value), 40))
	}
	texts := make([]string, len(values))
	for i, value := range values {
		text, err := readText(value)
		if err != nil {
			return nil, fmt.Errorf("item %d %w", i+1, err)
		}
		texts[i] = text
	}
	return texts, nil
}

// objectsOf reads a list of objects, each by read; what is wrong inside them is reported with the place in the list.
func objectsOf[T any](m *members, name string, read func(*members) T) reader[[]T] {
	return func(value []byte) ([]T, error) {
		values, ok := splitArray(value)
		if !ok {
			return nil, fmt.Errorf("must be a list of objects, not %s", shorten(string(value), 40))
		}
		items := make([]T, len(values))
		for i, value := range values {
			item := readMembers(m.path+name+"["+strconv.Itoa(i)+"].", value, m.problems)
			items[i] = read(item)
			item.finish()
		}
		return items, nil
	}
}
