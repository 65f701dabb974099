package document

import (
	"reflect"
	"strings"
	"sync"
)

// fields are the keys that a struct understands, in the order of their declaration.
type fields struct {
	names []string
	index map[string]int
	short int // the field that one word stands for; -1 for none
}

var knownFields sync.Map // reflect.Type → fields

// fieldsOf takes up the fields with a yaml tag; "-" hides one.
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

// Keys lists the keys that a struct understands, in the order of its fields: the yaml tags that Decode goes by.
func Keys(of any) []string { return append([]string(nil), fieldsOf(reflect.TypeOf(of)).names...) }
