package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// A browser in which somebody has signed in is given a text that says so, which has tries of its own: whoever tries that name
// elsewhere, however often, does not lock it out. It lets nobody in. The text is a random part and its signature under a key made of
// the hash of the password: it outlasts the process, nothing need be kept of it here, and it is void once the password is another.

// browserLasts is how long a browser keeps it.
const browserLasts = 180 * 24 * time.Hour

func browserKey(hash string) []byte {
	sum := sha256.Sum256([]byte("docketsync browser\x00" + hash))
	return sum[:]
}

func (a account) sign(part string) string {
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(strings.ToLower(a.Name) + "\x00" + part))
	return part + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// browserOf makes the text for a browser.
func (a account) browserOf() string { return a.sign(rand.Text()) }

// gave tells whether a text was made for a browser of this account.
func (a account) gave(browser string) bool {
	part, _, _ := strings.Cut(browser, ".")
	return hmac.Equal([]byte(browser), []byte(a.sign(part)))
}

// knownBrowser is what the browser of a request was given, "" for nothing.
func (a *Authenticator) knownBrowser(r *http.Request) string {
	c, err := r.Cookie(a.cookie("browser"))
	if err != nil || len(c.Value) > 128 {
		return ""
	}
	return c.Value
}

func (a *Authenticator) rememberBrowser(w http.ResponseWriter, text string) {
	http.SetCookie(w, &http.Cookie{Name: a.cookie("browser"), Value: text, Path: "/", MaxAge: int(browserLasts.Seconds()), HttpOnly: true, Secure: a.Encrypted,
		SameSite: http.SameSiteLaxMode})
}
