package console

import (
	"context"
	"crypto/subtle"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"docketsync/importer/ledger"
)

// visit is one request of somebody who may make it.
type visit struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request
	Person Person
	token  string // that forms of this session must carry

	target, note string // for the line of the audit
	unaudited    bool
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// about says what the post is done to, for the audit.
func (v *visit) about(target string) { v.target = target }

// unremarkable says that a post that did well needs no line in the audit: somebody's draft changes with every click.
func (v *visit) unremarkable() { v.unaudited = true }

// remark adds to the line of the audit.
func (v *visit) remark(note string) { v.note = note }

// seeOther answers a post: the browser goes to a page, which shows the notice once.
func (v *visit) seeOther(path, notice string) error {
	if notice != "" {
		v.s.sessions.notify(v.ctx(), notice)
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// page is what a page is made by. It answers by v.show, v.seeOther or in its own way, and returns an error before it has answered.
type page func(v *visit) error

// route is what is known of a page before it is asked for.
type route struct {
	needs Role
	// quiet requests do not keep a session awake.
	quiet bool
	// action is what the audit calls a post.
	action string
}

// get adds a page for everybody of a role.
func (s *Server) get(pattern string, needs Role, p page) {
	s.add("GET "+pattern, route{needs: needs}, func(w http.ResponseWriter, r *http.Request, of route) { s.visit(w, r, of, p) })
}

func (s *Server) add(pattern string, of route, answer func(http.ResponseWriter, *http.Request, route)) {
	s.known[pattern] = of
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { answer(w, r, of) })
}

// poll adds a page that scripts ask for again and again: it does not keep a session awake.
func (s *Server) poll(pattern string, needs Role, p page) {
	s.add("GET "+pattern, route{needs: needs, quiet: true}, func(w http.ResponseWriter, r *http.Request, of route) { s.visit(w, r, of, p) })
}

// post adds what changes something. action names it in the audit, which has a line of every call. The form must carry the token
// of the session; it is parsed when p is called.
func (s *Server) post(pattern string, needs Role, action string, p page) {
	s.postWithin(pattern, needs, action, formLimit, p)
}

// postWithin is post for forms that may be larger: a file that is uploaded.
func (s *Server) postWithin(pattern string, needs Role, action string, limit int64, p page) {
	s.add("POST "+pattern, route{needs: needs, action: action}, func(w http.ResponseWriter, r *http.Request, of route) {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		s.visit(w, r, of, func(v *visit) error {
			if limit > formLimit {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadWithin)) // else it has to be there sooner
			}
			err := v.parse()
			if v.r.MultipartForm != nil {
				defer func() { _ = v.r.MultipartForm.RemoveAll() }() // what is left is in the system's temporary folder
			}
			if err == nil && !s.sessions.stands(v.ctx()) {
				err = errSignedOut // while the form was on its way
			}
			if err == nil {
				err = p(v)
			}
			v.record(action, err)
			return err
		})
	})
}

func (v *visit) record(action string, err error) {
	if v.unaudited && err == nil {
		return
	}
	result, note := resultOf(err)
	if note == "" {
		note = v.note
	}
	v.s.record(v.ctx(), ledger.Deed{Who: v.Person.Name, Origin: v.s.origin(v.r), Action: action, Target: v.target, Result: result, Note: note})
}

// formLimit is how large a form without files may be, in bytes; fileMemory how much of one with files is held in memory.
const (
	formLimit  = 1 << 20
	fileMemory = 4 << 20
)

// parse reads the form of a post and makes sure that a page of this session made it.
func (v *visit) parse() error {
	var err error
	if kind, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		err = v.r.ParseMultipartForm(fileMemory)
	} else {
		err = v.r.ParseForm()
	}
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return refuse(http.StatusBadRequest, "What was sent cannot be read.", "Open the page again, and send it from there. A file needs a name of ordinary characters.")
	}
	if err != nil {
		return unreadable(err)
	}
	if subtle.ConstantTimeCompare([]byte(v.r.PostFormValue("token")), []byte(v.token)) != 1 {
		return refuse(http.StatusForbidden, "This form was not made for this session.", "Open the page again, and send it from there.")
	}
	return nil
}

// unreadable is the error of a form that could not be read: what came is at fault, not this machine, unless it was too much.
func unreadable(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return refuse(http.StatusBadRequest, "What was sent could not be read as a form.", "Open the page again, and send it from there.")
}

// visit finds out who is there, and whether they may.
func (s *Server) visit(w http.ResponseWriter, r *http.Request, of route, p page) {
	r, person, token, known := s.sessions.load(w, r, s.origin(r), of.quiet)
	v := &visit{s: s, w: w, r: r, Person: person, token: token}
	switch {
	case of.needs != Anybody && !known && s.oneTime != nil:
		if err := s.enter(v); err != nil {
			v.fail(v.denied(of.action, err))
		}
		return
	case known && s.oneTime != nil && r.URL.Query().Has(keyParameter):
		http.Redirect(w, r, inside(r.URL.Path), http.StatusSeeOther) // the key stays good for another browser
		return
	case of.needs != Anybody && !known && r.Method == http.MethodGet && !of.quiet:
		http.Redirect(w, r, "/sign-in?to="+queryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	case of.needs != Anybody && !known:
		v.fail(v.denied(of.action, errSignedOut))
		return
	case !person.Role.May(of.needs):
		v.fail(v.denied(of.action, refuse(http.StatusForbidden, "Your role may look at everything and change nothing.", "Ask somebody with the role operator.")))
		return
	case of.needs == Operator && alertOf(s.book(v.ctx())) != "":
		v.fail(v.denied(of.action, refuse(http.StatusServiceUnavailable, alertOf(s.book(v.ctx())), wayOn)))
		return
	}
	if err := s.answer(v, of, p); err != nil {
		v.fail(err)
	}
}

// errSignedOut is what somebody is told whose session is over.
var errSignedOut = refuse(http.StatusUnauthorized, "You are not signed in, or no longer.", "Sign in, and do it again.")

// denied writes down that a post was refused before anybody looked at it, and returns why; action is "" for what is no post. Strangers
// can cause that, so there are so many lines from a network and no more, and none is long.
func (v *visit) denied(action string, err error) error {
	if action == "" {
		return err
	}
	if short, _ := v.s.refusals.short(network(v.s.origin(v.r)), v.s.now()); !short || v.Person.Name != "" {
		path := v.r.URL.Path
		v.about(strings.ToValidUTF8(path[:min(len(path), deniedPath)], ""))
		v.record(action, err)
	}
	return err
}

// deniedPath is how much of a path is written down, in bytes.
const deniedPath = 200

// fail answers with what went wrong.
func (v *visit) fail(err error) {
	r := v.refusalOf(err)
	if err := v.answer(r.Status, "refusal", "refusal", http.StatusText(r.Status), r); err != nil {
		http.Error(v.w, r.Message, r.Status)
	}
}
