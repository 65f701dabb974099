// Package signin finds out who sends a request to the console. It imports nothing of ours, and knows no page.
//
// Who may come in is what the configuration says by now: it is read again at most every second (roster). Each account has a mark that changes
// with anything of the account; a session holds the mark of its account and ends when nobody has it any more. So a removed user, a new
// password or another role ends sessions at once, and a configuration that cannot be read changes nothing but is told (Trouble).
//
// There are three ways in. A password is compared with an argon2id hash; tries are counted by network, by name, and by browser, so
// that nobody who tries a name from elsewhere locks out its owner (tries, browser). A provider of OpenID Connect says who somebody is,
// by the code flow with PKCE (provider). Where nobody signs in, because the console answers only its own machine, a key that is printed in the
// terminal lets in one browser, and the next key is printed right then (oneTime).
//
// Several firms have one door (To): who somebody is, is found out there, by its accounts; what they may do in a firm is what the accounts of that firm say (Accounts.Of),
// each time they ask for a page, so that a role that was taken away is gone with the next one. A user of a firm is the one who signed in with a
// password under that name, never somebody whom the provider calls so.
//
// Where the ledger is in PostgreSQL, several consoles are one (shared): a session, its end, and the tries that are used up count at all of them, and a
// sign-in that was begun at one is finished at another. With SQLite there is one console, which keeps all of that in memory.
//
// It promises: a session is made by signing in and in no other way, under a token that nobody had before; the cookie is of no use to scripts
// or other sites; and nothing is kept for people whom nobody knows, so that they cannot fill the memory.
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
	// Accounts are who may sign in. Reread reads them again; nil where they stay as they are.
	Accounts
	Reread func() (Accounts, error)
	// Local is who everybody is where nobody has to sign in, because the console answers only its own machine; nil where people sign
	// in. OneTime is told the key that lets in the next browser, and is nil where the system lets nobody else reach the console.
	Local   *Person
	OneTime func(key string)
	// FirstKey is the first such key, "" for one that nobody knows before OneTime does.
	FirstKey string
	// Certificate tells why the certificate that is there now cannot be used, nil when it can; nil where the console has none.
	Certificate func() error
	// URL is the address of the console, to which a provider sends people back.
	URL string
	// Port is part of the names of cookies: browsers send the cookies of an address to all its ports.
	Port string
	// Encrypted says that browsers speak TLS, to this process or to a proxy in front of it.
	Encrypted bool
	// Shared is the database in which the consoles of one ledger keep their sessions and the tries of sign-ins together; nil where this process
	// keeps them for itself, which are gone with it.
	Shared *sql.DB
	// Idle is how long a session lasts without a request, Lifetime how long at all.
	Idle, Lifetime time.Duration
	Log            *zap.Logger
	Now            func() time.Time
}

// Authenticator finds out who sends a request.
type Authenticator struct {
	Options
	roster *roster
	key    []byte // of this process, or of all that share: what a browser is given before somebody signs in there is made with it
	tries  *tries

	sessions *scs.SessionManager
	shared   *shared     // nil for none
	keeping  *sync.Mutex // see hold
	firm     *Firm       // one of several whose door this is, nil for none

	oneTimeMu  sync.Mutex
	oneTimeKey string // "" where nobody needs one
}

// New makes an authenticator. The error names the account that cannot be used.
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
	} // else the address that lets in works once; a lunch break ends nothing
	m.Cookie = scs.SessionCookie{Name: o.cookie("session"), HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode, Secure: o.Encrypted}
	if a.NeedsKey() {
		a.renewKey(o.FirstKey)
	}
	return a, nil
}

// Firm is one of several firms behind one sign-in.
type Firm struct {
	Name string
	// Of is what somebody who is signed in may do in it by now, of the role Anybody for who may not know of it.
	Of func(Person) Person
	// Trouble is why the configuration of its accounts is not in use.
	Trouble func() Trouble
}

// To is the authenticator of a firm behind this one: whoever is signed in here is signed in there as what the firm says, and a sign-out ends both.
func (a *Authenticator) To(firm Firm) *Authenticator {
	return &Authenticator{Options: a.Options, roster: a.roster, key: a.key, tries: a.tries, sessions: a.sessions, shared: a.shared, keeping: a.keeping, firm: &firm}
}

// inFirm is what somebody who is signed in may do here.
func (a *Authenticator) inFirm(p Person) Person {
	if a.firm != nil {
		return a.firm.Of(p)
	}
	return p
}

// noticeKey is where a session has the notice for the next page.
func (a *Authenticator) noticeKey() string {
	if a.firm != nil {
		return sessionNotice + " " + a.firm.Name
	}
	return sessionNotice
}

// Ways are the ways in which people can sign in by now.
type Ways struct {
	Passwords bool
	Provider  string // the host of the OpenID Connect provider, "" for none
}

// Ways tells how people can sign in by now.
func (a *Authenticator) Ways() Ways {
	list := a.roster.current()
	w := Ways{Passwords: len(list.users) > 0}
	if list.provider != nil {
		w.Provider = list.provider.host()
	}
	return w
}

// Trouble is why the configuration of accounts and the certificate, as it is right now, is not in use.
func (a *Authenticator) Trouble() Trouble {
	if a.firm != nil {
		return a.firm.Trouble()
	}
	return a.roster.told()
}

// cookie is the name of a cookie. Where browsers speak TLS, its beginning makes them refuse one that was not set so, by this
// very host.
func (o Options) cookie(what string) string {
	switch {
	case o.Encrypted:
		return "__Host-docketsync-" + what
	case o.Port != "":
		return "docketsync-" + what + "-" + o.Port
	}
	return "docketsync-" + what
}

// FormToken is what the form to sign in must carry. It is derived by the key of this process from a random text in a cookie of the
// browser, the ticket, so that nothing need be kept here for people whom nobody knows.
func (a *Authenticator) FormToken(w http.ResponseWriter, r *http.Request) string {
	name := a.cookie("ticket")
	if c, err := r.Cookie(name); err == nil && len(c.Value) >= 26 && len(c.Value) <= 64 {
		return a.derive(c.Value, "form")
	}
	ticket := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: name, Value: ticket, Path: "/", HttpOnly: true, Secure: a.Encrypted, SameSite: http.SameSiteLaxMode})
	return a.derive(ticket, "form")
}

// derive makes what only this process can make of a random text.
func (a *Authenticator) derive(ticket, purpose string) string { return sign(a.key, purpose, ticket) }

// sign is the signature of a text, made for a purpose, under a key.
func sign(key []byte, purpose, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Inside is a path of this console to go to after a sign-in; the beginning for whatever is none.
func Inside(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\\r\n\t") || strings.HasPrefix(u.Path, "/sign-") {
		return "/"
	}
	return to
}
