package console

import (
	"context"
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

// gate decides who comes in with a password.
type gate struct {
	roster                                  *roster
	addresses, pairs, names, work, browsers *throttle
	turn                                    chan struct{}
	now                                     func() time.Time
}

func newGate(o Options, r *roster) *gate {
	return &gate{roster: r, addresses: newThrottle(addressEvery, addressTries), pairs: newThrottle(pairEvery, pairTries), names: newThrottle(nameEvery, nameTries),
		browsers: newThrottle(browserEvery, browserTries), work: newThrottle(hashesEvery, hashBurst), turn: make(chan struct{}, hashesAtOnce), now: o.now}
}

// verdict is what became of a try.
type verdict struct {
	Person Person
	In     bool
	// Slowed says that there were too many tries, and News that this is the first one to be told so.
	Slowed, News bool
	Known        bool   // the name is somebody's
	Browser      string // what a browser is given that came in, see browserOf
}

// try decides about a name and a password from an address, in a browser that has shown what it was given before.
func (g *gate) try(ctx context.Context, name, password, address, browser string) (verdict, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	list := g.roster.current()
	user, known := list.users[name]
	v := verdict{Known: known, Person: user.Person}
	if !known {
		user.hash = list.stranger
	}
	pair := name + "\x00" + network(address)
	familiar := known && user.gave(browser)
	if familiar {
		v.Slowed, v.News = g.browsers.short(browser, g.now())
	} else {
		v.Slowed, v.News = g.strange(name, pair, network(address))
	}
	if v.Slowed {
		return v, nil
	}
	fits, err := g.fits(ctx, user.hash, password)
	if v.In = fits && known && err == nil; v.In {
		g.pairs.reset(pair)
		g.browsers.reset(browser)
		if v.Browser = browser; !familiar {
			v.Browser = user.browserOf()
		}
	}
	return v, err
}

// strange uses up the tries of a browser that is not known. What one bound refuses does not count for the next, so that one
// address cannot use up what is there for all.
func (g *gate) strange(name, pair, network string) (slowed, news bool) {
	if slowed, news = g.addresses.short(network, g.now()); slowed {
		return
	}
	if slowed, news = g.pairs.short(pair, g.now()); slowed {
		return
	}
	if slowed, news = g.names.short(name, g.now()); slowed {
		return
	}
	return g.work.short("all", g.now())
}

// knock uses up a try of an address for a sign-in that needs no password here; it is false when the address has none left.
func (g *gate) knock(address string) bool {
	short, _ := g.addresses.short(network(address), g.now())
	return !short
}

// network is what the tries of an address count for: of IPv6 the first 64 bits, since a machine may give itself any address of
// those that begin so (RFC 4291 section 2.5.1).
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || !a.Is6() {
		return address
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

func (g *gate) fits(ctx context.Context, h hashed, password string) (bool, error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return h.fits(password), nil
}
