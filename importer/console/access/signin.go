package access

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// How long a name and a password may be, in bytes. Attempted names are remembered for a while, whether or not they
// exist.
const (
	nameLimit     = 256
	passwordLimit = 1024
)

type signInView struct {
	signin.Ways
	To    string
	Token string
	Name  string
	Wrong string
}

func (p *Pages) signInPage(r *web.Request) error {
	if p.Authenticator.NeedsKey() && r.Person.Name == "" {
		return web.ErrUninvited
	}
	if r.Person.Name != "" {
		return r.SeeOther(signin.Inside(r.URL.Query().Get("to")), "")
	}
	return p.showSignIn(r, http.StatusOK, signInView{To: signin.Inside(r.URL.Query().Get("to"))})
}

func (p *Pages) showSignIn(r *web.Request, status int, view signInView) error {
	view.Token, view.Ways = p.Authenticator.FormToken(r.Response, r.Request), p.Authenticator.Ways()
	return r.Answer(status, "signin", "layout", "Sign in", view)
}

// signIn checks a name and a password.
func (p *Pages) signIn(r *web.Request) error {
	if err := r.ParseForm(); err != nil {
		return web.Unreadable(err)
	}
	form := r.PostForm
	view := signInView{To: signin.Inside(form.Get("to")), Name: form.Get("name")}
	if subtle.ConstantTimeCompare([]byte(form.Get("token")), []byte(p.Authenticator.FormToken(r.Response, r.Request))) != 1 {
		_ = r.Denied(web.SignIn, web.Refuse(http.StatusForbidden, "the form belongs to another browser, or has expired", ""))
		view.Wrong = "This page has expired. Please sign in again."
		return p.showSignIn(r, http.StatusForbidden, view)
	}
	password := form.Get("password")
	if len(view.Name) > nameLimit || len(password) > passwordLimit {
		return web.Refuse(http.StatusRequestEntityTooLarge, "The name or the password is too long.", "A name has at most 256 bytes, a password at most 1,024.")
	}
	verdict, err := p.Authenticator.TryPassword(r.Response, r.Request, view.Name, password, r.Origin())
	if err != nil {
		return err
	}
	switch {
	case verdict.In:
		return r.Admit(verdict.Person, "with a password", view.To)
	case verdict.Slowed:
		if verdict.News {
			recordTry(r, verdict, "too many attempts; more are ignored for a while")
		}
		r.Response.Header().Set("Retry-After", "60")
		view.Wrong = "Too many attempts. Wait a minute, then try again."
		return p.showSignIn(r, http.StatusTooManyRequests, view)
	}
	recordTry(r, verdict, "wrong password")
	view.Wrong = "Wrong name or password."
	return p.showSignIn(r, http.StatusUnauthorized, view)
}

// recordTry records a failed attempt in the audit log. It does not record an unknown name: people type their password
// there.
func recordTry(r *web.Request, verdict signin.Verdict, note string) {
	if !verdict.Known {
		note = "unknown user name"
	}
	r.Audit(ledger.AuditEntry{Who: verdict.Person.Name, Action: web.SignIn, Result: web.Refused, Note: note})
}

func (p *Pages) signOut(r *web.Request) error {
	if err := p.Authenticator.EndSession(r.Context(), r.Response); err != nil {
		return err
	}
	http.Redirect(r.Response, r.Request, web.SignInPath, http.StatusSeeOther)
	return nil
}

// toProvider sends a browser to the identity provider.
func (p *Pages) toProvider(r *web.Request) error {
	address, err := p.Authenticator.ToProvider(r.Response, r.Request, signin.Inside(r.URL.Query().Get("to")))
	switch {
	case errors.Is(err, signin.ErrNoProvider):
		return web.Nowhere(r)
	case err != nil:
		return web.Refuse(http.StatusBadGateway, "The identity provider does not respond.", "Try again in a minute. If this happens again, tell whoever runs docketsync.")
	}
	http.Redirect(r.Response, r.Request, address, http.StatusSeeOther)
	return nil
}

// fromProvider receives a browser that comes back from the identity provider.
func (p *Pages) fromProvider(r *web.Request) error {
	person, how, to, err := p.Authenticator.FromProvider(r.Response, r.Request, r.Origin())
	denied, is := errors.AsType[*signin.DeniedError](err)
	switch {
	case errors.Is(err, signin.ErrNoProvider):
		return web.Nowhere(r)
	case errors.Is(err, signin.ErrTooMany):
		r.Response.Header().Set("Retry-After", "60")
		return web.Refuse(http.StatusTooManyRequests, "Too many attempts.", "Wait a minute, then sign in again.")
	case is:
		r.Audit(ledger.AuditEntry{Who: denied.Who, Action: web.SignIn, Result: web.Refused, Note: denied.Why})
		return web.Refuse(http.StatusForbidden, "Sign-in failed: "+denied.Why+".", denied.Hint)
	case err != nil:
		return err
	}
	return r.Admit(person, how, to)
}

// listSessions shows who is signed in to those who may end sessions.
func (p *Pages) listSessions(r *web.Request) error {
	return r.Made("sessions", "Sessions")(p.Authenticator.ListSessions(r.Context()))
}

func (p *Pages) endSession(r *web.Request) error {
	lines, err := p.Authenticator.ListSessions(r.Context())
	if err != nil {
		return err
	}
	n := slices.IndexFunc(lines, func(l signin.Session) bool { return l.ID == r.PostFormValue("session") })
	if n < 0 {
		return web.Refuse(http.StatusNotFound, "This session has already ended.", "The list shows who is signed in.")
	}
	line := lines[n]
	r.About(line.Name)
	r.Remark("signed in from " + line.From)
	if err := p.Authenticator.DropSession(line); err != nil {
		return err
	}
	if line.Here {
		return p.signOut(r)
	}
	return r.SeeOther(SessionsPath, "The session of "+line.Name+" has ended.")
}
