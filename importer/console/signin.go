package console

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"docketsync/importer/ledger"
)

// How long a name and a password may be, in bytes. Names that are tried are remembered for a while, whoever has them.
const (
	nameLimit     = 256
	passwordLimit = 1024
)

type signInView struct {
	To        string
	Token     string
	Name      string
	Wrong     string
	Passwords bool
	Provider  string // the host of the OpenID Connect provider, "" for none
}

// ticketOf is what a browser has that is not signed in yet: a random text in a cookie of its own. What has to come back with its
// next requests is derived from that by the key of this process, so that nothing need be kept here for people whom nobody knows.
func (s *Server) ticketOf(w http.ResponseWriter, r *http.Request) string {
	name := s.cookie("ticket")
	if c, err := r.Cookie(name); err == nil && len(c.Value) >= 26 && len(c.Value) <= 64 {
		return c.Value
	}
	ticket := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: name, Value: ticket, Path: "/", HttpOnly: true, Secure: s.Encrypted, SameSite: http.SameSiteLaxMode})
	return ticket
}

// derive makes what only this process can make of a ticket.
func (s *Server) derive(ticket, purpose string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(purpose + "\x00" + ticket))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *Server) signInPage(v *visit) error {
	if s.oneTime != nil && v.Person.Name == "" {
		return errUninvited
	}
	if v.Person.Name != "" {
		return v.seeOther(inside(v.r.URL.Query().Get("to")), "")
	}
	return s.showSignIn(v, http.StatusOK, signInView{To: inside(v.r.URL.Query().Get("to"))})
}

func (s *Server) showSignIn(v *visit, status int, view signInView) error {
	view.Token = s.derive(s.ticketOf(v.w, v.r), "form")
	list := s.roster.current()
	view.Passwords = len(list.users) > 0
	if list.provider != nil {
		view.Provider = list.provider.Host()
	}
	return v.answer(status, "signin", "layout", "Sign in", view)
}

// signIn takes a name and a password.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	r, _, _, _ = s.sessions.load(w, r, s.origin(r), true)
	v := &visit{s: s, w: w, r: r}
	if err := s.takePassword(v); err != nil {
		v.fail(err)
	}
}

func (s *Server) takePassword(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return unreadable(err)
	}
	form := v.r.PostForm
	view := signInView{To: inside(form.Get("to")), Name: form.Get("name")}
	if subtle.ConstantTimeCompare([]byte(form.Get("token")), []byte(s.derive(s.ticketOf(v.w, v.r), "form"))) != 1 {
		_ = v.denied("sign_in", refuse(http.StatusForbidden, "the form was not made for this browser, or too long ago", ""))
		view.Wrong = "This page was open for too long. Please sign in now."
		return s.showSignIn(v, http.StatusForbidden, view)
	}
	password := form.Get("password")
	if len(view.Name) > nameLimit || len(password) > passwordLimit {
		return refuse(http.StatusRequestEntityTooLarge, "That is too long for a name or a password.", "The longest name has 256 bytes, the longest password 1,024.")
	}
	verdict, err := s.gate.try(v.ctx(), view.Name, password, s.origin(v.r), s.knownBrowser(v.r))
	if err != nil {
		return err
	}
	switch {
	case verdict.In:
		s.rememberBrowser(v.w, verdict.Browser)
		return s.admit(v, verdict.Person, "with a password", view.To)
	case verdict.Slowed:
		if verdict.News {
			s.recordTry(v, verdict, "too many tries; more are not looked at for a while")
		}
		v.w.Header().Set("Retry-After", "60")
		view.Wrong = "There were too many tries. Wait a minute, then try again."
		return s.showSignIn(v, http.StatusTooManyRequests, view)
	}
	s.recordTry(v, verdict, "the password is wrong")
	view.Wrong = "That name and password do not belong together."
	return s.showSignIn(v, http.StatusUnauthorized, view)
}

// recordTry writes down a try that led nowhere. A name that nobody has is not written down: people type their password there.
func (s *Server) recordTry(v *visit, verdict verdict, note string) {
	d := ledger.Deed{Who: verdict.Person.Name, Origin: s.origin(v.r), Action: "sign_in", Result: refused, Note: note}
	if !verdict.Known {
		d.Note = "nobody has the name that was given"
	}
	s.record(v.ctx(), d)
}

// admit begins the session of somebody who has shown who they are.
func (s *Server) admit(v *visit, p Person, how, to string) error {
	if err := s.sessions.begin(v.ctx(), v.w, p, s.origin(v.r)); err != nil {
		return err
	}
	s.record(v.ctx(), ledger.Deed{Who: p.Name, Origin: s.origin(v.r), Action: "sign_in", Result: done, Note: how + ", as " + string(p.Role)})
	return v.seeOther(to, "")
}

func (s *Server) signOut(v *visit) error {
	if err := s.sessions.end(v.ctx(), v.w); err != nil {
		return err
	}
	return v.seeOther("/sign-in", "")
}

// inside is a path of this console to go to after a sign-in; the beginning for whatever is none.
func inside(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\\r\n\t") || strings.HasPrefix(u.Path, "/sign-") {
		return "/"
	}
	return to
}
