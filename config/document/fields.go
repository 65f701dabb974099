package document

import (
	"reflect"
	"strings"
	"sync"
)

// fields are the keys that a struct understands, in the order of their declaration.
type fields struct {
	names []string
	index map[string][]int
	short []int // of the field that one word stands for; nil for none
}

var knownFields sync.Map // reflect.Type → fields

func fieldsOf(t reflect.Type) fields {
	if known, ok := knownFields.Load(t); ok {
		return known.(fields)
	}
	known := fields{index: map[string][]int{}}
	known.add(t, nil)
	knownFields.Store(t, known)
	return known
}

// add takes up the fields of a struct and of those inlined in it. As in the YAML library a field without a name in its
// tag goes by its own in lower case, and "-" hides one.
func (k *fields) add(t reflect.Type, above []int) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		index := append(append([]int(nil), above...), field.Index...)
		switch {
		case name == "-" || !field.IsExported():
		case strings.Contains(options, "inline") && field.Type.Kind() == reflect.Struct:
			k.add(field.Type, index)
		default:
			if name == "" {
				name = strings.ToLower(field.Name)
			}
			k.names = append(k.names, name)
			k.index[name] = index
			if strings.Contains(options, "short") {
				k.short = index
			}
		}
	}
}

// Keys lists the keys that a struct understands, in the order of its fields: the yaml tags that Decode goes by.
func Keys(of any) []string {
	t := reflect.TypeOf(of)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return append([]string(nil), fieldsOf(t).names...)
}
