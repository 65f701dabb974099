package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/config"
	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
)

// pages are the addresses that a browser may ask for, with a run of the world.
func pages(run ledger.Run) []string {
	return []string{"/", "/runs", "/runs?all=yes", "/runs?job=matters", "/runs/" + run.ID, "/runs/" + run.ID + "/files/report.html",
		"/runs/" + run.ID + "/files/report.json", "/runs/" + run.ID + "/records", "/runs/" + run.ID + "/records/1", "/settings", "/connection", "/audit"}
}

func TestPagesAreForWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.run("a text")
	stranger, viewer := w.client(), w.viewer()
	for _, path := range pages(run) {
		if said := stranger.get(path); said.StatusCode != http.StatusSeeOther || !strings.HasPrefix(said.Header.Get("Location"), "/sign-in?to=") || strings.Contains(said.text, "a text") {
			t.Errorf("%s is shown to a stranger: %d", path, said.StatusCode)
		}
		if said := viewer.get(path); said.StatusCode != http.StatusOK {
			t.Errorf("%s is not shown to a viewer: %d\n%s", path, said.StatusCode, said.text)
		}
	}
}

func TestAnswersForbidWhatPagesDoNotNeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) { o.SignIn.Encrypted = true })
	for path, status := range map[string]int{"/sign-in": 200, "/nowhere": 404, "/": 303, "/assets/console.css": 200} {
		said := w.client().get(path)
		if said.StatusCode != status {
			t.Errorf("%s: %d, want %d", path, said.StatusCode, status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
				"form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"X-Frame-Options": "DENY", "Strict-Transport-Security": "max-age=31536000",
		} {
			if got := said.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if kept := said.Header.Get("Cache-Control"); path != "/assets/console.css" && kept != "no-store" {
			t.Errorf("%s may be kept: %q", path, kept)
		}
	}
}

// Marks that make a value look like another are shown, and sent back as they are.
func TestDisguisesAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const key, shown = "A\u202e21\u202c\u200b", "A⟨U+202E⟩21⟨U+202C⟩⟨U+200B⟩"
	run := w.run(key)
	c := w.operator()
	record := c.get("/runs/" + run.ID + "/records/1").text
	if strings.Count(record, key) != 1 || strings.Count(record, shown) < 3 { // the one is in the label of the field
		t.Errorf("the record is not shown as it is:\n%s", record)
	}
	if found := c.get("/records?" + url.Values{"q": {key}}.Encode()).text; !strings.Contains(found, `value="`+key+`"`) || strings.Count(found, shown) == 0 {
		t.Errorf("what was searched for is not in its field as it is:\n%s", found)
	}
}

func TestCookiesAreForThisConsoleAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) { o.SignIn.Encrypted = true })
	page := w.client().get("/sign-in")
	form := url.Values{"token": {pagetest.Token(t, page.text)}, "name": {"Ines"}, "password": {operatorPassword}}
	ticket := page.Cookies()[0]
	said := w.client().do("POST", "/sign-in", form.Encode(), "Cookie", ticket.Name+"="+ticket.Value)
	if said.StatusCode != http.StatusSeeOther || len(said.Cookies()) != 2 {
		t.Fatalf("%d %v", said.StatusCode, said.Cookies())
	}
	for _, c := range append(page.Cookies(), said.Cookies()...) {
		if !strings.HasPrefix(c.Name, "__Host-") || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%s", c)
		}
	}
	if len(said.Cookies()[1].Value) < 32 {
		t.Error("the session's token is short")
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.operator()
	stolen := c.Jar.Cookies(mustURL(t, w.at.URL))
	thief := w.client()
	thief.Jar.SetCookies(mustURL(t, w.at.URL), stolen)
	if said := thief.get("/runs"); said.StatusCode != http.StatusOK {
		t.Fatalf("the cookie is not what signs in: %d", said.StatusCode)
	}
	out := url.Values{"token": {c.token("/runs")}}
	if said := c.do("POST", "/sign-out", out.Encode()); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("signing out: %d\n%s", said.StatusCode, said.text)
	}
	for name, who := range map[string]*client{"the one who signed out": c, "a thief of the cookie": thief} {
		if said := who.get("/runs"); said.StatusCode != http.StatusSeeOther {
			t.Errorf("%s is still in: %d", name, said.StatusCode)
		}
	}
	forger := w.client()
	forger.Jar.SetCookies(mustURL(t, w.at.URL), []*http.Cookie{{Name: stolen[0].Name, Value: "made-up"}})
	if said := forger.get("/runs"); said.StatusCode != http.StatusSeeOther {
		t.Errorf("a made-up session is taken: %d", said.StatusCode)
	}
}

// A session that somebody else chose beforehand is not the one that a sign-in makes.
func TestSignInMakesANewSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.operator()
	before := c.Jar.Cookies(mustURL(t, w.at.URL))
	if said := c.get("/sign-in?to=/audit"); said.StatusCode != http.StatusSeeOther || said.Header.Get("Location") != "/audit" {
		t.Errorf("who is signed in is asked again: %d", said.StatusCode)
	}
	fixed := w.client()
	fixed.Jar.SetCookies(mustURL(t, w.at.URL), []*http.Cookie{{Name: "docketsync-session", Value: "chosen-by-an-attacker"}})
	fixed.try("Ines", operatorPassword)
	for _, cookie := range fixed.Jar.Cookies(mustURL(t, w.at.URL)) {
		if cookie.Name == "docketsync-session" && (cookie.Value == "chosen-by-an-attacker" || cookie.Value == before[len(before)-1].Value) {
			t.Error("the session is one that was there before")
		}
	}
}

// Who signs in as somebody else gets another session, and what was known of the one before is worth nothing.
func TestSignInEndsTheSessionBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client()
	form := url.Values{"token": {c.token("/sign-in")}, "name": {"Victor"}, "password": {viewerPassword}}
	c.do("POST", "/sign-in", form.Encode())
	known := w.client()
	known.Jar.SetCookies(mustURL(t, w.at.URL), c.Jar.Cookies(mustURL(t, w.at.URL)))
	if said := known.get("/runs"); said.StatusCode != http.StatusOK {
		t.Fatalf("Victor is not in: %d", said.StatusCode)
	}
	form.Set("name", "Ines")
	form.Set("password", operatorPassword)
	if said := c.do("POST", "/sign-in", form.Encode()); said.StatusCode != http.StatusSeeOther || !strings.Contains(c.get("/runs").text, "operator") {
		t.Fatalf("Ines is not in: %d", said.StatusCode)
	}
	if said := known.get("/runs"); said.StatusCode != http.StatusSeeOther {
		t.Errorf("who knew the session before is in as Ines: %d", said.StatusCode)
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]func(*console.Options){
		"idle":     func(o *console.Options) { o.SignIn.Idle = time.Millisecond },
		"lifetime": func(o *console.Options) { o.SignIn.Idle, o.SignIn.Lifetime = time.Hour, time.Millisecond },
	} {
		w := newWorld(t, o)
		c := w.operator()
		late := time.Now().Add(10 * time.Second)
		for c.get("/runs").StatusCode == http.StatusOK {
			if time.Now().After(late) {
				t.Fatalf("%s: the session does not end", name)
			}
		}
	}
}

func TestRunsAreShownBitByBit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 32 {
		w.run("a text")
	}
	c := w.viewer()
	rows := func(path string) int { return strings.Count(c.get(path).text, "<tr><td>") }
	if got := rows("/runs"); got != 30 {
		t.Errorf("%d runs are shown at first", got)
	}
	if page := c.get("/runs?job=matters").text; !strings.Contains(page, `href="/runs?job=matters&amp;show=60"`) {
		t.Error("there is no way to more")
	}
	if got := rows("/runs?job=matters&show=60"); got != 32 {
		t.Errorf("%d runs are shown then", got)
	}
	for _, odd := range []string{"-1", "x", "99999999999999999999"} {
		if got := rows("/runs?show=" + odd); got != 30 {
			t.Errorf("%d runs are shown for %s", got, odd)
		}
	}
}

// A doubt that another process settles is counted as settled at once, in the files of its run and of later ones too.
func TestCountsFollowWhatIsSettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	written := 0
	stubOf(w.options).rewrite = func(ctx context.Context, run string) error {
		written++
		_, err := files.Write(ctx, w.book.Reader, run, w.reports)
		return err
	}
	ctx := t.Context()
	run := ledger.Run{ID: "01a200b9-efea-7f1c-bcbd-443bb25e3378", Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Pushing, Fingerprint: "f", Started: w.now(),
		Counts: ledger.Counts{Read: 1, InRecords: 1}}
	w.must(w.book.Begin(ctx, run))
	_, err := w.book.Add(ctx, []ledger.Record{{Run: run.ID, Seq: 1, Scope: "create_case", Key: "M-1", Action: ledger.Create, State: ledger.Planned, Digest: "d", Payload: []byte(`{}`), Rows: []ledger.Row{{Number: 2}}}})
	w.must(err)
	w.must(w.book.Commit(ctx, nil, []ledger.Intent{{Run: run.ID, Seq: 1}}))
	w.must(w.book.Commit(ctx, []ledger.Outcome{{Run: run.ID, Seq: 1, State: ledger.InDoubt, At: w.now()}}, nil))
	run.Phase, run.Ended = ledger.Finished, w.now()
	w.must(w.book.SaveRun(ctx, run))
	c := w.viewer()
	for range 2 {
		if page := c.get("/runs").text; !strings.Contains(page, "1 in doubt") {
			t.Fatal("the doubt is not told")
		}
	}
	later := w.run("later")
	in := func(run ledger.Run, file, words string) {
		t.Helper()
		for range 2 {
			if got := c.get("/runs/" + run.ID + "/files/" + file); got.StatusCode != http.StatusOK || !strings.Contains(got.text, words) {
				t.Errorf("%s lacks %s: %d\n%s", file, words, got.StatusCode, got.text)
			}
		}
	}
	in(run, "report.csv", "\nin_doubt,")
	in(later, "report.json", `"still_in_doubt":1`)
	w.must(w.book.Resolve(ctx, run.ID, 1, ledger.Exists, "", "Ines", ""))
	if page := c.get("/runs").text; !strings.Contains(page, "no problems") {
		t.Error("the doubt is told still")
	}
	in(run, "report.csv", "\ncreated,")
	in(later, "report.json", `"adds_up":true`)
	if said := c.get("/runs/" + later.ID + "/files/report.json").text; strings.Contains(said, "still_in_doubt") {
		t.Errorf("the later report says\n%s", said)
	}
	if written != 3 { // the first one for the first time, then both
		t.Errorf("reports were written %d times", written)
	}
	named, err := w.book.Run(ctx, run.ID)
	w.must(err)
	for _, said := range []string{run.ID, named.Name} {
		if page := c.get("/runs/" + said).text; !strings.Contains(page, "The only matter was imported.") || !strings.Contains(page, named.Name) {
			t.Errorf("the page of the run %s tells of it still:\n%s", said, page)
		}
	}
}

// Downloads come from the folder of their own run, under the names that reports have.
func TestDownloadsLeadNowhereElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run, other := w.run("a text"), w.run("another")
	c := w.viewer()
	folder := filepath.Join(w.reports, files.Folder(run))
	outside := filepath.Join(filepath.Dir(w.reports), "secret.txt")
	w.must(os.WriteFile(outside, []byte("a secret"), 0o600))
	w.must(os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("a secret"), 0o600))
	w.must(os.Remove(filepath.Join(folder, "report.csv")))
	w.must(os.Symlink(outside, filepath.Join(folder, "report.csv")))
	w.must(os.Remove(filepath.Join(folder, "report.json")))
	w.must(os.Mkdir(filepath.Join(folder, "report.json"), 0o700))
	base := "/runs/" + run.ID + "/files/"
	for _, path := range []string{
		base + "../../secret.txt", base + "..%2f..%2fsecret.txt", base + "%2e%2e%2f%2e%2e%2fsecret.txt", base + "..%5c..%5csecret.txt",
		base + "notes.txt", base + "report.csv", base + "report.json", base + "report.html%00.txt", base + "report.html/..", base, base + "REPORT.HTML",
		base + url.PathEscape(outside), base + "..%2f" + files.Folder(other) + "%2freport.html",
		"/runs/..%2f..%2fetc/files/report.html", "/runs/" + run.ID[:8] + "/files/report.html", "/runs/%25/files/report.html",
		"/assets/", "/assets/../pages/run.html", "/assets/%2e%2e/pages/run.html", "/assets/_layout.html", "//evil.example/%2e%2e",
	} {
		said := c.get(path)
		if to := said.Header.Get("Location"); said.StatusCode < 300 || strings.Contains(said.text, "a secret") || strings.HasPrefix(to, "//") || strings.Contains(to, "://") {
			t.Errorf("%s is answered with %d to %q:\n%.300s", path, said.StatusCode, to, said.text)
		}
	}
	if said := c.get(base + "rejects.xlsx"); said.StatusCode != http.StatusOK || !strings.HasPrefix(said.Header.Get("Content-Disposition"), `attachment; filename="matters-`) {
		t.Errorf("the rejects: %d %v", said.StatusCode, said.Header)
	}
	said := c.get(base + "report.html")
	if policy := said.Header.Get("Content-Security-Policy"); said.StatusCode != http.StatusOK || !strings.HasPrefix(policy, "sandbox allow-scripts ") ||
		strings.Contains(policy, "allow-same-origin") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the report: %d %s", said.StatusCode, said.Header.Get("Content-Security-Policy"))
	}
}

// TestReportsAreWrittenOnceMore has the files of a run on a machine whose clock is another: they are written when they do not tell of the run as it ended, once, and
// not when they have been removed for their age. Whoever looks is told what keeps them from being written.
func TestReportsAreWrittenOnceMore(t *testing.T) {
	t.Parallel()
	var work *stub
	w := newWorld(t, func(o *console.Options) { work = stubOf(o) })
	var written int
	broken := errors.New("the disk is full")
	work.rewrite = func(ctx context.Context, run string) error {
		written++
		_, err := files.Write(ctx, w.book.Reader, run, w.reports)
		return err
	}
	run := w.run("a text")
	at := filepath.Join(w.reports, files.Folder(run))
	looks := func(what string, times int) string {
		t.Helper()
		written = 0
		c := w.viewer()
		c.get("/runs/" + run.ID + "/files/report.html")
		if page := c.get("/runs/" + run.ID).text; written == times {
			return page
		}
		t.Errorf("%s: written %d times, want %d", what, written, times)
		return ""
	}
	w.must(os.Chtimes(filepath.Join(at, "report.json"), run.Started, run.Started))
	looks("a clock that is behind", 0)
	run.Ended = run.Ended.Add(-time.Second)
	w.must(w.book.SaveRun(t.Context(), run))
	looks("the run went on by another clock", 1)
	w.must(os.RemoveAll(at))
	looks("another machine", 1)
	rewrite := work.rewrite
	w.must(os.RemoveAll(at))
	work.rewrite = func(context.Context, string) error { return broken }
	if page := looks("a disk that is full", 0); !strings.Contains(page, "The disk is full") {
		t.Errorf("the page does not say why there are no files:\n%s", page)
	}
	if said := w.viewer().get("/runs/" + run.ID + "/files/report.html"); said.StatusCode != http.StatusInternalServerError {
		t.Errorf("a file that could not be written is answered with %d", said.StatusCode)
	}
	work.rewrite, work.keep = rewrite, 1
	looks("yesterday's", 1)
	w.must(os.RemoveAll(at))
	w.pass(25 * time.Hour)
	looks("too old to be kept", 0)
}

// What stands in files and answers comes from anywhere.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	const attack = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}`
	w := newWorld(t, func(o *console.Options) {
		o.SignIn.Users = append(o.SignIn.Users, signin.User{Name: attack, Role: signin.Viewer, Hash: viewerHash})
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) {
			return []jobs.Job{{Name: "matters", Inbox: attack}, {Name: attack, When: attack, Mapping: attack}}, nil
		}
		stubOf(o).settings = func() ([]config.Line, error) {
			return []config.Line{{Path: attack, Key: attack, Value: attack}}, nil
		}
	})
	run := w.run(attack)
	w.must(w.book.AddAuditEntry(t.Context(), ledger.AuditEntry{Who: attack, Origin: attack, Action: attack, Target: attack, Result: attack, Note: attack}))
	w.must(w.book.SaveOccurrences(t.Context(), nil, []ledger.Occurrence{{Job: attack, Schedule: "s", Local: "l", At: w.now(), State: ledger.Waiting}}))
	c := w.signedIn(attack, viewerPassword)
	seen := 0
	for _, path := range append(pages(run), "/runs?job="+url.QueryEscape(attack), "/nowhere"+url.PathEscape(attack)) {
		if strings.Contains(path, "/files/") {
			continue
		}
		said := c.get(path)
		if strings.Contains(said.text, "<script>alert") || strings.Contains(said.text, "<img") {
			t.Errorf("%s has it as it came:\n%s", path, said.text)
		}
		seen += strings.Count(said.text, "&lt;script&gt;alert(1)")
	}
	if seen < 20 {
		t.Errorf("the text was shown %d times only: the test looks at the wrong pages", seen)
	}
	if said := w.client().get("/sign-in?to=" + url.QueryEscape("/"+attack)); strings.Contains(said.text, "<script>alert") {
		t.Error("the page to sign in has it as it came")
	}
}

func TestNamesThatLeadHereAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) { o.Web.Hosts = []string{"127.0.0.1", "localhost", "::1"} })
	for host, want := range map[string]int{"127.0.0.1:9": 200, "localhost": 200, "LOCALHOST:8180": 200, "[::1]:8180": 200, "evil.example": 421, "127.0.0.1.evil.example:80": 421} {
		if said := w.client().get("/sign-in", "Host", host); said.StatusCode != want {
			t.Errorf("%q is answered with %d, want %d", host, said.StatusCode, want)
		}
	}
}

// Through a proxy that nobody has named, a console without a sign-in would be everybody's.
func TestAConsoleWithoutSignInIsForItsMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		o.SignIn.Users, o.SignIn.Local = nil, &signin.Person{Name: "root", Role: signin.Operator, Local: true}
	})
	c := w.client()
	if said := c.get("/runs"); said.StatusCode != http.StatusOK || !strings.Contains(said.text, "root") {
		t.Errorf("on its machine: %d", said.StatusCode)
	}
	if said := c.do("POST", "/runs/x/files", ""); said.StatusCode != http.StatusForbidden {
		t.Errorf("a post without a token: %d", said.StatusCode)
	}
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
		if said := c.get("/runs", name, "203.0.113.9"); said.StatusCode != http.StatusForbidden {
			t.Errorf("with %s: %d", name, said.StatusCode)
		}
	}
}

func TestTroubleIsToldToWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) {
			return nil, errors.New("the disk is full\ncolumn 3\n   ^")
		}
	})
	if said := w.viewer().get("/"); said.StatusCode != http.StatusInternalServerError || !strings.Contains(said.text, "<h1>the disk is full</h1>") || !strings.Contains(said.text, ">column 3\n   ^</pre>") {
		t.Errorf("%d %s", said.StatusCode, said.text)
	}
	if !strings.Contains(w.logged.String(), "the disk is full") {
		t.Error("it is not logged")
	}
}

func TestAPageThatBreaksOffIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) { panic("a mistake") }
	})
	said := w.viewer().get("/")
	if said.StatusCode != http.StatusInternalServerError || strings.Contains(said.text, "mistake") || said.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%d %s", said.StatusCode, said.text)
	}
	if log := w.logged.String(); !strings.Contains(log, `"level":"error"`) || !strings.Contains(log, "a mistake") {
		t.Errorf("the log has:\n%s", log)
	}
}

func TestProxiesAloneAreBelieved(t *testing.T) {
	t.Parallel()
	behind := func(prefix string) *world {
		return newWorld(t, func(o *console.Options) {
			o.SignIn.Encrypted, o.Web.Proxies = true, []netip.Prefix{netip.MustParsePrefix(prefix)}
		})
	}
	ours, other := behind("127.0.0.1/32"), behind("10.0.0.0/24")
	for name, c := range map[string]struct {
		w       *world
		headers []string
		want    int
	}{
		"by the proxy":           {ours, []string{"X-Forwarded-Proto", "https"}, 200},
		"by the proxy, plain":    {ours, []string{"X-Forwarded-Proto", "http"}, 403},
		"by the proxy, not said": {ours, nil, 403},
		"not by the proxy":       {other, []string{"X-Forwarded-Proto", "https"}, 403},
		"not by it, as if":       {other, []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "10.0.0.5"}, 403},
	} {
		if said := c.w.client().get("/sign-in", c.headers...); said.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, said.StatusCode, c.want)
		}
	}
	// The cookies are for https alone, so they are carried by hand.
	page := ours.client().get("/sign-in", "X-Forwarded-Proto", "https")
	form := url.Values{"token": {pagetest.Token(t, page.text)}, "name": {"Ines"}, "password": {"wrong"}}
	ours.client().do("POST", "/sign-in", form.Encode(), "Cookie", page.Cookies()[0].Name+"="+page.Cookies()[0].Value,
		"X-Forwarded-Proto", "https", "X-Forwarded-For", "6.6.6.6, 203.0.113.9")
	list, err := ours.book.AuditEntries(t.Context(), ledger.AuditFilter{})
	if err != nil || len(list) != 1 || list[0].Origin != "203.0.113.9" {
		t.Errorf("the audit has %+v, %v", list, err)
	}
}

func TestSignInIsSlowedDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client()
	for n := range 6 {
		if said := c.try("ines", "wrong"); said.StatusCode != http.StatusUnauthorized || !strings.Contains(said.text, "Wrong name or password.") {
			t.Fatalf("try %d: %d", n+1, said.StatusCode)
		}
	}
	if said := c.try(" INES ", operatorPassword); said.StatusCode != http.StatusTooManyRequests || said.Header.Get("Retry-After") == "" {
		t.Errorf("the seventh try, which is right, is taken: %d", said.StatusCode)
	}
	c.try("ines", operatorPassword)
	if said := w.client().try("victor", viewerPassword); said.StatusCode != http.StatusSeeOther {
		t.Errorf("another person waits too: %d", said.StatusCode)
	}
	w.pass(31 * time.Second)
	if said := w.client().try("ines", operatorPassword); said.StatusCode != http.StatusSeeOther {
		t.Errorf("a while later: %d", said.StatusCode)
	}
	if said := w.client().try("ines", "wrong"); said.StatusCode != http.StatusUnauthorized {
		t.Errorf("who came in does not begin anew: %d", said.StatusCode)
	}
	slowed := 0
	for _, line := range w.deeds() {
		if strings.Contains(line, "too many attempts") {
			slowed++
		}
	}
	if slowed != 1 {
		t.Errorf("the audit says %d times that somebody was slowed down:\n%s", slowed, strings.Join(w.deeds(), "\n"))
	}
	for n := 0; ; n++ {
		if c.try("nobody "+strings.Repeat("x", n), "wrong").StatusCode == http.StatusTooManyRequests {
			if n < 10 || n > 40 {
				t.Errorf("an address is slowed down after %d names", n)
			}
			break
		}
	}
}

// A machine that has IPv6 has as many addresses as it likes, all of one network.
func TestAddressesOfOneNetworkAreSlowedDownTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		o.SignIn.Encrypted, o.Web.Proxies = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	page := w.client().get("/sign-in", "X-Forwarded-Proto", "https")
	ticket := page.Cookies()[0]
	try := func(n int, from string) int {
		form := url.Values{"token": {pagetest.Token(t, page.text)}, "name": {fmt.Sprint("nobody ", n)}, "password": {"wrong"}}
		return w.client().do("POST", "/sign-in", form.Encode(), "Cookie", ticket.Name+"="+ticket.Value, "X-Forwarded-Proto", "https", "X-Forwarded-For", from).StatusCode
	}
	for n := range 30 {
		if got := try(n, fmt.Sprintf("2001:db8:1:2::%x", n+1)); got != http.StatusUnauthorized {
			t.Fatalf("try %d is answered with %d", n+1, got)
		}
	}
	for from, want := range map[string]int{"2001:db8:1:2:ffff::1": http.StatusTooManyRequests, "2001:db8:1:3::1": http.StatusUnauthorized, "198.51.100.7": http.StatusUnauthorized} {
		if got := try(99, from); got != want {
			t.Errorf("%s is answered with %d, want %d", from, got, want)
		}
	}
}

// What comes broken is told to whoever sent it, and is no trouble of this machine.
func TestFormsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.operator()
	for name, try := range map[string]struct {
		body string
		want int
	}{
		"bad escapes": {"name=%zz", 400},
		"too much":    {"name=" + strings.Repeat("x", 17<<10), 413},
	} {
		if said := c.do("POST", "/sign-in", try.body); said.StatusCode != try.want {
			t.Errorf("%s: %d, want %d\n%s", name, said.StatusCode, try.want, said.text)
		}
	}
	if said := w.client().try(strings.Repeat("x", 257), "x"); said.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a name of 257 bytes is answered with %d", said.StatusCode)
	}
	if said := c.get("/runs"); said.StatusCode != http.StatusOK {
		t.Errorf("one of them was done: %d", said.StatusCode)
	}
	if strings.Contains(w.logged.String(), "a page failed") {
		t.Errorf("they are logged as trouble:\n%s", w.logged.String())
	}
}

// What somebody types as a name may be their password.
func TestNamesThatNobodyHasAreNotWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client().try("my-secret-password", "x")
	w.client().try("Ines", "another-secret")
	if got := strings.Join(w.deeds(), "\n"); got != "Ines sign_in refused: wrong password\n sign_in refused: unknown user name" {
		t.Errorf("the audit has:\n%s", got)
	}
	if log := w.logged.String(); strings.Contains(log, "secret") {
		t.Errorf("the log has:\n%s", log)
	}
}

// What an operator may do is refused to somebody who may only look, and that they tried is written down.
func TestViewersChangeNothing(t *testing.T) {
	t.Parallel()
	done := 0
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).rewrite = func(context.Context, string) error { done++; return nil }
	})
	run := w.run("a text")
	path, viewer, operator := "/runs/"+run.ID+"/files", w.viewer(), w.operator()
	form := func(c *client) string { return url.Values{"token": {c.token("/runs")}}.Encode() }
	if said := viewer.do("POST", path, form(viewer)); said.StatusCode != http.StatusForbidden || done > 0 {
		t.Errorf("a viewer's post is answered with %d, and done %d times", said.StatusCode, done)
	}
	if got := w.deeds()[0]; got != "Victor write_files refused: Only operators can do this." {
		t.Errorf("the audit has %q", got)
	}
	if page := viewer.get("/runs/" + run.ID).text; strings.Contains(page, "Write files again") {
		t.Error("a viewer is offered what is refused")
	}
	if said := operator.do("POST", path, form(operator)); said.StatusCode != http.StatusSeeOther || done != 1 {
		t.Errorf("an operator's post is answered with %d, and done %d times", said.StatusCode, done)
	}
	if page := operator.get("/runs/" + run.ID).text; !strings.Contains(page, "The files have been written again.") {
		t.Error("the operator is not told that it was done")
	}
	if page := operator.get("/runs/" + run.ID).text; strings.Contains(page, "The files have been written again.") {
		t.Error("the notice is shown twice")
	}
	if got := w.deeds()[0]; got != "Ines write_files done: " {
		t.Errorf("the audit has %q", got)
	}
}

// wildcard is a part of a path that stands for what a request names.
var wildcard = regexp.MustCompile(`\{[a-z]+\}`)

// abuse is a request that no page of the console makes.
type abuse struct {
	who          *client
	method, path string
	body         string
	headers      []string
	status       int
}

// onEveryRoute are the abuses of one route that changes something, by what they are. mine is the token of the operator's session.
func onEveryRoute(operator, viewer, stranger *client, path, mine, theirs string) map[string]abuse {
	form := func(token string) string {
		return url.Values{"token": {token}, "confirmed": {"yes"}, "kind": {"push"}}.Encode()
	}
	post := func(who *client, body string, status int, headers ...string) abuse {
		return abuse{who, http.MethodPost, path, body, headers, status}
	}
	return map[string]abuse{
		"from another site":           post(operator, form(mine), 403, "Sec-Fetch-Site", "cross-site"),
		"from a sister site":          post(operator, form(mine), 403, "Sec-Fetch-Site", "same-site"),
		"from another origin":         post(operator, form(mine), 403, "Origin", "https://evil.example"),
		"from a sandboxed document":   post(operator, form(mine), 403, "Origin", "null"),
		"without a token":             post(operator, form(""), 403),
		"with another's token":        post(operator, form(theirs), 403),
		"with a second token":         post(operator, "token=made-up&"+form(mine), 403),
		"with the token elsewhere":    post(operator, "x=y", 403, "Cookie", "token="+mine, "X-Csrf-Token", mine),
		"as JSON":                     post(operator, `{"token":"`+mine+`"}`, 403, "Content-Type", "application/json"),
		"as plain text":               post(operator, form(mine), 403, "Content-Type", "text/plain"),
		"without a session":           post(stranger, form(mine), 401),
		"of a viewer":                 post(viewer, form(theirs), 403),
		"with bad escapes":            post(operator, "token=%zz", 400),
		"in parts without a seam":     post(operator, "x", 400, "Content-Type", "multipart/form-data"),
		"in parts that break off":     post(operator, "--x\r\nContent-Disp", 400, "Content-Type", "multipart/form-data; boundary=x"),
		"with a huge body":            post(operator, "token="+mine+"&x="+strings.Repeat("x", 3<<20), 413),
		"with a token in the address": {operator, http.MethodPost, path + "?" + form(mine), "", nil, 403},
		"by PUT":                      {operator, http.MethodPut, path, form(mine), nil, 405},
		"by DELETE":                   {operator, http.MethodDelete, path, form(mine), nil, 405},
		"by OPTIONS":                  {operator, http.MethodOptions, path, "", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, 405},
		"by GET":                      {operator, http.MethodGet, path + "?" + form(mine), "", nil, 0},
		"by GET that wants to be POST": {operator, http.MethodGet, path + "?_method=POST&" + form(mine), "",
			[]string{"X-Http-Method-Override", "POST", "X-Method-Override", "POST"}, 0},
		"by a DELETE in the form": post(viewer, form(theirs)+"&_method=DELETE", 403, "X-Http-Method-Override", "DELETE"),
	}
}

// Every route that changes something refuses what no page of the console has sent, and the audit knows of it. A route that is
// added is tried here, too.
func TestEveryPostIsAttacked(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	run := w.run("first")
	operator, viewer := w.operator(), w.viewer()
	mine, theirs := operator.token("/runs"), viewer.token("/runs")
	posts := w.server.Posts()
	if len(posts) < 18 {
		t.Fatalf("there are only %d routes: the test looks in the wrong place", len(posts))
	}
	for pattern, action := range posts {
		path := wildcard.ReplaceAllStringFunc(pattern, func(name string) string {
			return map[string]string{"{run}": run.ID, "{job}": "matters", "{upload}": "a-0123456789ab", "{seq}": "1"}[name]
		})
		for name, try := range onEveryRoute(operator, viewer, w.client(), path, mine, theirs) {
			if try.who == viewer && action == "sign_out" {
				continue
			}
			said := try.who.do(try.method, try.path, try.body, try.headers...)
			if said.StatusCode != try.status && try.status != 0 || said.StatusCode >= 500 || said.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s: %d, want %d\n%s", path, name, said.StatusCode, try.status, said.text)
			}
		}
		for _, line := range []string{"Victor " + action + " refused", "Ines " + action + " refused: This request came from another site"} {
			if (action != "sign_out" || line[0] != 'V') && !slices.ContainsFunc(w.deeds(), func(deed string) bool { return strings.HasPrefix(deed, line) }) {
				t.Errorf("the audit does not have %q", line)
			}
		}
	}
	for _, deed := range w.deeds() {
		if strings.Contains(deed, " done: ") && !strings.Contains(deed, " sign_in done: ") {
			t.Errorf("something was done: %s", deed)
		}
	}
	if list := kept(t, dir); len(list) > 0 {
		t.Errorf("something was kept: %v", list)
	}
}

// What names a file, a place or a header is refused in words, and leads nowhere: never an error of the machine.
func TestAbusedNamesLeadNowhere(t *testing.T) {
	t.Parallel()
	w, dir := uploadWorld(t)
	w.run("first")
	c := w.operator()
	token := url.Values{"token": {c.token("/runs")}}.Encode() + "&"
	pem, pemKind := uploadForm(t, c.token("/runs"), "key.pem", []byte("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"))
	renamed, renamedKind := uploadForm(t, c.token("/runs"), "key.csv", []byte("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"))
	for name, try := range map[string]abuse{
		"an upload in a plain form":            {c, "POST", "/import", token + "file=Ref%2CTitle", nil, 415},
		"a job's file in a plain form":         {c, "POST", "/jobs/matters/upload", token + "file=Ref%2CTitle", nil, 415},
		"a private key as an upload":           {c, "POST", "/import", pem, []string{"Content-Type", pemKind}, 415},
		"a private key under another name":     {c, "POST", "/import", renamed, []string{"Content-Type", renamedKind}, 415},
		"a private key as a job's file":        {c, "POST", "/jobs/matters/upload", renamed, []string{"Content-Type", renamedKind}, 415},
		"a file of another folder":             {c, "POST", "/import/from", token + "path=../../../etc/passwd", nil, 404},
		"a file of the machine":                {c, "POST", "/import/from", token + "path=/etc/passwd", nil, 404},
		"a job that leads out":                 {c, "POST", "/jobs/..%2f..%2fetc/plan", token, nil, 404},
		"a job with an end of line":            {c, "POST", "/jobs/a%0d%0aSet-Cookie:%20x=y/plan", token, nil, 404},
		"a run that leads out":                 {c, "POST", "/runs/..%2f..%2fetc/files", token, nil, 404},
		"an upload that leads out":             {c, "POST", "/import/..%2f..%2fetc/discard", token, nil, 404},
		"an upload with a nought":              {c, "POST", "/import/a%00-0123456789ab/discard", token, nil, 404},
		"a session that there is none of":      {c, "POST", "/sessions", token + "session=../../x", nil, 404},
		"a session without a name":             {c, "POST", "/sessions", token + "session=", nil, 404},
		"an export with an end of line":        {c, "GET", "/audit/export?as=csv%0d%0aSet-Cookie:%20x=y", "", nil, 404},
		"a way back with an end of line":       {c, "GET", "/sign-in?to=/%0d%0aSet-Cookie:%20x=y", "", nil, 303},
		"a way back to another site":           {c, "GET", "/sign-in?to=//evil.example", "", nil, 303},
		"a way back by a backslash":            {c, "GET", "/sign-in?to=/%5Cevil.example", "", nil, 303},
		"a form of a hundred thousand fields":  {c, "POST", "/sessions", token + strings.Repeat("a=b&", 100_000), nil, 400},
		"a name that stands in a header twice": {c, "GET", "/runs", "", []string{"Cookie", "docketsync-session=a; docketsync-session=b"}, 0},
	} {
		said := try.who.do(try.method, try.path, try.body, try.headers...)
		to := said.Header.Get("Location")
		if said.StatusCode != try.status && try.status != 0 || said.StatusCode >= 500 || strings.Contains(to, "evil") || strings.Contains(said.Header.Get("Set-Cookie"), "x=y") {
			t.Errorf("%s: %d to %q, want %d\n%s", name, said.StatusCode, to, try.status, said.text)
		}
		if try.status >= 400 && !strings.Contains(said.text, "<h1>") {
			t.Errorf("%s is answered without a page:\n%s", name, said.text)
		}
	}
	if list := kept(t, dir); len(list) > 0 {
		t.Errorf("something was kept: %v", list)
	}
	if strings.Contains(w.logged.String(), "a page failed") {
		t.Errorf("they are logged as trouble:\n%s", w.logged.String())
	}
}

// Nothing but the sign-in takes posts beside the routes that are checked. What leads to a firm knows who asks, and the routes of the firm are checked behind it.
func TestPostsComeThroughTheCheck(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var beside []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		beside = append(beside, regexp.MustCompile(`mux\.Handle(?:Func)?\([^,]*|\.PostUnsigned\(`).FindAllString(string(text), -1)...)
	}
	want := []string{`mux.HandleFunc("GET /assets/{name}"`, `mux.HandleFunc("POST "+pattern`, `mux.HandleFunc(pattern`, `.PostUnsigned(`,
		`mux.HandleFunc("GET "+remedy.FirmsPath+"{firm}/"`, `mux.HandleFunc("POST "+remedy.FirmsPath+"{firm}/"`}
	slices.Sort(beside)
	slices.Sort(want)
	if !slices.Equal(beside, want) {
		t.Errorf("handlers are added by %q, want %q", beside, want)
	}
}
