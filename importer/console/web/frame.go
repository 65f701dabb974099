// Package web is the frame around every page of the console. It imports signin, the ledger and the words of reports,
// and knows no page but the refusal.
//
// A request comes in through Handler, which sets security headers, checks host, proxy and origin, and takes a snapshot
// of what the request reads. The route says which role it needs: Get and Poll for pages that only show, Post for what
// does anything. Before its page is called, a post has passed the checks of its origin, of the session's role and of
// the session's token; whatever happens, it leaves a line in the audit: About says what it was done to, Remark adds a
// note. A post that is refused before its page sees it leaves its line through Denied.
//
// On a read-only or full disk, pages read a copy of the ledger (Snapshots), which follows what others write there. Each
// page says so, nobody is an operator, and all posts are refused except to sign in or out. What a page is made of stays
// the same until its end, and the ledger itself is read again as soon as its disk can be written. Runs never read the
// copy: what it lacks would be sent twice.
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
	// Hosts are the names that the console answers to, nil for any. A console that only its own machine can reach is
	// given that machine's names, so that no page under somebody else's name can be led to it.
	Hosts []string
	// Proxies are the addresses of the proxies in front. If there are any, all other addresses are refused.
	Proxies []netip.Prefix
	// Firm and Home are the firm of these pages and the path that all of them are under, if the console is one of
	// several behind one sign-in; "" otherwise. Several reports whether somebody may see more firms than this one.
	Firm, Home string
	Several    func(signin.Person) bool
	// Outdated reports whether the configuration has changed, so that the console will be replaced when nothing runs in
	// it; nil if there is only one firm.
	Outdated func() bool
	// Rehearsal is what every page says first if the service is not a live one, "" otherwise.
	Rehearsal string
	// Live is the host of the live service, "" if there is none; every page says so, more quietly.
	Live string
	Log  *zap.Logger
	Now  func() time.Time
}

// MenuLine is a line of the menu, for people with a role.
type MenuLine struct {
	Title string
	Path  string
	Needs signin.Role
}

// Frame is the frame around all pages.
type Frame struct {
	Options
	Routes   map[string]route // by pattern
	mux      *http.ServeMux
	pages    map[string]*template.Template
	refusals *signin.Throttle // limits how many refused posts are recorded
}

// New returns a frame with only the pages that it needs itself.
func New(o Options) *Frame {
	f := &Frame{Options: o, mux: http.NewServeMux(), Routes: map[string]route{}, pages: map[string]*template.Template{}, refusals: signin.NewThrottle(time.Minute, 20)}
	f.pages["refusal"] = f.layout()
	f.mux.HandleFunc("GET /assets/{name}", answerAsset)
	f.Get("/", signin.Anybody, Nowhere)
	return f
}

// route is what is known of a page before it is requested.
type route struct {
	Needs  signin.Role
	Action string // the audit's name for a post
	quiet  bool   // such requests do not keep a session alive
}

// Of returns a page about one thing that the path names, such as a run; find finds it first.
func Of[T any](find func(*Request) (T, error), page func(*Request, T) error) Page {
	return func(r *Request) error {
		thing, err := find(r)
		if err != nil {
			return err
		}
		return page(r, thing)
	}
}

// Nowhere answers requests for which there is no page.
func Nowhere(*Request) error {
	return Refuse(http.StatusNotFound, "Page not found.", "Check the address, or go back to the start.")
}

// Get adds a page for everybody with a role.
func (f *Frame) Get(pattern string, needs signin.Role, p Page) {
	f.add("GET "+pattern, route{Needs: needs}, p)
}

func (f *Frame) add(pattern string, of route, p Page) {
	f.Routes[pattern] = of
	f.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { f.serve(w, r, of, p) })
}

// Poll adds a page that scripts request again and again: it does not keep a session alive.
func (f *Frame) Poll(pattern string, needs signin.Role, p Page) {
	f.add("GET "+pattern, route{Needs: needs, quiet: true}, p)
}

// Post adds a page that changes something. action is its name in the audit, which gets a line for every call. The form
// must carry the token of the session; it is parsed when p is called.
func (f *Frame) Post(pattern string, needs signin.Role, action string, p Page) {
	f.PostWithin(pattern, needs, action, FormLimit, p)
}

// uploadWithin is how long a permitted upload may take to arrive.
const uploadWithin = 5 * time.Minute

// PostWithin is Post for larger forms: uploads.
func (f *Frame) PostWithin(pattern string, needs signin.Role, action string, limit int64, p Page) {
	f.add("POST "+pattern, route{Needs: needs, Action: action}, func(r *Request) error {
		r.Body = http.MaxBytesReader(r.Response, r.Body, limit)
		if limit > FormLimit {
			_ = http.NewResponseController(r.Response).SetReadDeadline(time.Now().Add(uploadWithin)) // otherwise it has to arrive sooner
		}
		err := r.parse()
		if r.MultipartForm != nil {
			defer func() { _ = r.MultipartForm.RemoveAll() }() // what is left is in the system's temporary folder
		}
		if err == nil {
			err = r.stands() // the form took a while to arrive
		}
		if err == nil {
			err = p(r)
		}
		r.Record(action, err)
		return err
	})
}

// PostUnsigned adds a post that needs no sign-in. The page checks its token and writes the audit itself.
func (f *Frame) PostUnsigned(pattern string, limit int64, p Page) {
	f.mux.HandleFunc("POST "+pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		r, _, _, err := f.Authenticator.Load(w, r, f.origin(r), true)
		asked := &Request{Request: r, Response: w, frame: f}
		if err == nil {
			err = p(asked)
		}
		if err != nil {
			asked.fail(err)
		}
	})
}

// SignInPath is the page to sign in, also for the pages of a firm behind another console.
const SignInPath = "/sign-in"

// AddFirms passes requests under remedy.FirmsPath to the console of the firm that the path names; leave is called after
// each. enter returns Nowhere both for a firm that does not exist and for one that the person may not know of, and must
// do the same work for both first, so that they cannot be told apart.
func (f *Frame) AddFirms(enter func(r *Request, firm string) (console http.Handler, leave func(), err error)) {
	lead := func(action string) http.HandlerFunc {
		return func(w http.ResponseWriter, plain *http.Request) {
			plain, person, token, err := f.Authenticator.Load(w, plain, f.origin(plain), true) // the pages of the firm keep the session alive
			r := &Request{Request: plain, Response: w, Person: person, frame: f, token: token}
			firm := r.PathValue("firm")
			var console http.Handler
			var leave func()
			switch {
			case err != nil:
			case person.Name == "" && action == "" && !asksForPart(plain):
				http.Redirect(w, plain, SignInPath+"?to="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
				return
			case person.Name == "":
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

// asksForPart reports whether a script requests a part of a page, rather than somebody who can be sent to another page.
func asksForPart(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return mode != "" && mode != "navigate"
}

// serve finds out who is asking, and whether they may.
func (f *Frame) serve(w http.ResponseWriter, plain *http.Request, of route, p Page) {
	plain, person, token, err := f.Authenticator.Load(w, plain, f.origin(plain), of.quiet)
	if person.Jobs != nil {
		plain = plain.WithContext(context.WithValue(plain.Context(), jobsKey{}, person.Jobs)) // before any page sees it
	}
	r := &Request{Request: plain, Response: w, Person: person, frame: f, token: token}
	oneTime, signedOut := f.Authenticator.NeedsKey(), of.Needs != signin.Anybody && person.Name == ""
	switch {
	case err != nil:
	case signedOut && oneTime:
		if err = r.useKey(); err != nil {
			err = r.Denied(of.Action, err)
		}
	case person.Name != "" && oneTime && r.URL.Query().Has(keyParameter):
		http.Redirect(w, plain, signin.Inside(r.URL.Path), http.StatusSeeOther) // the key stays valid for another browser
	case signedOut && r.Method == http.MethodGet && !of.quiet:
		http.Redirect(w, plain, SignInPath+"?to="+url.QueryEscape(f.Home+r.URL.RequestURI()), http.StatusSeeOther)
	default:
		if err = r.refused(of, signedOut); err != nil {
			err = r.Denied(of.Action, err)
		} else {
			err = f.answer(r, of, p)
		}
	}
	if err != nil {
		r.fail(err)
	}
}

// refused says why somebody may not request what a route leads to, nil if they may.
func (r *Request) refused(of route, signedOut bool) error {
	alert := alertOf(r.Book())
	switch {
	case signedOut:
		return errSignedOut
	case of.Needs != signin.Anybody && r.Person.Role == signin.Anybody: // who might see the firm a moment ago
		return Nowhere(r)
	case !r.Person.Operates() && of.Needs.Acts():
		return Refuse(http.StatusForbidden, "Only operators can do this.", "You are signed in as a viewer. Ask an operator to do it.")
	case !r.Person.May(of.Needs):
		return Refuse(http.StatusForbidden, "This concerns the installation as a whole.", "Your account is for some of its jobs. Ask whoever manages docketsync.")
	case of.Needs.Acts() && alert != "":
		return Refuse(http.StatusServiceUnavailable, alert, wayOn)
	}
	return nil
}
