// Package signin finds out who sends a request to the console. It imports nothing of ours, and knows no page.
//
// The current configuration says who may sign in: it is read again at most every second (roster). Each account has a
// mark that changes with any part of the account. A session holds the mark of its account and ends when no account has
// that mark any more. So removing a user, a new password or another role ends sessions at once. A configuration that
// cannot be read changes nothing, but is reported (Trouble).
//
// There are three ways in. A password is compared with an argon2id hash; attempts are counted by network, by name, and
// by browser, so that nobody who tries a name from elsewhere locks out its owner (tries, browser). An OpenID Connect
// provider says who somebody is, by the code flow with PKCE (provider). If nobody signs in, because only its own
// machine can reach the console, a key that is printed in the terminal lets in one browser, and the next key is printed
// right then (oneTime).
//
// Several firms have one door (To). The door finds out who somebody is, by its accounts; the accounts of a firm say
// what they may do there (Accounts.Of), each time they request a page, so that a role that was taken away is gone at
// the next one. A user of a firm is the person who signed in with a password under that name, never somebody whom the
// provider calls so.
//
// If the ledger is in PostgreSQL, several consoles act as one (shared): a session, its end, and used-up attempts apply
// at all of them, and a sign-in that was begun at one can be finished at another. With SQLite there is one console,
// which keeps all of that in memory.
//
// It promises: only signing in makes a session, under a token that nobody had before; the cookie is of no use to
// scripts or other sites; and nothing is kept for unknown people, so they cannot fill the memory.
package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
	"go.uber.org/zap"
)

// Options is what an authenticator is made of.
type Options struct {
	// Accounts are who may sign in. Reread reads them again; it is nil if they do not change.
	Accounts
	Reread func() (Accounts, error)
	// Local is the person that everybody is if nobody has to sign in, because only its own machine can reach the
	// console; nil if people sign in. OneTime is told the key that lets in the next browser; it is nil if the system
	// lets nobody else reach the console.
	Local   *Person
	OneTime func(key string)
	// FirstKey is the first such key, "" to make one that only OneTime is told.
	FirstKey string
	// Certificate says why the present certificate cannot be used, nil if it can; it is nil if the console has none.
	Certificate func() error
	// URL is the address of the console, to which a provider sends people back.
	URL string
	// Port is part of the names of cookies: browsers send the cookies of an address to all its ports.
	Port string
	// Encrypted says that browsers speak TLS, to this process or to a proxy in front of it.
	Encrypted bool
	// Shared is the database in which the consoles of one ledger keep their sessions and sign-in attempts together; nil
	// if this process keeps them in its memory.
	Shared *sql.DB
	// Idle is how long a session lasts without a request; Lifetime is how long it lasts at most.
	Idle, Lifetime time.Duration
	Log            *zap.Logger
	Now            func() time.Time
}

// Authenticator finds out who sends a request.
type Authenticator struct {
	Options
	roster *roster
	key    []byte // of this process, or of all that share: it signs what a browser gets before somebody signs in
	tries  *tries

	sessions *scs.SessionManager
	shared   *shared     // nil for none
	keeping  *sync.Mutex // see hold
	firm     *Firm       // one of the firms behind this door, nil for none

	oneTimeMu  sync.Mutex
	oneTimeKey string // "" if none is needed
}

// New returns an authenticator. The error names the account that cannot be used.
func New(o Options) (*Authenticator, error) {
	roster, err := newRoster(o)
	if err != nil {
		return nil, err
	}
	a := &Authenticator{Options: o, roster: roster, key: make([]byte, 32), sessions: scs.New(), keeping: &sync.Mutex{}}
	_, _ = rand.Read(a.key) // never fails
	m := a.sessions
	m.Store, m.HashTokenInStore = memstore.New(), true
	if o.Shared != nil {
		if a.shared, a.key, err = newShared(o.Shared, a.key); err != nil {
			return nil, fmt.Errorf("the sessions of the console cannot be kept in the database: %w", err)
		}
		m.Store = a.shared
	}
	a.tries = newTries(a.shared)
	m.Lifetime = o.Lifetime
	if o.Local == nil {
		m.IdleTimeout = o.Idle
	} // otherwise the printed address works once, and a lunch break must not end the session
	m.Cookie = scs.SessionCookie{Name: o.cookie("session"), HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode, Secure: o.Encrypted}
	if a.NeedsKey() {
		a.renewKey(o.FirstKey)
	}
	return a, nil
}

// Firm is one of several firms behind one sign-in.
type Firm struct {
	Name string
	// Of returns what somebody who is signed in may currently do in the firm; the role is Anybody for people who may
	// not know of it.
	Of func(Person) Person
	// Trouble says why the configuration of its accounts is not in use.
	Trouble func() Trouble
}

// To returns the authenticator of a firm behind this one: whoever is signed in here is signed in there with the role
// that the firm says, and a sign-out ends both.
func (a *Authenticator) To(firm Firm) *Authenticator {
	return &Authenticator{Options: a.Options, roster: a.roster, key: a.key, tries: a.tries, sessions: a.sessions, shared: a.shared, keeping: a.keeping, firm: &firm}
}

// inFirm returns what somebody who is signed in may do here.
func (a *Authenticator) inFirm(p Person) Person {
	if a.firm != nil {
		return a.firm.Of(p)
	}
	return p
}

// noticeKey is the session's key for the notice on the next page.
func (a *Authenticator) noticeKey() string {
	if a.firm != nil {
		return sessionNotice + " " + a.firm.Name
	}
	return sessionNotice
}

// Ways are the current ways to sign in.
type Ways struct {
	Passwords bool
	Provider  string // the host of the OpenID Connect provider, "" for none
}

// Ways says how people can currently sign in.
func (a *Authenticator) Ways() Ways {
	list := a.roster.current()
	w := Ways{Passwords: len(list.users) > 0}
	if list.provider != nil {
		w.Provider = list.provider.host()
	}
	return w
}

// Trouble says why the present configuration of accounts, or the certificate, is not in use.
func (a *Authenticator) Trouble() Trouble {
	if a.firm != nil {
		return a.firm.Trouble()
	}
	return a.roster.told()
}

// cookie returns the name of a cookie. If browsers speak TLS, its prefix makes them refuse a cookie that was not set
// so, by this very host.
func (o Options) cookie(what string) string {
	switch {
	case o.Encrypted:
		return "__Host-docketsync-" + what
	case o.Port != "":
		return "docketsync-" + what + "-" + o.Port
	}
	return "docketsync-" + what
}

// FormToken returns what the sign-in form must carry. It is derived with the key of this process from a random text in
// a cookie of the browser, the ticket, so that nothing need be kept for unknown people.
func (a *Authenticator) FormToken(w http.ResponseWriter, r *http.Request) string {
	name := a.cookie("ticket")
	if c, err := r.Cookie(name); err == nil && len(c.Value) >= 26 && len(c.Value) <= 64 {
		return a.derive(c.Value, "form")
	}
	ticket := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: name, Value: ticket, Path: "/", HttpOnly: true, Secure: a.Encrypted, SameSite: http.SameSiteLaxMode})
	return a.derive(ticket, "form")
}

// derive returns what only the holder of the key can derive from a random text.
func (a *Authenticator) derive(ticket, purpose string) string { return sign(a.key, purpose, ticket) }

// sign returns the signature of a text, made for a purpose, with a key.
func sign(key []byte, purpose, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Inside returns the path of this console to go to after a sign-in; for anything else, the first page.
func Inside(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\\r\n\t") || strings.HasPrefix(u.Path, "/sign-") {
		return "/"
	}
	return to
}
