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
	read := reflect.New(v.Type()).Elem()
	expected, ok := set(read, n.Value)
	if n.Kind != Scalar || !ok {
		return diagnostic.Faults{f.Expected(n, expected)}
	}
	v.Set(read)
	return nil
}

// set makes a text the value of v, and says what is expected there; not ok where the text is no such thing.
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

// truths are the words of YAML 1.2, and those of 1.1 that people go on writing.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

// Expected is the fault of a node that is not what was expected: "expected a list, found text".
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
