package document

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"docketsync/config/diagnostic"
)

// Unmarshaler is a type that reads itself from a node: a short form besides a long one, or a text with a unit. It may
// decode parts of the node with f, and reports faults at the nodes they belong to. It is not called for an empty value.
type Unmarshaler interface {
	UnmarshalNode(f *File, n *Node) diagnostic.Faults
}

var nodeType = reflect.TypeFor[*Node]()

// Decode fills the value that into points to from a node, strictly: an unknown key, a duplicate key and a value of the
// wrong type are faults, and all of them are found. A key that is missing or has no value leaves the field unchanged,
// so that defaults can be set before (see SetDefaults). Keys are the yaml tags of a struct's fields; ",short" marks the
// field that a scalar or list fills if it is written in place of the block.
//
// A field of type *Node keeps its node to be decoded later, and a type may read itself (Unmarshaler). A text field
// takes any scalar, with the characters of the file. A nil node means an empty file, which is a fault.
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

// value fills one value, which must be addressable.
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

var durationType = reflect.TypeFor[time.Duration]()

// scalar fills a text, a number, a boolean or a duration.
func (f *File) scalar(n *Node, v reflect.Value) diagnostic.Faults {
	read := reflect.New(v.Type()).Elem()
	expected, ok := set(read, n.Value)
	if n.Kind != Scalar || !ok {
		return diagnostic.Faults{f.Expected(n, expected)}
	}
	v.Set(read)
	return nil
}

// set sets v from a text and says what is expected there. ok is false if the text does not fit.
func set(v reflect.Value, text string) (expected string, ok bool) {
	switch {
	case v.Type() == durationType:
		d, err := time.ParseDuration(text)
		v.SetInt(int64(d))
		return `a duration, such as "30s" or "5m"`, err == nil
	case v.Kind() == reflect.String:
		v.SetString(text)
		return "text", true
	case v.Kind() == reflect.Bool:
		truth, known := truths[strings.ToLower(text)]
		v.SetBool(truth)
		return "true or false", known
	case v.CanInt():
		number, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(number)
		return "a whole number", err == nil
	case v.CanFloat():
		number, err := strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(number)
		return "a number", err == nil && strings.ContainsAny(text, "0123456789")
	}
	panic("document: Decode cannot fill " + v.Type().String())
}

// truths are the words of YAML 1.2, and those of 1.1 that people still write.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

// Expected returns the fault of a node that is not what was expected: "expected a list, found text".
func (f *File) Expected(n *Node, expected string) diagnostic.Fault {
	found, hint := describe(n), ""
	switch {
	case expected == "a list" && n.Kind == Scalar:
		hint = fmt.Sprintf("write it in brackets: [%s]", n.Value)
	case expected == "a block of keys" && n.Kind == Scalar:
		hint = "write key: value on the lines below, indented by two spaces"
	case n.Kind == Scalar:
		found += " " + quote(n.Value)
	}
	return f.At(n, fmt.Sprintf("expected %s, found %s", expected, found), hint)
}

func describe(n *Node) string {
	switch n.Kind {
	case Block:
		return "a block of keys"
	case List:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "the number"
	case "!!timestamp":
		return "the date"
	case "!!null":
		return "nothing"
	}
	return "text"
}

// quote quotes a value, or the beginning of a long one.
func quote(value string) string {
	const limit = 60
	if utf8.RuneCountInString(value) > limit {
		value = string([]rune(value)[:limit]) + "…"
	}
	return strconv.Quote(value)
}
