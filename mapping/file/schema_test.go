package file

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"docketsync/config/schematest"
	"docketsync/mapping/rule"
)

func mappingSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schematest.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
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
		if err := schematest.Fits(schema, data); err != nil {
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
		if schematest.Fits(schema, []byte(text)) == nil {
			t.Errorf("%s: the schema accepts %q", name, text)
		}
	}
}

var update = flag.Bool("update", false, "write the schema again")

// TestMappingSchemaIsTheGeneratedOne keeps the schema that editors read, and docketsync schema prints, equal to what the code accepts.
func TestMappingSchemaIsTheGeneratedOne(t *testing.T) {
	t.Parallel()
	schematest.Stored(t, filepath.Join("..", "..", "samples", "schemas", "mapping.schema.json"), Schema(), *update, "go test ./mapping/file -run TestMappingSchema -update")
}
