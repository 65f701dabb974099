package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/report"
)

// awkwardFirm is a firm with a run behind it whose numbers are all different: created, rejected for two causes, and skipped rows.
func awkwardFirm(t *testing.T) (c *openConsole, runs struct {
	Runs []struct {
		report.Summary
		Reports report.Files
	}
}) {
	t.Helper()
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
	if code != exitRejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	if err := json.Unmarshal([]byte(out), &runs); err != nil {
		t.Fatal(err)
	}
	return startConsole(t, dir), runs
}

func TestConsoleSaysWhatTheCommandsSay(t *testing.T) {
	t.Parallel()
	c, said := awkwardFirm(t)
	s := said.Runs[0].Summary
	tab := c.signedIn("Victor", viewerPassword)
	if got := tab.Text("h1"); got != "1 job needs attention." {
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
	put := func(name string, n int) { want = append(want, fmt.Sprintf("%s %s", name, report.Thousands(n))) }
	put("read", s.Rows.Read)
	for _, skip := range s.Rows.Skipped {
		put("left out: "+skip.Reason+" −", skip.Rows)
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
		if got := tab.Text(fmt.Sprintf(".causes li:nth-child(%d)", n+1)); !strings.Contains(got, message) || !strings.HasPrefix(got, report.Thousands(cause.Rows)+" row") {
			t.Errorf("cause %d is shown as %q, and is %+v", n+1, got, cause)
		}
	}
	tab.Look("run-rejects")
	tab.Quiet(c.base)
}

// The report works in the console as it does from a folder, and can do nothing in anybody's name there.
func TestConsoleOpensReports(t *testing.T) {
	t.Parallel()
	c, said := awkwardFirm(t)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/runs/" + said.Runs[0].Run.ID)
	tab.Press(`a[href$="report.html"]`)
	tab.Until(`document.documentElement.dataset.readyMs !== undefined`)
	if got := tab.Text(".status"); !strings.Contains(got, "of 1,238 records") {
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
		if strings.Contains(path, "/files/") {
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

// A console that answers this machine alone lets in who is there, and nobody else's pages.
func TestConsoleWithoutSignIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 1)
	appendConfig(t, dir, "console: {listen: '127.0.0.1:0'}\n")
	c := startConsole(t, dir)
	request, err := http.NewRequest(http.MethodGet, c.base+"/runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{request.Host: 200, "firm.example": 421} {
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
}
