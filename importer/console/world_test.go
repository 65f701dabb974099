package console_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"docketsync/apiclient/payload"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/wizard"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/report/files"
	"docketsync/importer/report/remedy"
	"docketsync/mapping/lookup"
)

func TestMain(m *testing.M) {
	ledgertest.Hasten()
	os.Exit(m.Run())
}

// The people of these tests. The hashes cost little, unlike those that docketsync console password makes.
const (
	operatorPassword = "correct horse battery"
	operatorHash     = "$argon2id$v=19$m=64,t=1,p=1$2vi8yPdtYy8hgaDMReHRLg$B0tT3rROJR+zp1W3Oefs4hmH56I7Jo7uOk/PmUCWxqk"
	viewerPassword   = "a quiet pair of eyes"
	viewerHash       = "$argon2id$v=19$m=64,t=1,p=1$yf2TImPW8gQRMLZ9bHhnjA$aRBOyIrnWFovVuFdcV/m86TY+hCzdu28+TDDcOg6RdE"
)

// world is a console over a real ledger.
type world struct {
	t       *testing.T
	book    *ledger.Ledger
	server  *console.Server
	options *console.Options // of the server
	at      *httptest.Server
	reports string
	logged  *lockedBuffer

	mu   sync.Mutex
	time time.Time
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func newWorld(t *testing.T, change ...func(*console.Options)) *world {
	t.Helper()
	w := &world{t: t, reports: filepath.Join(t.TempDir(), "reports"), logged: &lockedBuffer{}, time: time.Now()}
	var err error
	w.book, err = ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	w.must(err)
	t.Cleanup(func() { _ = w.book.Close() })
	options := console.Options{
		Ledger: w.book, StopWithin: 10 * time.Second, Now: w.now, Uploads: &upload.Store{Limit: 1 << 20},
		Log: zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(w.logged), zap.DebugLevel)),
		SignIn: signin.Options{Idle: time.Hour, Lifetime: 12 * time.Hour, Accounts: signin.Accounts{Users: []signin.User{
			{Name: "Ines", Role: signin.Operator, Hash: operatorHash}, {Name: "Victor", Role: signin.Viewer, Hash: viewerHash}}}},
		Work: &stub{
			jobs: func(context.Context) ([]jobs.Job, error) {
				return []jobs.Job{{Name: "matters", Mapping: "matters.yaml"}}, nil
			},
			settings: func() ([]config.Line, error) { return nil, nil },
			rewrite:  func(context.Context, string) error { return nil },
			reports:  w.reports,
			book:     w.book,
		},
	}
	for _, f := range change {
		f(&options)
	}
	w.options = &options
	w.server, err = console.New(t.Context(), options)
	w.must(err)
	w.at = httptest.NewServer(w.server.Handler())
	t.Cleanup(w.at.Close)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.time
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time = w.time.Add(d)
}

// run puts a run into the ledger that rejected one row, all of whose texts are given, and writes its report.
func (w *world) run(text string) ledger.Run {
	w.t.Helper()
	ctx := w.t.Context()
	id, err := uuid.NewV7()
	w.must(err)
	run := ledger.Run{ID: id.String(), Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading,
		Fingerprint: "f", Started: w.now().Add(-time.Minute), Sources: []ledger.Source{{File: text, Sheet: text, Header: []string{text}}},
		Counts: ledger.Counts{Read: 2, InRecords: 1, Skipped: map[string]int{text: 1}}}
	w.must(w.book.Begin(ctx, run))
	_, err = w.book.Add(ctx, []ledger.Record{{Run: run.ID, Seq: 1, Scope: run.Scope, Key: text, Action: ledger.None, State: ledger.Rejected,
		Rows:    []ledger.Row{{Number: 2, Cells: []byte(`[null]`)}},
		Reasons: []ledger.Reason{{Code: "bad", Field: text, Column: text, Cell: "A2", Row: 2, Value: text, Message: text, Hint: text}}}})
	w.must(err)
	run.Phase, run.Ended, run.Stop, run.StopCode = ledger.Stopped, w.now(), text, "service"
	w.must(w.book.SaveRun(ctx, run))
	_, err = files.Write(ctx, w.book.Reader, run.ID, w.reports)
	w.must(err)
	return run
}

// stub is work that does what a test says; a test that asks it for anything else fails.
type stub struct {
	console.Work
	jobs     func(context.Context) ([]jobs.Job, error)
	settings func() ([]config.Line, error)
	rewrite  func(context.Context, string) error
	keep     config.Days
	tables   upload.Tables
	// acknowledge does what a test says.
	acknowledge func(ctx context.Context, who string, list []ledger.Record, note string) error
	reports     string
	book        *ledger.Ledger
}

func stubOf(o *console.Options) *stub { return o.Work.(*stub) }

func (s *stub) Jobs(ctx context.Context) ([]jobs.Job, error)  { return s.jobs(ctx) }
func (s *stub) Settings() ([]config.Line, error)              { return s.settings() }
func (s *stub) Rewrite(ctx context.Context, run string) error { return s.rewrite(ctx, run) }
func (s *stub) Command(args ...string) string {
	return remedy.Site{Flags: []string{"-c", "it's.yaml"}}.Command(args...)
}
func (s *stub) Acknowledge(ctx context.Context, who string, list []ledger.Record, note string, _ bool) error {
	return s.acknowledge(ctx, who, list, note)
}
func (s *stub) SettleConflicts(ctx context.Context, list []ledger.Conflict) ([]ledger.Conflict, error) {
	return s.book.SettleConflicts(ctx, list)
}
func (s *stub) Takeable(ledger.Conflict, payload.Operation) []string { return []string{"notes"} }
func (s *stub) Sealed(string) (jobs.SealedPlan, error)               { return jobs.SealedPlan{}, fs.ErrNotExist }
func (s *stub) Reports() (string, config.Days, error)                { return s.reports, s.keep, nil }
func (s *stub) Host() (string, error)                                { return "cases.example.com", nil }
func (s *stub) Asks() (bool, error)                                  { return false, nil }
func (s *stub) Lists() ([]string, error)                             { return nil, nil }
func (s *stub) Remotes() ([]string, error)                           { return nil, nil }
func (s *stub) Refused() (func(string) string, error)                { return func(string) string { return "" }, nil }
func (s *stub) PlaceOf(job wizard.NewJob) (wizard.Place, error) {
	return wizard.Place{Folder: filepath.Join(s.reports, job.Name)}, nil
}
func (s *stub) Tables(ctx context.Context, job importer.Job) (map[string]*lookup.Table, error) {
	return s.tables(ctx, job)
}

// client is a browser without a window: it keeps cookies and follows no redirects.
type client struct {
	*http.Client
	w    *world
	from string // the address that a proxy in front says it comes from, "" for no proxy
}

func (w *world) client() *client {
	jar, _ := cookiejar.New(nil)
	return &client{Client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, w: w}
}

// answer is what the console said.
type answer struct {
	*http.Response
	text string
}

func (c *client) do(method, path, body string, headers ...string) answer {
	c.w.t.Helper()
	r, err := http.NewRequestWithContext(c.w.t.Context(), method, c.w.at.URL+path, strings.NewReader(body))
	c.w.must(err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.from != "" {
		headers = append(headers, "X-Forwarded-Proto", "https", "X-Forwarded-For", c.from)
	}
	for n := 0; n+1 < len(headers); n += 2 {
		if headers[n] == "Host" {
			r.Host = headers[n+1]
		}
		r.Header.Set(headers[n], headers[n+1])
	}
	said, err := c.Do(r)
	c.w.must(err)
	defer said.Body.Close()
	text, err := io.ReadAll(said.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		c.w.must(err)
	}
	return answer{said, string(text)}
}

func (c *client) get(path string, headers ...string) answer { return c.do("GET", path, "", headers...) }

// token is the token of the forms of a page.
func (c *client) token(path string) string {
	c.w.t.Helper()
	return pagetest.Token(c.w.t, c.get(path).text)
}

func (c *client) try(name, password string, headers ...string) answer {
	c.w.t.Helper()
	form := url.Values{"token": {c.token("/sign-in")}, "name": {name}, "password": {password}, "to": {"/runs"}}
	return c.do("POST", "/sign-in", form.Encode(), headers...)
}

// signedIn is a client of somebody who has signed in.
func (w *world) signedIn(name, password string) *client {
	w.t.Helper()
	c := w.client()
	if said := c.try(name, password); said.StatusCode != http.StatusSeeOther || said.Header.Get("Location") != "/runs" {
		w.t.Fatalf("%s could not sign in: %d\n%s", name, said.StatusCode, said.text)
	}
	return c
}

func (w *world) operator() *client { return w.signedIn("ines", operatorPassword) }
func (w *world) viewer() *client   { return w.signedIn("Victor", viewerPassword) }

// deeds are the lines of the audit, the latest first, as "who action result: note".
func (w *world) deeds() (lines []string) {
	w.t.Helper()
	list, err := w.book.AuditEntries(w.t.Context(), ledger.AuditFilter{})
	w.must(err)
	for _, d := range list {
		lines = append(lines, d.Who+" "+d.Action+" "+d.Result+": "+d.Note)
	}
	return lines
}
