package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
)

// visitor is somebody at a console without a browser, who can send what no page offers.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
	token  string
}

// visitor signs somebody in.
func (c *openConsole) visitor(name, password string) *visitor {
	c.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	v := &visitor{t: c.t, base: c.base, client: &http.Client{Jar: jar}}
	_, page := v.get("/sign-in")
	v.token = tokenIn(page)
	v.post("/sign-in", url.Values{"name": {name}, "password": {password}, "to": {"/"}})
	_, page = v.get("/")
	v.token = tokenIn(page)
	return v
}

func tokenIn(page string) string {
	if found := pagetest.TokenField.FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	answer, err := v.client.Get(v.base + path)
	return v.read(answer, err)
}

// post sends a form with the token of the session, unless it has one already.
func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	if _, has := form["token"]; !has {
		form.Set("token", v.token)
	}
	answer, err := v.client.PostForm(v.base+path, form)
	return v.read(answer, err)
}

// upload sends a file.
func (v *visitor) upload(path, name string, content []byte, form url.Values) (int, string) {
	v.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	form.Set("token", v.token)
	for field := range form {
		_ = w.WriteField(field, form.Get(field))
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	_ = w.Close()
	answer, err := v.client.Post(v.base+path, w.FormDataContentType(), &body)
	return v.read(answer, err)
}

func (v *visitor) read(answer *http.Response, err error) (int, string) {
	v.t.Helper()
	text := pagetest.Text(v.t, answer, err)
	return answer.StatusCode, text
}

// programJSON is what a command says with --json.
func programJSON[T any](t *testing.T, dir string, args ...string) (answer T) {
	t.Helper()
	_, out := program(t, dir, append(args, "--json", "--quiet")...)
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("docketsync %v: %v\n%s", args, err, out)
	}
	return answer
}

// atRest waits until nothing goes on any more on the page of a job.
func atRest(tab *browsertest.Tab) {
	tab.Until(`document.readyState === "complete" && document.querySelector("h1") && !document.querySelector("[data-poll], [data-reload]")`)
}

// planAndSend has a job planned on its page, and what that would send sent.
func planAndSend(tab *browsertest.Tab) {
	tab.Press(`form[action$="/plan"] button`)
	atRest(tab)
	tab.Press(`form[action$="/carry-out"] button`)
}

// answerTo is what the form that asks before anything is sent posts, and where to.
func answerTo(tab *browsertest.Tab) (path string, form url.Values) {
	value := func(name string) string {
		return tab.Eval(fmt.Sprintf(`document.querySelector("form[action$='/carry-out'] [name=%s]").value`, name))
	}
	return tab.Eval(`document.querySelector("form[action$='/carry-out']").getAttribute("action")`), url.Values{"after": {value("after")}, "seal": {value("seal")}}
}

// lookAtThree is Look for a page with a long list, of which the first three entries stay: all are alike, and axe-core takes its time for each.
func lookAtThree(tab *browsertest.Tab, name, entries string) {
	tab.Eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].slice(3).forEach((e) => e.remove())`, entries))
	tab.Look(name)
}

func TestConsoleRunsExactlyWhatADryRunShowed(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 60)
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Press(`.job h3 a`)
	tab.Look("job-new")
	tab.Press(`form[action$="/plan"] button`)
	atRest(tab)
	if got := b.state(t).Requests; got != 0 {
		t.Fatalf("the dry run made %d requests", got)
	}
	tab.Press(`a[href$="/plan"]`)
	if got := tab.Text("h1"); got != "60 to create." {
		t.Errorf("the plan says %q", got)
	}
	plan := programJSON[struct {
		Plans []struct {
			Records []struct {
				Key  string
				Body json.RawMessage
			}
		}
	}](t, dir, "plan")
	if got := tab.Count(".record"); got != "50" {
		t.Errorf("the first page shows %s records", got)
	}
	first := plan.Plans[0].Records[0]
	if got := tab.Eval(`document.querySelector(".record .raw pre").textContent`); got != string(first.Body) {
		t.Errorf("the first record is shown as\n%s\nand is\n%s", got, first.Body)
	}
	lookAtThree(tab, "plan", ".record")
	// Making the plan on the command line took the place of this one, which is noticed.
	tab.Press(`form[action$="/carry-out"] button`)
	if got := tab.Text("h1"); !strings.Contains(got, "Not found") && !strings.Contains(got, "no longer exists") {
		t.Errorf("a plan that was replaced says %q", got)
	}
	tab.Pardon("404")
	tab.Go(c.base + "/jobs/cases")
	tab.Press(`form[action$="/plan"] button`)
	atRest(tab)
	tab.Press(`a[href$="/plan"]`)
	tab.Press(`.pages a`)
	if got := tab.Count(".record"); got != "10" {
		t.Errorf("the second page shows %s records", got)
	}
	b.misbehave(t, "slow=1s")
	tab.Press(`form[action$="/carry-out"] button`)
	if got := tab.Count(".notice"); got != "0" { // it would stay above the result
		t.Errorf("beside the progress, the page shows %s notices", got)
	}
	tab.Until(`document.querySelector(".progress dd") && document.querySelector(".phase").innerText.startsWith("Sending")`)
	tab.Shoot("job-sending")
	tab.Press(`.progress .phase a`)
	tab.Until(`Number(document.querySelector("progress")?.value) > 6`)
	tab.Shoot("run-sending")
	b.behave(t)
	atRest(tab)
	if got := tab.Text("h1"); got != "All 60 matters were imported." {
		t.Errorf("the run says %q", got)
	}
	if s := b.state(t); s.Cases != 60 || len(s.Repeated) > 0 {
		t.Errorf("the sandbox holds %d cases, twice %v", s.Cases, s.Repeated)
	}
	tab.Quiet(c.base)
}

// comparesWithTheNextExport plans an export in which 24 marks of the last one are others, one is gone and one is new, and looks at what
// changed from one plan to the other.
func comparesWithTheNextExport(c *openConsole, tab *browsertest.Tab, g *guarded) {
	g.t.Helper()
	g.export(func(rows [][]string) [][]string {
		rows = everyRow(func(row []string) { row[markColumn] += " IV" })(rows)
		for n := 1; n <= 24; n++ {
			rows[n][markColumn] += " (lease)"
		}
		rows[30][0] = "TM-NEW"
		return rows
	})
	tab.Go(c.base + "/jobs/marks")
	tab.Press(`form[action$="/plan"] button`)
	atRest(tab)
	tab.Press(`a[href$="/compare"]`)
	tab.Look("compare-asks")
	tab.Press(`.filter button`)
	atRest(tab)
	if got := tab.Text("h1"); got != "1 new, 1 gone, 24 different; 75 the same" {
		g.t.Errorf("the comparison says %q", got)
	}
	if got := strings.Join(strings.Fields(tab.Text("section:last-of-type")), " "); !strings.Contains(got, "Column Mark 24 different") || !strings.Contains(got, "and 4 more records") {
		g.t.Errorf("the last cause is shown as %q", got)
	}
	if got := tab.Text("section:last-of-type ins"); !strings.HasSuffix(got, " IV (lease)") {
		g.t.Errorf("the later mark is %q", got)
	}
	lookAtThree(tab, "compare", "section:last-of-type tbody")
	tab.Press(`section:last-of-type small + small a`)
	if got := tab.Text("main"); !strings.Contains(got, "IV (lease)") || tab.Text("h1") != "TM-0000" {
		g.t.Errorf("a record leads to %q", got)
	}
}

func TestConsoleFormThatIsSentTwiceBeginsOneRun(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 30)
	c := startConsole(t, dir)
	b.misbehave(t, "slow=2s")
	ines := c.visitor("Ines", operatorPassword)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/jobs/cases")
	tab.Press(`form[action$="/plan"] button`)
	atRest(tab)
	if got := tab.Text(".decision h2"); !strings.HasPrefix(got, "Send 30 creates to 127.0.0.1:") {
		t.Errorf("before anything is sent, the page asks %q", got)
	}
	tab.Look("job-asks")
	path, form := answerTo(tab)
	status, page := ines.post(path, form)
	if status != http.StatusOK || !strings.Contains(page, `data-poll="/jobs/cases/`) {
		t.Fatalf("the first post ended with %d:\n%s", status, page)
	}
	if status, page := ines.post(path, form); status != http.StatusConflict || !strings.Contains(page, "already running, started by Ines") {
		t.Errorf("the second one ended with %d:\n%s", status, page)
	}
	if status, page := ines.upload("/jobs/cases/upload", "a.csv", []byte("Ref,Title\nM-9,x\n"), url.Values{"after": {""}}); status != http.StatusConflict {
		t.Errorf("an upload beside it ended with %d:\n%s", status, page)
	}
	b.behave(t)
	tab.Go(c.base + "/jobs/cases")
	atRest(tab)
	if status, page := ines.post(path, form); status != http.StatusConflict || !strings.Contains(page, "has run since") {
		t.Errorf("the form that was found with the back button ended with %d:\n%s", status, page)
	}
	if runs := programJSON[struct{ Runs []json.RawMessage }](t, dir, "runs"); len(runs.Runs) != 1 {
		t.Errorf("there are %d runs", len(runs.Runs))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "uploads", "corrected", "*")); len(left) > 0 {
		t.Errorf("an upload that was not run is kept: %v", left)
	}
}

func TestConsoleStopsWhatItBegan(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 200)
	c := startConsole(t, dir)
	b.misbehave(t, "slow=1s")
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/jobs/cases")
	planAndSend(tab)
	tab.Until(`Number(document.querySelector("progress")?.value) > 3`)
	tab.Press(`form[action$="/stop"] button`)
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "Interrupted") {
		t.Errorf("after the stop, the job says %q", got)
	}
	s := b.state(t)
	if s.Cases == 0 || s.Cases == 200 {
		t.Errorf("the sandbox holds %d cases", s.Cases)
	}
	b.behave(t)
	planAndSend(tab)
	atRest(tab)
	if s := b.state(t); s.Cases != 200 || len(s.Repeated) > 0 {
		t.Errorf("in the end, the sandbox holds %d cases, twice %v", s.Cases, s.Repeated)
	}
}

func TestConsoleShowsARunOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 120)
	c := startConsole(t, dir)
	tab := c.signedIn("Victor", viewerPassword)
	ines := c.visitor("Ines", operatorPassword)
	b.misbehave(t, "slow=2s") // the run goes on for as long as it is looked at, however slow the browser is
	done := make(chan struct{})
	go func() {
		defer close(done)
		program(t, dir, "run")
	}()
	tab.Go(c.base + "/jobs/cases")
	for tab.Count(".progress dd") == "0" {
		tab.Go(c.base + "/jobs/cases")
	}
	tab.Until(`Number(document.querySelector("progress")?.value) > 3`)
	if got := tab.Count(`form[action$="/stop"]`); got != "0" {
		t.Error("a run of another process can be stopped")
	}
	_, page := ines.get("/jobs/cases")
	if strings.Contains(page, "Start dry run") {
		t.Error("beside a run that goes on, another one is offered")
	}
	b.behave(t)
	atRest(tab)
	<-done
	if got := tab.Text("h1"); !strings.Contains(got, "No problems") {
		t.Errorf("in the end, the job says %q", got)
	}
	tab.Quiet(c.base)
}

func TestConsoleSettlesDoubt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "drop_after=1")
	writeCrashFirm(t, dir, b, 4)
	appendConfig(t, dir, consoleUsers(""))
	if code, out := program(t, dir, "run"); code != exit.InDoubt {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	b.behave(t)
	type doubts struct {
		InDoubt []struct {
			Run string
			Seq int64
			Key string
		} `json:"in_doubt"`
	}
	before := programJSON[doubts](t, dir, "resolve")
	c := startConsole(t, dir)
	victor := c.signedIn("Victor", viewerPassword)
	victor.Go(c.base + "/doubts")
	if got := victor.Text("h1"); got != fmt.Sprintf("%d records in doubt.", len(before.InDoubt)) || len(before.InDoubt) != 4 {
		t.Errorf("the page says %q, the command %d", got, len(before.InDoubt))
	}
	if got := victor.Count("fieldset, main button"); got != "0" {
		t.Error("a viewer is offered to decide")
	}
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/doubts")
	tab.Look("doubts")
	id := b.snapshot(t).Cases[0].ID
	for _, held := range b.snapshot(t).Cases {
		if held.Number == "M-00000" {
			id = held.ID
		}
	}
	decide := func(key, decision, id, note string) {
		n := tab.Eval(fmt.Sprintf(`[...document.querySelectorAll("input[name^=key-]")].find(e => e.value === %q).name.slice(4)`, key))
		tab.Eval(fmt.Sprintf(`document.querySelector("input[name=decision-%s][value=%s]").click()`, n, decision))
		tab.Fill(fmt.Sprintf(`input[name="id-%s"]`, n), id)
		tab.Fill(fmt.Sprintf(`input[name="note-%s"]`, n), note)
	}
	decide("M-00000", "exists", "not an id", "seen")
	decide("M-00001", "leave", "", "asked Bob")
	tab.Press(".submit button")
	if got := tab.Text(".wrong"); !strings.Contains(got, "M-00000") || !strings.Contains(got, "not a valid id") {
		t.Errorf("a wrong id says %q", got)
	}
	tab.Pardon("422")
	if got := tab.Eval(`document.querySelectorAll("input:checked").length + document.querySelector("input[name=note-1]").value`); !strings.HasPrefix(got, "2") {
		t.Errorf("what was said is gone: %q", got)
	}
	tab.Look("doubts-wrong")
	decide("M-00000", "exists", id, "seen")
	decide("M-00002", "absent", "", "")
	tab.Press(".submit button")
	if got := tab.Text("h1"); got != "Send this record again?" {
		t.Errorf("what is not there is confirmed by %q", got)
	}
	tab.Look("confirm")
	if left := programJSON[doubts](t, dir, "resolve"); len(left.InDoubt) != 4 {
		t.Error("something was decided before it was confirmed")
	}
	// The browser holds the form back as long as the box is not ticked, and so does the server.
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	if got := tab.Text(".notice"); got != "1 record settled as in the service; 1 record settled as not in the service, to be sent again by the next run; 1 record left in doubt." {
		t.Errorf("after that, the page says %q", got)
	}
	// Somebody else had the page open since before.
	bob := c.visitor("Ines", operatorPassword)
	form := url.Values{"confirmed": {"yes"}}
	for n, d := range before.InDoubt[:3] {
		form.Set(fmt.Sprint("doubt-", n), fmt.Sprintf("%s %d 0", d.Run, d.Seq))
		form.Set(fmt.Sprint("key-", n), d.Key)
		form.Set(fmt.Sprint("decision-", n), "absent")
	}
	_, page := bob.post("/doubts", form)
	if !strings.Contains(page, "Nothing changed. Not saved:") || !strings.Contains(page, "M-00000 was meanwhile decided by Ines: it is in the service") {
		t.Errorf("decisions that came too late were answered with\n%s", page)
	}
	left := programJSON[doubts](t, dir, "resolve")
	if len(left.InDoubt) != 2 {
		t.Errorf("%d are left in doubt", len(left.InDoubt))
	}
	tab.Go(c.base + "/records?q=" + id)
	tab.Press("tbody a")
	if got := tab.Text("h1"); got != "M-00000" {
		t.Errorf("the id leads to %q", got)
	}
	for _, want := range []string{id, "Ines decided: it is in the service", "seen", "request 1", "cases.csv, row 2"} {
		if got := tab.Text("main"); !strings.Contains(got, want) {
			t.Errorf("the record does not say %q:\n%s", want, got)
		}
	}
	tab.Look("record-doubt")
	tab.Go(c.base + "/audit")
	if got := tab.Text("main"); !strings.Contains(got, "create_case M-00002: absent") {
		t.Errorf("the audit says\n%s", got)
	}
	tab.Quiet(c.base)
	if status, page := bob.get("/runs/" + before.InDoubt[0].Run); status != http.StatusOK || !strings.Contains(page, "Review records in doubt") {
		t.Errorf("the run does not lead to its doubts: %d", status)
	}
}

func TestConsoleLetsThroughExactlyWhatAGuardStopped(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, consoleUsers(""))
	g.export(good)
	g.run(exit.AllIn, "run")
	change := everyRow(func(row []string) { row[markColumn] += " II" })
	g.export(change)
	g.run(exit.Stopped, "run")
	c := startConsole(t, g.dir)
	tab := c.signedIn("Ines", operatorPassword)
	if got := tab.Text("h1"); !strings.HasPrefix(got, "marks needs attention: stopped by a guard: ") {
		t.Errorf("the first page says %q", got)
	}
	tab.Press(`.job h3 a`)
	tab.Look("job-guarded")
	tab.Press(`a.way`)
	if got := tab.Text("h1"); got != "100 to update." {
		t.Errorf("what was stopped is %q", got)
	}
	if got := tab.Text(".guards"); !strings.Contains(got, "100") {
		t.Errorf("the guards say %q", got)
	}
	if got := tab.Text(".changes tbody"); !strings.Contains(got, "mark_text") || !strings.Contains(got, " II") {
		t.Errorf("the first change is %q", got)
	}
	lookAtThree(tab, "guard", ".record")
	stopped := tab.Eval(`location.pathname.split("/")[2]`)
	ines := c.visitor("Ines", operatorPassword)
	if status, _ := ines.post("/runs/"+stopped+"/accept", url.Values{"after": {stopped}}); status != http.StatusBadRequest {
		t.Errorf("without a confirmation, it was answered %d", status)
	}
	// Another export comes meanwhile: that is stopped too, and what was seen is not let through any more.
	g.export(everyRow(func(row []string) { row[markColumn] += " III" }))
	g.run(exit.Stopped, "run")
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	requests := g.box.state(t).Requests
	tab.Press("form.decision button")
	if got := tab.Text("main"); !strings.Contains(got, "Nothing was accepted") || !strings.Contains(got, "has run since") {
		t.Errorf("what is no longer the last was answered with\n%s", got)
	}
	tab.Pardon("409")
	tab.Go(c.base + "/jobs/marks")
	tab.Press(`a.way`)
	// The export changes once more, while somebody looks.
	g.export(everyRow(func(row []string) { row[markColumn] += " IV" }))
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "Stopped by a guard") {
		t.Errorf("the export that nobody has seen: %q", got)
	}
	if now := g.box.state(t).Requests; now != requests {
		t.Fatalf("%d requests were made for what nobody has let through", now-requests)
	}
	tab.Press(`a.way`)
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "No problems") {
		t.Errorf("what was let through: %q", got)
	}
	if now := g.box.state(t).Requests; now != requests+100 {
		t.Errorf("%d requests were made", now-requests)
	}
	last := programJSON[struct{ Runs []ledger.Run }](t, g.dir, "runs", "--limit", "1").Runs[0]
	if last.Passed == nil || last.Passed.By != "Ines" {
		t.Errorf("who let it through is kept as %+v", last.Passed)
	}
	comparesWithTheNextExport(c, tab, g)
	tab.Go(c.base + "/records?q=tm-000")
	tab.Look("find")
	tab.Go(c.base + "/records?q=TM-0007")
	tab.Press("tbody a")
	tab.Look("record")
	if got := tab.Text(".history"); !strings.Contains(got, " IV") || !strings.Contains(got, "held") {
		t.Errorf("the history says\n%s", got)
	}
	tab.Quiet(c.base)
}

func TestConsoleRefusesWhatMayNotBePosted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "drop_after=1")
	writeCrashFirm(t, dir, b, 2)
	appendConfig(t, dir, consoleUsers("  upload_limit: 100kB\n"))
	program(t, dir, "run")
	b.behave(t)
	program(t, dir, "plan")
	run := programJSON[struct{ Runs []ledger.Run }](t, dir, "runs").Runs[0].ID
	requests := b.state(t).Requests
	c := startConsole(t, dir)
	ines, victor := c.visitor("Ines", operatorPassword), c.visitor("Victor", viewerPassword)
	posts := map[string]url.Values{
		"/jobs/cases/plan": {"after": {run}}, "/jobs/cases/upload": {"after": {run}}, "/jobs/cases/stop": {"order": {"1"}},
		"/runs/" + run + "/carry-out": {}, "/runs/" + run + "/accept": {"confirmed": {"yes"}}, "/doubts/ask": {},
		"/doubts": {"doubt-0": {run + " 1 0"}, "decision-0": {"absent"}, "key-0": {"M-00000"}, "confirmed": {"yes"}},
	}
	for path, form := range posts {
		fields := func(token string) url.Values {
			with := url.Values{}
			for name, value := range form {
				with[name] = value
			}
			if token != "" {
				with.Set("token", token)
			} else {
				with["token"] = nil
			}
			return with
		}
		if status, _ := victor.post(path, fields(victor.token)); status != http.StatusForbidden {
			t.Errorf("%s of a viewer was answered %d", path, status)
		}
		if status, _ := ines.post(path, fields("")); status != http.StatusForbidden {
			t.Errorf("%s without a token was answered %d", path, status)
		}
		if status, _ := ines.post(path, fields(victor.token)); status != http.StatusForbidden {
			t.Errorf("%s with the token of another session was answered %d", path, status)
		}
		request, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader(fields(ines.token).Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", "https://evil.example")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		if status, _ := ines.read(ines.client.Do(request)); status != http.StatusForbidden {
			t.Errorf("%s from another site was answered %d", path, status)
		}
		if answer, err := http.PostForm(c.base+path, fields(ines.token)); err != nil || answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a session was answered %v %v", path, answer, err)
		}
		if status, _ := ines.get(path); status == http.StatusOK && path != "/doubts" {
			t.Errorf("%s is done by a mere look at it", path)
		}
	}
	for name, test := range map[string]struct {
		file    string
		content []byte
		status  int
	}{
		"too large":   {"a.csv", bytes.Repeat([]byte("x"), 200_000), http.StatusRequestEntityTooLarge},
		"a program":   {"a.exe", []byte("MZ"), http.StatusUnsupportedMediaType},
		"no name":     {"..", []byte("x"), http.StatusUnsupportedMediaType},
		"empty":       {"a.csv", nil, http.StatusBadRequest},
		"much larger": {"a.csv", bytes.Repeat([]byte("x"), 3_000_000), http.StatusRequestEntityTooLarge},
	} {
		if status, page := ines.upload("/jobs/cases/upload", test.file, test.content, url.Values{"after": {run}}); status != test.status {
			t.Errorf("an upload that is %s was answered %d:\n%s", name, status, page)
		}
	}
	if now := b.state(t).Requests; now != requests {
		t.Errorf("%d requests were made", now-requests)
	}
	// A name that leads elsewhere leads nowhere.
	status, page := ines.upload("/jobs/cases/upload", `..\..\../../etc/<script>alert(1)</script>.csv`, []byte("Ref,Title\nM-00077,<script>alert(1)</script>\n"), url.Values{"after": {run}})
	if status != http.StatusOK {
		t.Errorf("the upload was answered %d:\n%s", status, page)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "uploads", "corrected", "*", "*"))
	if len(kept) != 1 || filepath.Base(kept[0]) != "script_.csv" {
		t.Errorf("kept are %v", kept)
	}
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/jobs/cases")
	atRest(tab)
	tab.Go(c.base + "/records?q=" + url.QueryEscape(`<script>alert(1)</script>`))
	tab.Go(c.base + "/records/of?scope=create_case&key=M-00077")
	if got := tab.Text("main"); !strings.Contains(got, "only dry runs have it") {
		t.Errorf("the record says\n%s", got)
	}
	planned := programJSON[struct{ Runs []ledger.Run }](t, dir, "runs", "--all").Runs[0]
	tab.Go(c.base + "/runs/" + planned.ID + "/records/1")
	if got := tab.Text("main"); !strings.Contains(got, "<script>alert(1)</script>") {
		t.Errorf("the record of the dry run says\n%s", got)
	}
	tab.Quiet(c.base)
	for _, path := range []string{"/records/of?scope=x&key=y", "/jobs/none", "/runs/0/plan", "/runs/" + run + "/plan", "/jobs/none/progress"} {
		if status, page := ines.get(path); status != http.StatusNotFound {
			t.Errorf("%s was answered %d:\n%s", path, status, page)
		}
	}
	if text, err := os.ReadFile(c.log); err != nil || bytes.Contains(text, []byte("panic")) {
		t.Errorf("the log: %v\n%s", err, text)
	}
}

func TestConsoleAsksTheServiceWhatBecameOfDoubts(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_after=1", atOnce)
	appendConfig(t, dir, consoleUsers(""))
	b.misbehave(t, "drop_before=1")
	if err := os.WriteFile(filepath.Join(dir, "cases.csv"), []byte("Ref,Title\nM-00009,Never came\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, dir, "run")
	b.behave(t)
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/doubts")
	if got := tab.Text("h1"); got != "4 records in doubt." {
		t.Errorf("before it was asked, the page says %q", got)
	}
	tab.Press(`form[action="/doubts/ask"] button`)
	if got := tab.Text(".notice"); !strings.Contains(got, "4 records checked, 3 found in the service and settled") {
		t.Errorf("after it was asked, the page says %q", got)
	}
	if got := tab.Text(".doubt"); !strings.Contains(got, "M-00009") || !strings.Contains(got, "In the service’s list:") {
		t.Errorf("what is left is\n%s", got)
	}
	tab.Look("doubts-asked")
	if got := b.state(t).Cases; got != 3 {
		t.Errorf("the sandbox holds %d cases", got)
	}
	ines := c.visitor("Ines", operatorPassword)
	if _, page := ines.get("/audit"); !strings.Contains(page, "4 records checked, 3 found in the service and settled") {
		t.Errorf("the audit does not tell of it:\n%s", page)
	}
	tab.Quiet(c.base)
}

// TestConsoleDecisionsOfTwoPeopleAtOnceAreOne has two people say opposite things about the same doubts at the same moment.
func TestConsoleDecisionsOfTwoPeopleAtOnceAreOne(t *testing.T) {
	t.Parallel()
	dir, b := doubtful(t, "drop_after=1", atOnce)
	appendConfig(t, dir, consoleUsers(""))
	c := startConsole(t, dir)
	run := programJSON[struct{ Runs []ledger.Run }](t, dir, "runs").Runs[0].ID
	form := func(decision string) url.Values {
		v := url.Values{"confirmed": {"yes"}}
		for n := range 3 {
			v.Set(fmt.Sprint("doubt-", n), fmt.Sprintf("%s %d 0", run, n+1))
			v.Set(fmt.Sprint("key-", n), fmt.Sprint("M-", n))
			v.Set(fmt.Sprint("decision-", n), decision)
		}
		return v
	}
	decisions := []string{"exists", "absent", "exists", "absent", "exists", "absent"}
	people := make([]*visitor, len(decisions))
	for n := range people {
		people[n] = c.visitor("Ines", operatorPassword)
	}
	var all sync.WaitGroup
	for n, decision := range decisions {
		all.Go(func() {
			if status, page := people[n].post("/doubts", form(decision)); status != http.StatusOK {
				t.Errorf("%s was answered %d:\n%s", decision, status, page)
			}
		})
	}
	all.Wait()
	requests := b.state(t).Requests
	_, out := program(t, dir, "run")
	held := b.state(t)
	for seq := range 3 {
		_, page := people[0].get("/records/of?scope=create_case&key=" + fmt.Sprintf("M-%05d", seq))
		settled := strings.Count(page, "decided: it is in the service") + strings.Count(page, "decided: it is not in the service")
		if settled != 1 {
			t.Errorf("M-%05d was settled %d times:\n%s", seq, settled, page)
		}
	}
	// What they said last counted for nothing: each was sent again at most once, where the first said that it is not there.
	if held.Requests-requests > 3 || held.Cases > 6 {
		t.Errorf("%d requests left %d cases:\n%s", held.Requests-requests, held.Cases, out)
	}
}

func TestConsoleRefusesAnUploadThatIsABomb(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 1)
	c := startConsole(t, dir)
	ines := c.visitor("Ines", operatorPassword)
	if status, page := ines.upload("/jobs/cases/upload", "rejects.xlsx", bomb(t), url.Values{"after": {""}}); status != http.StatusOK {
		t.Fatalf("the upload was answered %d:\n%s", status, page)
	}
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/jobs/cases")
	atRest(tab)
	if got := tab.Text(".wrong"); !strings.Contains(got, "as decompression bombs do") || !strings.Contains(got, "Ines") {
		t.Errorf("after the bomb, the page says\n%s", tab.Text("main"))
	}
	tab.Look("job-failed")
	if got := b.state(t).Requests; got != 0 {
		t.Errorf("%d requests were made", got)
	}
	tab.Quiet(c.base)
}

// bomb is a workbook whose sheet is half a gigabyte of nothing.
func bomb(t *testing.T) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	whole, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := zip.NewReader(bytes.NewReader(whole.Bytes()), int64(whole.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, part := range parts.File {
		if part.Name != "xl/worksheets/sheet1.xml" {
			if err := w.Copy(part); err != nil {
				t.Fatal(err)
			}
			continue
		}
		out, err := w.Create(part.Name)
		if err != nil {
			t.Fatal(err)
		}
		nothing := bytes.Repeat([]byte(" "), 1<<20)
		for range 512 {
			if _, err := out.Write(nothing); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
