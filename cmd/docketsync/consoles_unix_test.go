//go:build unix

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/mapping"
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
	form.Set("token", pagetest.Token(v.t, page))
	return v.read(v.PostForm(address, form))
}

func (v *caller) read(answer *http.Response, err error) (page, path string, status int) {
	v.t.Helper()
	page = pagetest.Text(v.t, answer, err)
	return page, answer.Request.URL.Path, answer.StatusCode
}

// twoConsoles starts the consoles of two machines over one ledger: what docketsync writes, each keeps in folders of its own.
func twoConsoles(t *testing.T) (first, second *openConsole, trusts *x509.CertPool, box box) {
	t.Helper()
	return twoConsolesOver(t, ledgertest.Own(t))
}

func twoConsolesOver(t *testing.T, server *ledgertest.Server) (first, second *openConsole, trusts *x509.CertPool, box box) {
	t.Helper()
	dir := t.TempDir()
	box = startSandbox(t, dir)
	writeCrashFirm(t, dir, box, 3)
	trusts = writeCertificate(t, dir)
	appendConfig(t, dir, "ledger: "+server.DSN()+"\n"+consoleUsers("  tls: {cert: cert.pem, key: key.pem}\n"))
	text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "second.yaml", "reports: second/reports\n"+string(text)+"  uploads: second/uploads\n")
	return startConsole(t, dir), startConsole(t, dir, "sh", "-c", `exec "$@" --config second.yaml`, "sh"), trusts, box
}

// signIn signs in at a console.
func (v *caller) signIn(c *openConsole, name, password string) {
	v.t.Helper()
	form, _, _ := v.sees(c.base + "/sign-in")
	if _, path, status := v.posts(c.base+"/sign-in", form, url.Values{"name": {name}, "password": {password}, "to": {"/runs"}}); path != "/runs" {
		v.t.Fatalf("signing in led to %s: %d", path, status)
	}
}

// TestTwoConsolesAreOne has people use the consoles of two machines as one: a sign-in that was begun at one is finished at the other, and counts at both, and
// so does its end. Tries that were used up at one are used up at both.
func TestTwoConsolesAreOne(t *testing.T) {
	t.Parallel()
	a, b, trusts, _ := twoConsoles(t)
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

// TestConsolesSayThatTheLedgerIsAway stops the database: nobody is signed out because of that, and nobody is said to have tried too often.
func TestConsolesSayThatTheLedgerIsAway(t *testing.T) {
	t.Parallel()
	server := ledgertest.Own(t)
	a, b, trusts, _ := twoConsolesOver(t, server)
	ines, victor := newCaller(t, trusts), newCaller(t, trusts)
	ines.signIn(a, "Ines", operatorPassword)
	runs, _, _ := ines.sees(a.base + "/runs")
	form, _, _ := victor.sees(b.base + "/sign-in")
	server.Halt()
	is503 := func(what, page, path, want string, status int) {
		t.Helper()
		if status != http.StatusServiceUnavailable || path != want || !strings.Contains(page, "The ledger cannot be reached.") {
			t.Errorf("%s: %d at %s:\n%s", what, status, path, page)
		}
	}
	for _, c := range []*openConsole{a, b} {
		page, path, status := ines.sees(c.base + "/runs")
		is503("a page", page, path, "/runs", status)
	}
	page, path, status := ines.posts(a.base+"/sign-out", runs, url.Values{})
	is503("a form", page, path, "/sign-out", status)
	page, path, status = victor.posts(b.base+"/sign-in", form, url.Values{"name": {"Victor"}, "password": {viewerPassword}})
	is503("signing in", page, path, "/sign-in", status)
	server.Start(t)
	if _, path, status := ines.sees(b.base + "/runs"); path != "/runs" || status != http.StatusOK {
		t.Errorf("the database is back, and %s is answered with %d", path, status)
	}
}

// TestStrangersDoNotFillTheDatabase has somebody try one name after the other from one address after the other: the tries that are remembered have a bound,
// what is over makes room, and whoever tries one name again and again is still held.
func TestStrangersDoNotFillTheDatabase(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", ledgertest.Own(t).DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	door, err := signin.New(signin.Options{Shared: db, Log: zap.NewNop(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	slowed := func(name string, n int) bool {
		v, err := door.TryPassword(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/sign-in", nil), name, "guess", fmt.Sprintf("192.0.2.%d", n))
		if err != nil {
			t.Fatal(err)
		}
		return v.Slowed
	}
	fill := func(until string) {
		if _, err := db.Exec(`insert into console select 'tries/' || kind || '/' || n || $1, '', cast($1 as timestamptz)
			from unnest(array['address', 'pair', 'name']) as kind, generate_series(1, 10000) as n on conflict do nothing`, until); err != nil {
			t.Fatal(err)
		}
	}
	rows := func() (n int) {
		if err := db.QueryRow(`select count(*) from console where name like 'tries/%'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	fill("2020-01-01")
	if slowed("first", 1); rows() > 10 {
		t.Errorf("what is over makes no room: %d rows", rows())
	}
	fill("2200-01-01")
	before := rows()
	for n := range 9 {
		slowed(fmt.Sprint("stranger ", n), 10+n)
	}
	if n := rows(); n > before+3 {
		t.Errorf("nine strangers more are %d rows more", n-before)
	}
	held := false
	for range 7 {
		held = slowed("first", 1) || held
	}
	if !held {
		t.Error("a name that is tried again and again is not held")
	}
}

// TestConsolesNeedNoRightToMakeTables opens what consoles share as a role that may use the tables and make none, once 'ledger migrate' has made them.
func TestConsolesNeedNoRightToMakeTables(t *testing.T) {
	t.Parallel()
	server, dir := ledgertest.Own(t), t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 1)
	appendConfig(t, dir, "ledger: "+server.DSN()+"\n")
	if code, out := programWith(t, dir, nil, "ledger", "migrate"); code != exit.AllIn {
		t.Fatalf("ledger migrate: %d %s", code, out)
	}
	open := func(dsn string) *sql.DB {
		db, err := sql.Open("pgx", dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	if _, err := open(server.DSN()).Exec(`create role web login; grant select, insert, update, delete on console, shelf to web`); err != nil {
		t.Fatal(err)
	}
	web := open(strings.Replace(server.DSN(), "ledger@", "web@", 1))
	if _, err := signin.New(signin.Options{Shared: web, Log: zap.NewNop(), Now: time.Now}); err != nil {
		t.Error(err)
	}
	if _, err := upload.Shared(t.Context(), dir, web); err != nil {
		t.Error(err)
	}
	if _, err := web.Exec(`create table another (n int)`); err == nil {
		t.Error("the role can make tables, so that this proves nothing")
	}
}

// TestAReportIsAtEachConsole has a run that was made on one machine looked at on another, which has none of its files.
func TestAReportIsAtEachConsole(t *testing.T) {
	t.Parallel()
	a, b, trusts, _ := twoConsoles(t)
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
	victor.signIn(b, "Victor", viewerPassword)
	page, _, _ := victor.sees(b.base + "/runs")
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

// TestAnUploadIsContinuedAtAnotherConsole uploads a file at one console and works on its draft at another, and is told of a change at the other
// one by a page that was loaded before.
func TestAnUploadIsContinuedAtAnotherConsole(t *testing.T) {
	t.Parallel()
	a, b, trusts, _ := twoConsoles(t)
	ines := newCaller(t, trusts)
	ines.signIn(a, "Ines", operatorPassword)
	page, _, _ := ines.sees(a.base + "/import")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("token", pagetest.Token(t, page))
	file, _ := form.CreateFormFile("file", "matters.csv")
	fmt.Fprint(file, "Ref,Title\nU-1,First\nU-2,Second\n")
	_ = form.Close()
	page, path, status := ines.read(ines.Post(a.base+"/import", form.FormDataContentType(), &body))
	if status != http.StatusOK || !strings.HasPrefix(path, "/import/") {
		t.Fatalf("the upload led to %s: %d\n%s", path, status, page)
	}
	upload := "/" + strings.Join(strings.Split(path, "/")[1:3], "/")
	atA, _, _ := ines.sees(a.base + upload + "/mapping")
	atB, _, status := ines.sees(b.base + upload + "/mapping")
	text := html.UnescapeString(regexp.MustCompile(`(?s)<textarea class="yaml" name="text"[^>]*>(.*?)</textarea>`).FindStringSubmatch(atB)[1])
	seen := func(page string) []string {
		return []string{regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(page)[1]}
	}
	if status != http.StatusOK || !strings.Contains(text, "operation:") {
		t.Fatalf("at the other console: %d, %s", status, text)
	}
	ines.posts(b.base+upload+"/text", atB, url.Values{"seen": seen(atB), "text": {text + "# by way of the other console\n"}})
	if page, _, status := ines.posts(a.base+upload+"/text", atA, url.Values{"seen": seen(atA), "text": {text + "# too late\n"}}); status != http.StatusConflict {
		t.Errorf("a page from before the change: %d\n%s", status, page)
	}
	if page, _, _ := ines.sees(a.base + upload + "/mapping"); !strings.Contains(page, "by way of the other console") || strings.Contains(page, "too late") {
		t.Errorf("the draft at the first console:\n%s", page)
	}
	if page, _, _ := ines.sees(b.base + upload); !strings.Contains(page, "Second") {
		t.Errorf("the rows at the other console:\n%s", page)
	}
	page, _, _ = ines.sees(b.base + "/import")
	ines.posts(b.base+upload+"/discard", page, url.Values{"seen": seen(page)})
	for _, c := range []*openConsole{a, b} {
		if page, _, _ := ines.sees(c.base + "/import"); strings.Contains(page, upload) {
			t.Errorf("%s lists what was discarded", c.base)
		}
		if _, _, status := ines.sees(c.base + upload); status != http.StatusNotFound {
			t.Errorf("%s shows what was discarded: %d", c.base, status)
		}
	}
}

// TestAPlanIsApprovedAtAnotherConsole makes a dry run at one console and sends it at another.
func TestAPlanIsApprovedAtAnotherConsole(t *testing.T) {
	t.Parallel()
	a, b, trusts, box := twoConsoles(t)
	ines := newCaller(t, trusts)
	ines.signIn(a, "Ines", operatorPassword)
	page, _, _ := ines.sees(a.base + "/jobs/cases")
	ines.posts(a.base+"/jobs/cases/plan", page, formOf(page, "/jobs/cases/plan"))
	var run string
	untilSo(t, "a plan", func() bool {
		page, _, _ = ines.sees(b.base + "/runs?all=yes")
		if link := regexp.MustCompile(`href="/runs/([^"/]+)"`).FindStringSubmatch(page); link != nil {
			run = link[1]
			page, _, _ = ines.sees(b.base + "/runs/" + run + "/plan")
		}
		return strings.Contains(page, "/carry-out")
	})
	ines.posts(b.base+"/runs/"+run+"/carry-out", page, formOf(page, "/carry-out"))
	untilSo(t, "what was planned in the service", func() bool { return box.state(t).Cases == 3 })
}

// TestWhatIsSharedIsForgotten takes uploads of two machines away: what the folder of one has lost is lost to both, and what is old and read by nothing.
func TestWhatIsSharedIsForgotten(t *testing.T) {
	t.Parallel()
	server, ctx := ledgertest.Own(t), t.Context()
	db, err := sql.Open("pgx", server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var stores []*upload.Store
	for range 2 {
		s, err := upload.Shared(ctx, t.TempDir(), db)
		if err != nil {
			t.Fatal(err)
		}
		s.Limit, s.Switches = 1<<20, func() (mapping.Options, error) { return mapping.Options{}, nil }
		stores = append(stores, s)
	}
	a, b := stores[0], stores[1]
	take := func(name string) *upload.Upload {
		t.Helper()
		u, err := a.Take(ctx, upload.Arrival{Who: "Ines", Name: name}, strings.NewReader("Ref,Title\nU-1,First\nU-2,Second\n"))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	count := func(s *upload.Store, want int) {
		t.Helper()
		if list, err := s.List(); err != nil || len(list) != want {
			t.Errorf("%d uploads, want %d: %v", len(list), want, err)
		}
	}
	lost, old := take("lost.csv"), take("old.csv")
	corrected, _, err := a.KeepCorrected("rejects.xlsx", strings.NewReader("corrected"))
	if err != nil {
		t.Fatal(err)
	}
	count(b, 2)
	if err := b.BringAll(ctx); err != nil {
		t.Fatal(err)
	}
	atB, err := b.Open(old.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.PutAside("of a"); err != nil {
		t.Fatal(err)
	}
	if err := atB.PutAside("of b, which has not seen that"); !errors.Is(err, upload.ErrChanged) {
		t.Errorf("a change of what has changed: %v", err)
	}
	if atB, err = b.Open(old.ID); err != nil {
		t.Fatal(err)
	}
	if text, err := atB.Typed(); text != "of a" {
		t.Errorf("%q, %v", text, err)
	}
	there, err := filepath.Rel(a.Dir, corrected)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(b.Dir, there)); string(text) != "corrected" {
		t.Errorf("%q, %v", text, err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(b.Dir, lost.ID)), os.RemoveAll(filepath.Join(b.Dir, filepath.Dir(there))), b.DropMissing(ctx)); err != nil {
		t.Fatal(err)
	}
	count(a, 1)
	for name, part := range map[string]string{"what was lost": lost.ID, "what was corrected": filepath.ToSlash(there)} {
		if found, err := a.Shelf.Names(ctx, "", time.Time{}); err != nil || slices.ContainsFunc(found, func(n string) bool { return strings.Contains(n, part) }) {
			t.Errorf("%s is on the shelf: %v, %v", name, found, err)
		}
	}
	for _, used := range []bool{true, false} {
		if err := b.ExpireShelf(ctx, time.Now().Add(time.Hour), func(path string) bool { return used && filepath.Base(filepath.Dir(path)) == old.ID }); err != nil {
			t.Fatal(err)
		}
		count(a, map[bool]int{true: 1, false: 0}[used])
	}
}

// formOf is what the form of a page that leads to an address brings along.
func formOf(page, action string) url.Values {
	form := url.Values{}
	_, text, _ := strings.Cut(page, action+`"`)
	text, _, _ = strings.Cut(text, "</form>")
	for _, field := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return form
}

// untilSo asks again and again until something is so.
func untilSo(t *testing.T, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for end := time.After(100 * time.Second); !so(); {
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("%s: not in time", what)
		}
	}
}
