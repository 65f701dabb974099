// Package web is the frame around every page of the console. It imports signin, the ledger and the words of reports, and knows no page but
// the refusal.
//
// A request comes in through Handler: security headers, the check of its host, proxy and origin, and a snapshot of what it reads. Its
// route says which role it needs: Get and Poll for what only looks, Post for what does anything. A post has come through the check of its
// origin, of the session's role and of the session's token before its page is called, and leaves a line in the audit whatever becomes of
// it: About says what it was done to, Remark what there is to say beside that. One that is refused before a page sees it leaves its line in
// Denied.
//
// On a read-only or full disk pages read a copy of the ledger (Snapshots), which follows what others write there. Each page says so, nobody is
// an operator, and all posts but those that sign in or out are refused. What a page is made of stays the same until its end, and the ledger
// itself is read again as soon as it has room. Runs never read the copy: what it lacks would be sent twice.
package web

import (
	"context"
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/report/remedy"
)

// Options is what a frame is made of.
type Options struct {
	Authenticator *signin.Authenticator
	Snapshots     *Snapshots
	Menu          []MenuLine
	// Hosts are the names that the console answers to, nil for any. One that answers its own machine alone is given those of the
	// machine, so that no page of a foreign name can be made to lead to it.
	Hosts []string
	// Proxies are the addresses of the proxies in front. Where there are any, all other addresses are refused.
	Proxies []netip.Prefix
	// Firm is whose pages these are and Home the path that all of them are under, where the console is one of several behind one sign-in; "" for
	// one alone. Several tells whether somebody may see more firms than this one.
	Firm, Home string
	Several    func(signin.Person) bool
	// Outdated tells whether the configuration has changed since, so that the console will be another one when nothing runs in it; nil for one alone.
	Outdated func() bool
	// Rehearsal is what every page says first where the service is not a live one, "" otherwise.
	Rehearsal string
	// Live is which host the live service is, "" where there is none; every page says so, more quietly.
	Live string
	Log  *zap.Logger
	Now  func() time.Time
}

// MenuLine is a line of the menu, for those of a role.
type MenuLine struct {
	Title string
	Path  string
	Needs signin.Role
}

// Frame is what is around all pages.
type Frame struct {
	Options
	Routes   map[string]route // by their patterns
	mux      *http.ServeMux
	pages    map[string]*template.Template
	refusals *signin.Throttle // of posts whose refusals are written down
}

// New makes a frame without any page but those that it needs itself.
func New(o Options) *Frame {
	f := &Frame{Options: o, mux: http.NewServeMux(), Routes: map[string]route{}, pages: map[string]*template.Template{}, refusals: signin.NewThrottle(time.Minute, 20)}
	f.pages["refusal"] = f.layout()
	f.mux.HandleFunc("GET /assets/{name}", answerAsset)
	f.Get("/", signin.Anybody, Nowhere)
	return f
}

// route is what is known of a page before it is asked for.
type route struct {
	Needs  signin.Role
	Action string // what the audit calls a post
	quiet  bool   // such requests do not keep a session awake
}

// Of is a page about one thing that the path names, such as a run, which find finds first.
func Of[T any](find func(*Request) (T, error), page func(*Request, T) error) Page {
	return func(r *Request) error {
		thing, err := find(r)
		if err != nil {
			return err
		}
		return page(r, thing)
	}
}

// Nowhere answers what there is no page for.
func Nowhere(*Request) error {
	return Refuse(http.StatusNotFound, "Page not found.", "Check the address, or go back to the start.")
}

// Get adds a page for everybody of a role.
func (f *Frame) Get(pattern string, needs signin.Role, p Page) {
	f.add("GET "+pattern, route{Needs: needs}, p)
}

func (f *Frame) add(pattern string, of route, p Page) {
	f.Routes[pattern] = of
	f.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { f.serve(w, r, of, p) })
}

// Poll adds a page that scripts ask for again and again: it does not keep a session awake.
func (f *Frame) Poll(pattern string, needs signin.Role, p Page) {
	f.add("GET "+pattern, route{Needs: needs, quiet: true}, p)
}

// Post adds what changes something. action names it in the audit, which has a line of every call. The form must carry the token
// of the session; it is parsed when p is called.
func (f *Frame) Post(pattern string, needs signin.Role, action string, p Page) {
	f.PostWithin(pattern, needs, action, FormLimit, p)
}

// uploadWithin is how long a file may take to arrive that somebody uploads who may.
const uploadWithin = 5 * time.Minute

// PostWithin is Post for forms that may be larger: a file that is uploaded.
func (f *Frame) PostWithin(pattern string, needs signin.Role, action string, limit int64, p Page) {
	f.add("POST "+pattern, route{Needs: needs, Action: action}, func(r *Request) error {
		r.Body = http.MaxBytesReader(r.Response, r.Body, limit)
		if limit > FormLimit {
			_ = http.NewResponseController(r.Response).SetReadDeadline(time.Now().Add(uploadWithin)) // else it has to be there sooner
		}
		err := r.parse()
		if r.MultipartForm != nil {
			defer func() { _ = r.MultipartForm.RemoveAll() }() // what is left is in the system's temporary folder
		}
		if err == nil {
			err = r.stands() // the form was on its way for a while
		}
		if err == nil {
			err = p(r)
		}
		r.Record(action, err)
		return err
	})
}

// PostUnsigned adds a post of somebody who is not signed in. The page checks its token and writes the audit itself.
func (f *Frame) PostUnsigned(pattern string, limit int64, p Page) {
	f.mux.HandleFunc("POST "+pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		r, _, _, _, err := f.Authenticator.Load(w, r, f.origin(r), true)
		asked := &Request{Request: r, Response: w, frame: f}
		if err == nil {
			err = p(asked)
		}
		if err != nil {
			asked.fail(err)
		}
	})
}

// SignInPath is the page to sign in, also where the pages of a firm are behind another console.
const SignInPath = "/sign-in"

// AddFirms leads what is under remedy.FirmsPath to the console of the firm that the path names, until leave is called. enter returns Nowhere for a firm that is
// not there and for one that the person may not know of, and does the same before it does: what differs between them is found out behind it.
func (f *Frame) AddFirms(enter func(r *Request, firm string) (console http.Handler, leave func(), err error)) {
	lead := func(action string) http.HandlerFunc {
		return func(w http.ResponseWriter, plain *http.Request) {
			plain, person, token, known, err := f.Authenticator.Load(w, plain, f.origin(plain), true) // the pages of the firm keep the session awake
			r := &Request{Request: plain, Response: w, Person: person, frame: f, token: token}
			firm := r.PathValue("firm")
			var console http.Handler
			var leave func()
			switch {
			case err != nil:
			case !known && action == "" && !asksForPart(plain):
				http.Redirect(w, plain, SignInPath+"?to="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
				return
			case !known:
				err = r.Denied(action, errSignedOut)
			case plain.URL.RawPath != "" && !strings.HasPrefix(plain.URL.RawPath, remedy.FirmsPath+firm+"/"):
				err = r.Denied(action, Nowhere(r)) // the name is spelled with escapes, which no link of ours is
			default:
				if console, leave, err = enter(r, firm); err != nil {
					err = r.Denied(action, err)
				}
			}
			if err != nil {
				r.fail(err)
				return
			}
			defer leave()
			// The pages of the firm read its own ledger.
			http.StripPrefix(remedy.FirmsPath+firm, console).ServeHTTP(w, plain.WithContext(context.WithValue(plain.Context(), snapshotKey{}, nil)))
		}
	}
	f.mux.HandleFunc("GET "+remedy.FirmsPath+"{firm}/", lead(""))
	f.mux.HandleFunc("POST "+remedy.FirmsPath+"{firm}/", lead("post"))
}

// asksForPart tells whether a script asks, for a part of a page, rather than somebody who can be led to another page.
func asksForPart(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return mode != "" && mode != "navigate"
}

// serve finds out who is there, and whether they may.
func (f *Frame) serve(w http.ResponseWriter, plain *http.Request, of route, p Page) {
	plain, person, token, known, err := f.Authenticator.Load(w, plain, f.origin(plain), of.quiet)
	if person.Jobs != nil {
		plain = plain.WithContext(context.WithValue(plain.Context(), jobsKey{}, person.Jobs)) // before any page sees it
	}
	r := &Request{Request: plain, Response: w, Person: person, frame: f, token: token}
	oneTime := f.Authenticator.NeedsKey()
	switch {
	case err != nil:
		r.fail(err)
		return
	case of.Needs != signin.Anybody && !known && oneTime:
		if err := r.useKey(); err != nil {
			r.fail(r.Denied(of.Action, err))
		}
		return
	case known && oneTime && r.URL.Query().Has(keyParameter):
		http.Redirect(w, plain, signin.Inside(r.URL.Path), http.StatusSeeOther) // the key stays good for another browser
		return
	case of.Needs != signin.Anybody && !known && r.Method == http.MethodGet && !of.quiet:
		http.Redirect(w, plain, SignInPath+"?to="+url.QueryEscape(f.Home+r.URL.RequestURI()), http.StatusSeeOther)
		return
	case of.Needs != signin.Anybody && !known:
		r.fail(r.Denied(of.Action, errSignedOut))
		return
	case of.Needs != signin.Anybody && person.Role == signin.Anybody: // who might see the firm a moment ago
		r.fail(r.Denied(of.Action, Nowhere(r)))
		return
	case !person.Role.May(signin.Operator) && of.Needs.Acts():
		r.fail(r.Denied(of.Action, Refuse(http.StatusForbidden, "Only operators can do this.", "You are signed in as a viewer. Ask an operator to do it.")))
		return
	case !person.May(of.Needs):
		r.fail(r.Denied(of.Action, Refuse(http.StatusForbidden, "This concerns the installation as a whole.", "Your account is for some of its jobs. Ask whoever manages docketsync.")))
		return
	case of.Needs.Acts() && alertOf(r.Book()) != "":
		r.fail(r.Denied(of.Action, Refuse(http.StatusServiceUnavailable, alertOf(r.Book()), wayOn)))
		return
	}
	if err := f.answer(r, of, p); err != nil {
		r.fail(err)
	}
}
