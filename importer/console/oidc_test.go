package console_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/signin"
)

// withProvider is a world whose people sign in with a provider.
func withProvider(t *testing.T, claim string, operators, viewers []string, change ...func(*console.Options)) (*world, *provider) {
	t.Helper()
	p := newProvider(t)
	w := newWorld(t, append([]func(*console.Options){func(o *console.Options) {
		o.SignIn.URL = "http://console.invalid"
		o.SignIn.OIDC = &signin.Provider{Issuer: p.URL, ClientID: clientID, ClientSecret: clientSecret, Claim: claim, Operators: operators, Viewers: viewers, HTTP: p.Client()}
	}}, change...)...)
	return w, p
}

// back goes through the provider and returns the path with which it sends the browser back.
func (c *client) back(p *provider) string {
	c.w.t.Helper()
	away := c.get("/sign-in/provider?to=/runs?job=matters")
	if away.StatusCode != http.StatusSeeOther || !strings.HasPrefix(away.Header.Get("Location"), p.URL+"/authorize?") {
		c.w.t.Fatalf("sent to %d %s\n%s", away.StatusCode, away.Header.Get("Location"), away.text)
	}
	there := p.Client()
	there.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	said, err := there.Get(away.Header.Get("Location"))
	c.w.must(err)
	said.Body.Close()
	path, ok := strings.CutPrefix(said.Header.Get("Location"), "http://console.invalid")
	if !ok {
		c.w.t.Fatalf("the provider sent the browser to %d %s", said.StatusCode, said.Header.Get("Location"))
	}
	return path
}

func TestProviderSaysWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claim string
		who   map[string]any
		want  string // the line of the audit
	}{
		"a group of operators": {"groups", map[string]any{"preferred_username": "olga", "groups": []any{"all", "clerks"}}, "olga sign_in done: with HOST, as operator"},
		"a group of viewers":   {"groups", map[string]any{"email": "p@firm.example", "email_verified": "true", "groups": "partners"}, "p@firm.example sign_in done: with HOST, as viewer"},
		"both":                 {"groups", map[string]any{"name": "B", "groups": []any{"partners", "clerks"}}, "B sign_in done: with HOST, as operator"},
		"none":                 {"groups", map[string]any{"name": "N", "groups": []any{"Clerks", ""}}, "N sign_in refused: no value of your groups claim may sign in"},
		"no claim":             {"groups", map[string]any{"name": "N"}, "N sign_in refused: no value of your groups claim may sign in"},
		"an address":           {"email", map[string]any{"name": "A", "email": "CLERKS", "email_verified": true}, "CLERKS sign_in done: with HOST, as operator"},
		"an unproved address":  {"email", map[string]any{"name": "A", "email": "clerks", "email_verified": false}, "A sign_in refused: no value of your email claim may sign in"},
		"a local user's name":  {"groups", map[string]any{"preferred_username": "INES", "groups": "clerks"}, "INES (HOST) sign_in done: with HOST, as operator"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := withProvider(t, c.claim, []string{"clerks"}, []string{"partners"})
			p.who = c.who
			browser := w.client()
			said := browser.get(browser.back(p))
			want := strings.ReplaceAll(c.want, "HOST", strings.TrimPrefix(p.URL, "https://"))
			if got := w.deeds(); len(got) != 1 || got[0] != want {
				t.Errorf("the audit has %q, want %q", got, want)
			}
			if strings.Contains(c.want, "done") {
				if to := said.Header.Get("Location"); said.StatusCode != http.StatusSeeOther || to != "/runs?job=matters" {
					t.Errorf("sent to %d %s", said.StatusCode, to)
				}
				if page := browser.get("/runs"); page.StatusCode != http.StatusOK {
					t.Errorf("not signed in: %d", page.StatusCode)
				}
			} else if page := browser.get("/runs"); said.StatusCode != http.StatusForbidden || page.StatusCode == http.StatusOK {
				t.Errorf("came in: %d, %d", said.StatusCode, page.StatusCode)
			}
		})
	}
}

// What people of several values see is what each of them sees, as far as it gives the role that they have.
func TestProviderSaysWhichJobsSomebodySees(t *testing.T) {
	t.Parallel()
	walls := map[string][]string{"desk": {"matters"}, "marks": {"trademarks"}, "readers": {"matters"}, "clerks": {signin.AllJobs}}
	for name, c := range map[string]struct {
		groups []any
		sees   [2]bool // the jobs matters and trademarks
		whole  bool
	}{
		"one job":                     {[]any{"desk"}, [2]bool{true, false}, false},
		"two values":                  {[]any{"desk", "marks"}, [2]bool{true, true}, false},
		"a value that sees all":       {[]any{"desk", "clerks"}, [2]bool{true, true}, true},
		"another role's value":        {[]any{"marks", "partners"}, [2]bool{false, true}, false},
		"a viewer of one job":         {[]any{"readers"}, [2]bool{true, false}, false},
		"a value that nobody granted": {[]any{"readers", "strangers"}, [2]bool{true, false}, false},
		"one without jobs beside one": {[]any{"marks", "interns"}, [2]bool{false, true}, false},
		"no value with jobs":          {[]any{"interns"}, [2]bool{}, false},
		"no jobs for the higher role": {[]any{"interns", "readers"}, [2]bool{}, false},
		"a viewer without jobs":       {[]any{"partners"}, [2]bool{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := withProvider(t, "groups", []string{"desk", "marks", "clerks", "interns"}, []string{"readers", "partners"}, func(o *console.Options) {
				o.SignIn.OIDC.Jobs = walls
				stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) {
					return []jobs.Job{{Name: "matters"}, {Name: "trademarks"}}, nil
				}
			})
			p.who = map[string]any{"preferred_username": "olga", "groups": c.groups}
			browser := w.client()
			back := browser.get(browser.back(p))
			if nothing := c.sees == [2]bool{}; nothing != (back.StatusCode == http.StatusForbidden) || nothing != strings.Contains(back.text, "console.oidc.jobs") {
				t.Errorf("the sign-in ended with %d: %s", back.StatusCode, back.text)
			}
			for n, job := range []string{"matters", "trademarks"} {
				if got := browser.get("/jobs/"+job).StatusCode == http.StatusOK; got != c.sees[n] {
					t.Errorf("%s is shown: %v", job, got)
				}
			}
			if got := browser.get("/settings").StatusCode == http.StatusOK; got != c.whole {
				t.Errorf("the settings are shown: %v", got)
			}
		})
	}
}

func TestForgedSignInsOfAProviderAreRefused(t *testing.T) {
	t.Parallel()
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(p *provider, claims, grant map[string]any)
		path  func(string) string
	}{
		"signed by another": {spoil: func(p *provider, claims, grant map[string]any) { grant["id_token"] = p.sign(claims, stranger) }},
		"not signed": {spoil: func(p *provider, claims, grant map[string]any) {
			grant["id_token"] = encode([]byte(`{"alg":"none"}`)) + "." + strings.Split(p.sign(claims, p.key), ".")[1] + "."
		}},
		"for another client":  {spoil: func(_ *provider, claims, _ map[string]any) { claims["aud"] = "another" }},
		"of another provider": {spoil: func(_ *provider, claims, _ map[string]any) { claims["iss"] = "https://elsewhere.example" }},
		"too old":             {spoil: func(_ *provider, claims, _ map[string]any) { claims["exp"] = time.Now().Add(-time.Hour).Unix() }},
		"of another sign-in":  {spoil: func(_ *provider, claims, _ map[string]any) { claims["nonce"] = "another" }},
		"without a nonce":     {spoil: func(_ *provider, claims, _ map[string]any) { delete(claims, "nonce") }},
		"no id token":         {spoil: func(_ *provider, _, grant map[string]any) { grant["id_token"] = 7 }},
		"another state":       {path: func(path string) string { return strings.Replace(path, "state=", "state=x", 1) }},
		"another place to go": {path: func(path string) string {
			return path[:strings.LastIndex(path, ".")+1] + encode([]byte("//evil.example"))
		}},
		"a code of another":    {path: func(path string) string { return strings.Replace(path, "code=", "code=x", 1) }},
		"the provider says no": {path: func(path string) string { return strings.Replace(path, "code=", "error=access_denied&x=", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := withProvider(t, "groups", []string{"clerks"}, nil)
			p.who = map[string]any{"name": "Olga", "groups": "clerks"}
			if c.spoil != nil {
				p.spoil = func(claims, grant map[string]any) { c.spoil(p, claims, grant) }
			}
			browser := w.client()
			path := browser.back(p)
			if c.path != nil {
				path = c.path(path)
			}
			if said := browser.get(path); said.StatusCode != http.StatusForbidden {
				t.Errorf("answered %d", said.StatusCode)
			}
			if page := browser.get("/runs"); page.StatusCode == http.StatusOK {
				t.Error("signed in all the same")
			}
			if got := w.deeds(); len(got) != 1 || !strings.Contains(got[0], "sign_in refused") {
				t.Errorf("the audit has %q", got)
			}
		})
	}
}

// A sign-in that an attacker began is no use in somebody else's browser, and no answer of the provider is of use twice.
func TestSignInsOfAProviderBelongToTheirBrowser(t *testing.T) {
	t.Parallel()
	w, p := withProvider(t, "groups", []string{"clerks"}, nil)
	p.who = map[string]any{"name": "Mallory", "groups": "clerks"}
	mallory, victim := w.client(), w.client()
	path := mallory.back(p)
	victim.back(p)
	if said := victim.get(path); said.StatusCode != http.StatusForbidden {
		t.Errorf("the attacker's answer was taken: %d", said.StatusCode)
	}
	if said := mallory.get(path); said.StatusCode != http.StatusSeeOther {
		t.Fatalf("the attacker's own sign-in: %d", said.StatusCode)
	}
	if said := mallory.get(path); said.StatusCode != http.StatusForbidden {
		t.Errorf("an answer was taken twice: %d", said.StatusCode)
	}
	if page := w.client().get("/sign-in?to=" + url.QueryEscape("https://evil.example/")); strings.Contains(page.text, "evil.example") {
		t.Error("the page would lead elsewhere")
	}
}

// Whoever is not known can fill the audit no faster than they can try passwords.
func TestAnswersOfAProviderAreSlowedDown(t *testing.T) {
	t.Parallel()
	w, p := withProvider(t, "groups", []string{"clerks"}, nil)
	p.who = map[string]any{"name": "Olga", "groups": "clerks"}
	for n := range 40 {
		want := http.StatusForbidden
		if n >= 30 {
			want = http.StatusTooManyRequests
		}
		if said := w.client().get("/sign-in/callback?state=x&code=y"); said.StatusCode != want {
			t.Errorf("answer %d: %d, want %d", n+1, said.StatusCode, want)
		}
	}
	if got := len(w.deeds()); got != 30 {
		t.Errorf("the audit has %d lines", got)
	}
	w.pass(4 * time.Second)
	browser := w.client()
	if said := browser.get(browser.back(p)); said.StatusCode != http.StatusSeeOther {
		t.Errorf("a while later, Olga is answered with %d", said.StatusCode)
	}
}
