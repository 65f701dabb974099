package console

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"sync"

	"docketsync/importer/ledger"
)

// oneTime is the key of the address that lets in whoever started the console, where nobody signs in: every user of a machine can
// reach what answers on its loopback, and only this one sees the terminal. A key works once, and the next one is told right then,
// so that the terminal has one for another browser, and for the time when the session is over.
type oneTime struct {
	tell func(key string)

	mu  sync.Mutex
	key string
}

func newOneTime(tell func(key string)) *oneTime {
	o := &oneTime{tell: tell}
	o.renew()
	return o
}

func (o *oneTime) renew() {
	o.key = rand.Text()
	o.tell(o.key)
}

// use tells whether a key is the one, which it is not a second time.
func (o *oneTime) use(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if subtle.ConstantTimeCompare([]byte(key), []byte(o.key)) != 1 {
		return false
	}
	o.renew()
	return true
}

// keyParameter is what the key is called in the address.
const keyParameter = "token"

// enter exchanges the key in the address for a session, and leads to the same page without it, so that it stays neither in the
// address bar nor in the history.
func (s *Server) enter(v *visit) error {
	key := v.r.URL.Query().Get(keyParameter)
	if key == "" || v.r.Method != http.MethodGet {
		return errUninvited
	}
	if !s.oneTime.use(key) {
		if s.gate.knock(s.origin(v.r)) { // the audit has so many lines of it; the key is too long to be found by trying
			s.record(v.ctx(), ledger.Deed{Origin: s.origin(v.r), Action: "sign_in", Result: refused, Note: "with an address that was used before, or was never printed"})
		}
		return errUninvited
	}
	return s.admit(v, *s.Local, "with the address that was printed", inside(v.r.URL.Path))
}

// errUninvited is what everybody else on the machine is told.
var errUninvited = refuse(http.StatusUnauthorized, "Only who started the console can open it.",
	"Open the address that docketsync console printed last in its terminal: each one works once. On a machine that several people use, add users under console: in the configuration.")
