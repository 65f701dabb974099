package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
)

const secret = "hunter2-s3cr3t"

var noon = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)

// hook is a web server that keeps what it is sent.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	asked  []string // method and path
	bodies []string
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{status: http.StatusOK}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked = append(h.asked, r.Method+" "+r.URL.RequestURI())
		h.bodies = append(h.bodies, string(body))
		if h.status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(h.status)
		fmt.Fprint(w, "Cannot "+r.Method+" "+r.URL.Path)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) seen() (asked, bodies []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked), slices.Clone(h.bodies)
}

func (h *hook) answer(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func book(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// rejected is a run with hostile texts, and the files of its report.
func rejected(t *testing.T) Ended {
	t.Helper()
	e := ended("matters", ledger.Finished, "", map[outcome.Outcome]int{outcome.Created: 3, outcome.Rejected: 2, outcome.Failed: 1})
	e.Summary.Rows = report.Rows{Read: 6, InRecords: 6}
	why := cause.Cause{Outcome: outcome.Rejected, Rows: 2, Message: `<script>alert(1)</script> & <!channel> *bold* [a](javascript:b) ` + secret, Hint: "add it to the lookup",
		Example: cause.Example{Sheet: "Matters", Cell: "C17"}}
	e.Summary.Problems = []cause.Problem{{Cause: why}, {Cause: cause.Cause{Message: "a note"}}}
	dir := filepath.Join(t.TempDir(), "matters 2026-03-02")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	e.Files = files.Paths{Dir: dir, HTML: filepath.Join(dir, "report.html"), Rejects: filepath.Join(dir, "rejects.xlsx")}
	for file, text := range map[string]string{e.Files.HTML: strings.Repeat("<p>report</p>", 100), e.Files.Rejects: "the workbook"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func settings(t *testing.T, channels ...Channel) Settings {
	return Settings{Firm: "Müller & Söhne", Host: "nightly", Timeout: 5 * time.Second, Channels: channels, Secrets: []string{secret}, Book: book(t),
		Now: func() time.Time { return noon }}
}

var all = []Event{brokeDown, stillBroken, recovered, succeeded}

// parts are the parts of a mail by their kind, files by their names.
func parts(t *testing.T, l letter) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(kind string, body io.Reader)
	walk = func(kind string, body io.Reader) {
		media, params, err := mime.ParseMediaType(kind)
		if err != nil {
			t.Fatal(err)
		}
		reader := multipart.NewReader(body, params["boundary"])
		for strings.HasPrefix(media, "multipart/") {
			part, err := reader.NextRawPart()
			if err != nil {
				return
			}
			inner := part.Header.Get("Content-Type")
			if strings.HasPrefix(inner, "multipart/") {
				walk(inner, part)
				continue
			}
			var text io.Reader = part
			if part.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
				text = quotedprintable.NewReader(part)
			}
			data, err := io.ReadAll(text)
			if err != nil {
				t.Fatal(err)
			}
			name := part.FileName()
			if name == "" {
				name, _, _ = mime.ParseMediaType(inner)
			}
			found[name] = string(data)
		}
	}
	m := opened(t, l)
	walk(m.Header.Get("Content-Type"), m.Body)
	return found
}

func TestAMailIsReceived(t *testing.T) {
	t.Parallel()
	certificate, pool := authority(t)
	server := newMailServer(t, certificate)
	s := settings(t, Channel{Name: "ops", On: all, Mail: &Mail{Server: server.address, TLS: "starttls", User: "import", Password: "mail-pass",
		From: "docketsync@firm.example", To: []string{"ops@firm.example", "Frau Öz <oz@firm.example>"}, Attach: true, AttachLimit: 1e6}})
	s.CAs = pool
	New(s).Run(t.Context(), rejected(t))
	got := server.received()
	if len(got) != 1 {
		t.Fatalf("received %d mails", len(got))
	}
	if diff := cmp.Diff([]string{"RCPT TO:<ops@firm.example>", "RCPT TO:<oz@firm.example>"}, got[0].to); diff != "" {
		t.Errorf("receivers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{":import:mail-pass"}, server.users); diff != "" || server.open > 0 {
		t.Errorf("signed in (-want +got):\n%s\n%d mails in the open", diff, server.open)
	}
	header := opened(t, got[0]).Header
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if want := "docketsync · Müller & Söhne · matters NEEDS ATTENTION · 2 records need correcting"; err != nil || subject != want {
		t.Errorf("subject %q, want %q", subject, want)
	}
	if header.Get("Auto-Submitted") != "auto-generated" || header.Get("Date") == "" || header.Get("Message-Id") == "" {
		t.Errorf("headers: %v", header)
	}
	found := parts(t, got[0])
	for _, want := range []string{"Job matters needs attention: 2 records need correcting.", "3 of 5 matters were imported.", "Rows: 6 read = 6 in records + 0 skipped",
		"(2 rows, as in Matters!C17)", "add it to the lookup", "docketsync run matters --file '/", "report.html on nightly",
		"Attached: rejects.xlsx, report.html", "docketsync on nightly, run 0199-run"} {
		if !strings.Contains(strings.ReplaceAll(found["text/plain"], "\r\n", "\n"), want) {
			t.Errorf("the text lacks %q:\n%s", want, found["text/plain"])
		}
	}
	page := found["text/html"]
	if strings.Contains(page, "<script>") || !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp;") {
		t.Errorf("the page is not escaped:\n%s", page)
	}
	if strings.Contains(found["text/plain"]+page, "a note") {
		t.Error("a note is told as what kept records out")
	}
	if _, has := found["rejects.xlsx"]; !has || found["report.html"] == "" {
		t.Errorf("attached: %v", found)
	}
}

func TestWhatIsTooLargeToAttachIsNamed(t *testing.T) {
	t.Parallel()
	server := newMailServer(t, nil)
	s := settings(t, Channel{Name: "ops", On: all, Mail: &Mail{Server: server.address, TLS: "none", From: "a@firm.example", To: []string{"b@firm.example"}, Attach: true, AttachLimit: 100}})
	s.Link = "https://files.example/{folder}/report.html"
	New(s).Run(t.Context(), rejected(t))
	got := server.received()
	if len(got) != 1 {
		t.Fatalf("received %d mails", len(got))
	}
	found := parts(t, got[0])
	if _, has := found["report.html"]; has || !strings.Contains(found["text/plain"], "Too large to attach: report.html") {
		t.Errorf("a report of 1,300 bytes went with a mail of at most 100:\n%s", found["text/plain"])
	}
	if want := "https://files.example/matters%202026-03-02/report.html"; !strings.Contains(found["text/plain"], want) || !strings.Contains(found["text/html"], `href="`+want+`"`) {
		t.Errorf("no link %s in\n%s", want, found["text/html"])
	}
}

// A receiver whom the server refuses, and files that it does not take, keep nobody from the mail. Who went without is logged.
func TestAMailIsReceivedByThoseWhoCan(t *testing.T) {
	t.Parallel()
	server := newMailServer(t, nil)
	server.gone, server.most = "gone@", 20000
	core, logged := observer.New(zapcore.ErrorLevel)
	e := rejected(t)
	if err := os.WriteFile(e.Files.HTML, make([]byte, 30000), 0o644); err != nil {
		t.Fatal(err)
	}
	s := settings(t, Channel{Name: "ops", On: all, Mail: &Mail{Server: server.address, TLS: "none", From: "a@firm.example", To: []string{"gone@firm.example", "kate@firm.example", "ben@firm.example"}, Attach: true, AttachLimit: 1e6}},
		Channel{Name: "nobody", On: all, Mail: &Mail{Server: server.address, TLS: "none", From: "a@firm.example", To: []string{"gone@firm.example"}}})
	s.Log = zap.New(core)
	New(s).Run(t.Context(), e)
	var to []string
	for _, l := range server.received() {
		to = append(to, l.to...)
		if found := parts(t, l); found["report.html"] != "" || !strings.Contains(found["text/plain"], "Too large to attach: rejects.xlsx, report.html") {
			t.Errorf("the mail is\n%s", found["text/plain"])
		}
	}
	if diff := cmp.Diff([]string{"RCPT TO:<kate@firm.example>", "RCPT TO:<ben@firm.example>"}, to); diff != "" {
		t.Errorf("receivers (-want +got):\n%s", diff)
	}
	if tries := New(s).Test(t.Context()); !strings.Contains(tries[1].Error, "gone@firm.example") {
		t.Errorf("the test of the channel says %+v", tries)
	}
	var said []string
	for _, entry := range logged.FilterField(zap.String("job", e.Job)).All() {
		said = append(said, entry.Message)
		if !strings.Contains(fmt.Sprint(entry.ContextMap()["error"]), "gone@firm.example") {
			t.Errorf("%s %v", entry.Message, entry.ContextMap())
		}
	}
	slices.Sort(said)
	want := []string{"a message could not be sent to some of its receivers; correct notify.channels.mail.to", "a message could not be sent; docketsync tries again after the next run"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
}

func TestMailServersThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	certificate, pool := authority(t)
	encrypting, plain, silent := newMailServer(t, certificate), newMailServer(t, nil), newMailServer(t, nil)
	silent.silent = true
	implicit := newMailServer(t, certificate)
	implicit.implicit = true
	for name, test := range map[string]struct {
		server  *mailServer
		how     string
		trusted bool
		want    string
	}{
		"a certificate of nobody known": {encrypting, "starttls", false, "notify.ca_file"},
		"the same, with its authority":  {encrypting, "starttls", true, ""},
		"TLS from the start":            {implicit, "implicit", true, ""},
		"the same, of nobody known":     {implicit, "implicit", false, "notify.ca_file"},
		"no TLS from the start":         {plain, "implicit", true, "port 587 and tls: implicit on port 465"},
		"TLS from the start, unawaited": {implicit, "starttls", true, "port 587 and tls: implicit on port 465"},
		"no STARTTLS at all":            {plain, "starttls", true, "STARTTLS; check server and tls: most"},
		"no users":                      {plain, "none", true, "leave out user and password"},
		"a server that says nothing":    {silent, "starttls", true, "timeout; check server and tls: most"},
	} {
		s := settings(t, Channel{Name: "ops", On: all, Mail: &Mail{Server: test.server.address, TLS: test.how, User: "import", Password: secret, From: "a@firm.example", To: []string{"b@firm.example"}}})
		s.Timeout = time.Second
		if test.trusted {
			s.CAs = pool
		}
		tries := New(s).Test(t.Context())
		if len(tries) != 1 || (tries[0].Error == "") != (test.want == "") || !strings.Contains(tries[0].Error, test.want) {
			t.Errorf("%s: %+v, want %q", name, tries, test.want)
		}
	}
	if plain.open > 0 || len(plain.received()) > 0 {
		t.Error("a mail went out in the open")
	}
}

func TestHooksReceiveWhatTheyUnderstand(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	s := settings(t, Channel{Name: "slack", On: all, Form: "slack", URL: server.URL + "/slack"}, Channel{Name: "teams", On: all, Form: "teams", URL: server.URL + "/teams"},
		Channel{Name: "other", On: all, Form: "webhook", URL: server.URL + "/other"})
	s.Link = "https://files.example/{folder}/report.html"
	New(s).Run(t.Context(), rejected(t))
	asked, bodies := server.seen()
	got := map[string]map[string]any{}
	for n, path := range asked {
		var body map[string]any
		if err := json.Unmarshal([]byte(bodies[n]), &body); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		got[path] = body
	}
	if text := fmt.Sprint(got["POST /slack"]["text"]); text != "docketsync · Müller &amp; Söhne · matters NEEDS ATTENTION · 2 records need correcting" {
		t.Errorf("slack: text %q", text)
	}
	kinds := map[string]bool{}
	everyText(got["POST /slack"], func(o map[string]any) { kinds[fmt.Sprint(o["type"])] = true }, "text")
	if kinds["mrkdwn"] || !kinds["plain_text"] {
		t.Errorf("slack: texts are %v", kinds)
	}
	card := got["POST /teams"]["attachments"].([]any)[0].(map[string]any)
	if card["contentType"] != "application/vnd.microsoft.card.adaptive" || strings.Contains(fmt.Sprint(card), "type:TextBlock") {
		t.Errorf("teams: %v", card)
	}
	other := got["POST /other"]
	if other["form"] != "docketsync-message/1" || other["event"] != "broken" || other["cause"] != "rejects" || other["job"] != "matters" ||
		other["outcomes"].(map[string]any)["rejected"] != 2.0 || other["report"] != "https://files.example/matters%202026-03-02/report.html" {
		t.Errorf("webhook: %v", other)
	}
	for n, body := range bodies {
		if !strings.Contains(body, "3 of 5 matters were imported.") || !strings.Contains(body, "Matters!C17") || !strings.Contains(body, "run matters --file '/") {
			t.Errorf("%s lacks what happened: %s", asked[n], body)
		}
	}
}

// everyText goes through the objects of a JSON value that have a member.
func everyText(v any, see func(map[string]any), member string) {
	switch v := v.(type) {
	case map[string]any:
		if _, has := v[member].(string); has && v["type"] != nil {
			see(v)
		}
		for _, inner := range v {
			everyText(inner, see, member)
		}
	case []any:
		for _, inner := range v {
			everyText(inner, see, member)
		}
	}
}

// Every form of every event, and what is logged, is searched for every secret, hidden wherever it came from.
func TestNoMessageShowsASecret(t *testing.T) {
	t.Parallel()
	certificate, pool := authority(t)
	mails, hooks, down := newMailServer(t, certificate), newHook(t), newHook(t)
	down.answer(http.StatusForbidden)
	core, logged := observer.New(zapcore.DebugLevel)
	s := settings(t,
		Channel{Name: "ops", On: all, Mail: &Mail{Server: mails.address, TLS: "starttls", User: "import", Password: "mail-" + secret, From: "a@firm.example", To: []string{"b@firm.example"}}},
		Channel{Name: "slack", On: all, Form: "slack", URL: hooks.URL + "/T0/" + secret}, Channel{Name: "teams", On: all, Form: "teams", URL: hooks.URL + "/" + secret},
		Channel{Name: "other", On: all, Form: "webhook", URL: hooks.URL + "/" + secret}, Channel{Name: "down", On: all, Form: "webhook", URL: down.URL + "/s3cr3t"},
		Channel{Name: "gone", On: all, Form: "slack", URL: "http://127.0.0.1:1/" + secret}, Channel{Name: "odd", On: all, Form: "slack", URL: "http://127.0.0.1:1/%zz" + secret})
	s.Ping = Ping{URL: down.URL + "/s3cr3t/{job}", Always: true}
	s.CAs, s.Log, s.Secrets = pool, zap.New(core), append(s.Secrets, "mail-"+secret, down.URL+"/s3cr3t") // as a configuration has it: the whole of an address
	n := New(s)
	day := noon
	n.Now = func() time.Time { return day }
	stopped := ended("matters", ledger.Stopped, "sign_in", nil)
	stopped.Summary.Verdict = "The service refused the cookie " + secret
	for _, e := range []Ended{rejected(t), stopped, {Job: "matters", Err: errors.New("postgres://u:" + secret + "@db cannot be reached")},
		ended("matters", ledger.Finished, "", map[outcome.Outcome]int{outcome.Created: 1}), ended("matters", ledger.Finished, "", nil)} {
		n.Run(t.Context(), e)
		day = day.AddDate(0, 0, 1)
	}
	n.Test(t.Context())
	var everything strings.Builder
	letters := mails.received()
	for _, l := range letters {
		for _, text := range parts(t, l) {
			everything.WriteString(text)
		}
		everything.WriteString(l.data)
	}
	_, bodies := hooks.seen()
	everything.WriteString(strings.Join(bodies, "\n"))
	for _, entry := range logged.All() {
		fmt.Fprint(&everything, entry.Message, entry.ContextMap())
	}
	if len(letters) != 6 || len(bodies) != 18 || logged.Len() < 30 {
		t.Fatalf("%d mails, %d posts, %d lines logged", len(letters), len(bodies), logged.Len())
	}
	if at := strings.Index(everything.String(), "s3cr3t"); at >= 0 {
		t.Errorf("a secret is shown: …%s…", everything.String()[max(0, at-200):at+10])
	}
}

// What could not be sent is sent after the next run, once; what was sent is not repeated, by another process either.
func TestAMessageThatCouldNotBeSentIsSentNextTime(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	s := settings(t, Channel{Name: "other", On: all, Form: "webhook", URL: server.URL})
	var fared []string
	s.Sent = func(channel string, event Event, err error) {
		fared = append(fared, fmt.Sprint(channel, " ", event, " ", err == nil))
	}
	server.answer(http.StatusInternalServerError)
	New(s).Run(t.Context(), rejected(t))
	server.answer(http.StatusTemporaryRedirect)
	New(s).Run(t.Context(), rejected(t))
	server.answer(http.StatusOK)
	New(s).Run(t.Context(), rejected(t))
	New(s).Run(t.Context(), rejected(t))
	want := []string{"other broken false", "other broken false", "other broken true"}
	if diff := cmp.Diff(want, fared); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	asked, _ := server.seen()
	if diff := cmp.Diff([]string{"POST /", "POST /", "POST /"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A test message is not sent again, so nobody is told that it will be; one of a job is.
func TestOnlyMessagesOfJobsAreSentAgain(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	server.answer(http.StatusInternalServerError)
	core, logged := observer.New(zapcore.ErrorLevel)
	s := settings(t, Channel{Name: "other", On: all, Form: "webhook", URL: server.URL})
	s.Log = zap.New(core)
	n := New(s)
	n.Test(t.Context())
	n.Run(t.Context(), rejected(t))
	var said []string
	for _, entry := range logged.All() {
		said = append(said, entry.Message)
	}
	want := []string{"a message could not be sent", "a message could not be sent; docketsync tries again after the next run"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAFirmIsServedAgain tells of firms what one process found and another one, which does not know of that, finds otherwise; that one is served is no news.
func TestAFirmIsServedAgain(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	s := settings(t, Channel{Name: "ops", On: all, Form: "webhook", URL: server.URL}, Channel{Name: "other", On: []Event{succeeded}, Form: "webhook", URL: server.URL})
	for _, err := range []error{nil, errors.New("no schema"), nil, nil} {
		New(s).Run(t.Context(), Ended{Job: "firm acme", Firm: "acme", Err: err})
	}
	_, bodies := server.seen()
	if len(bodies) != 2 || !strings.Contains(bodies[0], "Firm acme needs attention") || !strings.Contains(bodies[1], "Firm acme has recovered") {
		t.Errorf("people were told\n%s", strings.Join(bodies, "\n"))
	}
}

// TestAFirmIsGone tells of a firm that is gone once, whichever process finds that, and again after it was back; who hears of nothing that broke does not hear of it.
func TestAFirmIsGone(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	s := settings(t, Channel{Name: "ops", On: all, Form: "webhook", URL: server.URL}, Channel{Name: "other", On: []Event{succeeded, recovered}, Form: "webhook", URL: server.URL})
	broke, isGone, served := Ended{Err: errors.New("no schema")}, Ended{Gone: true}, Ended{}
	for _, e := range []Ended{broke, isGone, isGone, served, served, isGone} {
		e.Job, e.Firm = "firm acme", "acme"
		New(s).Run(t.Context(), e)
	}
	_, bodies := server.seen()
	if len(bodies) != 3 || !strings.Contains(bodies[0], "Firm acme needs attention") {
		t.Fatalf("people were told\n%s", strings.Join(bodies, "\n"))
	}
	for _, body := range bodies[1:] {
		if !strings.Contains(body, "Firm acme is gone: nothing of it is synced.") || !strings.Contains(body, `"event":"gone"`) {
			t.Errorf("people were told\n%s", body)
		}
	}
}

func TestWithoutALedgerTheProcessRemembers(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	s := settings(t, Channel{Name: "other", On: all, Form: "webhook", URL: server.URL})
	closed := book(t)
	closed.Close()
	for name, l := range map[string]*ledger.Ledger{"none": nil, "closed": closed} {
		s.Book = l
		before, _ := server.seen()
		n := New(s)
		for range 3 {
			n.Run(t.Context(), Ended{Job: "matters", Err: errors.New("the ledger cannot be reached")})
		}
		if after, _ := server.seen(); len(after)-len(before) != 1 {
			t.Errorf("%s: told %d times", name, len(after)-len(before))
		}
	}
}

// What was told while there was no ledger is in the one that comes, and goes on from there with another notifier.
func TestALedgerThatComesLateIsToldWhatWasSaid(t *testing.T) {
	t.Parallel()
	h, l := newHook(t), book(t)
	s := settings(t, Channel{Name: "hook", Form: "webhook", URL: h.URL, On: []Event{brokeDown, recovered}})
	s.Book = nil
	n := New(s)
	n.Run(t.Context(), Ended{Job: "matters", Err: errors.New("the ledger cannot be reached")})
	n.Keep(t.Context(), l)
	s.Book = l
	New(s).Run(t.Context(), rejected(t))
	told, err := l.NotificationState(t.Context(), "matters", "hook")
	if err != nil || told.State != broken {
		t.Errorf("the ledger has %+v, %v", told, err)
	}
	if _, bodies := h.seen(); len(bodies) != 1 {
		t.Errorf("%d messages were sent, want the first alone", len(bodies))
	}
}

func TestThePing(t *testing.T) {
	t.Parallel()
	good, bad := ended("marks/1", ledger.Finished, "", nil), Ended{Job: "marks/1", Err: errors.New("no file")}
	interrupted := ended("marks/1", ledger.Stopped, "interrupted", nil)
	for name, test := range map[string]struct {
		ping Ping
		want []string
	}{
		"success": {Ping{}, []string{"GET /p/marks%2F1?a=b"}},
		"always":  {Ping{Always: true}, []string{"GET /p/marks%2F1?a=b", "GET /p/marks%2F1?a=b"}},
		"signals": {Ping{StartAndFail: true}, []string{"GET /p/marks%2F1/start?a=b", "GET /p/marks%2F1?a=b", "GET /p/marks%2F1/fail?a=b"}},
	} {
		server := newHook(t)
		s := settings(t)
		s.Ping = test.ping
		s.Ping.URL = server.URL + "/p/{job}?a=b"
		n := New(s)
		n.Began(t.Context(), "marks/1")
		n.Run(t.Context(), good)
		n.Run(t.Context(), bad)
		n.Run(t.Context(), interrupted)
		asked, _ := server.seen()
		if diff := cmp.Diff(test.want, asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An answer 101 hands the connection over to whoever asked, who would wait for a body without end.
func TestAHookThatSwitchesProtocols(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "other")
		w.WriteHeader(http.StatusSwitchingProtocols)
		_ = http.NewResponseController(w).Flush()
		<-ended
	}))
	t.Cleanup(func() { close(ended); server.Close() })
	tries := New(settings(t, Channel{Name: "other", Form: "webhook", URL: server.URL})).Test(t.Context())
	if !strings.HasPrefix(tries[0].Error, "the response was 101 Switching Protocols") {
		t.Errorf("%+v", tries)
	}
}

// The address of a hook is a secret, and is named by no error, whether or not anybody listed it as one.
func TestErrorsDoNotNameTheAddress(t *testing.T) {
	t.Parallel()
	server := newHook(t)
	server.answer(http.StatusForbidden)
	s := settings(t)
	s.Secrets = nil
	for _, address := range []string{"http://127.0.0.1:1/t0ken", server.URL + "/t0ken", "http://127.0.0.1:1/%zzt0ken", "gopher://127.0.0.1/t0ken"} {
		s.Channels = []Channel{{Name: "other", Form: "webhook", URL: address}}
		tries := New(s).Test(t.Context())
		if tries[0].Error == "" || strings.Contains(tries[0].Error, "t0ken") {
			t.Errorf("%q", tries[0].Error)
		}
	}
}
