package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
)

// gate is a service that takes one cookie at a time and hands out the next one at /login.
type gate struct {
	mu      sync.Mutex
	valid   int // number in the cookie that is taken
	left    int // requests until it expires, -1 for never
	logins  int
	refuse  int // status of the login, 0 to let in
	seen    []string
	denied  int
	granted int
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.URL.Path == "/login" {
		g.login(w, r, body)
		return
	}
	cookie := r.Header.Get(defaultCookieHeader)
	g.seen = append(g.seen, cookie)
	if cookie != fmt.Sprintf("cookie-%d", g.valid) || g.left == 0 {
		g.denied++
		status(http.StatusUnauthorized, "cookie "+cookie+" has expired")(w, r)
		return
	}
	g.left--
	g.granted++
	if r.Method == http.MethodPut {
		status(http.StatusOK, `{}`)(w, r)
		return
	}
	status(http.StatusCreated, caseRecord)(w, r)
}

func (g *gate) login(w http.ResponseWriter, r *http.Request, body []byte) {
	g.logins++
	var credentials map[string]string
	if json.Unmarshal(body, &credentials) != nil || credentials["user_name"] != "clerk" || credentials["password"] != "pass-word-9" || r.Header.Get("Subscription-Key") != testKey {
		status(http.StatusBadRequest, "who is that? "+string(body))(w, r)
		return
	}
	if g.refuse != 0 {
		status(g.refuse, "no entry for pass-word-9")(w, r)
		return
	}
	g.valid++
	http.SetCookie(w, &http.Cookie{Name: "other", Value: "x"})
	http.SetCookie(w, &http.Cookie{Name: defaultCookieHeader, Value: fmt.Sprintf("cookie-%d", g.valid), HttpOnly: true})
	if g.left == 0 {
		g.left = 5
	}
}

func newGate(t *testing.T, g *gate) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return server
}

func byLogin(o *Options) {
	o.AuthCookie = "cookie-0"
	o.SignIn = SignIn{Path: "/login", User: "clerk", Password: "pass-word-9"}
}

func TestFirstCookieIsFetchedWhenNoneIsConfigured(t *testing.T) {
	t.Parallel()
	g := &gate{left: -1}
	c := newClient(t, newGate(t, g).URL, byLogin, func(o *Options) { o.AuthCookie = "" })
	result := send(t, c, aCase(), false)
	if diff := cmp.Diff([]string{"accepted"}, verdicts(result)); diff != "" || g.logins != 1 {
		t.Errorf("%d logins (-want +got):\n%s", g.logins, diff)
	}
}

// TestCookieThatCountsIsTheLast signs in where the old cookie is taken away and a new one given, and the other way round.
func TestCookieThatCountsIsTheLast(t *testing.T) {
	t.Parallel()
	const name, old = defaultCookieHeader + "=", "; expires=Thu, 01 Jan 1970 00:00:00 GMT"
	for what, test := range map[string]struct {
		cookies []string
		want    string
	}{
		"expired, then set":   {[]string{name + old, name + "cookie-9; path=/"}, "cookie-9"},
		"a value that is old": {[]string{name + "cookie-7" + old, name + "cookie-9"}, "cookie-9"},
		"set twice":           {[]string{name + "cookie-7", name + "cookie-9"}, "cookie-9"},
		"max-age before all":  {[]string{name + "cookie-9; Max-Age=3600" + old}, "cookie-9"},
		"set, then expired":   {[]string{name + "cookie-9", name + old}, ""},
		"not a value":         {[]string{name + `a"b`}, ""},
		"set, then max-age 0": {[]string{name + "cookie-9", name + "gone; Max-Age=0"}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var sent string
			server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/login" {
					w.Header()["Set-Cookie"] = test.cookies
					return
				}
				sent = r.Header.Get(defaultCookieHeader)
				status(200, `[]`)(w, r)
			})
			c := newClient(t, server.URL, byLogin, func(o *Options) { o.AuthCookie = "" })
			_, err := c.List(t.Context(), ListSpec{Name: "x", Path: "/x", ID: "id"})
			if sent != test.want || (err == nil) != (test.want != "") {
				t.Errorf("sent %q, error %v", sent, err)
			}
			if err != nil && !strings.Contains(err.Error(), "with a cookie named .Service.AuthCookie that has expired or has no valid value") {
				t.Error(err)
			}
		})
	}
}

func TestExpiredCookieIsRenewedOnceForAll(t *testing.T) {
	t.Parallel()
	g := &gate{valid: 7, left: -1}
	c := newClient(t, newGate(t, g).URL, byLogin, func(o *Options) { o.Pace.Concurrency = 32 })
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if result := c.Send(t.Context(), aCase(), false); result.Verdict != Accepted {
				t.Errorf("got %+v", result)
			}
		})
	}
	all.Wait()
	if g.logins != 1 || g.granted != 200 || g.denied > 32 {
		t.Errorf("%d logins, %d let in, %d turned away", g.logins, g.granted, g.denied)
	}
	if stats := c.Stats(); stats.Renewals != 1 || stats.Extra != int64(g.denied) {
		t.Errorf("stats %+v", stats)
	}
}

// TestCookieThatKeepsExpiring gives each cookie five requests while eight are under way: every record still goes in.
func TestCookieThatKeepsExpiring(t *testing.T) {
	t.Parallel()
	g := &gate{valid: 0, left: 5}
	c := newClient(t, newGate(t, g).URL, byLogin, func(o *Options) { o.Pace.Concurrency = 4 })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if result := c.Send(t.Context(), aCase(), false); result.Verdict != Accepted {
					t.Errorf("got %+v", result)
				}
			}
		})
	}
	all.Wait()
	if g.granted != 40 || g.logins != 7 {
		t.Errorf("%d let in, %d logins", g.granted, g.logins)
	}
}

func TestSignInLostStops(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		gate     gate
		change   func(*Options)
		attempts []string
		logins   int
		message  string
	}{
		{"and sign-in is not configured", gate{valid: 7}, func(o *Options) { o.SignIn = SignIn{} }, []string{"stopped"}, 0, "and sign-in is not configured"},
		{"login refused", gate{valid: 7, refuse: 403}, nil, []string{"stopped"}, 1, "no entry for [hidden]"},
		{"login redirected", gate{valid: 7, refuse: 302}, nil, []string{"stopped"}, 1, "302 Found"},
		{"login down", gate{valid: 7, refuse: 503}, nil, []string{"stopped"}, signInTries, "503 Service Unavailable"},
		{"wrong password", gate{valid: 7}, func(o *Options) { o.SignIn.Password = "wrong" }, []string{"stopped"}, 1, "400 Bad Request"},
		{"renewed cookie refused too", gate{valid: 7}, func(o *Options) { o.SignIn = giving("useless") }, []string{"renew", "stopped"}, 0, "401 Unauthorized"},
		{"renewed cookie cannot be sent", gate{valid: 7}, func(o *Options) { o.SignIn = giving("a\nb") }, []string{"stopped"}, 0, "single line"},
		{"renewed cookie is empty", gate{valid: 7}, func(o *Options) { o.SignIn = giving("") }, []string{"stopped"}, 0, "the sign-in returned no cookie"},
		{"function fails", gate{valid: 7}, func(o *Options) {
			o.SignIn = SignIn{Func: func(context.Context) (string, error) { return "", errors.New("vault is sealed") }}
		}, []string{"stopped"}, 0, "vault is sealed"},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, newGate(t, &test.gate).URL, byLogin, func(o *Options) {
				if test.change != nil {
					test.change(o)
				}
			})
			result := send(t, c, aCase(), false)
			err, ok := result.Err.(*Error)
			if !ok || err.Code != CodeSignIn || result.Verdict != Stopped || result.Doubt || !strings.Contains(err.Message, test.message) || err.Hint == "" {
				t.Errorf("got %+v", result)
			}
			if diff := cmp.Diff(test.attempts, verdicts(result)); diff != "" {
				t.Errorf("attempts (-want +got):\n%s", diff)
			}
			denied := test.gate.denied
			if next := send(t, c, aCase(), false); next.Verdict != Stopped || len(next.Attempts) != 0 || test.gate.denied != denied {
				t.Errorf("the next record: %+v", next)
			}
			if test.gate.logins != test.logins {
				t.Errorf("%d logins, want %d", test.gate.logins, test.logins)
			}
		})
	}
}

// TestLoginsThatGiveNoCookie names what a login gives in place of the cookie.
func TestLoginsThatGiveNoCookie(t *testing.T) {
	t.Parallel()
	login := func(code int, cookies ...string) func(*Options) {
		server := answerWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = cookies
			w.WriteHeader(code)
		})
		return func(o *Options) { o.BaseURL = server.URL; byLogin(o) }
	}
	for what, test := range map[string]struct {
		way  func(*Options)
		want string
	}{
		"no cookie":          {login(200), "answered 200 OK without a cookie named .Service.AuthCookie;"},
		"another cookie":     {login(200, ".service.authcookie=cookie-9", "lang=en"), "without a cookie named .Service.AuthCookie; its cookies are .service.authcookie, lang (cookie_header)"},
		"a redirect with it": {login(302, ".Service.AuthCookie=cookie-9"), "answered 302 Found with the cookie, which is not taken from a redirect; have sign_in.command sign in and print it"},
	} {
		c := newClient(t, "http://127.0.0.1:1", test.way, func(o *Options) { o.AuthCookie = "" })
		if result := send(t, c, aCase(), false); result.Verdict != Stopped || !strings.Contains(result.Message, test.want) || strings.Contains(result.Message, "cookie-9") {
			t.Errorf("%s: %s", what, result.Message)
		}
	}
}

// TestLoginThatSwitchesProtocols has a login answer 101, which hands the connection over to the client.
func TestLoginThatSwitchesProtocols(t *testing.T) {
	t.Parallel()
	base := rawServer(t, func(c net.Conn) {
		say("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")(c)
		_, _ = io.Copy(io.Discard, c)
	})
	if result := send(t, newClient(t, base, byLogin, func(o *Options) { o.AuthCookie = "" }), aCase(), false); result.Verdict != Stopped || !strings.Contains(result.Message, "101 Switching Protocols") {
		t.Errorf("got %+v", result)
	}
}

// TestSignInPageRenewsTheSession has a service answer with its sign-in page, and status 200, once a cookie has expired. The record is in
// doubt, the next one goes out with another cookie or not at all.
func TestSignInPageRenewsTheSession(t *testing.T) {
	t.Parallel()
	page := status(200, `<title>Welcome</title><form><input name="p" type="password">`, "Content-Type", "text/html")
	yes, done := status(201, caseRecord), status(200, `{}`)
	signIns := 0
	again := func(o *Options) {
		o.SignIn = SignIn{Func: func(context.Context) (string, error) { signIns++; return "another cookie", nil }}
	}
	for _, test := range []struct {
		name    string
		way     func(*Options)
		answers []http.HandlerFunc
		sent    []payload.Payload
		want    []Verdict
		signIns int
		message string // of the last
	}{
		{"a create", again, []http.HandlerFunc{yes, page, yes}, []payload.Payload{aCase(), aCase(), aCase()}, []Verdict{Accepted, InDoubt, Accepted}, 1, ""},
		{"an update", again, []http.HandlerFunc{page, done}, []payload.Payload{anUpdate()}, []Verdict{Accepted}, 1, ""},
		{"no way to sign in", func(*Options) {}, []http.HandlerFunc{yes, page}, []payload.Payload{aCase(), aCase(), aCase()}, []Verdict{Accepted, InDoubt, Stopped}, 0,
			"the service answered with a sign-in page, and sign-in is not configured"},
		{"nothing but pages", again, []http.HandlerFunc{page}, []payload.Payload{aCase(), aCase(), aCase()}, []Verdict{InDoubt, InDoubt, Stopped}, 1,
			"the service answered with a sign-in page to the cookie of a new sign-in"},
		{"a page that is no sign-in", again, []http.HandlerFunc{status(200, "<title>Design in May</title><form>"), yes}, []payload.Payload{aCase(), aCase()}, []Verdict{InDoubt, Accepted}, 0, ""},
	} {
		signIns = 0
		c := newClient(t, answerWith(t, test.answers...).URL, test.way)
		var got []Verdict
		var last Result
		for _, p := range test.sent {
			last = send(t, c, p, p.Creates() == payload.Creation{})
			got = append(got, last.Verdict)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || signIns != test.signIns || !strings.Contains(last.Message, test.message) {
			t.Errorf("%s: %d sign-ins, %q (-want +got):\n%s", test.name, signIns, last.Message, diff)
		}
	}
}

func giving(cookie string) SignIn {
	return SignIn{Func: func(context.Context) (string, error) { return cookie, nil }}
}

// TestForbiddenRecordIsRefusedWhileOthersGetIn has a service that knows the key and the cookie, and lets nobody touch some
// records: those are refused, whatever the order, and the run goes on.
func TestForbiddenRecordIsRefusedWhileOthersGetIn(t *testing.T) {
	t.Parallel()
	var server *httptest.Server
	tests := []struct {
		name    string
		payload func(name string) (p payload.Payload, repeatable bool)
		change  func(*Options)
	}{
		{"with a cookie", func(name string) (payload.Payload, bool) { return caseNamed(name), false }, func(*Options) {}},
		{"with the key alone", func(name string) (payload.Payload, bool) { return folderNamed(name), false }, func(*Options) {}},
		{"with a way to sign in", func(name string) (payload.Payload, bool) { return updateNamed(name), true }, func(o *Options) { o.SignIn = giving("next") }},
	}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, _ := io.ReadAll(r.Body); {
		case bytes.Contains(body, []byte("Closed client")):
			status(http.StatusForbidden, `{"message":"no permission for this client"}`)(w, r)
		case r.Method == http.MethodPut:
			status(http.StatusOK, `{}`)(w, r)
		default:
			status(http.StatusCreated, caseRecord)(w, r)
		}
	}))
	t.Cleanup(server.Close)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, server.URL, test.change)
			closed, repeatable := test.payload("Closed client")
			open, _ := test.payload("Acme")
			for n, want := range []Verdict{Aside, Accepted, Aside, Accepted, Aside, Accepted} {
				p := closed
				if want == Accepted {
					p = open
				}
				if result := send(t, c, p, repeatable); result.Verdict != want {
					t.Fatalf("record %d is %s, want %s: %s", n, result.Verdict, want, result.Message)
				}
			}
			result := c.SendLast(t.Context(), closed, repeatable)
			if result.Verdict != Refused || result.Message != "no permission for this client" {
				t.Errorf("at the end: %+v", result)
			}
			if renewals := c.Stats().Renewals; renewals > 1 {
				t.Errorf("%d sign-ins for a service that knows the cookie", renewals)
			}
		})
	}
}

// TestForbiddenRecordsBetweenOthersAreNoRow has a record turned away while another one is under way, again and again: each that is heard
// speaks for all that were turned away before it was sent.
func TestForbiddenRecordsBetweenOthersAreNoRow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &session{heard: -1}
		for n := range 3 * rowOfForbidden {
			began := time.Now()
			time.Sleep(time.Millisecond)
			var x facts
			if s.forbid(&x, 1, true); x.Row > 2 {
				t.Fatalf("record %d is taken for number %d in a row", n, x.Row)
			}
			time.Sleep(time.Millisecond)
			s.hear(1, began)
		}
		var x facts
		for range 3 * rowOfForbidden {
			s.forbid(&x, 1, true)
		}
		if x.Row != rowOfForbidden {
			t.Errorf("where none is heard, there are %d in a row", x.Row)
		}
	})
}

// TestForbiddenForAllIsTheSignIn has the session die with 403 in the middle, with many requests under way: nothing is
// refused, few requests are made in vain, and a sign-in mends it.
func TestForbiddenForAllIsTheSignIn(t *testing.T) {
	t.Parallel()
	for _, way := range []bool{false, true} {
		t.Run(fmt.Sprintf("a way to sign in %v", way), func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
				if n := requests.Add(1); n > 50 && r.Header.Get(defaultCookieHeader) == testCookie {
					status(http.StatusForbidden, `{"message":"session over"}`)(w, r)
					return
				}
				status(http.StatusCreated, caseRecord)(w, r)
			})
			c := newClient(t, server.URL, func(o *Options) {
				if way {
					o.SignIn = giving("next")
				}
			})
			count := sendMany(t, c, 500, 8)
			// What is under way when the row is full, and what was before an acceptance that was read late began it anew.
			most := rowOfForbidden + 2*8
			switch {
			case count[Refused] > 0:
				t.Errorf("records were refused for the sign-in: %v", count)
			case way && (count[Accepted]+count[Aside] != 500 || count[Aside] > most || c.Stats().Renewals != 1):
				t.Errorf("%v, %d renewals", count, c.Stats().Renewals)
			case !way && (count[Accepted] != 50 || count[Aside]+count[Stopped] != 450 || int(requests.Load()) > 50+most):
				t.Errorf("%v after %d requests", count, requests.Load())
			}
		})
	}
}

// sendMany sends so many cases with so many workers and counts the verdicts.
func sendMany(t *testing.T, c *Client, records, workers int) map[Verdict]int {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	count, left := map[Verdict]int{}, records
	for range workers {
		all.Go(func() {
			for {
				mu.Lock()
				left--
				over := left < 0
				mu.Unlock()
				if over {
					return
				}
				result := c.Send(t.Context(), aCase(), false)
				mu.Lock()
				count[result.Verdict]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return count
}

func TestForbiddenIsRenewedOnceThenStops(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		status(http.StatusForbidden, `{"message":"no permission"}`)(w, r)
	})
	c := newClient(t, server.URL, func(o *Options) { o.SignIn = giving("next") })
	if result := send(t, c, aCase(), false); result.Verdict != Aside {
		t.Errorf("the first of the run: %+v", result)
	}
	requests.Store(0)
	c = newClient(t, server.URL, func(o *Options) { o.SignIn = giving("next") })
	result := c.SendLast(t.Context(), aCase(), false)
	if diff := cmp.Diff([]string{"renew", "stopped"}, verdicts(result)); diff != "" || requests.Load() != 2 || !strings.Contains(result.Message, "no permission") {
		t.Errorf("%+v (-want +got):\n%s", result, diff)
	}
}

func TestSignInByCommand(t *testing.T) {
	t.Parallel()
	script := func(text string) []string {
		file := filepath.Join(t.TempDir(), "sign-in")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return []string{"/bin/sh", file}
	}
	g := &gate{valid: 7, left: -1}
	c := newClient(t, newGate(t, g).URL, func(o *Options) { o.SignIn.Command = script("echo cookie-7") })
	if result := send(t, c, aCase(), false); result.Verdict != Accepted {
		t.Errorf("got %+v", result)
	}
	failing := newClient(t, newGate(t, &gate{valid: 7}).URL, func(o *Options) {
		o.SignIn.Command = script("echo half-a-cookie; echo the vault is sealed >&2; exit 3")
	})
	result := send(t, failing, aCase(), false)
	if result.Verdict != Stopped || !strings.Contains(result.Message, "the vault is sealed") || strings.Contains(result.Message, "half-a-cookie") {
		t.Errorf("got %+v", result)
	}
}

func TestFolderCookie(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"sent when configured", func(o *Options) { o.FolderCookie = true }, testCookie},
		{"not sent when not configured", func(o *Options) {}, ""},
		{"not sent when there is none", func(o *Options) { o.FolderCookie, o.AuthCookie = true, "" }, ""},
		{"fetched when configured", func(o *Options) { o.FolderCookie, o.AuthCookie, o.SignIn = true, "", giving("fresh") }, "fresh"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := "?"
			server := answerWith(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get(defaultCookieHeader)
				status(201, "")(w, r)
			})
			if result := send(t, newClient(t, server.URL, test.change), aFolder(), false); result.Verdict != Accepted || got != test.want {
				t.Errorf("cookie %q, %+v", got, result)
			}
		})
	}
}

func TestFolderWithoutCookieTurnedAwayStopsAtOnce(t *testing.T) {
	t.Parallel()
	server := answerWith(t, status(401, ""))
	c := newClient(t, server.URL, func(o *Options) { o.SignIn = giving("fresh") })
	result := send(t, c, aFolder(), false)
	if result.Verdict != Stopped || len(result.Attempts) != 1 || c.Stats().Renewals != 0 {
		t.Errorf("got %+v", result)
	}
}

func TestLeavingDuringASignIn(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	c := newClient(t, newGate(t, &gate{valid: 7}).URL, func(o *Options) {
		o.SignIn = SignIn{Func: func(ctx context.Context) (string, error) {
			close(begun)
			<-ctx.Done()
			return "", ctx.Err()
		}}
	})
	go func() {
		<-begun
		c.Drain()
	}()
	result := send(t, c, aCase(), false)
	if diff := cmp.Diff([]string{"not_sent"}, verdicts(result)); diff != "" || result.Verdict != NotSent {
		t.Errorf("%s (-want +got):\n%s", result.Verdict, diff)
	}
}
