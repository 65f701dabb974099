package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// object is a JSON object, of a schema.
type object = map[string]any

// answerSchema is the schema of a form: of a Go value as encoding/json writes it, with the member form. Strict allows no member that the value does not
// have; what is published does, because members are added.
func answerSchema(command, form string, of any, strict bool) object {
	s := shapes{strict: strict}
	schema := s.of(reflect.TypeOf(of))
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "docketsync " + command + " --json"
	schema["properties"].(object)["form"] = object{"const": "docketsync-" + form}
	required, _ := schema["required"].([]string)
	schema["required"] = append([]string{"form"}, remove(required, "form")...)
	if s.again != nil {
		s.above = nil
		schema["$defs"] = object{"again": s.structure(s.again)}
	}
	return schema
}

func remove(list []string, word string) (rest []string) {
	for _, other := range list {
		if other != word {
			rest = append(rest, other)
		}
	}
	return rest
}

// shapes makes schemas of Go types.
type shapes struct {
	strict bool
	above  []reflect.Type
	again  reflect.Type // that holds itself, nil for none
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

func (s *shapes) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t.Implements(textMarshaler):
		return object{"type": "string"}
	case t.Implements(marshaler), t.Kind() == reflect.Interface:
		return object{} // json.RawMessage: a payload, whatever its operation has
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": s.orNull(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.orNull(t.Elem())}
	case reflect.Struct:
		return s.structure(t)
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		return object{"type": "integer"}
	}
	panic(fmt.Sprintf("no JSON has a %s", t))
}

// orNull is the schema of a value that is written whatever it is: nothing is null.
func (s *shapes) orNull(t reflect.Type) object {
	schema := s.of(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if kind, ok := schema["type"].(string); ok {
			schema["type"] = []string{kind, "null"}
		}
	}
	return schema
}

func (s *shapes) structure(t reflect.Type) object {
	for _, above := range s.above {
		if above == t && (s.again == nil || s.again == t) {
			s.again = t
			return object{"$ref": "#/$defs/again"}
		}
	}
	s.above = append(s.above, t)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	schema := object{"type": "object", "properties": object{}}
	if s.strict {
		schema["additionalProperties"] = false
	}
	s.members(schema, t, true)
	return schema
}

// members adds the members of a struct to a schema; there is false where the struct may be missing as a whole. Those of the struct itself go before those of
// what it embeds.
func (s *shapes) members(schema object, t reflect.Type, there bool) {
	properties := schema["properties"].(object)
	var embedded []reflect.StructField
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-", !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			embedded = append(embedded, field)
		default:
			if name == "" {
				name = field.Name
			}
			if _, taken := properties[name]; taken {
				continue
			}
			optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			if optional {
				properties[name] = s.of(field.Type)
			} else {
				properties[name] = s.orNull(field.Type)
			}
			if there && !optional {
				required, _ := schema["required"].([]string)
				schema["required"] = append(required, name)
			}
		}
	}
	for _, field := range embedded {
		if field.Type.Kind() == reflect.Pointer {
			s.members(schema, field.Type.Elem(), false)
		} else {
			s.members(schema, field.Type, there)
		}
	}
}
