package access

import (
	"net/http"
	"slices"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
)

// listSessions shows who is signed in, to those who may end that.
func (p *Pages) listSessions(r *web.Request) error {
	lines, err := p.Authenticator.ListSessions(r.Context())
	if err != nil {
		return err
	}
	return r.Show("sessions", "Sessions", lines)
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
