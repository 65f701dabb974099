package signin

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
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

// NeedsKey tells whether a browser has to show the key of the address that was printed.
func (a *Authenticator) NeedsKey() bool { return a.oneTime != nil }

// UseKey tells whether a key lets in the browser that shows it. It does so once.
func (a *Authenticator) UseKey(key string) bool { return a.oneTime.use(key) }
