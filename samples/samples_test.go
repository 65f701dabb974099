package samples_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docketsync/config"
	"docketsync/samples"
)

// load reads the sample configuration out of the embedded files.
func load(t *testing.T, env map[string]string) *config.Config {
	t.Helper()
	variable := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	c, err := config.Load("docketsync.yaml", variable, func(path string) ([]byte, error) {
		return fs.ReadFile(samples.Files, filepath.ToSlash(path))
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConfigurationNeedsNothingFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c := load(t, nil)
	if !c.Service.UsesSandbox() || c.Service.SubscriptionKey.Empty() || c.Service.AuthCookie.Empty() {
		t.Errorf("service = %+v, want the sandbox in the process", c.Service)
	}
	for _, operation := range []string{"create_case", "create_folder", "update_case", "update_trademark"} {
		if _, err := c.Service.Path(operation); err != nil {
			t.Error(err)
		}
	}
	if c.Reports != "reports" {
		t.Errorf("the reports are kept in %s, where nobody would look for them", c.Reports)
	}
	for _, path := range []string{c.Ledger.Reveal(), c.Sandbox.Data} {
		if filepath.Dir(path) != ".docketsync" {
			t.Errorf("%s is not kept in .docketsync", path)
		}
	}
}

func TestConfigurationTakesAServiceFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"DOCKETSYNC_BASE_URL": "https://service.example", "DOCKETSYNC_SUBSCRIPTION_KEY": "key-of-the-firm", "DOCKETSYNC_AUTH_COOKIE": "cookie-of-the-firm"})
	if c.Service.BaseURL != "https://service.example" || c.Service.SubscriptionKey.Reveal() != "key-of-the-firm" || c.Service.AuthCookie.Reveal() != "cookie-of-the-firm" {
		t.Errorf("service = %+v", c.Service)
	}
}

// TestEveryJobIsComplete looks for the files of each job, and for files that no job uses.
func TestEveryJobIsComplete(t *testing.T) {
	t.Parallel()
	c := load(t, nil)
	used := []string{"docketsync.yaml", "sandbox.json", "schemas/docketsync.schema.json", "schemas/mapping.schema.json"}
	for _, job := range c.Jobs {
		used = append(used, job.Mapping, path.Join(job.Name, "expected.json"))
		used = append(used, job.Source.Files...)
		text, err := fs.ReadFile(samples.Files, job.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines >= 40 {
			t.Errorf("%s has %d lines; a mapping of the samples stays below 40", job.Mapping, lines)
		}
	}
	for _, name := range used {
		if _, err := fs.Stat(samples.Files, filepath.ToSlash(name)); err != nil {
			t.Error(err)
		}
	}
	err := fs.WalkDir(samples.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(name, "lookups/") && !slices.Contains(used, name) {
			t.Errorf("%s belongs to no job", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryLookupIsUsed(t *testing.T) {
	t.Parallel()
	var mappings []byte
	for _, job := range load(t, nil).Jobs {
		text, err := os.ReadFile(job.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		mappings = append(mappings, text...)
	}
	entries, err := fs.ReadDir(samples.Files, "lookups")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !bytes.Contains(mappings, []byte("lookups/"+entry.Name())) {
			t.Errorf("no mapping uses lookups/%s", entry.Name())
		}
	}
}

func TestFirmIsOfFullSize(t *testing.T) {
	t.Parallel()
	if n := len(matters()); n < 60 {
		t.Errorf("%d matters, want 60 or more", n)
	}
	if n := len(londonMarks()); n < 80 {
		t.Errorf("%d marks in the docket, want 80 or more", n)
	}
	offices := map[string]bool{}
	for _, m := range append(londonMarks(), iberianMarks()...) {
		offices[m.office] = true
	}
	if len(offices) != len(registries) {
		t.Errorf("marks of %d offices, want one of each of the %d", len(offices), len(registries))
	}
}
