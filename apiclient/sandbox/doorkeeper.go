package sandbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// doorkeeper knows the subscription key and the cookies. A cookie of the login carries its user and its time and is
// signed with a key that the data keeps, so that a sandbox that is started again still knows it.
type doorkeeper struct {
	options Options
	index   *index
	key     []byte
	opened  time.Time

	mu   sync.Mutex
	uses map[string]int // by session
}

func newDoorkeeper(o Options, x *index, key []byte, uses map[string]int) *doorkeeper {
	return &doorkeeper{options: o, index: x, key: key, opened: o.Now(), uses: uses}
}

// visitor is who a request comes from. User is empty where a request carries no cookie.
type visitor struct{ user, session string }

// admit checks key and cookie. The refusal is nil where both are right.
func (d *doorkeeper) admit(h http.Header, cookieNeeded bool) (visitor, *answer) {
	if refused := d.checkKey(h); refused != nil {
		return visitor{}, refused
	}
	name := d.options.CookieHeader
	cookie := h.Get(name)
	if cookie == "" {
		if cookieNeeded {
			return visitor{}, d.refuse(name, "the header %s is missing", name)
		}
		return visitor{}, nil
	}
	user, issued, ok := d.identify(cookie)
	if !ok {
		return visitor{}, d.refuse(name, "the header %s holds no cookie of this service", name)
	}
	if life := d.options.CookieLife; life > 0 && d.options.Now().Sub(issued) > life {
		return visitor{}, d.refuse(name, "the cookie %s has expired", name)
	}
	return visitor{user: user, session: sessionOf(cookie)}, nil
}

func (d *doorkeeper) checkKey(h http.Header) *answer {
	key := h.Get("subscription-key")
	switch {
	case key == "":
		return d.refuse("subscription-key", "the header subscription-key is missing")
	case d.options.SubscriptionKey != "" && !same(key, d.options.SubscriptionKey):
		return d.refuse("subscription-key", "the header subscription-key holds no known key")
	}
	return nil
}

func (d *doorkeeper) refuse(field, format string, args ...any) *answer {
	a := refusal(d.options.Answers.SignIn, field, format, args...)
	return &a
}

// spend counts so many uses of a visitor's cookie, unless it was used up before. The refusal is nil where it was not.
func (d *doorkeeper) spend(v visitor, uses, cookieAfter int) *answer {
	if v.session == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if cookieAfter > 0 && d.uses[v.session] >= cookieAfter {
		return d.refuse(d.options.CookieHeader, "the cookie %s has expired", d.options.CookieHeader)
	}
	d.uses[v.session] += uses
	return nil
}

// sessionOf names a cookie in the request log without giving it away.
func sessionOf(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:8])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// identify tells whose cookie it is and since when.
func (d *doorkeeper) identify(cookie string) (user string, issued time.Time, ok bool) {
	if d.options.AuthCookie != "" && same(cookie, d.options.AuthCookie) {
		return d.defaultUser(), d.opened, true
	}
	if user, issued, ok := d.verify(cookie); ok {
		return user, issued, true
	}
	return d.defaultUser(), d.opened, d.options.AuthCookie == "" && !strings.HasPrefix(cookie, cookiePrefix)
}

// defaultUser is the user of AuthCookie.
func (d *doorkeeper) defaultUser() string {
	if u := d.index.user(d.options.User); u != nil {
		return u.ID
	}
	if len(d.index.directory.Users) > 0 {
		return d.index.directory.Users[0].ID
	}
	return nilGUID
}

// cookiePrefix marks the cookies of the login.
const cookiePrefix = "sandbox."

// issue makes a cookie for a user: the user's id, the time, eight random bytes, and a signature over them.
func (d *doorkeeper) issue(user string) (string, error) {
	id, err := uuid.Parse(user)
	if err != nil {
		return "", err
	}
	body := binary.BigEndian.AppendUint64(id[:], uint64(d.options.Now().UnixMicro()))
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	body = append(body, salt...)
	return cookiePrefix + base64.RawURLEncoding.EncodeToString(append(body, d.sign(body)...)), nil
}

func (d *doorkeeper) verify(cookie string) (user string, issued time.Time, ok bool) {
	const bodySize = 16 + 8 + 8
	text, ours := strings.CutPrefix(cookie, cookiePrefix)
	data, err := base64.RawURLEncoding.DecodeString(text)
	if !ours || err != nil || len(data) <= bodySize || !hmac.Equal(data[bodySize:], d.sign(data[:bodySize])) {
		return "", time.Time{}, false
	}
	micros := binary.BigEndian.Uint64(data[16:24])
	return uuid.UUID(data[:16]).String(), time.UnixMicro(int64(micros)), true
}

func (d *doorkeeper) sign(body []byte) []byte {
	mac := hmac.New(sha256.New, d.key)
	mac.Write(body)
	return mac.Sum(nil)
}
