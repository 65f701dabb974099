package console

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
)

// What a session holds.
const (
	sessionName   = "name"
	sessionRole   = "role"
	sessionToken  = "token"
	sessionNotice = "notice"
)

// sessions knows who is signed in. A browser has a random token in a cookie that no script sees; all else is kept here, and is
// gone when the process ends. A session is made by signing in and in no other way, so that nobody can fill the memory with them.
type sessions struct {
	manager *scs.SessionManager
	local   *Person

	// mu keeps a request that began before a sign-out from bringing the session back when it writes it.
	mu sync.Mutex
}

func newSessions(o Options) *sessions {
	m := scs.New()
	m.Store = memstore.New()
	m.HashTokenInStore = true
	m.IdleTimeout, m.Lifetime = o.Idle, o.Lifetime
	m.Cookie = scs.SessionCookie{Name: cookieName(o.Encrypted, "session"), HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode, Secure: o.Encrypted}
	return &sessions{manager: m, local: o.Local}
}

// cookieName is the name of a cookie. Where browsers speak TLS, its beginning makes them refuse one that was not set so, by this
// very host.
func cookieName(encrypted bool, what string) string {
	if encrypted {
		return "__Host-docketsync-" + what
	}
	return "docketsync-" + what
}

// load finds the session of a request. Unless the request is a quiet one, the session's idle time begins anew.
func (s *sessions) load(w http.ResponseWriter, r *http.Request, quiet bool) (_ *http.Request, _ Person, token string, known bool) {
	var presented string
	if c, err := r.Cookie(s.manager.Cookie.Name); err == nil {
		presented = c.Value
	}
	ctx, err := s.manager.Load(r.Context(), presented)
	if err != nil {
		// What cannot be read is no session.
		if ctx, err = s.manager.Load(r.Context(), ""); err != nil {
			return r, Person{}, "", false
		}
	}
	r = r.WithContext(ctx)
	name := s.manager.GetString(ctx, sessionName)
	if name == "" && s.local != nil {
		if s.begin(ctx, w, *s.local) != nil {
			return r, Person{}, "", false
		}
		name = s.local.Name
	}
	if name == "" {
		return r, Person{}, "", false
	}
	if !quiet {
		s.keep(ctx)
	}
	person := Person{Name: name, Role: Role(s.manager.GetString(ctx, sessionRole)), Local: s.local != nil}
	return r, person, s.manager.GetString(ctx, sessionToken), true
}

// begin makes a session for somebody, under a token that nobody had before.
func (s *sessions) begin(ctx context.Context, w http.ResponseWriter, p Person) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	s.manager.Put(ctx, sessionName, p.Name)
	s.manager.Put(ctx, sessionRole, string(p.Role))
	s.manager.Put(ctx, sessionToken, rand.Text())
	token, expiry, err := s.manager.Commit(ctx)
	if err == nil {
		s.manager.WriteSessionCookie(ctx, w, token, expiry)
	}
	return err
}

// end forgets a session.
func (s *sessions) end(ctx context.Context, w http.ResponseWriter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manager.WriteSessionCookie(ctx, w, "", time.Time{})
	return s.manager.Destroy(ctx)
}

// keep writes a session as it is now, unless it has been ended meanwhile.
func (s *sessions) keep(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again, err := s.manager.Load(context.Background(), s.manager.Token(ctx))
	if err == nil && s.manager.GetString(again, sessionName) != "" {
		_, _, _ = s.manager.Commit(ctx) // the store is memory
	}
}

// notify keeps a notice for the next page.
func (s *sessions) notify(ctx context.Context, notice string) {
	s.manager.Put(ctx, sessionNotice, notice)
	s.keep(ctx)
}

// notice takes the notice out of the session, "" when there is none.
func (s *sessions) notice(ctx context.Context) string {
	notice := s.manager.PopString(ctx, sessionNotice)
	if notice != "" {
		s.keep(ctx)
	}
	return notice
}
