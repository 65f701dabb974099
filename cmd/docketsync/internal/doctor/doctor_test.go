package doctor_test

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/doctor"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
)

const (
	key      = "the-key-of-the-firm-4711"
	password = "the-password-of-the-firm-0815"
)

// firm writes a configuration, and a job that reads a file, into a folder.
func firm(t *testing.T, base, service, more string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docketsync.yaml": "service:\n  base_url: " + base + "\n  subscription_key: {env: KEY}\n" + service + "ledger: ledger.db\n" + more +
			"jobs: [{name: cases, source: cases.csv, mapping: cases.yaml}]\n",
		"cases.csv": "Ref,Title\n",
		"cases.yaml": "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
			"  user_id: {value: 5b6d7e0a-0d6e-4a70-a5cf-2f1f0ab1b2a1}\n  file_template_id: {value: 5b6d7e0a-0d6e-4a70-a5cf-2f1f0ab1b2a2}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// look makes all checks of the firm in a folder. What is found may hold no secret.
func look(t *testing.T, dir string, env map[string]string) doctor.Result {
	t.Helper()
	setup := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard}, ConfigFile: filepath.Join(dir, "docketsync.yaml"),
		Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok }}
	found, err := doctor.Look(t.Context(), setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(found); strings.Contains(string(text), key) || strings.Contains(string(text), password) {
		t.Errorf("a secret is in %s", text)
	}
	return found
}

// of are the findings of a check, one in a line.
func of(r doctor.Result, check string) (lines string) {
	for _, f := range r.Findings {
		if f.Check == check {
			lines += string(f.State) + " " + f.Said + " | " + f.Advice + "\n"
		}
	}
	return lines
}

func has(t *testing.T, r doctor.Result, check string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(of(r, check), word) {
			t.Errorf("%s: want %q in\n%s", check, word, of(r, check))
		}
	}
}

// TestAHealthyFirm tries everything against the sandbox, which afterwards holds no record.
func TestAHealthyFirm(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Open(sandbox.Options{SubscriptionKey: key})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	server := httptest.NewServer(box.Handler())
	defer server.Close()
	dir := firm(t, server.URL, "  sign_in: {path: /v1/login, user: ada, password: {env: PASSWORD}}\n  lists: {cases: /v1/lists/cases}\n", "")
	found := look(t, dir, map[string]string{"KEY": key, "PASSWORD": password})
	has(t, found, "configuration", "ok ", "1 job")
	has(t, found, "secrets", "ok present: service.subscription_key, service.sign_in.password")
	has(t, found, "connection", "ok connect: 127.0.0.1", "ok answer: ")
	has(t, found, "clock", "ok ")
	has(t, found, "ledger", "ledger.db is not there yet: the first run makes it")
	has(t, found, "folders", "ok reports: ")
	has(t, found, "sending", "not_tried creating and updating records")
	if _, err := os.Stat(filepath.Join(dir, "ledger.db")); err == nil {
		t.Error("it made a ledger")
	}
}

// TestAServiceThatIsNotTrusted meets an authority that nobody knows, until ca_file names it.
func TestAServiceThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	asked := make(chan http.Header, 4)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header
		w.Header().Set("Date", time.Now().Add(-2*time.Hour).UTC().Format(http.TimeFormat))
	}))
	defer server.Close()
	env := map[string]string{"KEY": key, "COOKIE": password}
	found := look(t, firm(t, server.URL, "  auth_cookie: {env: COOKIE}\n", ""), env)
	has(t, found, "connection", "ok connect: ", "failed tls: the certificate of the service is not trusted", "set ca_file under service")
	has(t, found, "clock", "not_tried ")
	if found.Exit != exit.CouldNotRun || len(asked) > 0 {
		t.Errorf("exit %d; the service was asked %d times", found.Exit, len(asked))
	}
	dir := firm(t, server.URL, "  auth_cookie: {env: COOKIE}\n  ca_file: ca.pem\n", "")
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), authority, 0o600); err != nil {
		t.Fatal(err)
	}
	found = look(t, dir, env)
	has(t, found, "connection", "ok tls: TLS 1.3; O=Acme Co", "ok answer: ")
	has(t, found, "clock", "warning this machine's clock is 2h0m", "ahead of the service's")
	has(t, found, "sending", "not_tried whether the service accepts the subscription key")
	header := <-asked
	if said, _ := json.Marshal(header); strings.Contains(string(said), key) || strings.Contains(string(said), password) || found.Exit != exit.AllIn {
		t.Errorf("exit %d; the service was told %s", found.Exit, said)
	}
}

// TestWhatIsMissing has a finding of each thing that is not there or cannot be used, and of what can be tried without it.
func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := firm(t, "https://cases.invalid", "", "reports: cases.csv/reports\nnotify: {channels: {ops: {mail: {server: \"127.0.0.1:1\", from: a@b.example, to: c@d.example}}}}\n")
	for _, name := range []string{"ledger.db", "cases.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("this is no ledger"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := look(t, dir, nil)
	has(t, found, "secrets", "failed ", "the environment variable KEY is not set")
	has(t, found, "connection", "failed name: the name cases.invalid cannot be resolved")
	has(t, found, "ledger", "failed ", "the file is not a ledger")
	has(t, found, "folders", "failed reports: ")
	has(t, found, "notifications", "failed channel ops: 127.0.0.1:1 cannot be reached")
	if found.Exit != exit.CouldNotRun {
		t.Errorf("exit %d", found.Exit)
	}
	if err := os.WriteFile(filepath.Join(dir, "docketsync.yaml"), []byte("servce: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found = look(t, dir, nil)
	has(t, found, "configuration", "failed ", "docketsync.yaml:1:1: ", "service")
	if found.Exit != exit.Usage || of(found, "ledger") != "" {
		t.Errorf("exit %d, and it went on: %s", found.Exit, of(found, "ledger"))
	}
}
