package sandbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
)

// authenticator checks the subscription key and the cookies. A cookie of the login contains its user and is signed with
// a key that the data keeps, so a restarted sandbox still accepts it.
type authenticator struct {
	options Options
	index   *index
	key     []byte

	mu   sync.Mutex
	uses map[string]uint // by session
}

// visitor is who sent a request. user is empty if the request has no cookie. session names the cookie in the request
// log without revealing it.
type visitor struct{ user, session string }

// admit checks key and cookie. The refusal is nil if both are right.
func (a *authenticator) admit(h http.Header, cookieNeeded bool) (visitor, *answer) {
	if refused := a.checkKey(h); refused != nil {
		return visitor{}, refused
	}
	name := a.options.CookieHeader
	cookie := h.Get(name)
	user, ok := a.userOf(cookie)
	switch {
	case cookie == "" && cookieNeeded:
		return visitor{}, refusal(http.StatusUnauthorized, name, "the header %s is missing", name)
	case cookie == "":
		return visitor{}, nil
	case !ok:
		return visitor{}, refusal(http.StatusUnauthorized, name, "the header %s holds no cookie of this service", name)
	}
	sum := sha256.Sum256([]byte(cookie))
	return visitor{user: user, session: hex.EncodeToString(sum[:8])}, nil
}

func (a *authenticator) checkKey(h http.Header) *answer {
	const name = "subscription-key"
	key := h.Get(name)
	switch {
	case key == "":
		return refusal(http.StatusUnauthorized, name, "the header subscription-key is missing")
	case a.options.SubscriptionKey != "" && !same(key, a.options.SubscriptionKey):
		return refusal(http.StatusUnauthorized, name, "the header subscription-key holds no known key")
	}
	return nil
}

// spend counts uses of a visitor's cookie. It returns a refusal if the cookie was used up before.
func (a *authenticator) spend(v visitor, uses, cookieAfter uint) *answer {
	if v.session == "" {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if cookieAfter > 0 && a.uses[v.session] >= cookieAfter {
		return refusal(http.StatusUnauthorized, a.options.CookieHeader, "the cookie %s has expired", a.options.CookieHeader)
	}
	a.uses[v.session] += uses
	return nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// userOf returns the user of a cookie. The configured cookie, or any cookie if none is configured, belongs to the first
// user.
func (a *authenticator) userOf(cookie string) (user string, ok bool) {
	if text, ours := strings.CutPrefix(cookie, cookiePrefix); ours {
		user, _, _ := strings.Cut(text, ".")
		if signed := strings.LastIndexByte(cookie, '.'); hmac.Equal([]byte(cookie), []byte(a.sign(cookie[:signed]))) {
			return user, true
		}
	}
	user = nilGUID
	if users := a.index.directory.Users; len(users) > 0 {
		user = users[0].ID
	}
	if a.options.AuthCookie != "" {
		return user, same(cookie, a.options.AuthCookie)
	}
	return user, !strings.HasPrefix(cookie, cookiePrefix)
}

// cookiePrefix marks the cookies of the login.
const cookiePrefix = "sandbox."

// issue makes a cookie for a user: the user's id, a random text, and a signature over both.
func (a *authenticator) issue(user string) string {
	return a.sign(cookiePrefix + user + "." + rand.Text())
}

func (a *authenticator) sign(text string) string {
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(text))
	return text + "." + hex.EncodeToString(mac.Sum(nil))
}
