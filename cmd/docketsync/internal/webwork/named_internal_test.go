package webwork

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
)

// TestAJobOfTheConsoleLeavesLookupsAlone has a lookup outside the folder lookups, which only a mapping names: a job neither reads it nor has
// an inbox that takes it.
func TestAJobOfTheConsoleLeavesLookupsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docketsync.yaml":  "service: {base_url: sandbox}\njobs:\n  - {name: cases, mapping: cases.yaml, source: tables/cases.csv}\n",
		"cases.yaml":       "operation: create_case\nkey: Ref\nlookups: {owners: tables/owners.csv}\nfields:\n  name: Ref\n  number: Ref\n  active: {value: true}\n  file_template_id: {value: 5f880ee9-416f-5091-9333-62a8c050b228}\n  user_id: {column: Owner, lookup: owners}\n",
		"tables/cases.csv": "Ref,Owner\n", "tables/owners.csv": "name,id\n", "tables/other.csv": "Ref\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "docketsync.yaml")
	settings, err := config.Load(file, os.LookupEnv, os.ReadFile, installation.FilesOf, installation.OpenToAll)
	if err != nil {
		t.Fatal(err)
	}
	may := mayRead(settings)
	if wrong := may(filepath.Join(dir, "tables", "owners.csv")); !strings.Contains(wrong, "it belongs to the lookup owners of the job cases") {
		t.Errorf("the lookup: %q", wrong)
	}
	if wrong := may(filepath.Join(dir, "tables", "other.csv")); wrong != "" {
		t.Errorf("another table: %q", wrong)
	}
	c := &Work{setup: &installation.Setup{ConfigFile: file, Env: os.LookupEnv}}
	job := func(folder string) error {
		return c.prove(filepath.Join(dir, config.JobsFolder, "more.yml"), []byte("name: more\nmapping: more.yaml\nsource: {inbox: {folder: "+folder+", files: 'o*.csv'}}\n"))
	}
	if err := job("tables"); err == nil || !strings.Contains(err.Error(), "would take the lookup owners of the job cases") {
		t.Errorf("an inbox of the lookup: %v", err)
	}
	if err := job("in"); err != nil {
		t.Errorf("another inbox: %v", err)
	}
}
