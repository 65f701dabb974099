package samples_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"docketsync/samples"
)

// modeline is how an editor finds the schema of a YAML file.
const modeline = "# yaml-language-server: $schema="

// TestFilesFitTheirSchemas shows that every YAML file of the sample firm names its schema, and fits it.
func TestFilesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	checked := 0
	err := fs.WalkDir(samples.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" {
			return err
		}
		checked++
		text, err := fs.ReadFile(samples.Files, name)
		if err != nil {
			return err
		}
		line, _, _ := strings.Cut(string(text), "\n")
		relative, ok := strings.CutPrefix(line, modeline)
		if !ok {
			t.Errorf("%s does not begin with %q", name, modeline)
			return nil
		}
		schema, err := os.ReadFile(filepath.FromSlash(path.Join(path.Dir(name), relative)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		if err := fitsSchema(schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil || checked < 6 {
		t.Errorf("%d files checked, %v", checked, err)
	}
}

func fitsSchema(schema, text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return err
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		return err
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return err
	}
	return compiled.Validate(value)
}
