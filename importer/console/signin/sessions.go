package signin

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
)

// What a session holds.
const (
	sessionName   = "name"
	sessionRole   = "role"
	sessionMark   = "mark" // of the account, see roster
	sessionToken  = "token"
	sessionNotice = "notice"
	sessionFrom   = "from"  // the address that signed in
	sessionBegan  = "began" // in seconds since 1970, and
	sessionSeen   = "seen"  // when somebody last did anything
)

// Sessions knows who is signed in. A browser has a random token in a cookie that no script sees; all else is kept here, and is
// gone when the process ends. A session is made by signing in and in no other way, so that nobody can fill the memory with them. It
// ends when its account is no longer what it was.
type Sessions struct {
	manager *scs.SessionManager
	store   *memstore.MemStore
	roster  *roster
	now     func() time.Time
	local   bool    // nobody signs in
	open    *Person // who everybody is that comes, nil where people have to show who they are

	// mu keeps a request that began before a sign-out from bringing the session back when it writes it.
	mu sync.Mutex
}

func newSessions(o Options, r *roster) *Sessions {
	s := &Sessions{manager: scs.New(), store: memstore.New(), roster: r, now: o.now, local: o.Local != nil}
	m := s.manager
	m.Store = s.store
	m.HashTokenInStore = true
	m.IdleTimeout, m.Lifetime = o.Idle, o.Lifetime
	if s.local {
		m.IdleTimeout = 0 // the address that lets in works once; a lunch break ends nothing
	}
	if o.OneTime == nil {
		s.open = o.Local
	}
	m.Cookie = scs.SessionCookie{Name: o.cookie("session"), HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode, Secure: o.Encrypted}
	return s
}

// Load finds the session of a request. Unless the request is a quiet one, the session's idle time begins anew.
func (s *Sessions) Load(w http.ResponseWriter, r *http.Request, from string, quiet bool) (_ *http.Request, _ Person, token string, known bool) {
	ctx, person, err := s.Find(r)
	if err != nil {
		return r, Person{}, "", false
	}
	r = r.WithContext(ctx)
	if person.Name == "" && s.manager.GetString(ctx, sessionName) != "" {
		_ = s.EndSession(ctx, w) // the store is memory
	}
	if person.Name == "" && s.open != nil {
		if s.BeginSession(ctx, w, *s.open, from) != nil {
			return r, Person{}, "", false
		}
		person = *s.open
	}
	if person.Name == "" {
		return r, Person{}, "", false
	}
	if !quiet {
		s.manager.Put(ctx, sessionSeen, s.now().Unix())
		s.keep(ctx)
	}
	return r, person, s.manager.GetString(ctx, sessionToken), true
}

// Find looks for the session of a request and whose it is: nobody's where there is none, or where its account is no longer what it was.
func (s *Sessions) Find(r *http.Request) (ctx context.Context, _ Person, err error) {
	presented := r.CookiesNamed(s.manager.Cookie.Name)
	for _, c := range presented[:min(len(presented), cookiesTried)] {
		if ctx, err = s.manager.Load(r.Context(), c.Value); err == nil && s.roster.current().marks[s.manager.GetString(ctx, sessionMark)] {
			return ctx, Person{Name: s.manager.GetString(ctx, sessionName), Role: Role(s.manager.GetString(ctx, sessionRole)), Local: s.local}, nil
		}
	}
	if ctx == nil || err != nil {
		ctx, err = s.manager.Load(r.Context(), "") // what cannot be read is no session
	}
	return ctx, Person{}, err
}

// cookiesTried is how many cookies of one name are looked at. What answers at another port of this host can set one that comes first.
const cookiesTried = 4

// Stands tells whether the account of a session is still what it was, and nobody has ended the session since the request came.
func (s *Sessions) Stands(ctx context.Context) bool {
	if !s.roster.current().marks[s.manager.GetString(ctx, sessionMark)] {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again, err := s.manager.Load(context.Background(), s.manager.Token(ctx))
	return err == nil && s.manager.GetString(again, sessionName) != ""
}

// BeginSession makes a session for somebody, under a token that nobody had before.
func (s *Sessions) BeginSession(ctx context.Context, w http.ResponseWriter, p Person, from string) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	if p.Local {
		p.mark = localMark
	}
	for key, text := range map[string]string{sessionName: p.Name, sessionRole: string(p.Role), sessionMark: p.mark, sessionToken: rand.Text(), sessionFrom: from} {
		s.manager.Put(ctx, key, text)
	}
	s.manager.Put(ctx, sessionBegan, s.now().Unix())
	s.manager.Put(ctx, sessionSeen, s.now().Unix())
	token, expiry, err := s.manager.Commit(ctx)
	if err == nil {
		s.manager.WriteSessionCookie(ctx, w, token, expiry)
	}
	return err
}

// EndSession forgets a session.
func (s *Sessions) EndSession(ctx context.Context, w http.ResponseWriter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manager.WriteSessionCookie(ctx, w, "", time.Time{})
	return s.manager.Destroy(ctx)
}

// keep writes a session as it is now, unless it has been ended meanwhile.
func (s *Sessions) keep(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, err := s.manager.Load(context.Background(), s.manager.Token(ctx))
	if err == nil && s.manager.GetString(again, sessionName) != "" {
		_, _, _ = s.manager.Commit(ctx) // the store is memory
	}
}

// Notify keeps a notice for the next page.
func (s *Sessions) Notify(ctx context.Context, notice string) {
	s.manager.Put(ctx, sessionNotice, notice)
	s.keep(ctx)
}

// TakeNotice takes the notice out of the session, "" when there is none.
func (s *Sessions) TakeNotice(ctx context.Context) string {
	notice := s.manager.PopString(ctx, sessionNotice)
	if notice != "" {
		s.keep(ctx)
	}
	return notice
}

// Session is somebody who is signed in. Its id is of no use as a cookie.
type Session struct {
	ID          string
	Name        string
	Role        Role
	From        string
	Began, Seen time.Time
	Here        bool // it is the one that asks
	key         string
}

// idLength is how much of a session's key in the store tells it from all others.
const idLength = 24

// ListSessions lists those whose account is still what it was, the latest first. here is the context of the session that asks.
func (s *Sessions) ListSessions(here context.Context) (lines []Session, err error) {
	m, marks := s.manager, s.roster.current().marks
	own := m.GetString(here, sessionToken)
	err = m.Iterate(context.Background(), func(ctx context.Context) error {
		if !marks[m.GetString(ctx, sessionMark)] {
			return nil
		}
		key := m.Token(ctx) // of the store: the hash of the one in the cookie
		lines = append(lines, Session{ID: key[:min(len(key), idLength)], Name: m.GetString(ctx, sessionName), Role: Role(m.GetString(ctx, sessionRole)), From: m.GetString(ctx, sessionFrom),
			Began: time.Unix(m.GetInt64(ctx, sessionBegan), 0), Seen: time.Unix(m.GetInt64(ctx, sessionSeen), 0), Here: m.GetString(ctx, sessionToken) == own, key: key})
		return nil
	})
	slices.SortFunc(lines, func(a, b Session) int { return b.Seen.Compare(a.Seen) })
	return lines, err
}

// DropSession ends the session of a line.
func (s *Sessions) DropSession(line Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.Delete(line.key)
}
