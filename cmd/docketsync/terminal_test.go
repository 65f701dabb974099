package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestRowsDoNotCommandTheTerminal shows the rows of a file that is written for the terminal of whoever looks at it.
func TestRowsDoNotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "export.csv")
	const mark = "AC\x1b]0;owned\aME \u009b31m"
	if err := os.WriteFile(file, []byte("Ref,Mark\n1,"+mark+"\n2,ORBIT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		var out, trouble bytes.Buffer
		args := []string{"rows", file}
		if asJSON {
			args = append(args, "--json")
		}
		if code := Main(args, &out, &trouble); code != exit.AllIn {
			t.Fatalf("%d: %s", code, &trouble)
		}
		if strings.ContainsAny(out.String()+trouble.String(), "\x1b\a\u009b") || !strings.Contains(out.String(), `AC\u001b]0;owned\u0007ME \u009b31m`) {
			t.Errorf("%q", out.String())
		}
		if !asJSON {
			continue
		}
		found := false
		for line := range strings.Lines(out.String()) {
			var v any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Errorf("%v in %q", err, line)
			}
			again, _ := json.Marshal(v)
			found = found || strings.Contains(string(again), "\u009b31m")
		}
		if !found {
			t.Errorf("the value did not come back from %q", out.String())
		}
	}
}
