package file

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"docketsync/config/document"
	"docketsync/mapping/rule"
)

func mappingSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mapping.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mapping.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// plainValue is a YAML value as an editor's schema check sees it.
func plainValue(n *document.Node) any {
	switch n.Kind {
	case document.Block:
		block := map[string]any{}
		for key, value := range document.Pairs(n) {
			block[key.Value] = plainValue(value)
		}
		return block
	case document.List:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plainValue(c))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		return float64(1)
	}
	return n.Value
}

func fitsSchema(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	f, err := document.Parse("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(plainValue(f.Root()))
}

// Every mapping that loads fits the schema, so that an editor never marks what is right.
func TestMappingsThatLoadFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := mappingSchema(t)
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "mappings", "*.yaml"))
	if err != nil || len(paths) < 4 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, data, rule.Options{}); err != nil {
			t.Errorf("%s does not load:\n%v", path, err)
		}
		if err := fitsSchema(t, schema, string(data)); err != nil {
			t.Errorf("%s does not fit: %v", path, err)
		}
	}
}

func TestSchemaMarksMistakes(t *testing.T) {
	t.Parallel()
	schema := mappingSchema(t)
	for name, text := range map[string]string{
		"no operation":        "key: A\nfields: {}",
		"an unknown one":      "operation: create_cases\nkey: A\nfields: {}",
		"no fields":           "operation: create_case\nkey: A",
		"an unknown key":      "operation: create_case\nkey: A\nfileds: {}\nfields: {}",
		"an unknown field":    "operation: create_case\nkey: A\nfields: {mark_text: A}",
		"an unknown step":     "operation: create_case\nkey: A\nfields: {name: {colum: A}}",
		"a level of no check": "operation: update_trademark\nkey: A\nfields: {}\nchecks: {nice_class: loud}",
		"an unknown item":     "operation: create_folder\nkey: A\nfields: {files: {item: {nam: A}}}",
		"a word for empty":    "operation: create_case\nkey: A\nfields: {name: {column: A, empty: nothing}}",
		"a list of columns":   "operation: create_case\nkey: A\nfields: {name: [A]}",
	} {
		if fitsSchema(t, schema, text) == nil {
			t.Errorf("%s: the schema accepts %q", name, text)
		}
	}
}

var update = flag.Bool("update", false, "write the schema again")

// TestMappingSchemaIsTheGeneratedOne keeps the schema that editors read, and docketsync schema prints, equal to what the code accepts.
func TestMappingSchemaIsTheGeneratedOne(t *testing.T) {
	t.Parallel()
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "samples", "schemas", "mapping.schema.json")
	if *update {
		if err := os.WriteFile(file, append(want, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(got), want) {
		t.Errorf("%s is not what the code makes; write it with: go test ./mapping/file -run TestMappingSchema -update", file)
	}
}
