package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The sign-in attempts: of one name from one network; of a network, behind which a whole office may sit; of a name from
// all networks; and of a browser in which that name has signed in before. Whoever tries a name from elsewhere does not
// use up the attempts of its owner's network, and nobody uses up those of its owner's browser.
const (
	pairTries, pairEvery       = 6, 30 * time.Second
	addressTries, addressEvery = 30, 3 * time.Second
	nameTries, nameEvery       = 60, 10 * time.Second
	browserTries, browserEvery = 6, 30 * time.Second
)

// hashesAtOnce limits the memory for checking passwords, 64 MiB each. However many unknown browsers try, they may cost
// the machine only so many checks.
const (
	hashesAtOnce           = 2
	hashBurst, hashesEvery = 60, 500 * time.Millisecond
)

// tries counts the attempts of all sign-ins, and limits how many passwords are checked at a time.
type tries struct {
	addresses, pairs, names, work, browsers *Throttle
	turn                                    chan struct{}
}

// newTries counts attempts together with all consoles that share, or alone if with is nil. The limit of checks at a
// time is the machine's own.
func newTries(with *shared) *tries {
	throttle := func(kind string, every time.Duration, burst int) *Throttle {
		t := NewThrottle(every, burst)
		t.kind, t.shared = kind, with
		return t
	}
	return &tries{addresses: throttle("address", addressEvery, addressTries), pairs: throttle("pair", pairEvery, pairTries), names: throttle("name", nameEvery, nameTries),
		browsers: throttle("browser", browserEvery, browserTries), work: NewThrottle(hashesEvery, hashBurst), turn: make(chan struct{}, hashesAtOnce)}
}

// Verdict is the result of an attempt to sign in with a password.
type Verdict struct {
	Person Person
	In     bool
	// Slowed says that there were too many attempts, and News that this is the first one to be told so.
	Slowed, News bool
	Known        bool // somebody has this name
}

// TryPassword checks a name and a password from an address, and marks the browser in which somebody signs in.
func (a *Authenticator) TryPassword(w http.ResponseWriter, r *http.Request, name, password, address string) (Verdict, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	list := a.roster.current()
	user, known := list.users[name]
	if !known {
		user.hash = list.stranger
	}
	v := Verdict{Known: known, Person: user.Person}
	browser := a.knownBrowser(r)
	pair, familiar := name+"\x00"+Network(address), known && user.gave(browser)
	var err error
	if familiar {
		v.Slowed, v.News, err = a.tries.browsers.short(browser, a.Now())
	} else {
		v.Slowed, v.News, err = a.tries.useUp(name, pair, Network(address), a.Now())
	}
	if v.Slowed || err != nil {
		return v, err
	}
	fits, err := a.tries.fits(r.Context(), user.hash, password)
	if v.In = fits && known && err == nil; v.In {
		a.tries.pairs.reset(pair)
		a.tries.browsers.reset(browser)
		if !familiar {
			browser = user.markBrowser(rand.Text())
		}
		http.SetCookie(w, &http.Cookie{Name: a.cookie("browser"), Value: browser, Path: "/", MaxAge: int(browserLasts.Seconds()), HttpOnly: true, Secure: a.Encrypted,
			SameSite: http.SameSiteLaxMode})
	}
	return v, err
}

// A browser in which somebody has signed in gets a text that says so, and has attempts of its own: whoever tries that
// name elsewhere, however often, does not lock it out. The text lets nobody in. It is a random part and its signature
// under a key made from the hash of the password: it outlasts the process, nothing of it is stored here, and it is void
// once the password changes.

// browserLasts is how long a browser keeps the text.
const browserLasts = 180 * 24 * time.Hour

// markBrowser returns the text for a browser, from a random part.
func (a account) markBrowser(part string) string {
	return part + "." + sign(a.key, strings.ToLower(a.Name), part)
}

// gave reports whether a text was made for a browser of this account.
func (a account) gave(browser string) bool {
	part, _, _ := strings.Cut(browser, ".")
	return hmac.Equal([]byte(browser), []byte(a.markBrowser(part)))
}

// knownBrowser returns the text that the browser of a request has, "" for none.
func (a *Authenticator) knownBrowser(r *http.Request) string {
	c, err := r.Cookie(a.cookie("browser"))
	if err != nil || len(c.Value) > 128 {
		return ""
	}
	return c.Value
}

// useUp uses up an attempt of an unknown browser. What one limit refuses does not count for the next, so that one
// address cannot use up what is there for all.
func (t *tries) useUp(name, pair, network string, now time.Time) (slowed, news bool, err error) {
	for _, bound := range []struct {
		of *Throttle
		to string
	}{{t.addresses, network}, {t.pairs, pair}, {t.names, name}, {t.work, "all"}} {
		if slowed, news, err = bound.of.short(bound.to, now); slowed {
			break
		}
	}
	return slowed, news, err
}

// MayTry uses up an attempt of an address for a sign-in without a password; it is false if the address has none left.
func (a *Authenticator) MayTry(address string) (bool, error) {
	short, _, err := a.tries.addresses.short(Network(address), a.Now())
	return !short, err
}

// Network is what the attempts of an address are counted for: for IPv6 the first 64 bits, because a machine may give
// itself any address that begins with them (RFC 4291 section 2.5.1).
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

// Throttle lets each name (or address) try a few times at once and then one by one. It remembers a limited number of
// names. If there are more, it forgets those that have all their attempts left; if there are none, new names share the
// attempts of everybody unknown.
type Throttle struct {
	every time.Duration // how long an attempt takes to come back
	burst int
	most  int
	// shared counts the attempts of all consoles under a kind; nil if they are counted here.
	shared *shared
	kind   string

	mu    sync.Mutex
	known map[string]*allowance
}

type allowance struct {
	*rate.Limiter
	told bool // it was reported that none is left
}

// NewThrottle returns a throttle that gives an attempt back after every, up to burst of them.
func NewThrottle(every time.Duration, burst int) *Throttle {
	return &Throttle{every: every, burst: burst, most: 10_000, known: map[string]*allowance{}}
}

// Short uses up an attempt of a name, or reports that none is left. news says that it is the first time since there was
// one.
func (t *Throttle) Short(name string, now time.Time) (short, news bool) {
	short, news, _ = t.short(name, now) // nothing can go wrong if they are counted here
	return short, news
}

// short is Short for attempts that may be counted elsewhere: if they cannot be, the error is ErrAway and none is left.
func (t *Throttle) short(name string, now time.Time) (short, news bool, err error) {
	if t.shared != nil {
		return t.shared.short(t, name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.known[name]
	if of == nil {
		if len(t.known) >= t.most {
			t.forget(now)
		}
		if len(t.known) >= t.most {
			name = ""
			of = t.known[name]
		}
		if of == nil {
			of = &allowance{Limiter: rate.NewLimiter(rate.Every(t.every), t.burst)}
			t.known[name] = of
		}
	}
	short = !of.AllowN(now, 1)
	news = short && !of.told
	of.told = short
	return short, news, nil
}

// reset gives a name all its attempts back.
func (t *Throttle) reset(name string) {
	if t.shared != nil {
		t.shared.reset(t, name)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, name)
}

func (t *Throttle) forget(now time.Time) {
	for name, of := range t.known {
		if of.TokensAt(now) >= float64(t.burst) {
			delete(t.known, name)
		}
	}
}
