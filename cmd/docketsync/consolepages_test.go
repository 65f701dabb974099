package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/atomicfile"
	"docketsync/importer/browsertest"
	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

// TestConsoleOfAFirmWithARun looks at the console of a firm with a run behind it whose numbers are all different: created, rejected for
// two causes, and skipped rows.
func TestConsoleOfAFirmWithARun(t *testing.T) {
	t.Parallel()
	browsertest.Open(t) // skips the whole, rather than one of its parts, where there is no browser
	dir, _ := writeConsoleFirm(t, 0)
	rows := "Ref,Title\n"
	for n := range 1234 {
		rows += fmt.Sprintf("M-%05d,Case %d\n", n, n)
	}
	rows += "\n" + strings.Repeat(",<script>alert(1)</script>\n", 3) + "M-L,=" + strings.Repeat("long ", 60) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "cases.csv"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := program(t, dir, "run", "--json", "--quiet")
	if code != exit.Rejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	var said struct {
		Runs []struct{ report.Summary }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatal(err)
	}
	c := startConsole(t, dir)
	t.Run("says what the commands say", func(t *testing.T) { saysWhatTheCommandsSay(t, c, said.Runs[0].Summary) })
	t.Run("opens reports", func(t *testing.T) { opensReports(t, c, said.Runs[0].Summary) })
}

func saysWhatTheCommandsSay(t *testing.T, c *openConsole, s report.Summary) {
	tab := c.signedIn("Victor", viewerPassword)
	if got := tab.Text("h1"); got != "cases needs attention: 3 records of cases.csv need correcting." {
		t.Errorf("the first page says %q", got)
	}
	if got := tab.Text(".job .figures"); strings.Join(strings.Fields(got), " ") != "1,235 created 3 rejected" {
		t.Errorf("the job's numbers are %q", got)
	}
	tab.Go(c.base + "/runs")
	if got := tab.Eval(`[...document.querySelectorAll("tbody tr:first-child td.num")].map((e) => e.innerText).join("|")`); got != "1,235|||3|||" {
		t.Errorf("the list of runs says %q", got)
	}
	tab.Press("tbody a")
	if got := tab.Text("h1"); got != s.Verdict {
		t.Errorf("the page says %q, --json %q", got, s.Verdict)
	}
	var want []string
	put := func(name string, n int) { want = append(want, fmt.Sprintf("%s %s", name, wording.Thousands(n))) }
	put("read", s.Rows.Read)
	for _, skip := range s.Rows.Skipped {
		put("skipped: "+skip.Reason+" −", skip.Rows)
	}
	put("in records", s.Rows.InRecords)
	for _, count := range s.Records.ByOutcome {
		if count.Records > 0 {
			put(count.Outcome.Words(), count.Records)
		}
	}
	put("all records", s.Records.Total)
	got := tab.Eval(`[...document.querySelectorAll(".accounts tr")].map((e) => e.innerText.replace(/\s+/g, " ").trim()).join("\n")`)
	if got != strings.Join(want, "\n") {
		t.Errorf("the page counts\n%s\n--json says\n%s", got, strings.Join(want, "\n"))
	}
	if got := tab.Count(".causes li"); got != fmt.Sprint(len(s.Causes)) {
		t.Errorf("the page has %s causes, --json %d", got, len(s.Causes))
	}
	for n, cause := range s.Causes {
		message, _ := cause.Said()
		if got := tab.Text(fmt.Sprintf(".causes li:nth-child(%d)", n+1)); !strings.Contains(got, message) || !strings.HasPrefix(got, wording.Thousands(cause.Rows)+" row") {
			t.Errorf("cause %d is shown as %q, and is %+v", n+1, got, cause)
		}
	}
	tab.Look("run-rejects")
	tab.Quiet(c.base)
}

// The report works in the console as it does from a folder, and can do nothing in anybody's name there.
func opensReports(t *testing.T, c *openConsole, s report.Summary) {
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/runs/" + s.Run.ID)
	tab.Press(`a[href$="report.html"]`)
	tab.Until(`document.documentElement.dataset.readyMs !== undefined`)
	if got := tab.Text(".status"); !strings.Contains(got, "of 1,003 records") {
		t.Errorf("the report says %q", got)
	}
	if got := tab.Eval(`fetch("/runs").then((r) => r.status, () => "refused")`); got != "refused" {
		t.Errorf("the report can read pages of the console: %s", got)
	}
	if got := tab.Eval(`(() => { try { return document.cookie + "!" } catch { return "refused" } })()`); got != "refused" {
		t.Errorf("the report has the origin of the console: %s", got)
	}
}

// secretsOfAFirm are those of writeSecretFirm.
var secretsOfAFirm = []string{"key-Zw81xQ", "cookie-Yt55pL", "oidc-Kd90wS", "hook-Bn42rT"}

// No page and no file of the console, nor its log, has a secret in it: not the service's, not the console's.
func TestConsoleKeepsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 5)
	for n, name := range []string{"key", "cookie", "oidc", "hook"} {
		text := secretsOfAFirm[n]
		if name == "hook" {
			text = "https://127.0.0.1:9/" + text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("{env: NO_KEY, default: key}", "{file: key}", "{env: NO_COOKIE, default: cookie}", "{file: cookie}").Replace(string(text))
	changed += consoleUsers("  url: http://127.0.0.1\n  oidc: {issuer: 'https://login.invalid', client_id: docketsync, client_secret: {file: oidc}, claim: groups, operators: [clerks]}\n") +
		"notify: {channels: {hook: {webhook: {file: hook}}}}\n"
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, dir, "run", "--quiet")
	c := startConsole(t, dir)
	port := c.base
	tab := c.signedIn("Ines", operatorPassword)
	var everything strings.Builder
	visited := map[string]bool{}
	waiting := []string{"/", "/runs?all=yes", "/settings", "/audit", "/nowhere", "/sign-in/provider"}
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		if visited[path] {
			continue
		}
		visited[path] = true
		everything.WriteString(tab.Eval(fmt.Sprintf(`fetch(%q).then((r) => r.text())`, port+path)))
		if strings.Contains(path, "/files/") || strings.HasPrefix(path, "/audit/export") {
			continue
		}
		tab.Go(port + path)
		links := tab.Eval(`[...document.querySelectorAll("a[href^='/']")].map((e) => e.getAttribute("href")).join("\n")`)
		waiting = append(waiting, strings.Fields(links)...)
	}
	if len(visited) < 10 {
		t.Errorf("only these pages were found: %v", visited)
	}
	everything.WriteString(c.said())
	for _, secret := range append(secretsOfAFirm, operatorHash, viewerHash, operatorPassword) {
		if strings.Contains(everything.String(), secret) {
			t.Errorf("%s is shown somewhere", secret)
		}
	}
	if got := strings.Count(everything.String(), "[hidden]"); got < 6 {
		t.Errorf("secrets are hidden %d times only", got)
	}
}

// localConsole is a console in which nobody signs in.
func localConsole(t *testing.T, listen string) *openConsole {
	t.Helper()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 1)
	appendConfig(t, dir, "console: {listen: '"+listen+"'}\n")
	return startConsole(t, dir)
}

// A console that answers this machine alone lets in the browser that opens the printed address, and no other user of the machine.
func TestConsoleWithoutSignIn(t *testing.T) {
	t.Parallel()
	c := localConsole(t, "127.0.0.1:0")
	strangers := func(host string, want int) {
		t.Helper()
		request, err := http.NewRequest(http.MethodGet, c.base+"/runs", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s is answered with %d, want %d", host, answer.StatusCode, want)
		}
	}
	strangers("", 401)
	strangers("firm.example", 421)
	tab := browsertest.Open(t)
	tab.Go(c.open)
	if got := tab.Eval(`location.pathname + location.search + history.length`); !strings.HasPrefix(got, "/") || strings.Contains(got, "token") {
		t.Errorf("the address bar has %s", got)
	}
	if got := tab.Text(".person"); !strings.Contains(got, "operator") {
		t.Errorf("the page says %q of who is there", got)
	}
	tab.Go(c.base + "/sessions")
	tab.Look("sessions-local")
	tab.Quiet(c.base)
	used := c.open
	if c.listen(); c.open == used {
		t.Errorf("the next address is the one before: %s", c.open)
	}
	other := browsertest.Open(t)
	other.Go(used)
	if got := other.Text("h1"); got != "Only the person who started the console can open it." {
		t.Errorf("the used address shows %q", got)
	}
	other.Shoot("uninvited")
	other.Go(c.open)
	if got := other.Text(".person"); !strings.Contains(got, "operator") {
		t.Errorf("the next address shows %q", got)
	}
}

// A socket lets in its owner, by its rights; what a console that was killed left there is replaced, and one in use is not.
func TestConsoleOnASocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "console.sock")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	c := localConsole(t, "unix:"+path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || c.base != "unix:"+path || c.open != "" {
		t.Errorf("%v, %v, at %s %s", info, err, c.base, c.open)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	for address, want := range map[string]int{"http://localhost:8180/runs": 200, "http://evil.example/runs": 421} {
		answer, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s is answered with %d, want %d", address, answer.StatusCode, want)
		}
	}
	if code, out := program(t, c.dir, "console"); code != exit.CouldNotRun || !strings.Contains(out, "Is another console running?") {
		t.Errorf("a second one ended with %d:\n%s", code, out)
	}
}

// Who is in the configuration by now counts without a restart, and one that is broken is told on the first page.
func TestConsoleTakesUpItsConfiguration(t *testing.T) {
	t.Parallel()
	dir, _ := writeConsoleFirm(t, 1)
	c := startConsole(t, dir)
	ines, victor := c.signedIn("Ines", operatorPassword), c.signedIn("Victor", viewerPassword)
	ines.Go(c.base + "/sessions")
	ines.Look("sessions")
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, by string) {
		if err := atomicfile.Put(path, 0o600, []byte(strings.Replace(string(text), old, by, 1))); err != nil {
			t.Fatal(err)
		}
	}
	change("name: Victor", "name: Viktor")
	until(t, victor, `fetch("/runs").then((r) => r.url.includes("/sign-in"))`)
	change("role: operator", "roll: operator")
	ines.Go(c.base + "/")
	if got := ines.Text("h1"); got != "The configuration has errors." {
		t.Errorf("the first page begins with %q", got)
	}
	if got := ines.Text("pre.said"); !strings.Contains(got, "roll") || strings.Contains(got, "argon2id") {
		t.Errorf("the first page says\n%s", got)
	}
	ines.Look("overview-broken")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, ines, `fetch("/").then((r) => r.text()).then((t) => !t.includes("The configuration has errors."))`)
	c.signedIn("Victor", viewerPassword)
}

// until asks a page for a promise again and again until it is kept.
func until(t *testing.T, tab *browsertest.Tab, promise string) {
	t.Helper()
	for late := time.Now().Add(time.Minute); tab.Eval(promise) != "true"; {
		if time.Now().After(late) {
			t.Fatalf("waiting for %s", promise)
		}
	}
}
