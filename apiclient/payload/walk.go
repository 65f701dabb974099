package payload

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"docketsync/apiclient/jsontext"
)

// Value is one value of a payload: where it stands and what it says. Literal tells numbers, booleans, nulls, and empty lists and objects
// from texts; the digits of a number are those of the payload.
type Value struct {
	Path    string // "name", "files[2].number"
	Text    string
	Literal bool
}

// String is the text.
func (v Value) String() string { return v.Text }

// MarshalText is the text, so that no reader turns a number into a float on the way to a person.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// UnmarshalText reads the text back, as of a plan that somebody approved. Where the value stands is not in it.
func (v *Value) UnmarshalText(text []byte) error {
	v.Text = string(text)
	return nil
}

// Field is the path without places in lists: "files.number".
func (v Value) Field() string { return FieldOf(v.Path) }

// IsNull tells whether the value is null.
func (v Value) IsNull() bool { return v.Literal && v.Text == "null" }

// FieldOf is a path without places in lists.
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

// Walk splits a payload into its values, in their order; none of an empty text. An empty list or object is a value of its own.
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

// ID is the id of the record that a payload names, "" of one that names none.
func ID(payload []byte) string { return Text(payload, "id") }

// PlainID is an id as it is told from others: the service may spell a GUID otherwise than payloads do.
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

// Title is what a payload calls its record, in the field that is the title of an operation: its name, or the text of a mark; "" when it does not say.
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

// Text is what a field says that holds a text or a number; "" of any other, and of one that is not there.
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

// Replace is a payload with another value in a field that it has, and every other byte as it was.
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

// Component is an element of components (interface.md part 4.2) with the one of its two values that it has, "" for neither.
type Component struct {
	ID     string
	Entity bool // the value is the id of an entity
	Value  string
}

// Components are the components of a payload, none where it has none.
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

// elements are the objects of a list.
func elements(payload []byte, field string) ([]element, error) {
	if !bytes.Contains(payload, []byte(field)) { // as of most
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
