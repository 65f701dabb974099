//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
	"docketsync/importer/console"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
)

// doorOfFirms is the configuration of a console of several firms.
const doorOfFirms = `firms: firms
console:
  listen: 127.0.0.1:0
  users:
    - {name: Ines, password: '` + operatorHash + `'}
    - {name: Victor, password: '` + viewerHash + `'}
    - {name: Olga, password: '` + operatorHash + `'}
    - {name: Nobody, password: '` + viewerHash + `'}
`

// firmsConsole is a console of several firms: Ines sees acme alone, Victor looks at acme and operates quillon, Olga operates both, and Nobody sees none.
type firmsConsole struct {
	*openConsole
	box box
}

// whoSees is the console section of each firm.
var whoSees = map[string]string{
	"acme":    "{name: ines, role: operator}, {name: victor, role: viewer}, {name: olga, role: operator}",
	"quillon": "{name: victor, role: operator}, {name: olga, role: operator}",
}

func secretOf(firm string) string { return "key-canary-" + strings.ToUpper(firm) + "-77af" }
func clientOf(firm string) string { return "Canary client of " + strings.ToUpper(firm) }

// addFirm makes the folder of a firm that has a run behind it, with a case that is rejected.
func (c *firmsConsole) addFirm(t *testing.T, name, sees string) {
	t.Helper()
	dir := filepath.Join(c.dir, "firms", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeCrashFirm(t, dir, c.box, 0)
	write(t, dir, "cases.csv", "Ref,Title\n"+name+"-1,"+clientOf(name)+"\n"+name+"-2,\n")
	write(t, dir, "key", secretOf(name))
	text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", strings.Replace(string(text), "{env: NO_KEY, default: key}", "{file: key}", 1)+"console: {sign_in: firms, users: ["+sees+"]}\n")
	if code, out := program(t, dir, "run"); code != exit.Rejects {
		t.Fatalf("the run of %s ended with %d:\n%s", name, code, out)
	}
}

// newFirmsConsole starts one over two firms, and two more that it cannot show.
func newFirmsConsole(t *testing.T, within ...string) *firmsConsole {
	t.Helper()
	dir := t.TempDir()
	c := &firmsConsole{openConsole: &openConsole{dir: dir}, box: startSandbox(t, dir)}
	write(t, dir, "docketsync.yaml", doorOfFirms)
	for _, name := range []string{"acme", "quillon"} {
		c.addFirm(t, name, whoSees[name])
	}
	for name, text := range map[string]string{
		"hollis": "labels: {region: eu}\nservice: {base_url: https://h.example, subscription_key: {file: missing}}\nconsole: {sign_in: firms, users: [{name: ines, role: operator}]}\n",
		"wexler": "jobz: []\n",
	} {
		if err := os.Mkdir(filepath.Join(dir, "firms", name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "firms", name), "docketsync.yaml", text)
	}
	c.openConsole = startConsole(t, dir, within...)
	return c
}

// someone is somebody at a console, who is led nowhere.
type someone struct {
	t    *testing.T
	base string
	http http.Client
}

func (c *openConsole) someone(t *testing.T) *someone {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &someone{t, c.base, http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// as signs somebody in.
func (c *openConsole) as(t *testing.T, name string) *someone {
	t.Helper()
	v := c.someone(t)
	password := operatorPassword
	if name == "Victor" || name == "Nobody" {
		password = viewerPassword
	}
	_, _, form := v.ask("GET", "/sign-in", nil)
	if status, _, text := v.ask("POST", "/sign-in", url.Values{"token": {pagetest.Token(t, form)}, "name": {name}, "password": {password}, "to": {"/"}}); status != http.StatusSeeOther {
		t.Fatalf("%s could not sign in: %d\n%s", name, status, text)
	}
	return v
}

func (v *someone) ask(method, path string, form url.Values, headers ...string) (status int, head http.Header, text string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for n := 0; n+1 < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	answer, err := v.http.Do(r)
	text = pagetest.Text(v.t, answer, err)
	answer.Header.Del("Date")
	return answer.StatusCode, answer.Header, text
}

func (v *someone) sees(path string) string {
	v.t.Helper()
	status, _, text := v.ask("GET", path, nil)
	if status != http.StatusOK {
		v.t.Errorf("%s: %d\n%s", path, status, text)
	}
	return text
}

// order sends the form of a page that asks for something as it stands there.
func (v *someone) order(page, what string) {
	v.t.Helper()
	shown, form := v.sees(page), url.Values{}
	found := regexp.MustCompile(`<form[^>]*action="([^"]*/` + what + `)"(?s:.*?)</form>`).FindStringSubmatch(shown)
	if found == nil {
		v.t.Fatalf("there is nothing to %s on\n%s", what, shown)
	}
	for _, hidden := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(found[0], -1) {
		form.Set(hidden[1], hidden[2])
	}
	if status, _, text := v.ask("POST", found[1], form); status != http.StatusSeeOther {
		v.t.Fatalf("%s: %d\n%s", what, status, text)
	}
}

// routesOfAFirm are paths for all routes of a console, each with its method.
func routesOfAFirm(t *testing.T) (list [][2]string) {
	t.Helper()
	server, err := console.New(t.Context(), console.Options{Log: zap.NewNop(), Uploads: &upload.Store{}, SignIn: signin.Options{Idle: time.Hour, Lifetime: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range server.Routes() {
		method, path, _ := strings.Cut(pattern, " ")
		path = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.TrimSuffix(path, "{$}"), "cases")
		list = append(list, [2]string{method, path})
	}
	if len(list) < 40 {
		t.Fatalf("there are only %d routes", len(list))
	}
	return append(list, [2]string{"GET", ""}, [2]string{"HEAD", "/"}, [2]string{"PUT", "/runs"}, [2]string{"DELETE", "/"}, [2]string{"OPTIONS", "/"},
		[2]string{"GET", "//runs"}, [2]string{"GET", "/runs%2f"}, [2]string{"GET", "/assets/console.css"}, [2]string{"POST", "/nowhere"})
}

// TestNobodyLearnsOfAnotherFirm asks for every route of a firm that somebody may not see, and of one that there is not: the answers are the same to the byte.
func TestNobodyLearnsOfAnotherFirm(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	const exists, none = "quillon", "quinton"
	olga := c.as(t, "Olga")
	token := pagetest.Token(t, olga.sees("/firms/"+exists+"/"))
	for who, v := range map[string]*someone{"Ines": c.as(t, "Ines"), "Nobody": c.as(t, "Nobody"), "somebody who is not signed in": c.someone(t)} {
		for _, route := range routesOfAFirm(t) {
			for _, headers := range [][]string{nil, {"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Site", "cross-site", "Origin", "https://elsewhere.example"}} {
				type answer struct {
					status int
					head   http.Header
					text   string
				}
				ask := func(firm string) (a answer) {
					var form url.Values
					if route[0] == "POST" {
						form = url.Values{"token": {token}}
					}
					a.status, a.head, a.text = v.ask(route[0], "/firms/"+firm+route[1], form, headers...)
					for n, to := range a.head["Location"] { // what the browser asked for itself
						a.head["Location"][n] = strings.Replace(to, firm, "FIRM", 1)
					}
					if a.status < 300 && a.status != http.StatusOK || a.status == http.StatusOK && route[0] != "HEAD" {
						t.Errorf("%s: %s %s of %s is answered with %d", who, route[0], route[1], firm, a.status)
					}
					if a.status == http.StatusMovedPermanently || a.status == http.StatusTemporaryRedirect || a.status == http.StatusPermanentRedirect { // net/http says where to
						a.text = strings.Replace(a.text, firm, "FIRM", 1)
					} else if a.status == http.StatusSeeOther {
						a.text = strings.Replace(a.text, firm, "FIRM", 1)
					}
					return a
				}
				first, second := ask(exists), ask(none)
				if first.status != second.status || first.text != second.text || fmt.Sprint(first.head) != fmt.Sprint(second.head) {
					t.Errorf("%s: %s %s %v is answered with\n%d %v\n%s\nand of a firm that there is not with\n%d %v\n%s", who, route[0], route[1], headers,
						first.status, first.head, first.text, second.status, second.head, second.text)
				}
			}
		}
	}
	// What is a firm's own stays there, also where a page of another one is all that somebody can get at.
	v := c.as(t, "Ines")
	seen := map[string]string{}
	for waiting := []string{"/", "/firms/", "/firms/acme/", "/firms/acme/runs?all=yes", "/firms/acme/records?q=quillon-1", "/firms/acme/records/of?scope=create_case&key=quillon-1", "/sign-in"}; len(waiting) > 0; waiting = waiting[1:] {
		path := waiting[0]
		if _, known := seen[path]; known {
			continue
		}
		_, head, text := v.ask("GET", path, nil)
		seen[path] = fmt.Sprint(head) + text
		if !strings.HasPrefix(head.Get("Content-Type"), "text/html") || strings.Contains(path, "/files/") {
			continue
		}
		for _, found := range regexp.MustCompile(`(href|action|src|data-poll|formaction)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			to := strings.ReplaceAll(found[2], "&amp;", "&")
			switch {
			case to == "/", strings.HasPrefix(to, "/assets/"), strings.HasPrefix(to, "#"), to == "data:,", strings.HasPrefix(to, "?"), to == "/sign-in", to == "/sign-out" && !strings.HasPrefix(path, "/firms/acme/"):
			case !strings.HasPrefix(to, "/firms/acme/"):
				t.Errorf("%s leads to %s, out of the firm", path, to)
			}
			if found[1] != "action" && strings.HasPrefix(to, "/") {
				waiting = append(waiting, to)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only these pages were found: %v", slices.Sorted(maps.Keys(seen)))
	}
	all := strings.Join(slices.Collect(maps.Values(seen)), "\n")
	if !strings.Contains(all, clientOf("acme")) || !strings.Contains(all, "acme-2") {
		t.Error("the pages hold nothing of acme, so they prove nothing")
	}
	for _, foreign := range []string{clientOf("quillon"), secretOf("quillon"), secretOf("acme"), "hollis", "wexler"} {
		if strings.Contains(all, foreign) {
			t.Errorf("a page for Ines has %s", foreign)
		}
	}
	for path, text := range seen {
		if strings.Contains(strings.ReplaceAll(text, "quillon-1", ""), "quillon") {
			t.Errorf("%s names quillon", path)
		}
	}
	for _, name := range []string{"acme", "quillon"} {
		if said := c.said(); strings.Contains(said, secretOf(name)) || strings.Contains(said, clientOf(name)) {
			t.Errorf("the log has something of %s:\n%s", name, said)
		}
	}
	if said := c.said(); !strings.Contains(said, "wexler cannot be used, so nobody sees the firm") || !strings.Contains(said, "jobz") || strings.Contains(said, "hollis") {
		t.Errorf("of the firms that cannot be shown, the log says\n%s", said)
	}
	if got := olga.sees("/"); strings.Contains(got, "hollis") || strings.Contains(got, "wexler") || !strings.Contains(got, "acme") || !strings.Contains(got, "quillon") {
		t.Errorf("Olga sees\n%s", got)
	}
}

// TestEachFirmSaysWhoMayDoWhat has one person be a viewer in one firm and an operator in another. A form of one is of no use in the other, and signing out ends all.
func TestEachFirmSaysWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	ines := c.as(t, "Ines")
	for _, short := range []string{"/firms", "/firms/"} {
		if status, head, _ := ines.ask("GET", short, nil); status != http.StatusSeeOther || head.Get("Location") != "/" {
			t.Errorf("%s leads to %q with status %d", short, head.Get("Location"), status)
		}
	}
	_, _, strange := ines.ask("GET", "/firms/quinton/runs", nil)
	if status, _, text := ines.ask("GET", "/firms/a%63me/runs", nil); status != http.StatusNotFound || text != strange {
		t.Errorf("the name of the firm spelled with an escape: %d, %s", status, text)
	}
	if status, head, _ := ines.ask("GET", "/", nil); status != http.StatusSeeOther || head.Get("Location") != "/firms/acme/" {
		t.Errorf("who sees one firm is led to %d %s", status, head.Get("Location"))
	}
	if got := c.as(t, "Nobody").sees("/"); !strings.Contains(got, "Your account has no access to any firm.") {
		t.Errorf("who sees no firm sees\n%s", got)
	}
	victor := c.as(t, "Victor")
	acme, quillon := victor.sees("/firms/acme/jobs/cases"), victor.sees("/firms/quillon/jobs/cases")
	if !strings.Contains(acme, "<small>viewer</small>") || !strings.Contains(quillon, "<small>operator</small>") {
		t.Errorf("Victor is\n%s\nand\n%s", acme, quillon)
	}
	order := func(firm, token string) (int, string) {
		after := regexp.MustCompile(`name="after" value="([^"]*)"`).FindStringSubmatch(quillon)
		if after == nil {
			t.Fatalf("nothing can be ordered on\n%s", quillon)
		}
		status, head, text := victor.ask("POST", "/firms/"+firm+"/jobs/cases/plan", url.Values{"token": {token}, "after": {after[1]}})
		return status, head.Get("Location") + text
	}
	if status, said := order("acme", pagetest.Token(t, acme)); status != http.StatusForbidden || !strings.Contains(said, "Only operators can do this.") {
		t.Errorf("a viewer's order: %d\n%s", status, said)
	}
	if status, said := order("quillon", pagetest.Token(t, acme)); status != http.StatusForbidden || !strings.Contains(said, "This form belongs to another session.") {
		t.Errorf("an order with a form of another firm: %d\n%s", status, said)
	}
	if status, to := order("quillon", pagetest.Token(t, quillon)); status != http.StatusSeeOther || to != "/firms/quillon/jobs/cases" {
		t.Errorf("an operator's order: %d %s", status, to)
	}
	// A notice is for the firm that it is of.
	olga := c.as(t, "Olga")
	run := regexp.MustCompile(`href="(/firms/acme/runs/[^"/]+)"`).FindStringSubmatch(olga.sees("/firms/acme/runs"))
	if status, head, text := olga.ask("POST", run[1]+"/files", url.Values{"token": {pagetest.Token(t, olga.sees(run[1]))}}); status != http.StatusSeeOther || head.Get("Location") != run[1] {
		t.Errorf("the files were written again with %d %v %s", status, head, text)
	}
	const notice = "The files have been written again."
	if strings.Contains(olga.sees("/firms/quillon/"), notice) || strings.Contains(olga.sees("/"), notice) || !strings.Contains(olga.sees(run[1]), notice) {
		t.Error("the notice of one firm is shown elsewhere, or nowhere")
	}
	if got := olga.sees("/firms/acme/audit"); !strings.Contains(got, "Olga") || strings.Contains(got, "sign in") {
		t.Errorf("the audit of acme is\n%s", got)
	}
	if status, _, _ := olga.ask("GET", "/firms/acme/sessions", nil); status != http.StatusNotFound {
		t.Errorf("a firm shows who is signed in: %d", status)
	}
	olga.ask("POST", "/firms/acme/sign-out", url.Values{"token": {pagetest.Token(t, olga.sees("/firms/acme/"))}})
	for _, path := range []string{"/", "/firms/acme/runs", "/firms/quillon/runs"} {
		if status, head, _ := olga.ask("GET", path, nil); status != http.StatusSeeOther || !strings.HasPrefix(head.Get("Location"), "/sign-in?to=") {
			t.Errorf("signed out, %s is answered with %d", path, status)
		}
	}
	if code, out := program(t, c.dir, "audit"); code != exit.AllIn || !strings.Contains(out, "Olga") || !strings.Contains(out, "sign_in") {
		t.Errorf("who signed in: %d\n%s", code, out)
	}
}

// hangUp has the console look at the folder now, and close the firms that nobody looks at.
func (c *firmsConsole) hangUp() {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		c.t.Fatal(err)
	}
}

// await waits until something is so, and has the console look at the folder meanwhile.
func (c *firmsConsole) await(what string, so func() bool) {
	c.t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for end := time.After(time.Minute); !so(); {
		c.hangUp()
		select {
		case <-look.C:
		case <-end:
			c.t.Fatalf("%s: not in time\n%s", what, c.said())
		}
	}
}

// TestFirmsComeAndGo adds and removes firms, and changes who may see one, while the console is up. A firm that nobody looks at is closed, one whose configuration breaks
// stays with those who saw it.
func TestFirmsComeAndGo(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	ines, olga := c.as(t, "Ines"), c.as(t, "Olga")
	olga.sees("/firms/quillon/")
	c.await("the idle firm", func() bool { return strings.Contains(c.said(), "the console of a firm was closed") })
	if got := olga.sees("/firms/quillon/runs"); !strings.Contains(got, "/firms/quillon/runs/") {
		t.Errorf("opened again, it shows\n%s", got)
	}
	sees := func(v *someone, path string, want int) func() bool {
		return func() bool { status, _, _ := v.ask("GET", path, nil); return status == want }
	}
	c.addFirm(t, "ternary", "{name: ines, role: viewer}")
	c.await("the new firm", sees(ines, "/firms/ternary/", http.StatusOK))
	if list := ines.sees("/"); !strings.Contains(list, "ternary") || strings.Contains(olga.sees("/"), "ternary") {
		t.Errorf("Ines sees\n%s", list)
	}
	dir := filepath.Join(c.dir, "firms", "ternary")
	text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", string(text)+"jobz: []\n")
	c.await("the broken firm", func() bool {
		return strings.Contains(c.said(), "ternary cannot be used; those who saw the firm still see it")
	})
	if list := ines.sees("/"); !strings.Contains(list, "There is a problem with this firm.") || strings.Contains(list, "jobz") {
		t.Errorf("a viewer is told\n%s", list)
	}
	acme := filepath.Join(c.dir, "firms", "acme")
	ofAcme, err := os.ReadFile(filepath.Join(acme, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, acme, "docketsync.yaml", string(ofAcme)+"jobz: []\n")
	c.await("the other broken firm", sees(ines, "/firms/acme/", http.StatusServiceUnavailable))
	if list := ines.sees("/"); strings.Count(list, "jobz: []\n") != 1 {
		t.Errorf("an operator is told\n%s", list)
	}
	write(t, dir, "docketsync.yaml", strings.Replace(string(text), "role: viewer", "role: operator", 1))
	c.await("the mended firm", func() bool { return strings.Contains(ines.sees("/firms/ternary/"), "<small>operator</small>") })
	write(t, dir, "docketsync.yaml", strings.Replace(string(text), "ines", "olga", 1))
	c.await("the firm is another's", sees(ines, "/firms/ternary/", http.StatusNotFound))
	c.await("the firm is another's", sees(olga, "/firms/ternary/", http.StatusOK))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	c.await("the firm that is gone", sees(olga, "/firms/ternary/", http.StatusNotFound))
}

// TestABrokenSharedConfigurationIsSaidToAll removes a user in an edit that breaks the shared configuration: all learn that accounts stay as they were, and those
// who operate all that they see learn why.
func TestABrokenSharedConfigurationIsSaidToAll(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	people := map[string]*someone{}
	for _, name := range []string{"Ines", "Victor", "Olga", "Nobody"} {
		people[name] = c.as(t, name)
	}
	const said = "Until this is fixed, the console keeps the users and the certificate"
	if got := people["Olga"].sees("/"); strings.Contains(got, said) {
		t.Errorf("before, the page is\n%s", got)
	}
	broken := regexp.MustCompile(`(?m)^.*Victor.*\n`).ReplaceAllString(doorOfFirms, "")
	write(t, c.dir, "docketsync.yaml", broken+"jobz: []\n")
	for name, one := range people {
		if got := one.sees("/"); !strings.Contains(got, said) || strings.Contains(got, "jobz") {
			t.Errorf("%s is told\n%s", name, got)
		}
	}
	c.await("why, in the log", func() bool { return strings.Contains(c.said(), "jobz") })
	write(t, c.dir, "docketsync.yaml", broken)
	if got := people["Olga"].sees("/"); strings.Contains(got, said) {
		t.Errorf("mended, the page is\n%s", got)
	}
	if status, head, _ := people["Victor"].ask("GET", "/", nil); status != http.StatusSeeOther || !strings.HasPrefix(head.Get("Location"), "/sign-in") {
		t.Errorf("who was removed is answered with %d %v", status, head)
	}
}

// TestWhatCouldNotRunIsSaidAfterAnIdleTime closes a firm after an order whose run could not be made, of which the ledger has nothing.
func TestWhatCouldNotRunIsSaidAfterAnIdleTime(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	if err := os.Remove(filepath.Join(c.dir, "firms", "acme", "cases.csv")); err != nil {
		t.Fatal(err)
	}
	olga := c.as(t, "Olga")
	olga.order("/firms/acme/jobs/cases", "plan")
	said := func() bool {
		return strings.Contains(olga.sees("/firms/acme/"), "cases needs attention: it could not run")
	}
	c.await("the order", said)
	c.await("the idle firm", func() bool { return strings.Contains(c.said(), "the console of a firm was closed") })
	if !said() {
		t.Errorf("opened again, the first page is\n%s", olga.sees("/firms/acme/"))
	}
}

// TestABusyFirmSaysThatItsConfigurationHasChanged changes the configuration of a firm during a run: its pages say so, and are of the new one once it has ended.
func TestABusyFirmSaysThatItsConfigurationHasChanged(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t)
	const said = "The configuration of this firm has changed."
	page := "/firms/acme/jobs/cases"
	dir := filepath.Join(c.dir, "firms", "acme")
	write(t, dir, "cases.csv", "Ref,Title\nacme-3,Another\n")
	olga := c.as(t, "Olga")
	olga.order(page, "plan")
	c.await("the plan", func() bool { return strings.Contains(olga.sees(page), "/carry-out") })
	c.box.misbehave(t, "slow=20s") // the configuration is looked at every ten seconds
	olga.order(page, "carry-out")
	c.await("the run", func() bool { return strings.Contains(olga.sees(page), `/stop"`) })
	text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", strings.Replace(string(text), "127.0.0.1", "localhost", 1))
	c.await("the change", func() bool { return strings.Contains(olga.sees("/firms/acme/runs"), said) })
	if strings.Contains(olga.sees("/firms/quillon/runs"), said) || strings.Contains(olga.sees("/"), said) {
		t.Error("another page says so as well")
	}
	c.box.behave(t)
	c.await("the end of the run", func() bool { return !strings.Contains(olga.sees("/firms/acme/runs"), said) })
	if got := olga.sees("/firms/acme/settings"); !strings.Contains(got, "localhost") {
		t.Errorf("after the run, the settings are\n%s", got)
	}
}

// TestLabelsBindFirmsToConsoles has a console with the label that a firm demands show it.
func TestLabelsBindFirmsToConsoles(t *testing.T) {
	t.Parallel()
	c := newFirmsConsole(t, "sh", "-c", `exec "$@" --label region=eu`, "sh")
	if got := c.as(t, "Ines").sees("/"); !strings.Contains(got, "hollis") {
		t.Errorf("Ines sees\n%s", got)
	}
}

// TestConsoleOfFirmsRefuses has configurations that say who signs in where in two ways.
func TestConsoleOfFirmsRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "firms", "acme"), 0o700); err != nil {
		t.Fatal(err)
	}
	user := "{name: Ines, password: '" + operatorHash + "'"
	for text, want := range map[string]string{
		"": "a console of several firms needs a sign-in",
		"console: {users: [" + user + ", role: viewer}]}":  "role belongs in the configuration of each firm",
		"console: {uploads: up, users: [" + user + "}]}":   "uploads belongs in the configuration of each firm",
		"console: {sign_in: firms, users: [{name: Ines}]}": "sign_in: firms belongs in the configuration of a firm",
	} {
		write(t, dir, "docketsync.yaml", "firms: firms\n"+text+"\n")
		if code, out := program(t, dir, "console"); code != exit.Usage || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s", text, code, out)
		}
	}
	write(t, filepath.Join(dir, "firms", "acme"), "docketsync.yaml", "service: {base_url: sandbox, paths: {update_case: /a, update_trademark: /b}}\nconsole: {sign_in: firms, users: [{name: ines, role: viewer}]}\n")
	if code, out := program(t, filepath.Join(dir, "firms", "acme"), "console"); code != exit.Usage || !strings.Contains(out, "people sign in to this firm at the console of all firms") {
		t.Errorf("the console of one of them alone: %d\n%s", code, out)
	}
	if code, out := program(t, filepath.Join(dir, "firms", "acme"), "console", "--label", "a=b"); code != exit.Usage {
		t.Errorf("--label without firms: %d\n%s", code, out)
	}
}

// TestConsoleOfFirmsInABrowser signs in, goes from one firm to another and back, and signs out.
func TestConsoleOfFirmsInABrowser(t *testing.T) {
	t.Parallel()
	browsertest.Open(t)
	c := newFirmsConsole(t)
	tab := c.signedIn("Olga", operatorPassword)
	if got := tab.Text("main"); !strings.Contains(got, "acme") || !strings.Contains(got, "quillon") {
		t.Errorf("the list is %q", got)
	}
	tab.Look("firms")
	tab.Press(`a[href="/firms/quillon/"]`)
	if got := tab.Text(".brand"); !strings.Contains(got, "quillon") {
		t.Errorf("the page does not say whose it is: %q", got)
	}
	tab.Look("firm")
	tab.Press(`nav a[href="/firms/quillon/runs"]`)
	tab.Press("tbody a")
	if got := tab.Text("main"); !strings.Contains(got, "1 of 2 matters was imported") {
		t.Errorf("the run is %q", got)
	}
	tab.Press(`a[href$="report.html"]`)
	tab.Until(`document.documentElement.dataset.readyMs !== undefined`)
	write(t, filepath.Join(c.dir, "firms", "quillon"), "cases.csv", "Ref,Title\nquillon-1,"+clientOf("quillon")+"\nquillon-3,Another\n")
	tab.Go(c.base + "/firms/quillon/jobs/cases")
	tab.Press(`form[action$="/plan"] button`)
	tab.Until(`document.body.innerText.includes("Send ")`)
	tab.Go(c.base + "/firms/quillon/import")
	tab.Upload(`input[type="file"]`, filepath.Join(c.dir, "firms", "quillon", "cases.csv"))
	tab.Press(`main form[enctype] button`)
	tab.Until(`location.pathname.startsWith("/firms/quillon/import/")`)
	tab.Press("nav a[href='/']")
	tab.Press(`a[href="/firms/acme/"]`)
	tab.Press(".person button")
	if got := tab.Eval(`location.pathname`); got != "/sign-in" {
		t.Errorf("signed out, the page is %s", got)
	}
	tab.Quiet(c.base)
}

// TestAPageOfARunGoesWithTheRightToSeeIt takes away the right to see a firm while a browser shows a run of it going on.
func TestAPageOfARunGoesWithTheRightToSeeIt(t *testing.T) {
	t.Parallel()
	browsertest.Open(t)
	c := newFirmsConsole(t)
	page, dir := "/firms/acme/jobs/cases", filepath.Join(c.dir, "firms", "acme")
	write(t, dir, "cases.csv", "Ref,Title\nacme-3,Another\n")
	tab, olga := c.signedIn("Olga", operatorPassword), c.as(t, "Olga")
	olga.order(page, "plan")
	c.await("the plan", func() bool { return strings.Contains(olga.sees(page), "/carry-out") })
	c.box.misbehave(t, "slow=8s")
	defer c.box.behave(t)
	olga.order(page, "carry-out")
	tab.Go(c.base + page)
	tab.Until(`document.querySelector("[data-poll]") !== null`)
	text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", strings.Replace(string(text), "name: olga", "name: otto", 1))
	c.hangUp()
	tab.Until(`document.body.innerText.includes("Page not found.")`)
}

// TestIdleFirmsLeaveTheDatabase counts the connections of a console whose firms are on a server.
func TestIdleFirmsLeaveTheDatabase(t *testing.T) {
	t.Parallel()
	c := newFirms(t, "", "acme", "quillon")
	write(t, c.dir, "docketsync.yaml", strings.Replace(doorOfFirms, "firms: firms\n", "firms: firms\nledger: "+c.server.DSN()+"\n", 1))
	for _, name := range []string{"acme", "quillon"} {
		path := filepath.Join(c.firm(name), "docketsync.yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte("ledger: {env: NODE_LEDGER}"), []byte("ledger: "+c.server.DSN()), 1)
		for _, secret := range []string{"KEY", "COOKIE"} {
			text = bytes.Replace(text, fmt.Appendf(nil, "{env: %s_%s}", strings.ToUpper(name), secret), []byte("{env: X, default: x}"), 1)
		}
		write(t, c.firm(name), "docketsync.yaml", string(text)+"console: {sign_in: firms, users: ["+whoSees[name]+"]}\n")
	}
	shown := &firmsConsole{openConsole: startConsole(t, c.dir)}
	connections := func() int {
		n, err := strconv.Atoi(c.server.Ask(c, `select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	olga := shown.as(t, "Olga")
	olga.sees("/")
	before := connections()
	olga.sees("/firms/acme/")
	olga.sees("/firms/quillon/")
	if open := connections(); open <= before {
		t.Errorf("%d connections with two firms open, %d with none", open, before)
	}
	shown.await("the connections", func() bool { return connections() <= before })
	if got := olga.sees("/firms/acme/"); !strings.Contains(got, "acme") {
		t.Errorf("opened again, it shows\n%s", got)
	}
}
