package apiclient

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// account is what a name and keys are derived from. Neither reveals anything about the secrets to someone who does not
// have them.
type account struct {
	name   string // of the stored state
	secret []byte
	base   string
}

// account returns the account of the subscription key: everyone who sends with the same key shares its limit.
func (o Options) account() account { return derived("pace", o, o.SubscriptionKey) }

// signedIn returns the account of a user. Another password, or another initial cookie, makes another session: what was
// learned with a wrong one does not apply to it.
func (o Options) signedIn() account {
	way := o.SignIn
	return derived("session", o, append([]string{o.SubscriptionKey, o.AuthCookie, way.Path, way.User, way.Password, way.UserMember, way.PasswordMember}, way.Command...)...)
}

// SentBy returns names derived from the subscription key and from the user that signs in, or "" for what is not
// configured. A ledger uses them to recognize the account that its records belong to.
func (o Options) SentBy() (key, user string) {
	name := func(kind, secret string) string {
		if secret == "" {
			return ""
		}
		return derived(kind, Options{}, secret).name
	}
	return name("key", o.SubscriptionKey), name("user", o.SignIn.User)
}

func derived(kind string, o Options, secrets ...string) account {
	text, _ := json.Marshal(secrets) // strings always encode
	a := account{secret: text, base: strings.TrimRight(o.BaseURL, "/")}
	a.name = kind + "/" + hex.EncodeToString(a.key("name of what is kept", 16))
	return a
}

// key derives a key from the account's secrets for one purpose.
func (a account) key(purpose string, length int) []byte {
	key, err := hkdf.Key(sha256.New, a.secret, []byte(a.base), "docketsync: "+purpose, length)
	if err != nil {
		panic(err) // only a wrong length fails
	}
	return key
}
