package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"docketsync/importer/console"
	"docketsync/importer/console/signin"
)

// localWorld is a console in which nobody signs in, and the keys that its terminal has shown.
func localWorld(t *testing.T) (w *world, keys func() []string) {
	t.Helper()
	var mu sync.Mutex
	var told []string
	w = newWorld(t, func(o *console.Options) {
		o.SignIn.Accounts, o.SignIn.Local, o.SignIn.Port = signin.Accounts{}, &signin.Person{Name: "root", Role: signin.Operator, Local: true}, "8180"
		o.SignIn.OneTime = func(key string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, key)
		}
	})
	return w, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string{}, told...)
	}
}

// Where nobody signs in, the printed address lets in one browser, and nobody else of the machine comes in.
func TestThePrintedAddressLetsInOneBrowser(t *testing.T) {
	t.Parallel()
	w, keys := localWorld(t)
	stranger, mine := w.client(), w.client()
	for _, path := range []string{"/", "/runs", "/?token=", "/?token=made-up", "/sign-in", "/audit/export?as=csv"} {
		if said := stranger.get(path); said.StatusCode != http.StatusUnauthorized || !strings.Contains(said.text, "Open the address that docketsync console printed last") {
			t.Errorf("%s is answered with %d to somebody without the address:\n%s", path, said.StatusCode, said.text)
		}
	}
	if said := stranger.do("HEAD", "/?token="+keys()[0], ""); said.StatusCode != http.StatusUnauthorized {
		t.Errorf("a look ahead is answered with %d", said.StatusCode)
	}
	if said := stranger.do("POST", "/runs/x/files", ""); said.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's post is answered with %d", said.StatusCode)
	}
	said := mine.get("/?token=" + keys()[0])
	if to := said.Header.Get("Location"); said.StatusCode != http.StatusSeeOther || to != "/" {
		t.Fatalf("the printed address is answered with %d to %s\n%s", said.StatusCode, to, said.text)
	}
	if c := said.Cookies()[0]; c.Name != "docketsync-session-8180" || !c.HttpOnly {
		t.Errorf("the session's cookie is %s", c)
	}
	if page := mine.get("/runs"); page.StatusCode != http.StatusOK || !strings.Contains(page.text, "root") {
		t.Errorf("the browser is not in: %d", page.StatusCode)
	}
	if said := stranger.get("/?token=" + keys()[0]); said.StatusCode != http.StatusUnauthorized {
		t.Errorf("the address works twice: %d", said.StatusCode)
	}
	if all := keys(); len(all) != 2 || all[0] == all[1] || len(all[1]) < 26 {
		t.Fatalf("the terminal has shown %q", all)
	}
	if said := mine.get("/?token=" + keys()[1]); said.StatusCode != http.StatusSeeOther || said.Header.Get("Location") != "/" || len(keys()) != 2 {
		t.Errorf("who is in uses up the next address: %d, %q", said.StatusCode, keys())
	}
	if said := stranger.get("/?token=" + keys()[1]); said.StatusCode != http.StatusSeeOther {
		t.Errorf("the next address lets in no other browser: %d", said.StatusCode)
	}
	if got := strings.Join(w.deeds(), "\n"); strings.Count(got, "root sign_in done: with the printed address, as operator") != 2 || strings.Contains(got, keys()[0]) || strings.Contains(w.logged.String(), keys()[0]) {
		t.Errorf("the audit has\n%s", got)
	}
}

// Of many who open the same address at once, one comes in.
func TestThePrintedAddressIsUsedOnce(t *testing.T) {
	t.Parallel()
	w, keys := localWorld(t)
	address := "/?token=" + keys()[0]
	codes := make(chan int, 20)
	for range cap(codes) {
		go func() { codes <- w.client().get(address).StatusCode }()
	}
	in := 0
	for range cap(codes) {
		if <-codes == http.StatusSeeOther {
			in++
		}
	}
	if in != 1 {
		t.Errorf("%d came in", in)
	}
}

// Whoever tries keys that were made up fills neither the audit nor the way of the one who has the printed address: all of a machine
// come from one address.
func TestMadeUpKeysKeepNobodyOut(t *testing.T) {
	t.Parallel()
	w, keys := localWorld(t)
	stranger := w.client()
	for range 100 {
		stranger.get("/?token=made-up")
	}
	if said := w.client().get("/?token=" + keys()[0]); said.StatusCode != http.StatusSeeOther {
		t.Errorf("the printed address is answered with %d after others have tried made-up ones", said.StatusCode)
	}
	if lines := len(w.deeds()); lines > 40 {
		t.Errorf("the audit has %d lines of them", lines)
	}
}

// A browser sends the cookies of all ports of a host, so what answers at another one can set a cookie that comes before the session's.
func TestACookieOfAnotherPortSignsNobodyOut(t *testing.T) {
	t.Parallel()
	w, keys := localWorld(t)
	mine := w.client()
	mine.get("/?token=" + keys()[0])
	at, err := url.Parse(w.at.URL + "/runs")
	w.must(err)
	mine.Jar.SetCookies(at, []*http.Cookie{{Name: "docketsync-session-8180", Value: "of-another-port", Path: "/runs"}}) // of a longer path, so it is sent first
	if page := mine.get("/runs"); page.StatusCode != http.StatusOK {
		t.Errorf("the browser is out: %d", page.StatusCode)
	}
}
