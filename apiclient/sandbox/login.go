package sandbox

import (
	"io"
	"net/http"
)

// login answers POST /v1/login, an addition of the sandbox: {"user_name": …, "password": …} is answered with a cookie in
// Set-Cookie. Faults do not strike here.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if refused := s.gate.checkKey(r.Header); refused != nil {
		refused.write(w)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
	if err != nil {
		refusal(http.StatusBadRequest, "", "the body could not be read: %v", err).write(w)
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
	if len(q.reasons.list) > 0 {
		invalid(q.reasons.list).write(w)
		return
	}
	s.signIn(w, name, password)
}

func (s *Server) signIn(w http.ResponseWriter, name, password string) {
	u := s.index.user(name)
	if u == nil || u.Password == "" || !same(u.Password, password) {
		refusal(s.options.Answers.SignIn, "", "user name or password is wrong").write(w)
		return
	}
	cookie, err := s.gate.issue(u.ID)
	if err != nil {
		refusal(http.StatusInternalServerError, "", "no cookie could be made: %v", err).write(w)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.options.CookieHeader, Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	answer{status: http.StatusOK, body: s.index.userRecord(u.ID)}.write(w)
}
