package payload

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"docketsync/apiclient/jsontext"
)

// Value is one value of a payload with its path. Literal distinguishes numbers, booleans, nulls, and empty lists and
// objects from texts. A number keeps the digits of the payload.
type Value struct {
	Path    string // "name", "files[2].number"
	Text    string
	Literal bool
}

// String returns the text.
func (v Value) String() string { return v.Text }

// MarshalText returns the text, so that no reader on the way to a person turns a number into a float.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// UnmarshalText reads the text back, for example from an approved plan. It does not set the path.
func (v *Value) UnmarshalText(text []byte) error {
	v.Text = string(text)
	return nil
}

// Field returns the path without list positions: "files.number".
func (v Value) Field() string { return FieldOf(v.Path) }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.Literal && v.Text == "null" }

// FieldOf returns a path without list positions.
func FieldOf(path string) string {
	for {
		before, rest, listed := strings.Cut(path, "[")
		_, after, closed := strings.Cut(rest, "]")
		if !listed || !closed {
			return path
		}
		path = before + after
	}
}

// Walk splits a payload into its values, in order. It returns none for an empty text. An empty list or object is one
// value.
func Walk(payload []byte) ([]Value, error) {
	if len(payload) == 0 {
		return nil, nil
	}
	object, err := jsontext.Parse(payload)
	if err != nil {
		return nil, fmt.Errorf("read a stored payload: %w", err)
	}
	return walkObject(nil, "", object), nil
}

// ID returns the id of the record that a payload names, or "".
func ID(payload []byte) string { return Text(payload, "id") }

// PlainID returns an id in the form used to compare ids: the service may spell a GUID differently from payloads.
func PlainID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}

func walkObject(values []Value, path string, object jsontext.Object) []Value {
	for _, m := range object {
		values = walk(values, path+m.Text(), m.Value)
	}
	return values
}

func walk(values []Value, path string, value []byte) []Value {
	switch value[0] {
	case '{':
		object, _ := jsontext.SplitObject(value)
		if len(object) == 0 {
			return append(values, Value{path, "{}", true})
		}
		return walkObject(values, path+".", object)
	case '[':
		list, _ := jsontext.SplitList(value)
		if len(list) == 0 {
			return append(values, Value{path, "[]", true})
		}
		for n, element := range list {
			values = walk(values, path+"["+strconv.Itoa(n)+"]", element)
		}
		return values
	}
	return append(values, Value{path, jsontext.Text(value), value[0] != '"'})
}

// Title returns what a payload calls its record, in the field that is the operation's title: its name, or the text of a
// mark. It returns "" if the payload does not say.
func Title(payload []byte) string {
	object, err := jsontext.Parse(payload)
	if err != nil {
		return ""
	}
	for n := range abouts {
		if title := textOf(object, abouts[n].Title); title != "" {
			return title
		}
	}
	return ""
}

// Text returns the value of a field that holds a text or a number, or "" for any other field or a missing one.
func Text(payload []byte, field string) string {
	object, err := jsontext.Parse(payload)
	if err != nil {
		return ""
	}
	return textOf(object, field)
}

func textOf(object jsontext.Object, field string) string {
	value := object.Value(field)
	if jsontext.IsNumber(value) || len(value) > 0 && value[0] == '"' {
		return jsontext.Text(value)
	}
	return ""
}

// Replace returns a payload with another value in an existing field, and every other byte unchanged.
func Replace(payload []byte, field, value string) ([]byte, error) {
	object, err := jsontext.Parse(payload)
	if err != nil {
		return nil, err
	}
	for _, m := range object {
		if string(m.Name) == field {
			return bytes.Join([][]byte{payload[:m.At], []byte(value), payload[m.At+len(m.Value):]}, nil), nil
		}
	}
	return nil, fmt.Errorf("the payload has no field %s (interface.md part 4)", field)
}

// Component is an element of components (interface.md part 4.2). Value is the one of its two values that it has, or "".
type Component struct {
	ID     string
	Entity bool // the value is the id of an entity
	Value  string
}

// Components returns the components of a payload, if any.
func Components(payload []byte) ([]Component, error) {
	elements, err := elements(payload, "components")
	list := make([]Component, len(elements))
	for n, e := range elements {
		c := Component{ID: jsontext.Text(e.Value("file_template_component_id"))}
		if entity := e.Value("entity_id"); !jsontext.IsNull(entity) {
			c.Entity, c.Value = true, jsontext.Text(entity)
		} else if value := e.Value("value"); !jsontext.IsNull(value) {
			c.Value = jsontext.Text(value)
		}
		list[n] = c
	}
	return list, err
}

// element is an object in a list of a payload.
type element struct {
	jsontext.Object
	text []byte
}

// elements returns the objects of a list.
func elements(payload []byte, field string) ([]element, error) {
	if !bytes.Contains(payload, []byte(field)) { // the usual case
		return nil, nil
	}
	object, err := jsontext.Parse(payload)
	if err != nil {
		return nil, err
	}
	value := object.Value(field)
	if jsontext.IsNull(value) {
		return nil, nil
	}
	list, ok := jsontext.SplitList(value)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", field)
	}
	objects := make([]element, len(list))
	for n, text := range list {
		objects[n].text = text
		if objects[n].Object, ok = jsontext.SplitObject(text); !ok {
			return nil, fmt.Errorf("%s[%d] is not an object", field, n)
		}
	}
	return objects, nil
}
