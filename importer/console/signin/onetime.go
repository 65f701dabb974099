package signin

import (
	"crypto/rand"
	"crypto/subtle"
)

// The one-time key is part of the address that lets in whoever started the console, where nobody signs in: every user of a machine
// can reach what answers on its loopback, and only this one sees the terminal. A key works once, and the next one is told right
// then, so that the terminal has one for another browser, and for the time when the session is over.

// NeedsKey tells whether a browser has to show the key of the address that was printed.
func (a *Authenticator) NeedsKey() bool { return a.Local != nil && a.OneTime != nil }

// UseKey tells whether a key lets in the browser that shows it. It does so once.
func (a *Authenticator) UseKey(key string) bool {
	a.oneTimeMu.Lock()
	defer a.oneTimeMu.Unlock()
	if subtle.ConstantTimeCompare([]byte(key), []byte(a.oneTimeKey)) != 1 {
		return false
	}
	a.renewKey()
	return true
}

func (a *Authenticator) renewKey() {
	a.oneTimeKey = rand.Text()
	a.OneTime(a.oneTimeKey)
}
