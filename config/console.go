package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Console says how docketsync console serves its pages.
type Console struct {
	// Listen is host:port, or unix: and the path of a socket.
	Listen string `yaml:"listen" json:"listen"`
	// URL is the address that people open, where it is another one than Listen.
	URL string `yaml:"url" json:"url,omitempty"`
	// TLS is the certificate of the console; nil where a proxy has one, and on loopback addresses.
	TLS *ConsoleTLS `yaml:"tls" json:"tls,omitempty"`
	// Proxies are the addresses of proxies in front that speak TLS with browsers; requests from others are refused then.
	Proxies Names `yaml:"proxies" json:"proxies,omitempty"`
	// Users sign in with a password.
	Users []ConsoleUser `yaml:"users" json:"users,omitempty"`
	// OIDC is a provider of OpenID Connect that people sign in with; nil for none.
	OIDC *OIDC `yaml:"oidc" json:"oidc,omitempty"`
	// Session is how long people stay signed in.
	Session ConsoleSession `yaml:"session" json:"session"`
	// UploadLimit is how large a file may be that somebody uploads, in bytes.
	UploadLimit Size `yaml:"upload_limit" json:"upload_limit"`
	// Uploads is the folder that keeps what somebody uploads.
	Uploads string `yaml:"uploads" json:"uploads"`
}

// ConsoleTLS is a certificate with its key, as files in PEM form.
type ConsoleTLS struct {
	// Cert is the certificate, and behind it those that lead to an authority.
	Cert string `yaml:"cert" json:"cert"`
	// Key is the private key.
	Key string `yaml:"key" json:"key"`
}

// ConsoleUser is somebody who signs in with a password.
type ConsoleUser struct {
	// Name is what the user types, in any case.
	Name string `yaml:"name" json:"name"`
	// Role is viewer or operator.
	Role string `yaml:"role" json:"role"`
	// Password is what docketsync console password made of it.
	Password PasswordHash `yaml:"password" json:"password"`
}

// OIDC is a provider of OpenID Connect.
type OIDC struct {
	// Issuer is the address of the provider, under which it answers /.well-known/openid-configuration.
	Issuer string `yaml:"issuer" json:"issuer"`
	// ClientID is the name that the provider knows the console by.
	ClientID string `yaml:"client_id" json:"client_id"`
	// ClientSecret belongs to it.
	ClientSecret Secret `yaml:"client_secret" json:"client_secret,omitzero"`
	// Claim is what of a person decides about their role: groups or another claim, or email.
	Claim string `yaml:"claim" json:"claim"`
	// Operators and Viewers are the values of Claim that make somebody one; who has none of them does not come in.
	Operators Names `yaml:"operators" json:"operators,omitempty"`
	// Viewers see everything and change nothing.
	Viewers Names `yaml:"viewers" json:"viewers,omitempty"`
}

// ConsoleSession is how long people stay signed in.
type ConsoleSession struct {
	// Idle is how long without doing anything.
	Idle time.Duration `yaml:"idle" json:"idle"`
	// Lifetime is how long at all.
	Lifetime time.Duration `yaml:"lifetime" json:"lifetime"`
}

// PasswordHash is what is kept of a password. It may be written into the configuration, since nobody can sign in with it, but is
// shown nowhere, since passwords can be tried on it.
type PasswordHash struct{ Secret }

// UnmarshalNode takes the hash as it is written, or where a secret may come from.
func (p *PasswordHash) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		p.kept = &kept{node: n, value: keep(n.Value)}
		return nil
	}
	return p.Secret.UnmarshalNode(f, n)
}

func defaultConsole() Console {
	return Console{Listen: "127.0.0.1:8180", Session: ConsoleSession{Idle: 30 * time.Minute, Lifetime: 12 * time.Hour}, UploadLimit: 50 << 20, Uploads: "uploads"}
}

// SocketPrefix is what Listen begins with where a path follows instead of host:port.
const SocketPrefix = "unix:"

// Socket is the path of the socket that the console listens on, "" where it listens on an address.
func (c Console) Socket() string {
	path, ok := strings.CutPrefix(c.Listen, SocketPrefix)
	if !ok {
		return ""
	}
	return path
}

// Loopback tells whether the console answers this machine alone.
func (c Console) Loopback() bool {
	if c.Socket() != "" {
		return true
	}
	host, _, err := net.SplitHostPort(c.Listen)
	return err == nil && loopback(host)
}

// SignIn tells whether anybody can sign in; where nobody can, nobody has to.
func (c Console) SignIn() bool { return len(c.Users) > 0 || c.OIDC != nil }

// ProxyPrefixes are the addresses of the proxies.
func (c Console) ProxyPrefixes() (list []netip.Prefix) {
	for _, text := range c.Proxies {
		if p, err := parsePrefix(text); err == nil {
			list = append(list, p)
		}
	}
	return list
}

func parsePrefix(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.Prefix(a.BitLen())
	}
	return netip.ParsePrefix(text)
}

// consoleSecrets is whose the secrets of the console are, among the names of remotes; no remote has such a name.
const consoleSecrets = "console:"

// placed are the secrets of the console with their places in the file.
func (c Console) placed() (list []placedSecret) {
	for n, user := range c.Users {
		list = append(list, placedSecret{user.Password.Secret, []any{"console", "users", n, "password"}})
	}
	if c.OIDC != nil {
		list = append(list, placedSecret{c.OIDC.ClientSecret, []any{"console", "oidc", "client_secret"}})
	}
	return list
}

// ConsoleCredentials returns the faults of the console's secrets that are named in the file and could not be had; nil when all are
// there. Only the console needs them.
func (c *Config) ConsoleCredentials() error {
	if c.place == nil {
		return nil
	}
	return c.place.missingOf[consoleSecrets].Err()
}

func (v *validator) console(c Console) {
	_, port, err := net.SplitHostPort(c.Listen)
	v.require(err == nil && port != "" || c.Socket() != "", "the console listens on HOST:PORT, or on unix:PATH",
		"such as 127.0.0.1:8180, 0.0.0.0:8443 for all networks of the machine, or unix:/run/docketsync/console.sock", "console", "listen")
	at := func(keys ...any) []any { return append([]any{"console"}, keys...) }
	v.require(c.Socket() == "" || c.TLS == nil && len(c.Proxies) == 0, "a socket is opened by its owner alone: it has neither a certificate nor proxies in front",
		"leave tls and proxies out, or listen on HOST:PORT", at("listen")...)
	if err == nil && !c.Loopback() {
		v.require(c.SignIn(), "off this machine, the console needs a sign-in, and nobody can sign in",
			"write users: or oidc: under console, or listen on 127.0.0.1", at("listen")...)
		v.require(c.TLS != nil || len(c.Proxies) > 0, "off this machine, the console needs TLS: passwords could be read on the way",
			"write tls: {cert: FILE, key: FILE}, or proxies: [ADDRESS] where a proxy in front has the certificate", at("listen")...)
	}
	v.require(len(c.Proxies) == 0 || c.SignIn(), "through a proxy others than this machine come, so the console needs a sign-in, and nobody can sign in",
		"write users: or oidc: under console", at("proxies")...)
	v.require(c.TLS == nil || len(c.Proxies) == 0, "either the console has the certificate or the proxy in front of it", "leave tls or proxies", at("proxies")...)
	if c.TLS != nil {
		v.require(c.TLS.Cert != "" && c.TLS.Key != "", "TLS needs a certificate and its key", "write tls: {cert: FILE, key: FILE}, both in PEM form", at("tls")...)
	}
	for _, text := range c.Proxies {
		_, err := parsePrefix(text)
		v.require(err == nil, fmt.Sprintf("%q is no address", text), "write the address of the proxy, such as 10.0.0.5, or 10.0.0.0/24 for one of many", at("proxies")...)
	}
	v.consoleURL(c)
	v.consoleUsers(c.Users)
	v.oidc(c)
	v.require(c.Session.Idle >= time.Minute && c.Session.Idle <= c.Session.Lifetime, "idle is from 1m to lifetime", "30m is what holds otherwise", at("session", "idle")...)
	v.require(c.Session.Lifetime <= 7*24*time.Hour, "lifetime is at most 168h", "12h, a day's work, is what holds otherwise", at("session", "lifetime")...)
	v.require(c.Uploads != "", "there is no folder for uploads", "write uploads: and a folder, or leave the line out", at("uploads")...)
	v.require(c.UploadLimit >= 1<<10 && c.UploadLimit <= 2<<30, "upload_limit is from 1KiB to 2GiB", "50MiB is what holds otherwise", at("upload_limit")...)
}

func (v *validator) consoleURL(c Console) {
	if c.URL == "" {
		return
	}
	u, err := url.Parse(c.URL)
	encrypted := c.TLS != nil || len(c.Proxies) > 0
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil:
		v.fail("this is no address that people could open", "write it as https://docketsync.firm.example, without a path", "console", "url")
	case encrypted != (u.Scheme == "https"):
		v.fail("the address does not begin as the console is reached", "https:// goes with tls or proxies, and http:// with neither", "console", "url")
	}
}

var (
	userName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}@._ -]{0,63}$`)
	phc      = regexp.MustCompile(`^\$argon2id\$v=19\$m=([0-9]+),t=([0-9]+),p=[0-9]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$`)
)

// leastCosts are the costs of argon2id in memory (KiB) and passes, one of which a hash has at least: those that OWASP's cheat sheet
// on password storage gives as equal. Below them, whoever gets hold of the hash finds most passwords in hours.
var leastCosts = [][2]uint64{{47104, 1}, {19456, 2}, {12288, 3}, {9216, 4}, {7168, 5}}

// costly tells whether a hash costs enough; what is no hash is not asked about.
func costly(hash string) bool {
	parts := phc.FindStringSubmatch(hash)
	if parts == nil {
		return true
	}
	memory, err1 := strconv.ParseUint(parts[1], 10, 32)
	passes, err2 := strconv.ParseUint(parts[2], 10, 32)
	return errors.Join(err1, err2) == nil && slices.ContainsFunc(leastCosts, func(least [2]uint64) bool { return memory >= least[0] && passes >= least[1] })
}

func (v *validator) consoleUsers(users []ConsoleUser) {
	seen := map[string]bool{}
	for n, user := range users {
		at := func(key string) []any { return []any{"console", "users", n, key} }
		v.require(userName.MatchString(user.Name), "the name of the user is missing, or cannot be one", "letters, digits, blanks and - . _ @, at most 64", at("name")...)
		name := strings.ToLower(user.Name)
		v.require(!seen[name] || name == "", fmt.Sprintf("the user %q is there twice", user.Name), "give one of them another name; case does not tell them apart", at("name")...)
		seen[name] = true
		v.choice(user.Role, at("role")...)
		v.require(!user.Password.Empty() || v.file.Has(at("password")...), "the user has no password", "write what docketsync console password prints", at("password")...)
		v.require(user.Password.Empty() || phc.MatchString(user.Password.Reveal()), "this is no argon2id hash of a password",
			"write what docketsync console password prints, in single quotes", at("password")...)
		v.require(costly(user.Password.Reveal()), "the hash of this password costs too little: whoever reads it can try millions of passwords on it",
			"hash this password again with docketsync console password, which asks for it and prints the hash to write here", at("password")...)
	}
}

func (v *validator) oidc(c Console) {
	if c.OIDC == nil {
		return
	}
	o, at := *c.OIDC, func(key string) []any { return []any{"console", "oidc", key} }
	u, err := url.Parse(o.Issuer)
	v.require(err == nil && u.Scheme == "https" && u.Host != "" && u.RawQuery == "" && u.Fragment == "", "the issuer is missing, or is no https address",
		"such as https://login.firm.example/realms/firm", at("issuer")...)
	v.require(o.ClientID != "", "the client id is missing", "the provider gives one when the console is made known to it", at("client_id")...)
	v.require(o.Claim != "", "it is not said which claim decides about roles", "write claim: groups, or claim: email", at("claim")...)
	v.require(len(o.Operators)+len(o.Viewers) > 0, "nobody would come in", "write operators: [VALUE] and viewers: [VALUE] of the claim", at("operators")...)
	v.require(!slices.Contains(append(slices.Clone(o.Operators), o.Viewers...), ""), "an empty value would let in who has none", "name a group, or an address", at("operators")...)
	v.require(c.URL != "", "the provider has to know where it sends people back to", "write url: https://… under console, the address that people open", "console", "url")
	if o.ClientSecret.kept != nil {
		v.localDefault(o.ClientSecret, u.Hostname(), at("client_secret")...)
	}
}
