package console

import (
	"net/http"
	"slices"
)

type sessionsView struct {
	Sessions []sessionLine
	Local    bool
}

// listSessions shows who is signed in, to those who may end that.
func (s *Server) listSessions(v *visit) error {
	lines, err := s.sessions.list(v.ctx())
	if err != nil {
		return err
	}
	return v.show("sessions", "Sessions", sessionsView{lines, s.Local != nil})
}

func (s *Server) endSession(v *visit) error {
	lines, err := s.sessions.list(v.ctx())
	if err != nil {
		return err
	}
	n := slices.IndexFunc(lines, func(l sessionLine) bool { return l.ID == v.r.PostFormValue("session") })
	if n < 0 {
		return refuse(http.StatusNotFound, "This session has ended already.", "The list of sessions shows who is signed in.")
	}
	line := lines[n]
	v.about(line.Name)
	v.remark("signed in from " + line.From)
	if err := s.sessions.drop(line); err != nil {
		return err
	}
	if line.Here {
		return s.signOut(v)
	}
	return v.seeOther("/sessions", "The session of "+line.Name+" has ended.")
}
