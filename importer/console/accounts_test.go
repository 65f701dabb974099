package console_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/importer/console"
	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
)

// registry is a configuration whose people change.
type registry struct {
	mu  sync.Mutex
	now signin.Accounts
	err error
}

func (r *registry) read() (signin.Accounts, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now, r.err
}

func (r *registry) set(a signin.Accounts, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now, r.err = a, err
}

// people are Ines and Victor with a role and a password each.
func people(ines, victor signin.Role, hashOfInes, hashOfVictor string) signin.Accounts {
	return signin.Accounts{Users: []signin.User{{Name: "Ines", Role: ines, Hash: hashOfInes}, {Name: "Victor", Role: victor, Hash: hashOfVictor}}}
}

// withJobs is people of whom Victor sees these jobs.
func withJobs(jobs ...string) signin.Accounts {
	a := people(signin.Operator, signin.Viewer, operatorHash, viewerHash)
	a.Users[1].Jobs = jobs
	return a
}

// changingWorld is a console whose people may change while it runs.
func changingWorld(t *testing.T) (*world, *registry) {
	t.Helper()
	r := &registry{now: people(signin.Operator, signin.Viewer, operatorHash, viewerHash)}
	return newWorld(t, func(o *console.Options) { o.SignIn.Accounts, o.SignIn.Reread = r.now, r.read }), r
}

// What the configuration says of somebody by now ends what rested on what it said before.
func TestChangedAccountsEndSessions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now         signin.Accounts
		ines        int // whether the sessions go on
		victor      int
		signIn      int // what becomes of Victor's former password
		asOperator  bool
		newPassword string
	}{
		"nothing changed":  {people(signin.Operator, signin.Viewer, operatorHash, viewerHash), 200, 200, 303, false, ""},
		"Victor is gone":   {signin.Accounts{Users: []signin.User{{Name: "Ines", Role: signin.Operator, Hash: operatorHash}}}, 200, 303, 401, false, ""},
		"another password": {people(signin.Operator, signin.Viewer, operatorHash, operatorHash), 200, 303, 401, false, operatorPassword},
		"another role":     {people(signin.Operator, signin.Operator, operatorHash, viewerHash), 200, 303, 303, true, viewerPassword},
		"other jobs":       {withJobs("matters"), 200, 303, 303, false, ""},
		"nobody is left":   {signin.Accounts{}, 303, 303, 0, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := changingWorld(t)
			ines, victor := w.operator(), w.viewer()
			r.set(c.now, nil)
			w.pass(time.Second)
			if got := [2]int{ines.get("/runs").StatusCode, victor.get("/runs").StatusCode}; got != [2]int{c.ines, c.victor} {
				t.Errorf("the sessions are answered with %v", got)
			}
			if page := w.client().get("/sign-in"); c.signIn == 0 {
				if strings.Contains(page.text, "<form") || !strings.Contains(page.text, "Nobody can sign in") {
					t.Errorf("the page to sign in says\n%s", page.text)
				}
			} else if got := w.client().try("Victor", viewerPassword).StatusCode; got != c.signIn {
				t.Errorf("the former password is answered with %d", got)
			}
			if c.newPassword == "" {
				return
			}
			if page := w.signedIn("Victor", c.newPassword).get("/runs"); strings.Contains(page.text, `href="/import"`) != c.asOperator {
				t.Errorf("he comes back in another role:\n%s", page.text)
			}
		})
	}
}

// A configuration that is broken changes nothing, and that it is broken is told.
func TestBrokenAccountsAreTold(t *testing.T) {
	t.Parallel()
	w, r := changingWorld(t)
	c := w.viewer()
	r.set(signin.Accounts{}, errors.New("docketsync.yaml:7:3: there is no <b>"))
	for range 3 {
		w.pass(time.Second)
		page := c.get("/")
		if page.StatusCode != http.StatusOK || !strings.Contains(page.text, "The configuration has errors.") || !strings.Contains(page.text, "docketsync.yaml:7:3: there is no &lt;b&gt;") || !strings.Contains(page.text, ">matters<") {
			t.Errorf("the first page: %d\n%s", page.StatusCode, page.text)
		}
	}
	if got := strings.Count(w.logged.String(), "docketsync.yaml:7:3"); got != 1 {
		t.Errorf("it is logged %d times", got)
	}
	bad := people(signin.Operator, signin.Viewer, operatorHash, "$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA")
	r.set(bad, nil)
	w.pass(time.Second)
	if page := c.get("/"); !strings.Contains(page.text, "the user Victor: this is not an argon2id hash") {
		t.Errorf("a bad hash is not told:\n%s", page.text)
	}
	r.set(people(signin.Operator, signin.Viewer, operatorHash, viewerHash), nil)
	w.pass(time.Second)
	if page := c.get("/"); strings.Contains(page.text, "The configuration has errors.") || !strings.Contains(w.logged.String(), "valid again") {
		t.Errorf("that it is mended is not told:\n%s", page.text)
	}
}

// Somebody who is removed while their form is on its way does nothing any more.
func TestAFormOfSomebodyRemovedIsRefused(t *testing.T) {
	t.Parallel()
	w, r := changingWorld(t)
	c := w.operator()
	token := c.token("/runs")
	body := &late{first: "token=" + token + "&", then: func() {
		r.set(signin.Accounts{}, nil)
		w.pass(time.Second)
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.at.URL+"/sign-out", body)
	w.must(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	said, err := c.Do(request)
	w.must(err)
	said.Body.Close()
	if said.StatusCode != http.StatusUnauthorized {
		t.Errorf("it is answered with %d", said.StatusCode)
	}
}

// late is a body whose second part comes after something has happened.
type late struct {
	first string
	then  func()
	parts int
}

func (l *late) Read(p []byte) (int, error) {
	l.parts++
	switch l.parts {
	case 1:
		return copy(p, l.first), nil
	case 2:
		l.then()
		return copy(p, "x=y"), io.EOF
	}
	return 0, io.EOF
}

var sessionField = regexp.MustCompile(`name="session" value="([^"]+)"><button aria-label="End session: ([^ "]+)`)

// Operators see who is signed in and end that; viewers do not.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ines, victor, other := w.operator(), w.viewer(), w.viewer()
	if said := victor.get("/sessions"); said.StatusCode != http.StatusForbidden || strings.Contains(victor.get("/runs").text, `href="/sessions"`) {
		t.Errorf("a viewer sees who is signed in: %d", said.StatusCode)
	}
	page := ines.get("/sessions")
	found := sessionField.FindAllStringSubmatch(page.text, -1)
	if len(found) != 3 || strings.Count(page.text, "(this session)") != 1 {
		t.Fatalf("the page lists %q", found)
	}
	for _, cookie := range victor.Jar.Cookies(mustURL(t, w.at.URL)) {
		if strings.Contains(page.text, cookie.Value) {
			t.Error("the page shows what signs in")
		}
	}
	end := func(who *client, id string) answer {
		return who.do("POST", "/sessions", url.Values{"token": {who.token("/runs")}, "session": {id}}.Encode())
	}
	n := slices.IndexFunc(found, func(f []string) bool { return f[2] == "Victor" })
	if said := end(victor, found[n][1]); said.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer ends a session: %d", said.StatusCode)
	}
	if said := end(ines, found[n][1]); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("it is not ended: %d\n%s", said.StatusCode, said.text)
	}
	if a, b := victor.get("/runs").StatusCode, other.get("/runs").StatusCode; a == b {
		t.Errorf("Victor's two sessions are answered with %d and %d", a, b)
	}
	if said := end(ines, found[n][1]); said.StatusCode != http.StatusNotFound {
		t.Errorf("it is ended twice: %d", said.StatusCode)
	}
	n = slices.IndexFunc(found, func(f []string) bool { return f[2] == "Ines" })
	if said := end(ines, found[n][1]); said.StatusCode != http.StatusSeeOther || ines.get("/runs").StatusCode != http.StatusSeeOther {
		t.Errorf("her own is not ended: %d", said.StatusCode)
	}
	if got := strings.Join(w.deeds(), "\n"); strings.Count(got, "Ines end_session done: signed in from 127.0.0.1") != 2 {
		t.Errorf("the audit has\n%s", got)
	}
}

// Downloads and refused posts are in the audit, which can be had as a whole.
func TestTheAuditIsWholeAndExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.run("a text")
	victor := w.viewer()
	victor.get("/runs/" + run.ID + "/files/rejects.xlsx")
	victor.do("POST", "/runs/"+run.ID+"/files", "", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	victor.do("POST", "/sign-out", "")
	w.client().do("POST", "/jobs/matters/plan", "")
	w.client().do("POST", "/sign-in", "name=Ines&password=x")
	want := []string{
		" sign_in refused: the form belongs to another browser, or has expired", " plan refused: You are signed out.",
		"Victor sign_out refused: This form belongs to another session.", "Victor write_files refused: This request came from another site and was refused.",
		"Victor download done: rejects.xlsx", "Victor sign_in done: with a password, as viewer"}
	if got := w.deeds(); !slices.Equal(got, want) {
		t.Errorf("the audit has\n%s", strings.Join(got, "\n"))
	}
	w.must(w.book.AddAuditEntry(t.Context(), ledger.AuditEntry{At: w.now(), Who: "=cmd|'/c calc'!A1", Action: "run", Target: "a,\"b\"", Result: "done", Note: "two\nlines"}))
	for range 1100 { // more than one batch
		w.must(w.book.AddAuditEntry(t.Context(), ledger.AuditEntry{At: w.now(), Who: "Ines", Action: "run", Result: "done"}))
	}
	said := victor.get("/audit/export?as=csv")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(said.text, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 1+1100+1+len(want)+1 || rows[1][2] != "download" || rows[1102][1] != "'=cmd|'/c calc'!A1" || rows[1102][3] != `a,"b"` || rows[1102][5] != "two\nlines" {
		t.Errorf("the CSV has %d rows: %v, %v", len(rows), rows[min(1102, len(rows)-1)], err)
	}
	if kept := said.Header.Get("Content-Disposition"); !strings.HasPrefix(kept, `attachment; filename="audit-`) {
		t.Errorf("it is shown rather than kept: %s", kept)
	}
	lines := strings.Split(strings.TrimSpace(victor.get("/audit/export?as=jsonl").text), "\n")
	var first, last ledger.AuditEntry
	if err := errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[len(lines)-1]), &last)); err != nil || len(lines) != len(rows) ||
		first.Action != "download" || first.Note != "jsonl" || last.Action != "sign_in" {
		t.Errorf("%d lines of JSON from %+v to %+v, %v", len(lines), first, last, err)
	}
	if said := victor.get("/audit/export?as=exe"); said.StatusCode != http.StatusNotFound {
		t.Errorf("another form is answered with %d", said.StatusCode)
	}
	if page := html.UnescapeString(victor.get("/audit").text); !strings.Contains(page, `href="/audit/export?as=csv"`) {
		t.Error("the page does not offer it")
	}
}

// Strangers do not fill the audit.
func TestRefusalsOfStrangersAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client()
	for n := range 100 {
		c.do("POST", fmt.Sprintf("/jobs/%d/plan", n), "")
		c.do("POST", "/sign-in", "", "Sec-Fetch-Site", "cross-site")
	}
	if got := len(w.deeds()); got < 5 || got > 30 {
		t.Errorf("200 posts of a stranger leave %d lines", got)
	}
}
