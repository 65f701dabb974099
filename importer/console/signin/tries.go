package signin

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// The tries of a sign-in: of one name from one network, of a network, behind which a whole office may sit, of a name from all
// networks, and of a browser in which that name has signed in before. Whoever tries a name from elsewhere does not use up those of
// its owner's network, and nobody uses up those of its owner's browser.
const (
	pairTries, pairEvery       = 6, 30 * time.Second
	addressTries, addressEvery = 30, 3 * time.Second
	nameTries, nameEvery       = 60, 10 * time.Second
	browserTries, browserEvery = 6, 30 * time.Second
)

// hashesAtOnce bounds the memory that passwords are checked in, 64 MiB each. The tries of browsers that nobody knows may
// cost the machine so many checks, however many try.
const (
	hashesAtOnce           = 2
	hashBurst, hashesEvery = 60, 500 * time.Millisecond
)

// tries counts the tries of all sign-ins, and lets so many passwords be checked at a time.
type tries struct {
	roster                                  *roster
	addresses, pairs, names, work, browsers *Throttle
	turn                                    chan struct{}
	now                                     func() time.Time
}

func newTries(o Options, r *roster) *tries {
	return &tries{roster: r, addresses: NewThrottle(addressEvery, addressTries), pairs: NewThrottle(pairEvery, pairTries), names: NewThrottle(nameEvery, nameTries),
		browsers: NewThrottle(browserEvery, browserTries), work: NewThrottle(hashesEvery, hashBurst), turn: make(chan struct{}, hashesAtOnce), now: o.now}
}

// Verdict is what became of a try to sign in with a password.
type Verdict struct {
	Person Person
	In     bool
	// Slowed says that there were too many tries, and News that this is the first one to be told so.
	Slowed, News bool
	Known        bool   // the name is somebody's
	browser      string // what a browser is given that came in, see browserOf
}

// TryPassword decides about a name and a password from an address, and marks the browser in which somebody comes in.
func (a *Authenticator) TryPassword(w http.ResponseWriter, r *http.Request, name, password, address string) (Verdict, error) {
	v, err := a.tries.try(r.Context(), name, password, address, a.knownBrowser(r))
	if v.In {
		a.rememberBrowser(w, v.browser)
	}
	return v, err
}

// try decides about a name and a password from an address, in a browser that has shown what it was given before.
func (t *tries) try(ctx context.Context, name, password, address, browser string) (Verdict, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	list := t.roster.current()
	user, known := list.users[name]
	v := Verdict{Known: known, Person: user.Person}
	if !known {
		user.hash = list.stranger
	}
	pair := name + "\x00" + Network(address)
	familiar := known && user.gave(browser)
	if familiar {
		v.Slowed, v.News = t.browsers.Short(browser, t.now())
	} else {
		v.Slowed, v.News = t.strange(name, pair, Network(address))
	}
	if v.Slowed {
		return v, nil
	}
	fits, err := t.fits(ctx, user.hash, password)
	if v.In = fits && known && err == nil; v.In {
		t.pairs.reset(pair)
		t.browsers.reset(browser)
		if v.browser = browser; !familiar {
			v.browser = user.browserOf()
		}
	}
	return v, err
}

// strange uses up the tries of a browser that is not known. What one bound refuses does not count for the next, so that one
// address cannot use up what is there for all.
func (t *tries) strange(name, pair, network string) (slowed, news bool) {
	if slowed, news = t.addresses.Short(network, t.now()); slowed {
		return
	}
	if slowed, news = t.pairs.Short(pair, t.now()); slowed {
		return
	}
	if slowed, news = t.names.Short(name, t.now()); slowed {
		return
	}
	return t.work.Short("all", t.now())
}

// Knock uses up a try of an address for a sign-in that needs no password here; it is false when the address has none left.
func (a *Authenticator) Knock(address string) bool {
	short, _ := a.tries.addresses.Short(Network(address), a.Options.now())
	return !short
}

// Network is what the tries of an address count for: of IPv6 the first 64 bits, since a machine may give itself any address of
// those that begin so (RFC 4291 section 2.5.1).
func Network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || !a.Is6() {
		return address
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

func (t *tries) fits(ctx context.Context, h hashed, password string) (bool, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return h.fits(password), nil
}
