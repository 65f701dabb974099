package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"docketsync/config/diagnostic"
)

// fields are the keys that a struct understands, in the order of their declaration.
type fields struct {
	names []string
	index map[string]int
	short int // the field that a scalar or list fills; -1 for none
}

var knownFields sync.Map // reflect.Type → fields

// fieldsOf returns the fields with a yaml tag; "-" hides one.
func fieldsOf(t reflect.Type) fields {
	if known, ok := knownFields.Load(t); ok {
		return known.(fields)
	}
	known := fields{index: map[string]int{}, short: -1}
	for n := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(n).Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		known.names = append(known.names, name)
		known.index[name] = n
		if option == "short" {
			known.short = n
		}
	}
	knownFields.Store(t, known)
	return known
}

// suggest returns a hint for a key that a struct does not have: the field whose block has it, or the result of Suggest.
func (f fields) suggest(t reflect.Type, key string) string {
	for _, name := range f.names {
		inner := t.Field(f.index[name]).Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct {
			continue
		}
		of := fieldsOf(inner)
		if _, there := of.index[key]; !there {
			continue
		}
		short := ""
		if of.short >= 0 {
			short = of.names[slices.IndexFunc(of.names, func(n string) bool { return of.index[n] == of.short })] + ": …, "
		}
		return fmt.Sprintf("it belongs under %s: write %s: {%s%s: …}", name, name, short, key)
	}
	return diagnostic.Suggest(key, f.names)
}

// Keys returns the keys that a struct understands, in the order of its fields: the yaml tags that Decode uses.
func Keys(of any) []string { return append([]string(nil), fieldsOf(reflect.TypeOf(of)).names...) }

// SetDefaults sets the fields of the struct that into points to as their default tags say, in the words of a file:
// `default:"30s"`. Nested blocks get their defaults too. Decode does the same for values that it creates: the value of
// a pointer and the elements of lists and maps.
func SetDefaults(into any) { setDefaults(reflect.ValueOf(into).Elem()) }

func setDefaults(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for field, value := range v.Fields() {
		switch text, has := field.Tag.Lookup("default"); {
		case has:
			f, err := Parse(field.Name, []byte(text))
			if err == nil {
				err = f.value(f.root, value).Err()
			}
			if err != nil {
				panic(err) // an invalid tag is a programmer's mistake
			}
		case field.IsExported():
			setDefaults(value)
		}
	}
}

// made returns a new value of a type, with its defaults.
func made(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	setDefaults(v)
	return v
}
