package apiclient

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// account is what a name and keys are derived from. Neither tells anything about the secrets, to anybody who does not have them.
type account struct {
	name   string // of what is kept
	secret []byte
	base   string
}

// account is that of a subscription key: whoever sends with it shares its limit.
func (o Options) account() account { return derived("pace", o, o.SubscriptionKey) }

// signedIn is the account of a user. Another password, or another cookie to begin with, is another session: what was found out with the
// wrong one says nothing of it.
func (o Options) signedIn() account {
	way := o.SignIn
	return derived("session", o, append([]string{o.SubscriptionKey, o.AuthCookie, way.Path, way.User, way.Password, way.UserMember, way.PasswordMember}, way.Command...)...)
}

// SentBy are names derived from the subscription key and from the user that signs in, "" for what is not configured: by them the account is known
// again whose records a ledger is about.
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
	text, _ := json.Marshal(secrets) // of strings
	a := account{secret: text, base: strings.TrimRight(o.BaseURL, "/")}
	a.name = kind + "/" + hex.EncodeToString(a.key("name of what is kept", 16))
	return a
}

// key is derived from the account's secrets for one purpose.
func (a account) key(purpose string, length int) []byte {
	key, err := hkdf.Key(sha256.New, a.secret, []byte(a.base), "docketsync: "+purpose, length)
	if err != nil {
		panic(err) // the length
	}
	return key
}
