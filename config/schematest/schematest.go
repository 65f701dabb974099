// Package schematest is shared by the tests of JSON Schemas: they check that a stored file is the generated one, and
// that a text fits the schema as an editor would see it.
package schematest

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"docketsync/config/document"
)

// Stored checks that a stored schema equals the generated one. update writes it; how is the command for that.
func Stored(t testing.TB, path string, schema any, update bool, how string) {
	t.Helper()
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := append(layout(text), '\n')
	if update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code makes (%v); write it with: %s", path, err, how)
	}
}

var (
	// flat matches an object or list with one member per line, none of which is an object or list on several lines.
	flat    = regexp.MustCompile(`[{\[]\n(?: *(?:[^ {}\[\]\n]|[^ }\]\n][^\n]*[^{\[\n])\n)+ *[}\]]`)
	lineEnd = regexp.MustCompile(`\n *`)
)

// layout puts short parts on one line, so that an object reads like a table of its members.
func layout(text []byte) []byte {
	for range 3 {
		text = flat.ReplaceAllFunc(text, func(inner []byte) []byte {
			line := lineEnd.ReplaceAll(inner, []byte(" "))
			if len(line) > 120 {
				return inner
			}
			return append(append([]byte{line[0]}, line[2:len(line)-2]...), line[len(line)-1])
		})
	}
	return text
}

// Compile compiles the text of a schema. beside holds the texts that it refers to, by file name.
func Compile(schema []byte, beside map[string][]byte) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	const name = "schema.json"
	for file, text := range beside {
		if err := add(compiler, file, text); err != nil {
			return nil, err
		}
	}
	if err := add(compiler, name, schema); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

func add(compiler *jsonschema.Compiler, name string, text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return compiler.AddResource(name, doc)
}

// Fits returns an error unless a YAML text fits a schema.
func Fits(schema *jsonschema.Schema, text []byte) error {
	f, err := document.Parse("text.yaml", text)
	if err != nil {
		return err
	}
	return schema.Validate(plain(f.Root()))
}

// plain returns a YAML value as an editor's schema check sees it.
func plain(n *document.Node) any {
	switch n.Kind {
	case document.Block:
		block := map[string]any{}
		for key, value := range document.Pairs(n) {
			block[key.Value] = plain(value)
		}
		return block
	case document.List:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plain(c))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		number, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return n.Value
		}
		return number
	}
	return n.Value
}
