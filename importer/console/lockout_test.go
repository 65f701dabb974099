package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"docketsync/importer/console"
)

// proxiedWorld is a console behind a proxy, which says where people come from.
func proxiedWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(o *console.Options) { o.Web.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
}

func (w *world) clientFrom(address string) *client {
	c := w.client()
	c.from = address
	return c
}

// Whoever tries somebody's name every second from elsewhere keeps them out neither on their own network nor in their own browser.
func TestNobodyIsLockedOutByTriesFromElsewhere(t *testing.T) {
	t.Parallel()
	w := proxiedWorld(t)
	attacker := w.clientFrom("203.0.113.9")
	for range 120 {
		attacker.try("Ines", "wrong")
		w.pass(time.Second)
	}
	attacker.try("Ines", "wrong")
	if got := attacker.try("Ines", operatorPassword).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("the attacker is not slowed down: %d", got)
	}
	if got := w.clientFrom("198.51.100.7").try("Ines", operatorPassword).StatusCode; got != http.StatusSeeOther {
		t.Errorf("Ines is locked out on her own network: %d", got)
	}
}

// A browser in which somebody has signed in keeps its tries when the name is tried from everywhere, and from the same office.
func TestAKnownBrowserKeepsItsTries(t *testing.T) {
	t.Parallel()
	w := proxiedWorld(t)
	mine := w.clientFrom("198.51.100.7")
	if got := mine.try("Ines", operatorPassword).StatusCode; got != http.StatusSeeOther {
		t.Fatalf("Ines is not in: %d", got)
	}
	signOut := func() { mine.do("POST", "/sign-out", url.Values{"token": {mine.token("/runs")}}.Encode()) }
	signOut()
	for n := range 40 {
		for range 7 {
			w.clientFrom(fmt.Sprintf("203.0.113.%d", n)).try("Ines", "wrong")
		}
	}
	for range 31 {
		w.clientFrom("198.51.100.7").try("Ines", "wrong")
	}
	if got := w.clientFrom("192.0.2.1").try("Ines", operatorPassword).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("a name may be tried from everywhere without end: %d", got)
	}
	stolen := w.clientFrom("192.0.2.2")
	stolen.Jar.SetCookies(mustURL(t, w.at.URL), []*http.Cookie{{Name: "docketsync-browser", Value: "AAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}})
	if got := stolen.try("Ines", operatorPassword).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("a made-up browser is taken for a known one: %d", got)
	}
	if got := mine.try("Victor", viewerPassword).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("Ines' browser is a known one of Victor's: %d", got)
	}
	if got := mine.try("ines", operatorPassword).StatusCode; got != http.StatusSeeOther {
		t.Errorf("Ines is locked out of her own browser: %d", got)
	}
	signOut()
	for n := 0; mine.try("Ines", "wrong").StatusCode != http.StatusTooManyRequests; n++ {
		if n > 6 {
			t.Fatal("a known browser may try without end")
		}
	}
}

// However many try, from however many networks, the machine checks so many passwords and no more.
func TestTriesCannotBurnTheMachine(t *testing.T) {
	t.Parallel()
	w := proxiedWorld(t)
	form := url.Values{"token": {""}, "name": {""}, "password": {"wrong"}}
	visitor := w.clientFrom("192.0.2.1")
	form.Set("token", visitor.token("/sign-in"))
	looked := 0
	for n := range 200 {
		visitor.from = fmt.Sprintf("2001:db8:%x::1", n)
		form.Set("name", fmt.Sprint("nobody ", n))
		if visitor.do("POST", "/sign-in", form.Encode()).StatusCode == http.StatusUnauthorized {
			looked++
		}
	}
	if looked > 60 {
		t.Errorf("%d of 200 passwords were checked at once", looked)
	}
	w.pass(10 * time.Second)
	if visitor.do("POST", "/sign-in", form.Encode()).StatusCode != http.StatusUnauthorized {
		t.Error("no password is checked a while later")
	}
}
