package sandbox

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Operation is one of the operations of interface.md part 1, as the request log names it.
type Operation string

// operation is what the sandbox knows of an operation; each is defined in its own file.
type operation struct {
	name         Operation
	method, path string // path is the default
	noCookie     bool   // the cookie may be missing
	read         func(*Server, *request, *fields) work
	list         string // the name in GET /v1/lists/{kind} of the records that it makes or updates; "" if they are in another operation's list
	page         func(*Server, *list, url.Values) error
}

// operations are those of interface.md.
var operations = []operation{createCase, createFolder, updateCase, updateTrademark}

// route builds the table of paths. Paths from the configuration may be invalid, which ServeMux reports by a panic.
func (s *Server) route() (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("sandbox paths: %v", trouble)
		}
	}()
	mux := http.NewServeMux()
	for _, op := range operations {
		path := cmp.Or(s.options.Paths[op.name], op.path)
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("sandbox paths: %s: %q must start with /", op.name, path)
		}
		mux.Handle(op.method+" "+path, s.handle(op))
	}
	mux.HandleFunc("POST /v1/login", s.login)
	mux.HandleFunc("GET /v1/lists/{kind}", s.lists)
	mux.HandleFunc("GET /v1/sandbox/state", shown(s.State))
	mux.HandleFunc("GET /v1/sandbox/snapshot", shown(s.Snapshot))
	mux.HandleFunc("GET /v1/sandbox/faults", s.showFaults)
	mux.HandleFunc("PUT /v1/sandbox/faults", s.changeFaults)
	s.handler = inJSON(mux)
	return nil
}

// inJSON gives ServeMux's answers to unknown paths and wrong methods the form of all other refusals.
func inJSON(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
			if _, pattern := mux.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL}); pattern != "" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			refusal(http.StatusNotFound, "", "there is nothing at %s", r.URL.Path).write(w)
			return
		}
		allow := strings.Join(allowed, ", ")
		w.Header().Set("Allow", allow)
		refusal(http.StatusMethodNotAllowed, "", "%s is not allowed at %s; allowed: %s", r.Method, r.URL.Path, allow).write(w)
	})
}

// shown answers with the result of read.
func shown[T any](read func() (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		what, err := read()
		if err != nil {
			refusal(http.StatusInternalServerError, "", "the sandbox cannot read its data: %v", err).write(w)
			return
		}
		(&answer{status: http.StatusOK, body: what}).write(w)
	}
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	(&answer{status: http.StatusOK, body: map[string]string{"faults": s.behaviour.Load().faults.String()}}).write(w)
}

// changeFaults reads the text form of the faults from the body. It requires the subscription key.
func (s *Server) changeFaults(w http.ResponseWriter, r *http.Request) {
	text, ok := s.shortBody(w, r)
	if !ok {
		return
	}
	faults, err := ParseFaults(strings.TrimSpace(string(text)))
	if err != nil {
		refusal(http.StatusBadRequest, "", "%v", err).write(w)
		return
	}
	s.SetFaults(faults)
	s.showFaults(w, r)
}

// shortBody returns the body of a request with the subscription key. ok is false if the request has been answered.
func (s *Server) shortBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	refused := s.authenticator.checkKey(r.Header)
	if refused == nil {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 4096)); err == nil {
			return body, true
		}
		refused = refusal(http.StatusBadRequest, "", "the body could not be read: %v", err)
	}
	refused.write(w)
	return nil, false
}

// login answers POST /v1/login, an addition of the sandbox: {"user_name": …, "password": …} is answered with a cookie
// in Set-Cookie. Faults do not strike here.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	body, ok := s.shortBody(w, r)
	if !ok {
		return
	}
	q := &request{body: body}
	f, ok := q.open(s)
	var name, password string
	if ok {
		name, _ = f.text(s.options.UserMember, required, 0)
		password, _ = f.text(s.options.PasswordMember, required, 0)
		f.done()
	}
	u := s.index.user(name)
	switch {
	case len(q.reasons.list) > 0:
		invalid(q.reasons.list).write(w)
	case u == nil || u.Password == "" || !same(u.Password, password):
		refusal(http.StatusUnauthorized, "", "user name or password is wrong").write(w)
	default:
		http.SetCookie(w, &http.Cookie{Name: s.options.CookieHeader, Value: s.authenticator.issue(u.ID), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		(&answer{status: http.StatusOK, body: s.index.userRecord(u.ID)}).write(w)
	}
}
