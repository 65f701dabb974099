package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// form is the type of a JSON value, with the article that messages want.
type form string

const (
	anObject form = "an object"
	anArray  form = "an array"
	aString  form = "a string"
	aNumber  form = "a number"
	aBoolean form = "a boolean"
	aNull    form = "null"
)

// value is a JSON value as it was written: members in order and with their repetitions, numbers as literals.
// encoding/json's own structs would lose both, and let "Name" pass for "name".
type value struct {
	form    form
	text    string // of a string, unquoted; of a number, the literal
	truth   bool
	items   []value
	members []member
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
	if err != nil {
		return value{}, fmt.Errorf("the body is not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return value{}, errors.New("the body has something after its JSON value")
	}
	return v, nil
}

func parseValue(decoder *json.Decoder, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := decoder.Token()
	if err == io.EOF {
		return value{}, io.ErrUnexpectedEOF
	}
	if err != nil {
		return value{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return parseObject(decoder, depth)
		}
		return parseArray(decoder, depth)
	case string:
		return value{form: aString, text: t}, nil
	case json.Number:
		return value{form: aNumber, text: t.String()}, nil
	case bool:
		return value{form: aBoolean, truth: t}, nil
	default:
		return value{form: aNull}, nil
	}
}

func parseObject(decoder *json.Decoder, depth int) (value, error) {
	v := value{form: anObject}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return value{}, err
		}
		inner, err := parseValue(decoder, depth+1)
		if err != nil {
			return value{}, err
		}
		v.members = append(v.members, member{name: name.(string), value: inner})
	}
	return v, closing(decoder)
}

func parseArray(decoder *json.Decoder, depth int) (value, error) {
	v := value{form: anArray}
	for decoder.More() {
		inner, err := parseValue(decoder, depth+1)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, inner)
	}
	return v, closing(decoder)
}

func closing(decoder *json.Decoder) error {
	_, err := decoder.Token()
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
