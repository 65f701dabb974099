package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"docketsync/config/document"
)

// setting is one setting or a block of them: its value, the tags of its field, and its keys and list positions in the
// file.
type setting struct {
	value reflect.Value
	tag   reflect.StructTag
	path  []any
}

// visit visits the settings in the order of the reference, a block before its content. inside says whether to visit the
// content of a block, list or map. A nil pointer is skipped.
func (c *Config) visit(inside func(setting) bool) {
	visit(setting{value: reflect.ValueOf(c).Elem()}, inside)
}

func visit(s setting, inside func(setting) bool) {
	for s.value.Kind() == reflect.Pointer {
		if s.value.IsNil() {
			return
		}
		s.value = s.value.Elem()
	}
	if !inside(s) {
		return
	}
	below := func(v reflect.Value, tag reflect.StructTag, keys ...any) {
		visit(setting{v, tag, slices.Concat(s.path, keys)}, inside)
	}
	switch s.value.Kind() {
	case reflect.Struct:
		for field, value := range s.value.Fields() {
			switch key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key {
			case "":
			case "-": // the names in it are siblings of the block's other keys
				below(value, field.Tag)
			default:
				below(value, field.Tag, key)
			}
		}
	case reflect.Map:
		values := map[string]reflect.Value{}
		for key, value := range s.value.Seq2() {
			values[key.String()] = value
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			below(values[name], s.tag, name)
		}
	case reflect.Slice:
		for n := range s.value.Len() {
			below(s.value.Index(n), s.tag, n)
		}
	}
}

// resolvePaths converts paths of the file to paths that are valid in the working directory, and removes a trailing
// slash from the base URL.
func (c *Config) resolvePaths() {
	c.Service.BaseURL = strings.TrimRight(c.Service.BaseURL, "/")
	if c.Ledger.IsFile() {
		c.Ledger = DSN(c.place.resolve(string(c.Ledger)))
	}
	if path := c.Console.Socket(); path != "" {
		c.Console.Listen = SocketPrefix + c.place.resolve(path)
	}
	c.visit(func(s setting) bool {
		if s.tag.Get("path") == "" || s.value.Kind() != reflect.String {
			return true
		}
		if remote, _ := RemotePath(s.value.String()); remote == "" || s.tag.Get("path") != "remote" {
			s.value.SetString(c.place.resolve(s.value.String()))
		}
		return false
	})
	for _, job := range c.Jobs {
		if b := job.Source.Inbox; b != nil {
			for _, path := range []*string{&b.Archive, &b.Rejected} {
				if !filepath.IsAbs(*path) {
					*path = filepath.Join(b.Folder, filepath.FromSlash(*path))
				}
			}
		}
	}
}

// Line is one setting of the effective configuration, or the head of a block.
type Line struct {
	Path   string // service.retry.total, jobs.0.name
	Depth  int    // how many blocks enclose it
	Key    string
	Value  string // secrets are hidden
	Block  bool
	Stated bool // set in the file, not by default
}

// Effective returns the settings in use, in the order of the reference. It leaves out those that the file does not set
// and whose default is empty: no text, 0, false. Secrets are hidden.
func (c *Config) Effective() (lines []Line) {
	c.visit(func(s setting) bool {
		text, isText := textOf(s.value)
		switch {
		case len(s.path) == 0, s.tag.Get("yaml") == "-" && s.value.Kind() == reflect.Map:
		case !isText || text != "" && (!s.value.IsZero() || c.written(s.path)):
			lines = append(lines, c.line(s.path, text, !isText))
		}
		return !isText
	})
	for n := len(lines) - 1; n >= 0; n-- { // remove empty blocks
		if lines[n].Block && (n+1 == len(lines) || lines[n+1].Depth <= lines[n].Depth) {
			lines = slices.Delete(lines, n, n+1)
		}
	}
	return lines
}

func (c *Config) line(path []any, text string, block bool) Line {
	last := len(path) - 1
	key := fmt.Sprint(path[last])
	if n, ok := path[last].(int); ok {
		key = fmt.Sprintf("%d.", n+1)
	}
	// A single word may stand for the whole block.
	stated := c.written(path) || last > 0 && c.written(path[:last]) && c.place.file.Node(path[:last]...).Kind == document.Scalar
	return Line{Path: dotted(path), Depth: last, Key: key, Value: text, Block: block, Stated: stated}
}

// dotted returns a path as one word: service.retry.total.
func dotted(path []any) string {
	words := make([]string, len(path))
	for n, part := range path {
		words[n] = fmt.Sprint(part)
	}
	return strings.Join(words, ".")
}

// written reports whether the file itself contains a setting.
func (c *Config) written(path []any) bool { return c.place.file != nil && c.place.file.Has(path...) }

// unpadded returns a duration as a file would have it: 5m and 24h, not 5m0s and 24h0m0s.
func unpadded(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// textOf returns a value as the file would have it, and false for a value with settings of its own.
func textOf(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case time.Duration:
		return unpadded(x), true
	case fmt.Stringer:
		return x.String(), true
	}
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return fmt.Sprint(v.Interface()), true
	case reflect.Slice:
		if names := reflect.TypeFor[[]string](); v.CanConvert(names) {
			return strings.Join(v.Convert(names).Interface().([]string), ", "), true
		}
	}
	return "", false
}
