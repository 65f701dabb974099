package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/invopop/jsonschema"

	"docketsync/apiclient/payload"
)

// Schema is the JSON Schema of configuration files, for editors: "# yaml-language-server: $schema=…" in the first line of the
// file. It is made of the types that Load fills, and describes them in the words of the reference. It cannot know everything
// that Load does; whatever Load accepts fits it.
func Schema() *jsonschema.Schema {
	root := blockOf(reflect.TypeFor[Config]())
	root.Version, root.Title = jsonschema.Version, "docketsync configuration"
	root.Definitions = jsonschema.Definitions{"env": environmentSchema()}
	maps.Copy(root.Definitions, definitions)
	complete(root, "", referenceOf(Documentation))
	root.Description = ""
	root.AnyOf = []*jsonschema.Schema{{Required: []string{"service"}}, {Required: []string{"firms"}}}
	return root
}

// complete adds to each setting its description and the words it may have, and lets a block or list be left empty.
func complete(s *jsonschema.Schema, path string, described map[string]string) {
	if words, ok := choices()[strings.ReplaceAll(path, "."+anyName, "")]; ok {
		word := scalar(&jsonschema.Schema{Enum: anyOf(words)})
		if len(s.AnyOf) == 2 { // or a list of them
			word = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{word, {Type: "array", Items: word}}}
		}
		*s = *word
	}
	inner := s
	for _, form := range s.AnyOf {
		if form.Properties != nil {
			inner = form
		}
	}
	if s.Items != nil {
		inner = s.Items
	}
	if inner.AdditionalProperties != nil && inner.AdditionalProperties != jsonschema.FalseSchema {
		complete(inner.AdditionalProperties, path+"."+anyName, described)
	}
	if inner.Properties != nil {
		for pair := inner.Properties.Oldest(); pair != nil; pair = pair.Next() {
			below := pair.Key
			if path != "" {
				below = path + "." + pair.Key
			}
			complete(pair.Value, below, described)
		}
	}
	if path != "" && s.Type != "" {
		form := *s
		*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{&form, {Type: "null"}}}
	}
	s.Description = described[path]
}

// durationPattern is what a time is written as.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// schemaOf is the schema of the types that read themselves, and of scalars, each of which may come from the environment.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[PasswordHash]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{ref("secret"), {Type: "string", Pattern: phc.String()}}}
	case reflect.TypeFor[Secret]():
		return ref("secret")
	case reflect.TypeFor[time.Duration]():
		return ref("duration")
	case reflect.TypeFor[again]():
		return scalar(&jsonschema.Schema{Type: "string", Pattern: durationPattern}, &jsonschema.Schema{Enum: []any{alwaysWord, neverWord, 0}})
	case reflect.TypeFor[size]():
		return ref("size")
	case reflect.TypeFor[percent]():
		return ref("percent")
	case reflect.TypeFor[Days]():
		return ref("days")
	case reflect.TypeFor[Names]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(), {Type: "array", Items: text()}}}
	case reflect.TypeFor[Lists]():
		block := blockOf(t)
		block.AdditionalProperties = schemaOf(reflect.TypeFor[List]())
		return block
	case reflect.TypeFor[Paths]():
		block := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		for _, op := range payload.Operations {
			block.Properties.Set(string(op), text())
		}
		return block
	case reflect.TypeFor[map[string]string]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: text()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		if short(t.Elem()) {
			return schemaOf(t.Elem())
		}
	case reflect.Struct:
		if short(t) {
			block := blockOf(t)
			if t == reflect.TypeFor[Source]() {
				block.AnyOf = []*jsonschema.Schema{{Required: []string{"file"}}, {Required: []string{"inbox"}}}
			}
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(), block}}
		}
	case reflect.String:
		return text()
	case reflect.Bool:
		return ref("yes_or_no")
	case reflect.Int, reflect.Int64:
		return ref("integer")
	case reflect.Float64:
		return ref("number")
	}
	return nil
}

// blockOf is the schema of a struct's settings.
func blockOf(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, DoNotReference: true, RequiredFromJSONSchemaTags: true,
		Mapper: func(inner reflect.Type) *jsonschema.Schema {
			if inner == t {
				return nil
			}
			return schemaOf(inner)
		}}
	block := r.ReflectFromType(t)
	block.Version = ""
	return block
}

// short tells whether one word may stand for a block.
func short(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return strings.HasSuffix(f.Tag.Get("yaml"), ",short")
	})
}

func anyOf(words []string) []any {
	list := make([]any, len(words))
	for n, word := range words {
		list[n] = word
	}
	return list
}

// definitions are the scalars that many settings are.
var definitions = map[string]*jsonschema.Schema{
	"text": scalar(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "boolean"}),
	// The values of a secret itself are refused, unless they come from the environment.
	"secret":    scalar(blockWith("", "file", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}}, Description: "a file that holds the secret and nothing else"})),
	"duration":  scalar(&jsonschema.Schema{Type: "string", Pattern: durationPattern}, &jsonschema.Schema{Const: 0}),
	"size":      pattern(`^\s*[0-9]+\s*([kKmMgG][iI]?)?[bB]\s*$`),
	"percent":   pattern(`^\s*[0-9]+(\.[0-9]+)?\s*%\s*$`, &jsonschema.Schema{Enum: []any{"off", false, 0}}),
	"days":      pattern(`^\s*0*[1-9][0-9]*d\s*$`),
	"yes_or_no": scalar(&jsonschema.Schema{Type: "boolean"}, &jsonschema.Schema{Enum: []any{"yes", "no", "on", "off"}}),
	"integer":   pattern("^[0-9]+$", &jsonschema.Schema{Type: "integer"}),
	"number":    pattern(`^[0-9.]+$`, &jsonschema.Schema{Type: "number"}),
}

// pattern is a text of a pattern, or one of the other forms.
func pattern(pattern string, other ...*jsonschema.Schema) *jsonschema.Schema {
	return scalar(append(other, &jsonschema.Schema{Type: "string", Pattern: pattern})...)
}

// blockWith is a block with one setting, which it must have.
func blockWith(description, key string, of *jsonschema.Schema) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: description, Properties: jsonschema.NewProperties(), Required: []string{key}, AdditionalProperties: jsonschema.FalseSchema}
	s.Properties.Set(key, of)
	return s
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// text is any scalar, with the characters of the file.
func text() *jsonschema.Schema { return ref("text") }

// scalar is one of the forms, nothing (which leaves the default), or a variable of the environment.
func scalar(forms ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: append(forms, &jsonschema.Schema{Type: "null"}, &jsonschema.Schema{Ref: "#/$defs/env"})}
}

func environmentSchema() *jsonschema.Schema {
	s := blockWith("the value of an environment variable", "env", &jsonschema.Schema{Type: "string", Description: "the name of the variable"})
	s.Properties.Set("default", &jsonschema.Schema{Description: "the value when it is not set"})
	return s
}

// choices are the words of the settings that have a few, by their path without the names that a firm chooses and the numbers of
// lists.
var choices = sync.OnceValue(func() map[string][]string {
	found := map[string][]string{}
	var of func(t reflect.Type, path string)
	of = func(t reflect.Type, path string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for field := range t.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if key == "" || key == "-" {
				continue
			}
			at := strings.TrimPrefix(path+"."+key, ".")
			if words := strings.Fields(field.Tag.Get("oneof")); len(words) > 0 {
				found[at] = words
			}
			of(field.Type, at)
		}
	}
	of(reflect.TypeFor[Config](), "")
	return found
})

// anyName stands in the reference for a name that whoever writes the file chooses.
const anyName = "NAME"

var (
	referenceKey = regexp.MustCompile(`^( *)(- )?([a-z0-9_]+|` + anyName + `):(?:\s+(.*))?$`)
	wideGap      = regexp.MustCompile(`\s{2,}`)
)

// referenceOf reads the descriptions of the settings, by their paths ("jobs.source.file").
func referenceOf(text string) map[string]string {
	_, text, _ = strings.Cut(text, "// # Reference")
	text, _, _ = strings.Cut(text, "// A small installation:")
	described := map[string]string{}
	var path []string // the keys above, by their indentation in steps of two
	list := 0         // the depth of the list that the lines stand in, 0 for none
	for line := range strings.SplitSeq(text, "\n") {
		line, isSetting := strings.CutPrefix(line, "//\t")
		if !isSetting || strings.HasPrefix(line, "{") {
			continue
		}
		match := referenceKey.FindStringSubmatch(line)
		if match == nil {
			if at := strings.Join(path, "."); at != "" {
				described[at] += " " + strings.TrimSpace(line)
			}
			continue
		}
		depth := (len(match[1]) + len(match[2])) / 2
		if match[2] != "" {
			list = depth
		} else if depth < list {
			list = 0
		}
		if list > 0 {
			depth-- // the list's dash has a step of its own
		}
		path = append(path[:min(depth, len(path))], match[3])
		described[strings.Join(path, ".")] = wideGap.ReplaceAllString(match[4], " – ")
	}
	for at, words := range maps.Clone(described) {
		if guard, ok := strings.CutPrefix(at, "guards."); ok {
			described["jobs.guards."+guard] = words
		}
	}
	return described
}
