package web

import (
	"net/http"

	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
)

// keyParameter is what the one-time key is called in the address.
const keyParameter = "token"

// enter exchanges the key in the address for a session, and leads to the same page without it, so that it stays neither in the
// address bar nor in the history.
func (r *Request) enter() error {
	auth := r.frame.Authenticator
	key := r.URL.Query().Get(keyParameter)
	if key == "" || r.Method != http.MethodGet {
		return ErrUninvited
	}
	if !auth.UseKey(key) {
		if auth.Knock(r.Origin()) { // the audit has so many lines of it; the key is too long to be found by trying
			r.Audit(ledger.AuditEntry{Action: SignIn, Result: Refused, Note: "with an address that was already used, or never printed"})
		}
		return ErrUninvited
	}
	return r.Admit(*auth.Local, "with the printed address", signin.Inside(r.URL.Path))
}

// ErrUninvited is what everybody else on the machine is told.
var ErrUninvited = Refuse(http.StatusUnauthorized, "Only the person who started the console can open it.",
	"Open the address that docketsync console printed last in its terminal. Each address works once. On a shared machine, add users under console: in the configuration.")
