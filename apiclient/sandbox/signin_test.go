package sandbox_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
)

// with gives the service with one header set, or left out where the value is empty.
func (s *service) with(name, value string) *service {
	changed := *s
	changed.header = s.header.Clone()
	delete(changed.header, name)
	if value != "" {
		changed.header[name] = []string{value}
	}
	return &changed
}

const (
	keyHeader    = "subscription-key"
	cookieHeader = ".Service.AuthCookie"
)

func TestKeyAndCookieAreNeeded(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	id := s.newCase()
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/firms/file", caseA}, {"PUT", "/v1/firms/file", updateOf(id)}, {"PUT", "/v1/firms/trademark", tmark}, {"GET", "/v1/lists/users", ""},
	} {
		wantReasons(t, s.with(keyHeader, "").do(c.method, c.path, c.body), 401, "subscription-key: the header subscription-key is missing")
		wantReasons(t, s.with(keyHeader, "other").do(c.method, c.path, c.body), 401, "subscription-key: the header subscription-key holds no known key")
		wantReasons(t, s.with(cookieHeader, "").do(c.method, c.path, c.body), 401, ".Service.AuthCookie: the header .Service.AuthCookie is missing")
		wantReasons(t, s.with(cookieHeader, "other").do(c.method, c.path, c.body), 401, ".Service.AuthCookie: the header .Service.AuthCookie holds no cookie of this service")
	}
	if st := s.state(); st.Cases != 1 || st.Trademarks != 0 {
		t.Errorf("refused requests acted: %+v", st)
	}
}

func TestTheCookiesNameIsConfigurable(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{CookieHeader: "X-Session"})
	wantReasons(t, s.do("POST", "/v1/firms/file", caseA), 401, "X-Session: the header X-Session is missing")
	if r := s.with("X-Session", "cookie").do("POST", "/v1/firms/file", caseA); r.status != 201 {
		t.Errorf("answer %d %s", r.status, r.body)
	}
}

func TestCreateFolderAndTheCookie(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	owned := edit(t, folder, `files=[{"name":"One","number":1,"user_id":"`+ben+`"}]`)
	if r := s.with(cookieHeader, "").do("POST", "/v1/firms/folder", owned); r.status != 201 {
		t.Errorf("without cookie: answer %d %s", r.status, r.body)
	}
	wantReasons(t, s.with(cookieHeader, "").do("POST", "/v1/firms/folder", folder), 400,
		"files[0].user_id: is required, because the request carries no .Service.AuthCookie that names a user",
		"files[1].user_id: is required, because the request carries no .Service.AuthCookie that names a user")
	wantReasons(t, s.with(cookieHeader, "wrong").do("POST", "/v1/firms/folder", owned), 401, ".Service.AuthCookie: the header .Service.AuthCookie holds no cookie of this service")
}

// signIn gives the cookie of the login, "" when it was refused.
func (s *service) signIn(name, password string) string {
	s.t.Helper()
	r := s.with(cookieHeader, "").do("POST", "/v1/login", fmt.Sprintf(`{"user_name":%q,"password":%q}`, name, password))
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == cookieHeader && r.status == 200 {
			return c.Value
		}
	}
	return ""
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	first, second := s.signIn("bosei", "battery staple"), s.signIn("bosei", "battery staple")
	if first == "" || first == second {
		t.Fatalf("two sign-ins gave %q and %q, want two cookies", first, second)
	}
	got := decode[file](t, s.with(cookieHeader, first).do("POST", "/v1/firms/file", caseB))
	if got.User.ID != ben {
		t.Errorf("owner %s, want the user of the cookie", got.User.ID)
	}
	for _, wrong := range [][2]string{{"bosei", "x"}, {"nobody", ""}, {"cnaude", ""}} {
		if c := s.signIn(wrong[0], wrong[1]); c != "" {
			t.Errorf("sign-in as %q with %q gave a cookie", wrong[0], wrong[1])
		}
	}
	forged := first[:len(first)-2] + "AA"
	wantReasons(t, s.with(cookieHeader, forged).do("POST", "/v1/firms/file", caseB), 401, ".Service.AuthCookie: the header .Service.AuthCookie holds no cookie of this service")
	wantReasons(t, s.do("POST", "/v1/login", `{"user_name":"bosei","pass":"x"}`), 400, "password: is required", "pass: is not a member of this object")
	wantReasons(t, s.with(keyHeader, "").do("POST", "/v1/login", `{}`), 401, "subscription-key: the header subscription-key is missing")
}

func TestAnyKeyAndCookieWhereNoneIsSet(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Open(sandbox.Options{Directory: small()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	s := serveWith(t, server)
	s.header = http.Header{keyHeader: {"any"}, cookieHeader: {"any"}, "Content-Type": {"application/json"}}
	if r := s.do("POST", "/v1/firms/file", caseB); r.status != 201 {
		t.Errorf("answer %d %s", r.status, r.body)
	}
	wantReasons(t, s.with(cookieHeader, "sandbox.forged").do("POST", "/v1/firms/file", caseB), 401, ".Service.AuthCookie: the header .Service.AuthCookie holds no cookie of this service")
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestCookiesExpireByUseAcrossRestarts(t *testing.T) {
	t.Parallel()
	o := sandbox.Options{Data: filepath.Join(t.TempDir(), "s.db"), Directory: small(), Faults: sandbox.Faults{CookieAfter: 3}}
	var cookie string
	var statuses []int
	for round := range 2 {
		server, err := sandbox.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		s := serveWith(t, server)
		s.header = http.Header{keyHeader: {"key"}, "Content-Type": {"application/json"}}
		if round == 0 {
			cookie = s.signIn("bosei", "battery staple")
		}
		for range 2 {
			s.with(cookieHeader, cookie).do("GET", "/v1/lists/users", "") // uses nothing up
			statuses = append(statuses, s.with(cookieHeader, cookie).do("POST", "/v1/firms/file", edit(t, caseA, "name")).status)
		}
		if r := s.with(cookieHeader, cookie).do("GET", "/v1/lists/users", ""); round == 1 && r.status != 401 {
			t.Errorf("a list with a cookie that is used up: %d", r.status)
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(statuses); got != "[400 400 400 401]" {
		t.Errorf("answers %s, want three requests to be let in", got)
	}
}

func TestSecretsAreNotInTheData(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	s := start(t, sandbox.Options{Data: path, SubscriptionKey: "the-secret-key", AuthCookie: "the-secret-cookie"})
	cookie := s.signIn("bosei", "battery staple")
	s.with(cookieHeader, cookie).newCase()
	s.newCase()
	for _, address := range []string{"/v1/sandbox/snapshot", "/v1/sandbox/state", "/v1/lists/users"} {
		text := string(s.do("GET", address, "").body)
		for _, secret := range []string{"the-secret-key", "the-secret-cookie", cookie, "battery staple"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %s", address, secret)
			}
		}
	}
	for name, data := range readAll(t, filepath.Dir(path)) {
		for _, secret := range []string{"the-secret-key", "the-secret-cookie", cookie, "battery staple"} {
			if strings.Contains(data, secret) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
	}
}
