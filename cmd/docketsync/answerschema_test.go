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

// answerSchemas are the schemas of all forms, by their files: of Go values as encoding/json writes them, with the member form. A struct that is named more
// than once stands in definitions. Strict allows no member that a value does not have; what is published does, because members are added.
func answerSchemas(strict bool) map[string]object {
	s := shapes{strict: strict, uses: map[reflect.Type]int{}, reads: definitions + "#/$defs/"}
	s.forms() // counts
	s.again = map[string]reflect.Type{}
	for t, uses := range s.uses {
		if uses > 1 {
			name := strings.TrimPrefix(t.String(), "main.")
			if other := s.again[name]; other != nil {
				panic(fmt.Sprintf("two types are called %s: of %s and %s", name, other.PkgPath(), t.PkgPath()))
			}
			s.again[name] = t
		}
	}
	files := s.forms()
	s.reads = "#/$defs/"
	defs := object{}
	for name, t := range s.again {
		defs[name] = s.structure(t)
	}
	files[definitions] = object{"$schema": draft, "$id": definitions, "title": "what several forms have", "$defs": defs}
	return files
}

// definitions is the file of what several forms have.
const definitions = "definitions.json"

const draft = "https://json-schema.org/draft/2020-12/schema"

// shapes makes schemas of Go types.
type shapes struct {
	strict bool
	uses   map[reflect.Type]int    // how often a struct is named
	again  map[string]reflect.Type // those that have a definition, nil while they are counted
	reads  string                  // what a reference to a definition begins with
}

// forms are the schemas of all forms, by their files.
func (s *shapes) forms() map[string]object {
	files := map[string]object{}
	for _, a := range answers {
		if a.of == nil {
			continue
		}
		schema := s.structure(reflect.TypeOf(a.of))
		schema["$schema"] = draft
		schema["title"] = "docketsync " + a.command + " --json"
		schema["properties"].(object)["form"] = object{"const": "docketsync-" + a.form}
		required, _ := schema["required"].([]string)
		schema["required"] = append([]string{"form"}, remove(required, "form")...)
		files[schemaFile(a.form)] = schema
	}
	return files
}

func remove(list []string, word string) (rest []string) {
	for _, other := range list {
		if other != word {
			rest = append(rest, other)
		}
	}
	return rest
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
		return s.named(t)
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
		} else if schema["$ref"] != nil {
			return object{"anyOf": []object{schema, {"type": "null"}}}
		}
	}
	return schema
}

// named is the schema of a struct where another names it: a reference if it has a definition.
func (s *shapes) named(t reflect.Type) object {
	if name := strings.TrimPrefix(t.String(), "main."); s.again[name] == t {
		return object{"$ref": s.reads + name}
	}
	if s.again == nil && t.Name() != "" {
		if s.uses[t]++; s.uses[t] > 1 {
			return object{}
		}
	}
	return s.structure(t)
}

func (s *shapes) structure(t reflect.Type) object {
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
