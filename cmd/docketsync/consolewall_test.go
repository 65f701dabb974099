package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/config"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/files"
	"docketsync/importer/stop"
	"docketsync/mapping"
)

// desk is an installation of two teams: the job cases, and the job canary-desk, whose every name nobody of the other team may read.
type desk struct {
	t      *testing.T
	in     *installation.Installation
	at     string
	routes []string
	runs   []ledger.Run // of the canary's
	upload string
}

// canaries stand for all that the other team has, and in nothing else.
var canaries = []string{"canary-desk", "Zephyrine", "ZEPH-", "zephyr.csv", "zephyr-map", "Wanda"}

const (
	deskDoubt  = "0b000000-0000-7000-8000-00000000d001"
	deskGuard  = "0b000000-0000-7000-8000-00000000d002"
	nowhereRun = "0b000000-0000-7000-8000-00000000dead"
)

// openDesk makes the runs of both teams, with all that a run can leave, and serves the console.
func openDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 3)
	mapping, err := os.ReadFile(filepath.Join(dir, "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"zephyr-map.yaml": "scope: canary-desk\n" + string(mapping),
		"zephyr.csv":      "Ref,Title\nZEPH-1,Zephyrine One\nZEPH-2,Zephyrine Two\nZEPH-3,\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	appendConfig(t, dir, "  - {name: canary-desk, source: zephyr.csv, mapping: zephyr-map.yaml, when: '@daily'}\nledger: ledger.db\nreports: reports\n"+
		strings.Replace(consoleUsers(""), "role: operator,", "role: operator, jobs: [cases],", 1))
	after, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "docketsync.yaml"), bytes.Replace(after, []byte("mapping: cases.yaml}"), []byte("mapping: cases.yaml, when: {after: canary-desk}}"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	a := quietApp(os.LookupEnv, filepath.Join(dir, "docketsync.yaml"))
	in, err := runner.Open(t.Context(), &a.Setup, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, in: in}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	d.fill(webwork.New(&a.Setup, in))
	door, err := a.openDoor(in.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Shut() })
	server, err := a.openConsole(t.Context(), in, door, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.routes = server.Routes()
	at := httptest.NewServer(server.Handler())
	t.Cleanup(at.Close)
	d.at = at.URL
	return d
}

// fill makes the runs.
func (d *desk) fill(work *webwork.Work) {
	t, ctx, book := d.t, d.t.Context(), d.in.Book
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, job := range []string{"cases", "canary-desk"} {
		for range 2 {
			plan, err := work.Run(ctx, queue.Order{Job: job, Kind: ledger.Plan, Who: "Wanda"}, queue.Tell{})
			must(err)
			if plan.Phase == ledger.Finished && job != "cases" {
				d.runs = append(d.runs, plan)
			}
			if len(d.runs) == 2 || job == "cases" && plan.Counts.Read == 0 {
				continue // a plan that waits
			}
			push, err := work.Run(ctx, queue.Order{Job: job, Kind: ledger.Push, Approved: plan.ID, Who: "Wanda"}, queue.Tell{})
			must(err)
			if job != "cases" {
				d.runs = []ledger.Run{push}
			}
		}
	}
	for id, code := range map[string]string{deskDoubt: "", deskGuard: stop.Guard} {
		run := ledger.Run{ID: id, Job: "canary-desk", Kind: ledger.Push, Operation: "create_case", Scope: "canary-desk", Phase: ledger.Pushing, Started: time.Now(), Sources: []ledger.Source{{File: "zephyr.csv", Header: []string{"Ref"}}}}
		must(book.Begin(ctx, run))
		_, err := book.Add(ctx, []ledger.Record{
			{Run: id, Seq: 1, Scope: "canary-desk", Key: "ZEPH-9", Action: ledger.Create, State: ledger.Planned, Digest: "d", Payload: json.RawMessage(`{"name":"Zephyrine Nine"}`), Rows: []ledger.Row{{Number: 2}}},
			{Run: id, Seq: 2, Scope: "canary-desk", Key: "ZEPH-8", Action: ledger.None, State: ledger.Rejected, Rows: []ledger.Row{{Number: 3, Cells: []byte(`["Zephyrine"]`)}}, Reasons: []ledger.Reason{{Code: "key_twice", Message: "Zephyrine twice"}}},
			{Run: id, Seq: 3, Scope: "canary-desk", Key: "ZEPH-7", Action: ledger.Update, State: ledger.Planned, Digest: "d", Payload: json.RawMessage(`{"name":"Zephyrine Seven"}`), Rows: []ledger.Row{{Number: 4}}}})
		must(err)
		held, err := book.Record(ctx, id, 3)
		must(err)
		must(book.HoldConflicts(ctx, id, []ledger.HeldUpdate{{Record: held, Conflict: ledger.Conflict{Scope: "canary-desk", Key: "ZEPH-7", Run: id, Seq: 3, Why: "changed",
			Seen: ledger.Stamp{By: "Wanda"}, Theirs: json.RawMessage(`{"name":"Zephyrine"}`), Ours: held.Payload, Digest: "d"}}}))
		before, err := book.Corrections(ctx, "canary-desk")
		must(err)
		must(book.Correct(ctx, "canary-desk", "ZEPH-8", before["ZEPH-8"], []ledger.CellCorrection{{Nth: -5, Column: "Ref", Old: "Zephyrine", New: "Zephyrine", Who: "Wanda"}}))
		if run.Phase, run.Ended, run.StopCode = ledger.Finished, time.Now(), code; code == "" {
			must(book.Commit(ctx, nil, []ledger.Intent{{Run: id, Seq: 1}}))
			must(book.Commit(ctx, []ledger.Outcome{{Run: id, Seq: 1, State: ledger.InDoubt, At: time.Now()}}, nil))
		} else {
			run.Phase, run.Stop = ledger.Stopped, "Zephyrine fell"
		}
		must(book.SaveRun(ctx, run))
		_, err = files.Write(ctx, book.Reader, id, d.in.Config.Reports)
		must(err)
		run, err = book.Run(ctx, id)
		must(err)
		d.runs = append(d.runs, run)
	}
	must(book.SaveOccurrences(ctx, nil, []ledger.Occurrence{{Job: "cases", Schedule: "s", Local: "l", At: time.Now().Add(time.Hour), State: ledger.Broke, Note: "jobs.d/canary-desk.yml:2: Zephyrine"}}))
	must(book.AddAuditEntry(ctx, ledger.AuditEntry{At: time.Now(), Who: "Wanda", Action: "run", Target: "canary-desk", Result: "done"}))
	must(book.MakeSearchable(ctx))
	store := &upload.Store{Dir: d.in.Config.Console.Uploads, Limit: 1 << 20, Switches: func() (mapping.Options, error) { return installation.MappingOptions(d.in.Config), nil }}
	up, err := store.Take(ctx, upload.Arrival{Who: "Wanda", Name: "zephyr.csv"}, strings.NewReader("Ref,Title\nZEPH-1,Zephyrine\n"))
	must(err)
	d.upload = up.ID
}

// deskVisitor is somebody who has signed in.
type deskVisitor struct {
	*http.Client
	d     *desk
	token string
}

func (d *desk) deskVisitor(name, password string) *deskVisitor {
	d.t.Helper()
	jar, _ := cookiejar.New(nil)
	v := &deskVisitor{Client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, d: d}
	_, page := v.ask("GET", "/sign-in", nil)
	v.token = pagetest.Token(d.t, page)
	if status, said := v.ask("POST", "/sign-in", url.Values{"name": {name}, "password": {password}}); status != http.StatusSeeOther {
		d.t.Fatalf("%s: %d %s", name, status, said)
	}
	_, page = v.ask("GET", "/", nil)
	v.token = pagetest.Token(d.t, page)
	return v
}

// ask is the status of an answer and everything in it, its headers too. A post has a file with it, as uploads do.
func (v *deskVisitor) ask(method, path string, form url.Values) (status int, said string) {
	v.d.t.Helper()
	var body bytes.Buffer
	kind := ""
	if method == "POST" {
		w := multipart.NewWriter(&body)
		kind = w.FormDataContentType()
		for name, values := range form {
			for _, value := range values {
				_ = w.WriteField(name, value)
			}
		}
		_ = w.WriteField("token", v.token)
		part, _ := w.CreateFormFile("file", "rows.csv")
		_, _ = io.WriteString(part, "Ref,Title\nX-1,One\n")
		_ = w.Close()
	}
	if path == "/sign-in" && method == "POST" { // which takes no files
		form.Set("token", v.token)
		body, kind = *bytes.NewBufferString(form.Encode()), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(v.d.t.Context(), method, v.d.at+path, &body)
	if err != nil {
		v.d.t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := v.Do(r)
	text := pagetest.Text(v.d.t, answer, err)
	answer.Header.Del("Date")
	return answer.StatusCode, fmt.Sprint(answer.Header) + text
}

// places are what the wildcards of routes stand for: of the other team, and of nobody.
func (d *desk) places() map[string][2][]string {
	ours := map[string][2][]string{
		"{job}": {{"canary-desk"}, {"nobodys-job"}}, "{seq}": {{"1", "2"}, {"1", "2"}}, "{upload}": {{d.upload}, {"nobody-0123456789ab"}},
		"{file}": {{"report.html", "report.json", "rejects.xlsx"}, {"report.html", "report.json", "rejects.xlsx"}}, "{topic}": {{"security"}, {"security"}}, "{$}": {{""}, {""}}, "{run}": {},
	}
	var runs, nobodys []string
	for _, run := range d.runs {
		runs, nobodys = append(runs, run.ID, run.Name), append(nobodys, nowhereRun, nowhereRun)
	}
	ours["{run}"] = [2][]string{runs, nobodys}
	return ours
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// spellings are the paths of a route, about the other team and about nobody.
func (d *desk) spellings(route string) (theirs, nobodys []string) {
	theirs, nobodys = []string{route}, []string{route}
	for _, hole := range wildcard.FindAllString(route, -1) {
		fill, ok := d.places()[hole]
		if !ok {
			d.t.Fatalf("%s: say in this test what %s is of the other team", route, hole)
		}
		var next [2][]string
		for n, path := range theirs {
			for m := range fill[0] {
				next[0] = append(next[0], strings.Replace(path, hole, fill[0][m], 1))
				next[1] = append(next[1], strings.Replace(nobodys[n], hole, fill[1][m], 1))
			}
		}
		theirs, nobodys = next[0], next[1]
	}
	return theirs, nobodys
}

// betrayed are the canaries in an answer that the question did not have.
func (d *desk) betrayed(asked, said string) (list []string) {
	secrets := append(slices.Clone(canaries), d.upload)
	for _, run := range d.runs {
		secrets = append(secrets, run.ID, run.Name)
	}
	for _, c := range secrets {
		if strings.Contains(said, c) && !strings.Contains(asked, c) {
			list = append(list, c)
		}
	}
	return list
}

// TestNoRouteTellsOfAnotherTeam asks every route that the router has for what is of the other team: nothing of it is in any answer, and the
// answer is that about what does not exist. Whoever sees all jobs finds it on the same routes.
func TestNoRouteTellsOfAnotherTeam(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	inside, all := d.deskVisitor("Ines", operatorPassword), d.deskVisitor("Victor", viewerPassword)
	found := 0
	more := []string{"/runs?all=yes", "/runs?job=canary-desk&all=yes", "/runs?show=990&all=yes", "/records?q=zeph", "/records?q=ZEPH-1", "/records?q=nine", "/records/of?scope=canary-desk&key=ZEPH-1", "/doubts?show=all", "/audit?before=z"}
	own, err := d.in.Book.Runs(t.Context(), ledger.RunFilter{Job: "cases", Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if err != nil || len(own) != 1 {
		t.Fatalf("the team has no run of its own: %v, %v", own, err)
	}
	for _, route := range []string{"/compare?with=", "/compare/progress?with=", "/compare/records.csv?with="} {
		more = append(more, "GET /runs/"+own[0].ID+route+"{run}", "GET /runs/{run}"+route+own[0].ID)
	}
	for _, route := range append(d.routes, more...) {
		path, get := strings.CutPrefix(route, "GET ")
		if strings.HasPrefix(route, "POST ") {
			continue
		}
		theirs, nobodys := d.spellings(path)
		for n, their := range theirs {
			_, open := all.ask("GET", their, nil)
			if len(d.betrayed("", open)) > 0 {
				found++
			}
			status, said := inside.ask("GET", their, nil)
			if list := d.betrayed(their, said); len(list) > 0 {
				t.Errorf("%s tells of %v", their, list)
			}
			if their == nobodys[n] || !get {
				continue
			}
			if other, same := inside.ask("GET", nobodys[n], nil); other != status || said != same {
				t.Errorf("%s is answered with %d, what does not exist with %d:\n%s\n%s", their, status, other, said, same)
			}
		}
	}
	if found < 40 {
		t.Errorf("the canaries are on %d pages only for somebody who sees all: the test looks in the wrong place", found)
	}
	_, today := inside.ask("GET", "/", nil)
	if !strings.Contains(today, "/jobs/cases") || strings.Contains(today, `href="/settings"`) || !strings.Contains(today, "ask whoever manages docketsync") {
		t.Errorf("the team's own page is not as it should be:\n%s", today)
	}
}

// TestNoPostReachesAnotherTeam tries every post that the router has against what is of the other team: each is refused as what is about
// nothing is, and nothing of it has changed.
func TestNoPostReachesAnotherTeam(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	inside := d.deskVisitor("Ines", operatorPassword)
	before := d.standing()
	form := url.Values{"seq": {"2", "1"}, "do": {"all"}, "confirmed": {"yes"}, "kind": {"plan"}, "after": {deskGuard}, "order": {"1"}, "name": {"canary-desk"}, "session": {"x"}, "note": {"n"},
		"doubt-0": {deskDoubt + " 1 0"}, "key-0": {"ZEPH-9"}, "decision-0": {"exists"}}
	open, err := d.in.Book.OpenConflicts(t.Context(), "")
	if err != nil || len(open) != 1 {
		t.Fatalf("%v %v", open, err)
	}
	form["scope-1"], form["key-1"], form["decision-1"], form["found-1"] = []string{"canary-desk"}, []string{"ZEPH-7"}, []string{"ours"}, []string{fmt.Sprint(open[0].Found.UnixMicro())}
	tried := 0
	for _, route := range d.routes {
		path, ok := strings.CutPrefix(route, "POST ")
		if !ok || path == "/sign-out" {
			continue
		}
		theirs, nobodys := d.spellings(path)
		for n, their := range theirs {
			status, said := inside.ask("POST", their, form)
			tried++
			if status < 400 && path != "/doubts/ask" { // of nothing
				t.Errorf("%s is taken: %d", their, status)
			}
			if list := d.betrayed(their, said); len(list) > 0 && path != "/doubts" { // which gives the form back
				t.Errorf("%s tells of %v:\n%s", their, list, said)
			}
			if their == nobodys[n] {
				continue
			}
			if other, same := inside.ask("POST", nobodys[n], form); other != status || said != same {
				t.Errorf("%s is answered with %d, what does not exist with %d:\n%s\n%s", their, status, other, said, same)
			}
		}
	}
	if after := d.standing(); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
	if tried < 30 {
		t.Errorf("%d posts only: the test looks in the wrong place", tried)
	}
}

// standing is how everything of the other team stands.
func (d *desk) standing() string {
	var b strings.Builder
	runs, err := d.in.Book.Runs(d.t.Context(), ledger.RunFilter{Job: "canary-desk"})
	fmt.Fprintln(&b, len(runs), err)
	for _, run := range runs {
		acknowledged, err := d.in.Book.AcknowledgedIn(d.t.Context(), run)
		fmt.Fprintln(&b, run.ID, run.Phase, acknowledged, err)
		for r, err := range d.in.Book.Records(d.t.Context(), run.ID, ledger.RecordFilter{}) {
			fmt.Fprintln(&b, r.Key, r.State, err)
		}
	}
	open, err := d.in.Book.OpenConflicts(d.t.Context(), "")
	fmt.Fprintln(&b, len(open), err)
	ups, err := (&upload.Store{Dir: d.in.Config.Console.Uploads}).List()
	fmt.Fprintln(&b, len(ups), err)
	return b.String()
}

// TestAWallNeedsScopesOfItsOwn refuses a console with an account that sees one of two jobs which keep the same records.
func TestAWallNeedsScopesOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, box{base: "http://127.0.0.1:1"}, 1)
	appendConfig(t, dir, "  - {name: others, source: cases.csv, mapping: cases.yaml}\n"+strings.Replace(consoleUsers(""), "role: operator,", "role: operator, jobs: [cases],", 1))
	settings, err := quietApp(os.LookupEnv, filepath.Join(dir, "docketsync.yaml")).Settings()
	if err != nil {
		t.Fatal(err)
	}
	if err := webwork.Apart(settings); err == nil || !strings.Contains(err.Error(), "sees the job cases and not others, but both keep the same records (scope create_case)") {
		t.Errorf("%v", err)
	}
	settings.Console.Users[0].Jobs, settings.Console.OIDC = config.Names{"cases", "others"}, &config.OIDC{Jobs: map[string]config.Names{"partners": {config.AllJobs}}}
	if err := webwork.Apart(settings); err != nil {
		t.Error(err)
	}
}
