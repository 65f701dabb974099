package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/moment"
)

// TestRunAgainstAServiceThatIsDown sends the only record there is to a port where nobody listens: the run is stopped, says why, and is
// not taken for one whose row has to be corrected.
func TestRunAgainstAServiceThatIsDown(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docketsync.yaml": `service: {base_url: "http://127.0.0.1:1", subscription_key: {env: NO_KEY, default: abc}, auth_cookie: {env: NO_COOKIE, default: abc}}
retry: {first_delay: 1ms, max_delay: 10ms, total: 1s}
jobs: [{name: matters, source: matters.csv, mapping: matters.yaml}]
`,
		"matters.yaml": `operation: create_case
key: Ref
fields:
  name: Title
  number: Ref
  active: {value: true}
  file_template_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000001}
  user_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000002}
`,
		"matters.csv": "Ref,Title\nM-1,Heron\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out, trouble bytes.Buffer
	if code := Main([]string{"run"}, &out, &trouble); code != exit.Stopped {
		t.Errorf("exit status %d", code)
	}
	said := out.String()
	if !strings.Contains(said, "matters  Service down since "+moment.Day(time.Now())) || !strings.Contains(said, "    docketsync doctor\n") || !strings.Contains(said, "The run was stopped: the service is down: no record was accepted, and the last request ended with: the service cannot be reached, nothing was sent: connection refused.") {
		t.Errorf("%s\n%s", said, &trouble)
	}
	if !strings.Contains(trouble.String(), "sending pauses: the service cannot be reached, nothing was sent: connection refused") {
		t.Errorf("the progress does not say why nothing is sent:\n%s", &trouble)
	}
}
