package document

import (
	"fmt"
	"reflect"

	"docketsync/config/diagnostic"
)

// Unmarshaler is a type that reads itself from a node: a short form beside a long one, a text with a unit. It may
// decode parts of the node with f, and reports faults at the nodes they belong to. It is not called for an empty value.
type Unmarshaler interface {
	UnmarshalNode(f *File, n *Node) diagnostic.Faults
}

var nodeType = reflect.TypeFor[*Node]()

// Decode fills the value that into points to from a node, strictly: an unknown key, a key given twice, a value of the
// wrong type are faults, and all of them are found. What is not written, or written without a value, leaves the field
// as it was, so that defaults may be set before (see SetDefaults). Keys are the yaml tags of a struct's fields; ",short" marks
// the field that a scalar or list stands for in place of the block.
//
// A field of type *Node keeps its node to be decoded later, and a type may read itself (Unmarshaler). A text field takes any scalar
// with the characters of the file. A nil node is an empty file, which is a fault.
func (f *File) Decode(n *Node, into any) diagnostic.Faults {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic("document: Decode needs a pointer to fill")
	}
	if n == nil {
		return diagnostic.Faults{f.at(1, 1, "the file is empty", "")}
	}
	return append(f.duplicates(n), f.value(n, target.Elem())...)
}

// value fills one value, which is addressable.
func (f *File) value(n *Node, v reflect.Value) diagnostic.Faults {
	switch {
	case v.Type() == nodeType:
		v.Set(reflect.ValueOf(n))
		return nil
	case IsNull(n):
		return nil
	}
	if itself, ok := v.Addr().Interface().(Unmarshaler); ok {
		return itself.UnmarshalNode(f, n)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(made(v.Type().Elem()).Addr())
		}
		return f.value(n, v.Elem())
	case reflect.Struct:
		return f.block(n, v)
	case reflect.Map:
		return f.table(n, v)
	case reflect.Slice:
		return f.list(n, v)
	}
	return f.scalar(n, v)
}

// block fills a struct.
func (f *File) block(n *Node, v reflect.Value) diagnostic.Faults {
	fields := fieldsOf(v.Type())
	if n.Kind != Block {
		if fields.short >= 0 && (n.Kind == Scalar || v.Field(fields.short).Kind() == reflect.Slice) {
			return f.value(n, v.Field(fields.short))
		}
		return diagnostic.Faults{f.Expected(n, "a block of keys")}
	}
	var faults diagnostic.Faults
	done := map[string]bool{}
	for key, value := range Pairs(n) {
		index, known := fields.index[key.Value]
		switch {
		case key.Kind != Scalar:
			faults = append(faults, f.Expected(key, "a key"))
		case !known:
			faults = append(faults, f.At(key, fmt.Sprintf("unknown key %q", key.Value), fields.suggest(v.Type(), key.Value)))
		case !done[key.Value]:
			done[key.Value] = true
			faults = append(faults, f.value(value, v.Field(index))...)
		}
	}
	return faults
}

// table fills a map with text keys.
func (f *File) table(n *Node, v reflect.Value) diagnostic.Faults {
	if n.Kind != Block {
		return diagnostic.Faults{f.Expected(n, "a block of keys")}
	}
	if v.Type().Key().Kind() != reflect.String {
		panic("document: Decode fills only maps with text keys, not " + v.Type().String())
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	var faults diagnostic.Faults
	for key, value := range Pairs(n) {
		if key.Kind != Scalar {
			faults = append(faults, f.Expected(key, "a key"))
			continue
		}
		element := made(v.Type().Elem())
		faults = append(faults, f.value(value, element)...)
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), element)
	}
	return faults
}

// list fills a slice.
func (f *File) list(n *Node, v reflect.Value) diagnostic.Faults {
	if n.Kind != List {
		return diagnostic.Faults{f.Expected(n, "a list")}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	var faults diagnostic.Faults
	for i, c := range n.Content {
		setDefaults(v.Index(i))
		faults = append(faults, f.value(c, v.Index(i))...)
	}
	return faults
}
