package web

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
)

// patient keeps until when a body may take to arrive.
type patient struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (p *patient) SetReadDeadline(until time.Time) error {
	p.until = until
	return nil
}

// A post changes something only with the token that a page of its own session carried.
func TestAPostNeedsTheTokenOfItsSession(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	authenticator, err := signin.New(signin.Options{Local: &signin.Person{Name: "root", Role: signin.Operator, Local: true}, Idle: time.Hour, Lifetime: time.Hour, Log: zap.NewNop(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	f := New(Options{Authenticator: authenticator, Snapshots: NewSnapshots(led, nil, zap.NewNop()), Log: zap.NewNop(), Now: time.Now})
	token, done := "", 0
	f.Get("/form", signin.Operator, func(r *Request) error { token = r.token; return nil })
	f.Post("/do", signin.Operator, "do", func(*Request) error { done++; return nil })
	ask := func(method, path, body string, cookies ...*http.Cookie) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		f.Handler().ServeHTTP(w, r)
		return w.Result()
	}
	ask(http.MethodGet, "/form", "")
	foreign := token
	session := ask(http.MethodGet, "/form", "").Cookies()
	if token == "" || token == foreign {
		t.Fatalf("two sessions have the tokens %q and %q", foreign, token)
	}
	for _, body := range []string{"", "token=", "token=" + foreign, "token=" + token[1:]} {
		if said := ask(http.MethodPost, "/do", body, session...); said.StatusCode != http.StatusForbidden || done > 0 {
			t.Errorf("a post with %q: %d, done %d times", body, said.StatusCode, done)
		}
	}
	if said := ask(http.MethodPost, "/do?token="+token, "", session...); said.StatusCode != http.StatusForbidden || done > 0 {
		t.Errorf("a post with the token in its address: %d, done %d times", said.StatusCode, done)
	}
	if said := ask(http.MethodPost, "/do", "token="+token, session...); said.StatusCode != http.StatusOK || done != 1 {
		t.Errorf("a post with the token: %d, done %d times", said.StatusCode, done)
	}
}

// late is a body before whose end something happens.
type late struct {
	*strings.Reader
	happens func()
}

func (l late) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.happens()
	}
	return n, err
}

// A post of somebody who loses a role in the firm while it is on its way is refused as such: signing in again would change nothing.
func TestAPostGoesWithTheRightToIt(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	door, err := signin.New(signin.Options{Local: &signin.Person{Name: "root", Role: signin.Operator, Local: true}, Idle: time.Hour, Lifetime: time.Hour, Log: zap.NewNop(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	operator := signin.Person{Name: "root", Role: signin.Operator, Jobs: []string{"marks"}}
	may := operator
	firm := door.To(signin.Firm{Name: "acme", Of: func(signin.Person) signin.Person { return may }})
	f := New(Options{Authenticator: firm, Snapshots: NewSnapshots(led, nil, zap.NewNop()), Log: zap.NewNop(), Now: time.Now})
	token, done := "", 0
	f.Get("/form", signin.Operator, func(r *Request) error { token = r.token; return nil })
	f.Post("/do", signin.Operator, "do", func(*Request) error { done++; return nil })
	for name, c := range map[string]struct {
		role      signin.Role
		jobs      []string
		signedOut bool
		status    int
		says      string
	}{
		"no change":                   {signin.Operator, operator.Jobs, false, http.StatusOK, ""},
		"a viewer":                    {signin.Viewer, operator.Jobs, false, http.StatusForbidden, "Your access to this firm has changed."},
		"nobody":                      {signin.Anybody, nil, false, http.StatusForbidden, "Your access to this firm has changed."},
		"of other jobs":               {signin.Operator, []string{"cases"}, false, http.StatusForbidden, "Your access to this firm has changed."},
		"signed out":                  {signin.Operator, operator.Jobs, true, http.StatusUnauthorized, "You are signed out."},
		"signed out and a viewer now": {signin.Viewer, operator.Jobs, true, http.StatusUnauthorized, "You are signed out."},
	} {
		may, done = operator, 0
		form := httptest.NewRecorder()
		f.Handler().ServeHTTP(form, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/form", nil))
		session := form.Result().Cookies()[0]
		body := late{strings.NewReader("token=" + token), func() {
			may.Role, may.Jobs = c.role, c.jobs
			if c.signedOut {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/form", nil)
				r.AddCookie(session)
				if ctx, _, err := firm.Find(r); err != nil || firm.EndSession(ctx, httptest.NewRecorder()) != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/do", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(session)
		w := httptest.NewRecorder()
		f.Handler().ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || (done > 0) != (c.status == http.StatusOK) {
			t.Errorf("%s: %d, done %d times\n%s", name, w.Code, done, w.Body)
		}
	}
}

// A file may take longer to arrive than a form, from somebody who may send it.
func TestUploadsAreGivenTheirTime(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	upload := func(local *signin.Person, limit int64) time.Time {
		authenticator, err := signin.New(signin.Options{Local: local, Idle: time.Hour, Lifetime: time.Hour, Log: zap.NewNop(), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		s := New(Options{Authenticator: authenticator, Snapshots: NewSnapshots(led, nil, zap.NewNop()), Log: zap.NewNop(), Now: time.Now})
		s.PostWithin("/upload", signin.Operator, "upload", limit, func(*Request) error { return nil })
		w := &patient{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/upload", strings.NewReader("")))
		return w.until
	}
	somebody := &signin.Person{Name: "root", Role: signin.Operator, Local: true}
	if until := upload(somebody, 1<<30); time.Until(until) < uploadWithin-time.Minute {
		t.Errorf("a file has until %v", until)
	}
	for name, until := range map[string]time.Time{"a form": upload(somebody, FormLimit), "a viewer": upload(&signin.Person{Name: "v", Role: signin.Viewer}, 1<<30), "a stranger": upload(nil, 1<<30)} {
		if !until.IsZero() {
			t.Errorf("%s is given more time than any request: %v", name, until)
		}
	}
}

// A page that finds a plan in the ledger which the next dry run replaces before the page reads it is made of the next one.
func TestAPageOutlivesThePlanItFound(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	authenticator, err := signin.New(signin.Options{Local: &signin.Person{Name: "root", Role: signin.Operator, Local: true}, Idle: time.Hour, Lifetime: time.Hour, Log: zap.NewNop(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	f := New(Options{Authenticator: authenticator, Snapshots: NewSnapshots(led, nil, zap.NewNop()), Log: zap.NewNop(), Now: time.Now})
	begin := func(id string) {
		t.Helper()
		if err := led.Begin(t.Context(), ledger.Run{ID: id, Job: "marks", Kind: ledger.Plan, Operation: "update_trademark", Scope: "update_trademark", Started: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	begin("019b0000-0000-7000-8000-000000000001")
	replaced := false
	f.Get("/plan", signin.Operator, func(r *Request) error {
		plans, err := r.Book().Runs(r.Context(), ledger.RunFilter{Job: "marks", Limit: 1})
		if err != nil {
			return err
		}
		if !replaced {
			replaced = true
			if err := led.RemoveRun(r.Context(), plans[0].ID); err != nil {
				return err
			}
			begin("019b0000-0000-7000-8000-000000000002")
		}
		plan, err := r.Book().Run(r.Context(), plans[0].ID)
		if err == nil {
			_, err = r.Response.Write([]byte(plan.ID))
		}
		return err
	})
	f.Get("/gone", signin.Operator, func(r *Request) error {
		_, err := r.Book().Run(r.Context(), "019b0000-0000-7000-8000-000000000001")
		return err
	})
	for n, path := range []string{"/plan", "/gone"} { // the first replaces what the second asks for
		status := []int{http.StatusOK, http.StatusNotFound}[n]
		w := httptest.NewRecorder()
		f.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != status || status == http.StatusOK && w.Body.String() != "019b0000-0000-7000-8000-000000000002" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
