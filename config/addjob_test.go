package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/config"
)

// TestAddJob adds a job to configurations as people write them: all that was there stays, and the job is the last one.
func TestAddJob(t *testing.T) {
	t.Parallel()
	const service = "service: {base_url: sandbox, subscription_key: {env: K, default: k}}\n"
	const lines = "  - name: new\n    source: {file: 'new: a.csv', sheet: '2'}\n    mapping: new/mapping.yaml\n"
	for _, test := range []struct{ name, text, want string }{
		{"behind the others", service + "jobs:\n  - name: a\n    source: a.csv\n    mapping: a.yaml  # mine\n",
			service + "jobs:\n  - name: a\n    source: a.csv\n    mapping: a.yaml  # mine\n" + lines},
		{"without indentation", service + "jobs:\n- {name: a, source: a.csv, mapping: a.yaml}\n\n# the end\nlog: {level: info}\n",
			service + "jobs:\n- {name: a, source: a.csv, mapping: a.yaml}\n" + strings.ReplaceAll(strings.TrimPrefix(lines, "  "), "\n    ", "\n  ") + "\n# the end\nlog: {level: info}\n"},
		{"deeper, before other settings", "jobs:\n    - name: a\n      source: a.csv\n      mapping: a.yaml\n    # next year: b\n" + service,
			"jobs:\n    - name: a\n      source: a.csv\n      mapping: a.yaml\n    # next year: b\n" + "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n" + service},
		{"no jobs yet", service, service + "\njobs:\n" + lines},
		{"jobs without any", service + "jobs:  # none yet\n", service + "jobs:  # none yet\n" + lines},
		{"lines that end as Windows has it", strings.ReplaceAll(service+"jobs:\n  - name: a\n    source: a.csv\n    mapping: a.yaml", "\n", "\r\n"),
			strings.ReplaceAll(service+"jobs:\n  - name: a\n    source: a.csv\n    mapping: a.yaml\n"+lines, "\n", "\r\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := config.AddJob("docketsync.yaml", []byte(test.text), lines)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			c, err := config.Load("docketsync.yaml", func(string) (string, bool) { return "", false }, func(string) ([]byte, error) { return got, nil }, nil)
			if err != nil {
				t.Fatal(err)
			}
			if last := c.Jobs[len(c.Jobs)-1]; last.Name != "new" || last.Source.Files[0] != "new: a.csv" {
				t.Errorf("the last job is %+v", last)
			}
		})
	}
	for _, text := range []string{service + "jobs: [{name: a, source: a.csv, mapping: a.yaml}]\n", service + "jobs: []\n"} {
		if got, err := config.AddJob("docketsync.yaml", []byte(text), lines); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("a list within brackets became %s, %v", got, err)
		}
	}
	samples, err := os.ReadFile("../samples/docketsync.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := config.AddJob("docketsync.yaml", samples, lines); err != nil || !strings.Contains(string(got), lines) {
		t.Errorf("the samples' configuration: %v\n%s", err, got)
	}
}
