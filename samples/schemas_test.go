package samples_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/config/schematest"
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
		compiled, err := schematest.Compile(schema, nil)
		if err == nil {
			err = schematest.Fits(compiled, text)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil || checked < 6 {
		t.Errorf("%d files checked, %v", checked, err)
	}
}
