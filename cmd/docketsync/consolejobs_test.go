package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/console/wizard"
)

// A job's folder is beside the configuration, where other folders are already.
func TestJobsAreNotKeptAmongOtherThings(t *testing.T) {
	t.Parallel()
	work, _, dir, _ := openWork(t, 1, "console: {uploads: Kept/Uploads}\n")
	if err := os.MkdirAll(filepath.Join(dir, "arrivals"), 0o750); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "jobs:\n", "jobs:\n  - {name: nightly, mapping: mapping.yaml, source: {inbox: arrivals}}\n", 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"reports": "the reports", "arrivals": "the files that arrive for nightly", "kept": "", "uploads": ""} {
		planned, err := work.PlaceOf(wizard.NewJob{Name: name, Mapping: "x", Source: filepath.Join(dir, "cases.csv")})
		if err != nil || strings.Contains(planned.Wrong, "would be saved among") != (want != "") || !strings.Contains(planned.Wrong, want) {
			t.Errorf("%s: %q, %v", name, planned.Wrong, err)
		}
	}
	text = []byte(strings.Replace(string(text), "Kept/Uploads", "Uploads", 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if planned, err := work.PlaceOf(wizard.NewJob{Name: "uploads", Mapping: "x"}); err != nil || !strings.Contains(planned.Wrong, "among the uploads") {
		t.Errorf("uploads: %q, %v", planned.Wrong, err)
	}
}
