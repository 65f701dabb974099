package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
)

// The people of the firms in these tests. The hashes cost the least that is accepted.
const (
	operatorPassword = "correct horse battery"
	operatorHash     = "$argon2id$v=19$m=7168,t=5,p=1$80vL08wsRzVASFD+5eT5sg$C0+8OQndicr6dev7/gxNG1qKC1I4hHs+y9Xqr2BTYcM"
	viewerPassword   = "a quiet pair of eyes"
	viewerHash       = "$argon2id$v=19$m=7168,t=5,p=1$nO1lzzjvvp33xWbylljZZA$8DvLpcLtYKMYqakmjGZ9LhhSBP3HlANdevS5m6es17I"
)

// consoleUsers is a console: block with an operator and a viewer, on any free port of this machine.
func consoleUsers(more string) string {
	return `console:
  listen: 127.0.0.1:0
  users:
    - {name: Ines, role: operator, password: '` + operatorHash + `'}
    - {name: Victor, role: viewer, password: '` + viewerHash + `'}
` + more
}

// openConsole is docketsync console, as a program of its own, over a firm's folder.
type openConsole struct {
	t    *testing.T
	dir  string
	base string // http://127.0.0.1:PORT
	cmd  *exec.Cmd
	log  string        // the file that its standard error is written to
	says *json.Decoder // its standard output
	open string        // the address that lets in a browser where nobody signs in
}

// startConsole starts the console of the firm in a folder, whose configuration must have a console: block. It is stopped at the
// end of the test, and must end well then. within is a command that the console is started by, none for itself.
func startConsole(t *testing.T, dir string, within ...string) *openConsole {
	t.Helper()
	c := &openConsole{t: t, dir: dir, log: filepath.Join(t.TempDir(), "console.log")}
	ctx, stop := context.WithCancel(context.Background())
	line := append(within, "docketsync", "console", "--json", "--verbose")
	c.cmd = exec.CommandContext(ctx, line[0], line[1:]...)
	c.cmd.Dir, c.cmd.Env = dir, environment()
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stderr = log
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := c.cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the console ended with %v:\n%s", err, c.said())
		}
		_ = log.Close()
	})
	c.says = json.NewDecoder(bufio.NewReader(out))
	c.listen()
	return c
}

// listen waits for the next line in which the console says where it is.
func (c *openConsole) listen() {
	c.t.Helper()
	var said map[string]string
	if err := c.says.Decode(&said); err != nil {
		c.t.Fatalf("the console did not say where it is: %v\n%s", err, c.said())
	}
	c.base, c.open = said["listening"], said["open"]
}

// said is what the console wrote to standard error so far.
func (c *openConsole) said() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// signedIn opens a tab in which somebody has signed in by the page.
func (c *openConsole) signedIn(name, password string) *browsertest.Tab {
	c.t.Helper()
	tab := browsertest.Open(c.t)
	tab.Go(c.base + "/")
	tab.Fill(`input[name="name"]`, name)
	tab.Fill(`input[name="password"]`, password)
	tab.Press(`main form button`)
	if got := tab.Text(".person"); !strings.Contains(got, name) {
		c.t.Fatalf("after signing in, the page says %q instead of %s", got, name)
	}
	return tab
}

// writeConsoleFirm writes the folder of a firm with a real sandbox, so many matters to be created and a console.
func writeConsoleFirm(t *testing.T, matters int) (dir string, b box) {
	t.Helper()
	dir = t.TempDir()
	b = startSandbox(t, dir)
	writeCrashFirm(t, dir, b, matters)
	appendConfig(t, dir, consoleUsers(""))
	return dir, b
}

func appendConfig(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, "docketsync.yaml")
	old, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(old, text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestConsoleShowsAMorning(t *testing.T) {
	t.Parallel()
	dir, _ := writeConsoleFirm(t, 30)
	if code, out := program(t, dir, "run"); code != exit.AllIn {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	if got := tab.Text("h1"); got != "Nothing needs attention." {
		t.Errorf("the first page says %q", got)
	}
	tab.Look("overview")
	tab.Press(".job p a")
	if got := tab.Text("h1"); got != "All 30 matters were imported." {
		t.Errorf("the page of the run says %q", got)
	}
	tab.Look("run")
	tab.Go(c.base + "/runs")
	tab.Look("runs")
	tab.Go(c.base + "/settings")
	tab.Look("settings")
	tab.Go(c.base + "/guide")
	tab.Press(".topics a[href='/guide/reasons']")
	if got := tab.Text("h1"); got != "Every reason code, with an example and what to do" {
		t.Errorf("the page of the guide says %q", got)
	}
	tab.Look("guide")
	tab.Go(c.base + "/audit")
	if got := tab.Text("tbody tr"); !strings.Contains(got, "Ines") || !strings.Contains(got, "sign in") {
		t.Errorf("the audit begins with %q", got)
	}
	tab.Look("audit")
	tab.Go(c.base + "/settings")
	tab.Press(".lead a")
	tab.Press("main form button")
	if got := tab.Text("main"); !strings.Contains(got, "Nothing failed.") || !strings.Contains(got, "docketsync.db opens and can be written") {
		t.Errorf("the connection is %q", got)
	}
	tab.Look("connection")
	tab.Press(".person button")
	tab.Look("signin")
	tab.Quiet(c.base)
	answer, err := http.Get(c.base + "/settings")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.Request.URL.Path != "/sign-in" {
		t.Errorf("without a session, %s was shown", answer.Request.URL)
	}
}
