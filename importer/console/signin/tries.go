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
	addresses, pairs, names, work, browsers *Throttle
	turn                                    chan struct{}
}

// newTries counts them with all consoles that share, with none where that is nil. What the machine can check is its own.
func newTries(with *shared) *tries {
	throttle := func(kind string, every time.Duration, burst int) *Throttle {
		t := NewThrottle(every, burst)
		t.kind, t.shared = kind, with
		return t
	}
	return &tries{addresses: throttle("address", addressEvery, addressTries), pairs: throttle("pair", pairEvery, pairTries), names: throttle("name", nameEvery, nameTries),
		browsers: throttle("browser", browserEvery, browserTries), work: NewThrottle(hashesEvery, hashBurst), turn: make(chan struct{}, hashesAtOnce)}
}

// Verdict is what became of a try to sign in with a password.
type Verdict struct {
	Person Person
	In     bool
	// Slowed says that there were too many tries, and News that this is the first one to be told so.
	Slowed, News bool
	Known        bool // the name is somebody's
}

// TryPassword decides about a name and a password from an address, and marks the browser in which somebody comes in.
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

// A browser in which somebody has signed in is given a text that says so, which has tries of its own: whoever tries that name
// elsewhere, however often, does not lock it out. It lets nobody in. The text is a random part and its signature under a key made of
// the hash of the password: it outlasts the process, nothing need be kept of it here, and it is void once the password is another.

// browserLasts is how long a browser keeps it.
const browserLasts = 180 * 24 * time.Hour

// markBrowser makes the text for a browser of a random part.
func (a account) markBrowser(part string) string {
	return part + "." + sign(a.key, strings.ToLower(a.Name), part)
}

// gave tells whether a text was made for a browser of this account.
func (a account) gave(browser string) bool {
	part, _, _ := strings.Cut(browser, ".")
	return hmac.Equal([]byte(browser), []byte(a.markBrowser(part)))
}

// knownBrowser is what the browser of a request was given, "" for nothing.
func (a *Authenticator) knownBrowser(r *http.Request) string {
	c, err := r.Cookie(a.cookie("browser"))
	if err != nil || len(c.Value) > 128 {
		return ""
	}
	return c.Value
}

// useUp uses up the tries of a browser that is not known. What one bound refuses does not count for the next, so that one
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

// MayTry uses up a try of an address for a sign-in that needs no password here; it is false when the address has none left.
func (a *Authenticator) MayTry(address string) (bool, error) {
	short, _, err := a.tries.addresses.short(Network(address), a.Now())
	return !short, err
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

// Throttle lets each name (or address) try a few times at once and then one by one. It remembers so many of them; when there are
// more, those that have all their tries left are forgotten, and when none has, the newcomer waits with everybody unknown.
type Throttle struct {
	every time.Duration // how long a try takes to come back
	burst int
	most  int
	// shared counts the tries of all consoles under a kind, nil where they are counted here.
	shared *shared
	kind   string

	mu    sync.Mutex
	known map[string]*allowance
}

type allowance struct {
	*rate.Limiter
	told bool // that there are none left
}

// NewThrottle makes one that gives a try back after every, up to burst of them.
func NewThrottle(every time.Duration, burst int) *Throttle {
	return &Throttle{every: every, burst: burst, most: 10_000, known: map[string]*allowance{}}
}

// Short uses up a try of a name, or tells that none is left. news says that it is the first time since there was one.
func (t *Throttle) Short(name string, now time.Time) (short, news bool) {
	short, news, _ = t.short(name, now) // nothing can go wrong where they are counted here
	return short, news
}

// short is Short, for tries that may be counted elsewhere: where that cannot be done, it is ErrAway and none is left.
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

// reset gives a name all its tries back.
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
