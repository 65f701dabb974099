package access

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// A password and its hash, which costs little.
const (
	password = "correct horse battery"
	hash     = "$argon2id$v=19$m=64,t=1,p=1$2vi8yPdtYy8hgaDMReHRLg$B0tT3rROJR+zp1W3Oefs4hmH56I7Jo7uOk/PmUCWxqk"
)

// Nobody is signed in by a form that was not made for their own browser, not even with the right password.
func TestSignInNeedsTheTokenOfItsPage(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	authenticator, err := signin.New(signin.Options{Idle: time.Hour, Lifetime: time.Hour, Log: zap.NewNop(), Now: time.Now,
		Accounts: signin.Accounts{Users: []signin.User{{Name: "Ines", Role: signin.Operator, Hash: hash}}}})
	if err != nil {
		t.Fatal(err)
	}
	frame := web.New(web.Options{Authenticator: authenticator, Snapshots: web.NewSnapshots(led, nil, zap.NewNop()), Log: zap.NewNop(), Now: time.Now})
	(&Pages{Authenticator: authenticator, Log: zap.NewNop(), Now: time.Now}).AddTo(frame, true, true)
	ask := func(method string, form url.Values, cookies []*http.Cookie) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/sign-in", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		frame.Handler().ServeHTTP(w, r)
		return w
	}
	page := func() (token string, ticket []*http.Cookie) {
		w := ask(http.MethodGet, nil, nil)
		return pagetest.Token(t, w.Body.String()), w.Result().Cookies()
	}
	foreign, _ := page()
	own, ticket := page()
	for name, test := range map[string]struct {
		token  string
		ticket []*http.Cookie
		want   int
	}{
		"no token":                 {"", ticket, http.StatusForbidden},
		"the token of another":     {foreign, ticket, http.StatusForbidden},
		"a token without a ticket": {own, nil, http.StatusForbidden},
		"its own":                  {own, ticket, http.StatusSeeOther},
	} {
		w := ask(http.MethodPost, url.Values{"token": {test.token}, "name": {"Ines"}, "password": {password}}, test.ticket)
		session := false
		for _, c := range w.Result().Cookies() {
			session = session || !strings.Contains(c.Name, "ticket")
		}
		if w.Code != test.want || session != (test.want == http.StatusSeeOther) {
			t.Errorf("%s: %d, signed in %v", name, w.Code, session)
		}
	}
}
