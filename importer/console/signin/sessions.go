package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"time"
)

// The keys of a session.
const (
	sessionName   = "name"
	sessionRole   = "role"
	sessionJobs   = "jobs"   // that the person sees; missing for all
	sessionValues = "values" // that the provider said, missing for who signed in with a password
	sessionMark   = "mark"   // of the account, see roster
	sessionToken  = "token"
	sessionNotice = "notice"
	sessionFrom   = "from"  // the address that signed in
	sessionBegan  = "began" // in seconds since 1970, and
	sessionSeen   = "seen"  // when somebody last did anything
)

// A browser that is signed in has a random token in a cookie that no script sees. Everything else is kept here until
// the process ends, or in a database if several consoles share sessions (shared). Only signing in makes a session, so
// nobody can fill the memory with them. A session ends when its account changes.

// Load finds the session of a request. The person has no name if there is none. Unless the request is a quiet one, the
// session's idle time starts again. The error is ErrAway.
func (a *Authenticator) Load(w http.ResponseWriter, r *http.Request, from string, quiet bool) (_ *http.Request, _ Person, token string, _ error) {
	ctx, person, err := a.Find(r)
	switch {
	case errors.Is(err, ErrAway):
		return r, Person{}, "", err
	case err != nil:
		return r, Person{}, "", nil
	}
	r = r.WithContext(ctx)
	if person.Name == "" && a.sessions.GetString(ctx, sessionName) != "" {
		_ = a.EndSession(ctx, w) // the account is gone in any case
	}
	if person.Name == "" && a.Local != nil && a.OneTime == nil && a.BeginSession(ctx, w, *a.Local, from) == nil {
		person = *a.Local // everybody who can reach the console is let in
	}
	if person.Name == "" {
		return r, Person{}, "", nil
	}
	if !quiet {
		a.sessions.Put(ctx, sessionSeen, a.Now().Unix())
		a.keep(ctx)
	}
	return r, person, a.formToken(ctx), nil
}

// formToken is what the forms of a session carry. The token of one firm is of no use in another.
func (a *Authenticator) formToken(ctx context.Context) string {
	token := a.sessions.GetString(ctx, sessionToken)
	if a.firm != nil {
		return a.derive(token, "firm "+a.firm.Name)
	}
	return token
}

// Find finds the session of a request and its person: nobody if there is none, or if its account has changed.
func (a *Authenticator) Find(r *http.Request) (ctx context.Context, _ Person, err error) {
	presented := r.CookiesNamed(a.sessions.Cookie.Name)
	for _, c := range presented[:min(len(presented), cookiesTried)] {
		if ctx, err = a.sessions.Load(r.Context(), c.Value); err == nil && a.roster.current().marks[a.sessions.GetString(ctx, sessionMark)] {
			p := Person{Name: a.sessions.GetString(ctx, sessionName), Role: Role(a.sessions.GetString(ctx, sessionRole)), Local: a.Local != nil}
			for key, to := range map[string]*[]string{sessionJobs: &p.Jobs, sessionValues: &p.Values} {
				if a.sessions.Exists(ctx, key) {
					list, _ := a.sessions.Get(ctx, key).([]string)
					*to = append([]string{}, list...) // never nil, which would mean all jobs, and a sign-in with a password
				}
			}
			return ctx, a.inFirm(p), nil
		}
		if errors.Is(err, ErrAway) {
			return r.Context(), Person{}, err
		}
	}
	if ctx == nil || err != nil {
		ctx, err = a.sessions.Load(r.Context(), "") // what cannot be read is not a session
	}
	return ctx, Person{}, err
}

// cookiesTried is how many cookies of one name are looked at. A server at another port of this host can set one that
// comes first.
const cookiesTried = 4

// Stands reports whether the account of a person is unchanged and nobody has ended the session since the request came,
// and whether the person may still do as much in the firm.
func (a *Authenticator) Stands(ctx context.Context, p Person) (signedIn, may bool, _ error) {
	now := a.inFirm(p)
	may = now.Role.May(p.Role) && slices.Equal(now.Jobs, p.Jobs)
	if !a.roster.current().marks[a.sessions.GetString(ctx, sessionMark)] {
		return false, may, nil
	}
	defer a.hold()()
	again, err := a.sessions.Load(context.Background(), a.sessions.Token(ctx))
	if errors.Is(err, ErrAway) {
		return false, may, err
	}
	return err == nil && a.sessions.GetString(again, sessionName) != "", may, nil
}

// hold prevents a request that began before a sign-out from bringing the session back when it writes it. If sessions
// are shared, such a write never brings a session back, so nobody waits here for the database.
func (a *Authenticator) hold() (release func()) {
	if a.shared != nil {
		return func() {}
	}
	a.keeping.Lock()
	return a.keeping.Unlock
}

// BeginSession makes a session for somebody, under a token that nobody had before.
func (a *Authenticator) BeginSession(ctx context.Context, w http.ResponseWriter, p Person, from string) error {
	if err := a.sessions.RenewToken(ctx); err != nil {
		return err
	}
	if p.Local {
		p.mark = localMark
	}
	for key, text := range map[string]string{sessionName: p.Name, sessionRole: string(p.Role), sessionMark: p.mark, sessionToken: rand.Text(), sessionFrom: from} {
		a.sessions.Put(ctx, key, text)
	}
	for key, list := range map[string][]string{sessionJobs: p.Jobs, sessionValues: p.Values} {
		if list == nil {
			a.sessions.Remove(ctx, key) // the session of whoever was signed in before
		} else {
			a.sessions.Put(ctx, key, list)
		}
	}
	a.sessions.Put(ctx, sessionBegan, a.Now().Unix())
	a.sessions.Put(ctx, sessionSeen, a.Now().Unix())
	if a.shared != nil {
		a.shared.tidy(ctx)
	}
	token, expiry, err := a.sessions.Commit(context.WithValue(ctx, beginning{}, true))
	if err == nil {
		a.sessions.WriteSessionCookie(ctx, w, token, expiry)
	}
	return err
}

// EndSession ends a session.
func (a *Authenticator) EndSession(ctx context.Context, w http.ResponseWriter) error {
	defer a.hold()()
	a.sessions.WriteSessionCookie(ctx, w, "", time.Time{})
	return a.sessions.Destroy(ctx)
}

// keep stores a session as it is now, unless it has been ended in the meantime.
func (a *Authenticator) keep(ctx context.Context) {
	defer a.hold()()
	again, err := a.sessions.Load(context.Background(), a.sessions.Token(ctx))
	if err == nil && a.sessions.GetString(again, sessionName) != "" {
		_, _, _ = a.sessions.Commit(ctx) // without it, only the last activity is lost
	}
}

// Notify keeps a notice for the next page.
func (a *Authenticator) Notify(ctx context.Context, notice string) {
	a.sessions.Put(ctx, a.noticeKey(), notice)
	a.keep(ctx)
}

// TakeNotice takes the notice out of the session, "" if there is none.
func (a *Authenticator) TakeNotice(ctx context.Context) string {
	notice := a.sessions.PopString(ctx, a.noticeKey())
	if notice != "" {
		a.keep(ctx)
	}
	return notice
}

// Session is a session of somebody who is signed in. Its id is of no use as a cookie.
type Session struct {
	ID          string
	Name        string
	Role        Role
	From        string
	Began, Seen time.Time
	Here        bool // it is the session that asks
	key         string
}

// idLength is how much of a session's key in the store identifies it.
const idLength = 24

// ListSessions lists the sessions whose account is unchanged, the latest first. here is the context of the session that
// asks.
func (a *Authenticator) ListSessions(here context.Context) (lines []Session, err error) {
	m, marks := a.sessions, a.roster.current().marks
	own := m.GetString(here, sessionToken)
	err = m.Iterate(context.Background(), func(ctx context.Context) error {
		if !marks[m.GetString(ctx, sessionMark)] {
			return nil
		}
		key := m.Token(ctx) // the store's key: the hash of the token in the cookie
		lines = append(lines, Session{ID: key[:min(len(key), idLength)], Name: m.GetString(ctx, sessionName), Role: Role(m.GetString(ctx, sessionRole)), From: m.GetString(ctx, sessionFrom),
			Began: time.Unix(m.GetInt64(ctx, sessionBegan), 0), Seen: time.Unix(m.GetInt64(ctx, sessionSeen), 0), Here: m.GetString(ctx, sessionToken) == own, key: key})
		return nil
	})
	slices.SortFunc(lines, func(x, y Session) int { return y.Seen.Compare(x.Seen) })
	return lines, err
}

// DropSession ends the session of a line.
func (a *Authenticator) DropSession(line Session) error {
	defer a.hold()()
	return a.sessions.Store.Delete(line.key)
}

// If nobody signs in, the one-time key in the printed address lets in whoever started the console: every user of a
// machine can reach its loopback address, but only this one sees the terminal. A key works once, and the next one is
// printed right then, so that the terminal has one for another browser, and for when the session is over.

// NeedsKey reports whether a browser has to show the key from the printed address.
func (a *Authenticator) NeedsKey() bool { return a.Local != nil && a.OneTime != nil }

// UseKey reports whether a key lets in the browser that shows it. It does so once.
func (a *Authenticator) UseKey(key string) bool {
	a.oneTimeMu.Lock()
	defer a.oneTimeMu.Unlock()
	if subtle.ConstantTimeCompare([]byte(key), []byte(a.oneTimeKey)) != 1 {
		return false
	}
	a.renewKey("")
	return true
}

// renewKey sets the next key: the given one, or a random one.
func (a *Authenticator) renewKey(key string) {
	a.oneTimeKey = cmp.Or(key, rand.Text())
	a.OneTime(a.oneTimeKey)
}
