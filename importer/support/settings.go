package support

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// Settings returns the settings of a configuration as a bundle has them: numbers, switches, and texts with a list of
// allowed values. For any other text it says only whether there is one, and for lists and maps how long they are,
// because their keys are a firm's words.
func Settings(settings any) any { return setting(reflect.ValueOf(settings), "") }

func setting(v reflect.Value, tag reflect.StructTag) any {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if duration, ok := v.Interface().(time.Duration); ok {
		return duration.String()
	}
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return v.Interface()
	case reflect.String:
		return stated(v.String(), tag)
	case reflect.Slice:
		return elements(v.Len(), v.Type().Elem(), func(n int) reflect.Value { return v.Index(n) })
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		return elements(len(keys), v.Type().Elem(), func(n int) reflect.Value { return v.MapIndex(keys[n]) })
	case reflect.Struct:
		return members(v)
	}
	return nil
}

func stated(text string, tag reflect.StructTag) string {
	switch {
	case text == "":
		return "not set"
	case slices.Contains(strings.Fields(tag.Get("oneof")), text):
		return text
	}
	return "set"
}

// elements returns the settings of a list of blocks; of other lists, how many elements they have.
func elements(n int, of reflect.Type, at func(int) reflect.Value) any {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return n
	}
	list := make([]any, n)
	for i := range list {
		list[i] = setting(at(i), "")
	}
	return list
}

// members returns the settings of a block. A block without any, such as a secret, is shown like a text.
func members(v reflect.Value) any {
	object := map[string]any{}
	for field, value := range v.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if !field.IsExported() || key == "-" {
			continue
		}
		if key == "" {
			key = strings.ToLower(field.Name)
		}
		object[key] = setting(value, field.Tag)
	}
	if len(object) > 0 {
		return object
	}
	if v.IsZero() {
		return "not set"
	}
	return "set"
}
