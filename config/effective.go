package config

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"docketsync/config/document"
)

// Line is one setting of the effective configuration, or the head of a block of them.
type Line struct {
	Path   string // service.retry.total, jobs.0.name
	Depth  int    // how many blocks it stands in
	Key    string
	Value  string // secrets are hidden
	Block  bool
	Stated bool // the file says it; otherwise it is a default
}

// Effective lists the settings in use in the order of the reference, those left out that the file does not say and that hold
// nothing by default: no text, 0, false. Secrets say that they are
// hidden.
func (c *Config) Effective() []Line {
	l := lister{config: c}
	l.block(reflect.ValueOf(*c), nil)
	return l.lines
}

type lister struct {
	config *Config
	lines  []Line
}

func (l *lister) block(v reflect.Value, path []any) {
	t := v.Type()
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key == "-" {
			l.value(v.Field(i), path)
		} else if key != "" {
			name, inline, _ := strings.Cut(key, ",")
			if inline == "inline" || name == "" {
				l.value(v.Field(i), path)
				continue
			}
			l.value(v.Field(i), append(slices.Clone(path), name))
		}
	}
}

func (l *lister) value(v reflect.Value, path []any) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if text, ok := textOf(v); ok {
		if text != "" && (!v.IsZero() || l.written(path)) {
			l.add(path, text, false)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		at := len(l.lines)
		if len(path) > 0 {
			l.add(path, "", true)
		}
		if l.block(v, path); len(path) > 0 && len(l.lines) == at+1 {
			l.lines = l.lines[:at] // nothing stands in it
		}
	case reflect.Map:
		if v.Len() == 0 {
			return
		}
		l.add(path, "", true)
		names := map[string]reflect.Value{}
		for _, key := range v.MapKeys() {
			names[key.String()] = v.MapIndex(key)
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			l.value(names[name], append(slices.Clone(path), name))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		l.add(path, "", true)
		for n := range v.Len() {
			l.value(v.Index(n), append(slices.Clone(path), n))
		}
	}
}

// textOf is a value as the file would have it, false for what has settings of its own.
func textOf(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case time.Duration:
		return x.String(), true
	case Secret:
		return x.String(), true
	case PasswordHash:
		return x.String(), true
	case encoding.TextMarshaler:
		text, _ := x.MarshalText() // those of this package do not fail
		return string(text), true
	case fmt.Stringer:
		return x.String(), true
	}
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return fmt.Sprint(v.Interface()), true
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			var list []string
			for n := range v.Len() {
				list = append(list, v.Index(n).String())
			}
			return strings.Join(list, ", "), true
		}
	}
	return "", false
}

func (l *lister) add(path []any, text string, block bool) {
	var words []string
	for _, part := range path {
		words = append(words, fmt.Sprint(part))
	}
	key := words[len(words)-1]
	if n, ok := path[len(path)-1].(int); ok {
		key = fmt.Sprintf("%d.", n+1)
	}
	l.lines = append(l.lines, Line{Path: strings.Join(words, "."), Depth: len(words) - 1, Key: key, Value: text, Block: block,
		Stated: l.stated(path)})
}

// stated tells whether the file says a setting, or says the block that it stands in by one word.
func (l *lister) stated(path []any) bool {
	block := path[:len(path)-1]
	return l.written(path) || len(block) > 0 && l.written(block) && l.config.place.file.Node(block...).Kind == document.Scalar
}

// written tells whether the file has a setting itself.
func (l *lister) written(path []any) bool {
	return l.config.place != nil && l.config.place.file.Has(path...)
}
