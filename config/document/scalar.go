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

var durationType = reflect.TypeFor[time.Duration]()

// scalar fills a text, a number, a boolean or a duration.
func (f *File) scalar(n *Node, v reflect.Value) diagnostic.Faults {
	expected := "text"
	set := func(text string) bool { v.SetString(text); return true }
	switch kind := v.Kind(); {
	case v.Type() == durationType:
		expected, set = `a duration, such as "30s" or "5m"`, func(text string) bool { return setDuration(v, text) }
	case kind == reflect.String:
	case kind == reflect.Bool:
		expected, set = "true or false", func(text string) bool { return setBool(v, text) }
	case v.CanInt():
		expected, set = "a whole number", func(text string) bool {
			number, err := strconv.ParseInt(text, 10, v.Type().Bits())
			v.SetInt(number)
			return err == nil
		}
	case v.CanFloat():
		expected, set = "a number", func(text string) bool {
			number, err := strconv.ParseFloat(text, v.Type().Bits())
			v.SetFloat(number)
			return err == nil && strings.ContainsAny(text, "0123456789")
		}
	default:
		panic("document: Decode cannot fill " + v.Type().String())
	}
	if n.Kind != Scalar {
		return diagnostic.Faults{f.wrong(n, expected)}
	}
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	if !set(n.Value) {
		v.Set(before)
		return diagnostic.Faults{f.wrong(n, expected)}
	}
	return nil
}

func setDuration(v reflect.Value, text string) bool {
	d, err := time.ParseDuration(text)
	v.SetInt(int64(d))
	return err == nil
}

// setBool takes the words of YAML 1.2 and those of 1.1 that people go on writing.
func setBool(v reflect.Value, text string) bool {
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		v.SetBool(true)
	case "false", "no", "off":
		v.SetBool(false)
	default:
		return false
	}
	return true
}

// wrong is the fault of a node that is not what was expected.
func (f *File) wrong(n *Node, expected string) diagnostic.Fault {
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

// Expected is the fault of a node of the wrong type, in the words of Decode: "expected a list, found text".
func (f *File) Expected(n *Node, expected string) diagnostic.Fault { return f.wrong(n, expected) }

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
