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
	Listen      string         `yaml:"listen" default:"127.0.0.1:8180"`
	URL         string         `yaml:"url"`
	TLS         *ConsoleTLS    `yaml:"tls"`     // nil where a proxy has the certificate, and on loopback addresses
	Proxies     Names          `yaml:"proxies"` // requests from others are refused
	Users       []ConsoleUser  `yaml:"users"`
	OIDC        *OIDC          `yaml:"oidc"`
	Session     ConsoleSession `yaml:"session"`
	UploadLimit Size           `yaml:"upload_limit" default:"50MiB"`
	Uploads     string         `yaml:"uploads" default:"uploads" path:"true"`
}

// ConsoleTLS is a certificate with its key, as files in PEM form.
type ConsoleTLS struct {
	Cert string `yaml:"cert" path:"true"`
	Key  string `yaml:"key" path:"true"`
}

// ConsoleUser is somebody who signs in with a password.
type ConsoleUser struct {
	Name     string       `yaml:"name"` // in any case
	Role     string       `yaml:"role" oneof:"viewer operator"`
	Password PasswordHash `yaml:"password"`
}

// OIDC is a provider of OpenID Connect.
type OIDC struct {
	Issuer       string `yaml:"issuer"`
	ClientID     string `yaml:"client_id"`
	ClientSecret Secret `yaml:"client_secret"`
	Claim        string `yaml:"claim"`
	Operators    Names  `yaml:"operators"`
	Viewers      Names  `yaml:"viewers"`
}

// ConsoleSession says how long people stay signed in.
type ConsoleSession struct {
	Idle     time.Duration `yaml:"idle" default:"30m"`
	Lifetime time.Duration `yaml:"lifetime" default:"12h"`
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

// SocketPrefix is what Listen begins with where a path follows instead of host:port.
const SocketPrefix = "unix:"

// Socket is the path of the socket that the console listens on, "" where it listens on an address.
func (c Console) Socket() string {
	if path, ok := strings.CutPrefix(c.Listen, SocketPrefix); ok {
		return path
	}
	return ""
}

// Loopback tells whether the console answers this machine alone.
func (c Console) Loopback() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	return c.Socket() != "" || err == nil && loopback(host)
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

func (v validator) console(c Console) {
	_, port, err := net.SplitHostPort(c.Listen)
	v.require(err == nil && port != "" || c.Socket() != "", "the console listens on HOST:PORT, or on unix:PATH",
		"such as 127.0.0.1:8180, 0.0.0.0:8443 for all networks of the machine, or unix:/run/docketsync/console.sock", "listen")
	v.require(c.Socket() == "" || c.TLS == nil && len(c.Proxies) == 0, "a socket is opened by its owner alone: it has neither a certificate nor proxies in front",
		"leave tls and proxies out, or listen on HOST:PORT", "listen")
	if err == nil && !c.Loopback() {
		v.require(c.SignIn(), "off this machine, the console needs a sign-in, and nobody can sign in",
			"write users: or oidc: under console, or listen on 127.0.0.1", "listen")
		v.require(c.TLS != nil || len(c.Proxies) > 0, "off this machine, the console needs TLS: passwords could be read on the way",
			"write tls: {cert: FILE, key: FILE}, or proxies: [ADDRESS] where a proxy in front has the certificate", "listen")
	}
	v.require(len(c.Proxies) == 0 || c.SignIn(), "through a proxy others than this machine come, so the console needs a sign-in, and nobody can sign in",
		"write users: or oidc: under console", "proxies")
	v.require(c.TLS == nil || len(c.Proxies) == 0, "either the console has the certificate or the proxy in front of it", "leave tls or proxies", "proxies")
	if c.TLS != nil {
		v.require(c.TLS.Cert != "" && c.TLS.Key != "", "TLS needs a certificate and its key", "write tls: {cert: FILE, key: FILE}, both in PEM form", "tls")
	}
	for _, text := range c.Proxies {
		_, err := parsePrefix(text)
		v.require(err == nil, fmt.Sprintf("%q is no address", text), "write the address of the proxy, such as 10.0.0.5, or 10.0.0.0/24 for one of many", "proxies")
	}
	v.consoleURL(c)
	v.consoleUsers(c.Users)
	if c.OIDC != nil {
		v.require(c.URL != "", "the provider has to know where it sends people back to", "write url: https://… under console, the address that people open", "url")
		v.in("oidc").oidc(*c.OIDC)
	}
	v.require(c.Session.Idle >= time.Minute && c.Session.Idle <= c.Session.Lifetime, "idle is from 1m to lifetime", "30m is what holds otherwise", "session", "idle")
	v.require(c.Session.Lifetime <= 7*24*time.Hour, "lifetime is at most 168h", "12h, a day's work, is what holds otherwise", "session", "lifetime")
	v.require(c.Uploads != "", "there is no folder for uploads", "write uploads: and a folder, or leave the line out", "uploads")
	v.require(c.UploadLimit >= 1<<10 && c.UploadLimit <= 2<<30, "upload_limit is from 1KiB to 2GiB", "50MiB is what holds otherwise", "upload_limit")
}

func (v validator) consoleURL(c Console) {
	if c.URL == "" {
		return
	}
	u, err := url.Parse(c.URL)
	encrypted := c.TLS != nil || len(c.Proxies) > 0
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil:
		v.fail("this is no address that people could open", "write it as https://docketsync.firm.example, without a path", "url")
	case encrypted != (u.Scheme == "https"):
		v.fail("the address does not begin as the console is reached", "https:// goes with tls or proxies, and http:// with neither", "url")
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

func (v validator) consoleUsers(users []ConsoleUser) {
	seen := map[string]bool{}
	for n, user := range users {
		v := v.in("users", n)
		v.require(userName.MatchString(user.Name), "the name of the user is missing, or cannot be one", "letters, digits, blanks and - . _ @, at most 64", "name")
		name := strings.ToLower(user.Name)
		v.require(!seen[name] || name == "", fmt.Sprintf("the user %q is there twice", user.Name), "give one of them another name; case does not tell them apart", "name")
		seen[name] = true
		if user.Role == "" {
			v.among(choices()["console.users.role"], user.Role, "role")
		}
		v.require(!user.Password.Empty() || v.has("password"), "the user has no password", "write what docketsync console password prints", "password")
		v.require(user.Password.Empty() || phc.MatchString(user.Password.Reveal()), "this is no argon2id hash of a password",
			"write what docketsync console password prints, in single quotes", "password")
		v.require(costly(user.Password.Reveal()), "the hash of this password costs too little: whoever reads it can try millions of passwords on it",
			"hash this password again with docketsync console password, which asks for it and prints the hash to write here", "password")
	}
}

func (v validator) oidc(o OIDC) {
	u, err := url.Parse(o.Issuer)
	v.require(err == nil && u.Scheme == "https" && u.Host != "" && u.RawQuery == "" && u.Fragment == "", "the issuer is missing, or is no https address",
		"such as https://login.firm.example/realms/firm", "issuer")
	v.require(o.ClientID != "", "the client id is missing", "the provider gives one when the console is made known to it", "client_id")
	v.require(o.Claim != "", "it is not said which claim decides about roles", "write claim: groups, or claim: email", "claim")
	v.require(len(o.Operators)+len(o.Viewers) > 0, "nobody would come in", "write operators: [VALUE] and viewers: [VALUE] of the claim", "operators")
	v.require(!slices.Contains(slices.Concat(o.Operators, o.Viewers), ""), "an empty value would let in who has none", "name a group, or an address", "operators")
	if err == nil {
		v.localDefault(o.ClientSecret, u.Hostname(), "client_secret")
	}
}
