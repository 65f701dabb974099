//go:build unix

package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// caller is a browser without pages, whose cookies go to all consoles of a host, as behind one address.
type caller struct {
	t *testing.T
	*http.Client
}

func newCaller(t *testing.T, trusts *x509.CertPool) *caller {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &caller{t, &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusts}}}}
}

// sees is the page at an address, and where redirects led.
func (v *caller) sees(address string) (page, path string, status int) {
	v.t.Helper()
	return v.read(v.Get(address))
}

// posts sends a form, with the token of the page that was shown.
func (v *caller) posts(address, page string, form url.Values) (answer, path string, status int) {
	v.t.Helper()
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		v.t.Fatalf("there is no form in %s", page)
	}
	form.Set("token", token[1])
	return v.read(v.PostForm(address, form))
}

func (v *caller) read(answer *http.Response, err error) (page, path string, status int) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(text), answer.Request.URL.Path, answer.StatusCode
}

// twoConsoles starts the consoles of two machines, each with a folder of its own, over one ledger.
func twoConsoles(t *testing.T) (first, second *openConsole, trusts *x509.CertPool) {
	t.Helper()
	server, dir := startDatabase(t), t.TempDir()
	box := startSandbox(t, dir)
	writeCrashFirm(t, dir, box, 3)
	trusts = writeCertificate(t, dir)
	appendConfig(t, dir, "ledger: "+server.dsn()+"\n"+consoleUsers("  tls: {cert: cert.pem, key: key.pem}\n"))
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return startConsole(t, dir), startConsole(t, other), trusts
}

// TestTwoConsolesAreOne has people use the consoles of two machines as one: a sign-in that was begun at one is finished at the other, and counts at both, and
// so does its end. Tries that were used up at one are used up at both.
func TestTwoConsolesAreOne(t *testing.T) {
	t.Parallel()
	a, b, trusts := twoConsoles(t)
	ines := newCaller(t, trusts)
	form, _, _ := ines.sees(a.base + "/sign-in")
	_, _, status := ines.posts(b.base+"/sign-in", form, url.Values{"name": {"Ines"}, "password": {operatorPassword}, "to": {"/runs"}})
	if status != http.StatusOK {
		t.Fatalf("the form of one console at the other: %d", status)
	}
	for _, c := range []*openConsole{a, b} {
		if page, path, _ := ines.sees(c.base + "/runs"); path != "/runs" || !strings.Contains(page, "Ines") {
			t.Fatalf("%s shows %s", c.base, path)
		}
	}
	sessions, _, _ := ines.sees(a.base + "/sessions")
	if n := strings.Count(sessions, `data-label="from"`); n != 1 {
		t.Errorf("%d sessions are listed:\n%s", n, sessions)
	}
	page, _, _ := ines.sees(a.base + "/runs")
	ines.posts(a.base+"/sign-out", page, url.Values{})
	for _, c := range []*openConsole{b, a} {
		if _, path, _ := ines.sees(c.base + "/runs"); path != "/sign-in" {
			t.Errorf("signed out, %s shows %s", c.base, path)
		}
	}

	stranger := newCaller(t, trusts)
	form, _, _ = stranger.sees(a.base + "/sign-in")
	var got []int
	for n := range 8 {
		_, _, status := stranger.posts([]string{a.base, b.base}[n%2]+"/sign-in", form, url.Values{"name": {"victor"}, "password": {fmt.Sprint("guess ", n)}})
		got = append(got, status)
	}
	if want := "[401 401 401 401 401 401 429 429]"; fmt.Sprint(got) != want {
		t.Errorf("tries at both in turn: %v, want %s", got, want)
	}
}

// TestAReportIsAtEachConsole has a run that was made on one machine looked at on another, which has none of its files.
func TestAReportIsAtEachConsole(t *testing.T) {
	t.Parallel()
	a, b, trusts := twoConsoles(t)
	cases, err := os.ReadFile(filepath.Join(a.dir, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, a.dir, "cases.csv", string(cases)+",Without a number\n")
	run := exec.Command("docketsync", "run", "cases")
	run.Dir, run.Env = a.dir, environment()
	if out, _ := run.CombinedOutput(); run.ProcessState.ExitCode() != exit.Rejects {
		t.Fatalf("exit status %d: %s", run.ProcessState.ExitCode(), out)
	}
	victor := newCaller(t, trusts)
	form, _, _ := victor.sees(b.base + "/sign-in")
	page, _, _ := victor.posts(b.base+"/sign-in", form, url.Values{"name": {"Victor"}, "password": {viewerPassword}, "to": {"/runs"}})
	link := regexp.MustCompile(`href="(/runs/[^"/]+)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no run is shown:\n%s", page)
	}
	page, _, _ = victor.sees(b.base + link[1])
	for _, file := range []string{"report.html", "rejects.xlsx"} {
		if !strings.Contains(page, file) {
			t.Errorf("%s is not offered:\n%s", file, page)
		}
		if text, _, status := victor.sees(b.base + link[1] + "/files/" + file); status != http.StatusOK || len(text) < 1000 {
			t.Errorf("%s: %d, %d bytes", file, status, len(text))
		}
	}
}
