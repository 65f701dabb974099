package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// form is the type of a JSON value, with its article for messages.
type form string

const (
	anObject form = "an object"
	anArray  form = "an array"
	aString  form = "a string"
	aNumber  form = "a number"
	aBoolean form = "a boolean"
	aNull    form = "null"
)

// value is a JSON value as written: members in order and with duplicates, numbers as literals. Structs of encoding/json
// would lose both, and accept "Name" for "name".
type value struct {
	form  form
	text  string   // for a string, unquoted; for a number, a boolean or null, the literal
	inner []member // for an object, and for an array, whose elements have no names
}

type member struct {
	name  string
	value value
}

// maxDepth is far more than the deepest payload of interface.md needs.
const maxDepth = 16

// parseTree reads exactly one JSON value.
func parseTree(data []byte) (value, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return value{}, errors.New("the body is empty")
	}
	if !utf8.Valid(data) {
		return value{}, errors.New("the body is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	v, err := parseValue(decoder, 0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return value{}, fmt.Errorf("the body is not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return value{}, errors.New("the body has something after its JSON value")
	}
	return v, nil
}

func parseValue(decoder *json.Decoder, depth int) (v value, err error) {
	if depth > maxDepth {
		return v, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := decoder.Token()
	if err != nil {
		return v, err
	}
	switch t := token.(type) {
	case string:
		return value{form: aString, text: t}, nil
	case json.Number:
		return value{form: aNumber, text: t.String()}, nil
	case bool:
		return value{form: aBoolean, text: strconv.FormatBool(t)}, nil
	case nil:
		return value{form: aNull, text: "null"}, nil
	}
	if v.form = anArray; token == json.Delim('{') {
		v.form = anObject
	}
	for decoder.More() {
		var m member
		if v.form == anObject {
			name, err := decoder.Token()
			if err != nil {
				return v, err
			}
			m.name = name.(string)
		}
		if m.value, err = parseValue(decoder, depth+1); err != nil {
			return v, err
		}
		v.inner = append(v.inner, m)
	}
	_, err = decoder.Token() // the closing bracket
	return v, err
}
