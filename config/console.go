package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Console holds the settings of docketsync console.
type Console struct {
	Listen      string         `yaml:"listen" default:"127.0.0.1:8180"`
	URL         string         `yaml:"url"`
	TLS         *ConsoleTLS    `yaml:"tls"`     // nil if a proxy has the certificate, and on loopback addresses
	Proxies     Names          `yaml:"proxies"` // requests from others are refused
	SignInAt    string         `yaml:"sign_in" default:"here" oneof:"here firms"`
	Users       []ConsoleUser  `yaml:"users"`
	OIDC        *OIDC          `yaml:"oidc"`
	Session     ConsoleSession `yaml:"session"`
	UploadLimit size           `yaml:"upload_limit" default:"50MiB"`
	Uploads     string         `yaml:"uploads" default:"uploads" path:"true"`
}

// ConsoleTLS is a certificate with its key, as files in PEM form.
type ConsoleTLS struct {
	Cert string `yaml:"cert" path:"true"`
	Key  string `yaml:"key" path:"true"`
}

// ConsoleUser is somebody who signs in with a password.
type ConsoleUser struct {
	Name     string       `yaml:"name"` // case is ignored
	Role     string       `yaml:"role" oneof:"viewer operator"`
	Jobs     Names        `yaml:"jobs"` // the jobs that this person sees; none means all
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
	// Jobs are the jobs that people with a value of the claim see; AllJobs alone means every job. If Jobs is left out,
	// everybody sees all jobs; otherwise a value that is not listed lets nobody in.
	Jobs map[string]Names `yaml:"jobs"`
}

// AllJobs stands for all jobs in a list of job names. No job can have this name.
const AllJobs = "*"

// ConsoleSession says how long people stay signed in.
type ConsoleSession struct {
	Idle     time.Duration `yaml:"idle" default:"30m"`
	Lifetime time.Duration `yaml:"lifetime" default:"12h"`
}

// PasswordHash is the hash of a password. It may be written in the configuration, because nobody can sign in with it,
// but it is never shown, because passwords can be tried against it.
type PasswordHash struct{ Secret }

// UnmarshalNode takes the hash itself, or the source of a secret.
func (p *PasswordHash) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		p.kept = &kept{node: n, value: keep(n.Value)}
		return nil
	}
	return p.Secret.UnmarshalNode(f, n)
}

// SocketPrefix begins a Listen that contains a path instead of host:port.
const SocketPrefix = "unix:"

// Socket returns the path of the socket that the console listens on, or "" if it listens on an address.
func (c Console) Socket() string {
	if path, ok := strings.CutPrefix(c.Listen, SocketPrefix); ok {
		return path
	}
	return ""
}

// Loopback reports whether the console answers only this machine.
func (c Console) Loopback() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	return c.Socket() != "" || err == nil && payload.Loopback(host)
}

// SignIn reports whether there are accounts to sign in with. If there are none, no sign-in is required.
func (c Console) SignIn() bool { return len(c.Users) > 0 || c.OIDC != nil }

// OfFirms reports whether people sign in at the console of all firms, which has its own configuration; this one then
// says who may do what in this firm.
func (c Console) OfFirms() bool { return c.SignInAt == "firms" }

// ProxyPrefixes returns the addresses of the proxies.
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

func (v validator) console(c Console, jobs []Job, firms bool) {
	v.consoleUsers(c, jobs, firms)
	v.require(c.Uploads != "", "the folder for uploads is missing", "set uploads: FOLDER, or remove the line", "uploads")
	v.require(c.UploadLimit >= 1<<10 && c.UploadLimit <= 2<<30, "upload_limit must be between 1KiB and 2GiB", "the default is 50MiB", "upload_limit")
	if c.OfFirms() {
		v.behind(c, jobs)
		return
	}
	_, port, err := net.SplitHostPort(c.Listen)
	v.require(err == nil && port != "" || c.Socket() != "", "listen must be HOST:PORT or unix:PATH",
		"for example, 127.0.0.1:8180, 0.0.0.0:8443 for all network interfaces, or unix:/run/docketsync/console.sock", "listen")
	v.require(c.Socket() == "" || c.TLS == nil && len(c.Proxies) == 0, "tls and proxies are not supported on a Unix socket",
		"remove tls and proxies, or listen on HOST:PORT", "listen")
	if err == nil && !c.Loopback() {
		v.require(c.SignIn(), "sign-in is required unless the console listens on a loopback address",
			"add users: or oidc: under console, or listen on 127.0.0.1", "listen")
		v.require(c.TLS != nil || len(c.Proxies) > 0, "TLS is required unless the console listens on a loopback address: passwords would be sent unencrypted",
			"set tls: {cert: FILE, key: FILE}, or proxies: [ADDRESS] if a reverse proxy has the certificate", "listen")
	}
	v.require(len(c.Proxies) == 0 || c.SignIn(), "sign-in is required behind a proxy",
		"add users: or oidc: under console", "proxies")
	v.require(c.TLS == nil || len(c.Proxies) == 0, "tls and proxies cannot be used together: either the console or the proxy has the certificate", "remove tls or proxies", "proxies")
	if c.TLS != nil {
		v.require(c.TLS.Cert != "" && c.TLS.Key != "", "tls requires both cert and key", "set tls: {cert: FILE, key: FILE}, both in PEM format", "tls")
	}
	for _, text := range c.Proxies {
		_, err := parsePrefix(text)
		v.require(err == nil, fmt.Sprintf("%q is not an IP address", text), "use the address of the proxy, such as 10.0.0.5, or a range, such as 10.0.0.0/24", "proxies")
	}
	v.consoleURL(c)
	if c.OIDC != nil {
		v.require(c.URL != "", "url is required for sign-in with OIDC", "set url: https://… under console, the address that users open", "url")
		v.in("oidc").oidc(*c.OIDC)
		v.in("oidc").roles(*c.OIDC, jobs, firms)
	}
	v.require(c.Session.Idle >= time.Minute && c.Session.Idle <= c.Session.Lifetime, "idle must be between 1m and lifetime", "the default is 30m", "session", "idle")
	v.require(c.Session.Lifetime <= 7*24*time.Hour, "lifetime must not exceed 168h", "the default is 12h", "session", "lifetime")
}

// behind checks the settings of a firm whose people sign in at the console of all firms. An address, a password or a
// provider here would mean that they sign in here, and it would be a guess that a name or a group there is the same
// person's here.
func (v validator) behind(c Console, jobs []Job) {
	for _, key := range []string{"listen", "url", "tls", "proxies", "session"} {
		v.require(!v.has(key), key+" belongs to the console of all firms, where people sign in", "remove it here, or remove sign_in: firms to start a console of this firm alone", key)
	}
	v.require(c.SignIn(), "nobody may see this firm in the console of all firms", "list users: with name and role, or oidc: with operators and viewers", "sign_in")
	for n := range c.Users {
		v.require(!v.has("users", n, "password"), "passwords belong to the console of all firms, where people sign in", "remove it: the user of this name there is meant", "users", n, "password")
	}
	if c.OIDC == nil {
		return
	}
	for _, key := range []string{"issuer", "client_id", "client_secret", "claim"} {
		v.require(!v.has("oidc", key), key+" belongs to the console of all firms, where people sign in", "remove it: the provider there is meant", "oidc", key)
	}
	v.in("oidc").roles(*c.OIDC, jobs, false)
}

// ConsoleOfFirms returns an error if the settings are not suitable for a console of many firms. Each firm itself says
// who may do what.
func (c *Config) ConsoleOfFirms() error {
	v := validator{file: c.place.document(), faults: &diagnostic.Faults{}}
	v = v.in("console")
	v.require(!c.Console.OfFirms(), "sign_in: firms belongs in the configuration of a firm", "remove it: people sign in here", "sign_in")
	v.require(c.Console.SignIn(), "a console of several firms needs a sign-in", "add users: or oidc: under console; the configuration of each firm says who may see it", "users")
	elsewhere := func(keys ...any) {
		v.require(!v.has(keys...), fmt.Sprint(keys[len(keys)-1], " belongs in the configuration of each firm"), "remove it here, and write it under console: of the firms that it is for", keys...)
	}
	elsewhere("uploads")
	elsewhere("upload_limit")
	for n := range c.Console.Users {
		elsewhere("users", n, "role")
		elsewhere("users", n, "jobs")
	}
	for _, key := range []string{"operators", "viewers", "jobs"} {
		elsewhere("oidc", key)
	}
	return v.faults.Err()
}

func (v validator) consoleURL(c Console) {
	if c.URL == "" {
		return
	}
	u, err := url.Parse(c.URL)
	encrypted := c.TLS != nil || len(c.Proxies) > 0
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil:
		v.fail("invalid URL", "use the form https://docketsync.firm.example, without a path", "url")
	case encrypted != (u.Scheme == "https"):
		v.fail("the URL has the wrong scheme", "use https:// with tls or proxies, http:// without them", "url")
	}
}

var (
	userName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}@._ -]*$`)
	phc      = regexp.MustCompile(`^\$argon2id\$v=19\$m=([0-9]+),t=([0-9]+),p=[0-9]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$`)
)

// leastCosts are the minimum costs of argon2id in memory (KiB) and passes; a hash must meet one of them. OWASP's cheat
// sheet on password storage gives them as equivalent. Below them, someone who obtains the hash finds most passwords
// within hours.
var leastCosts = [][2]uint64{{47104, 1}, {19456, 2}, {12288, 3}, {9216, 4}, {7168, 5}}

// costly reports whether a hash costs enough. It returns true for a text that is not a hash, which is reported
// elsewhere.
func costly(hash string) bool {
	parts := phc.FindStringSubmatch(hash)
	if parts == nil {
		return true
	}
	memory, err1 := strconv.ParseUint(parts[1], 10, 32)
	passes, err2 := strconv.ParseUint(parts[2], 10, 32)
	return errors.Join(err1, err2) == nil && slices.ContainsFunc(leastCosts, func(least [2]uint64) bool { return memory >= least[0] && passes >= least[1] })
}

func (v validator) consoleUsers(c Console, jobs []Job, firms bool) {
	seen := map[string]bool{}
	for n, user := range c.Users {
		v := v.in("users", n)
		v.require(isName(userName, user.Name), "the user name is missing or invalid", "use up to 64 letters, digits, spaces and - . _ @", "name")
		name := strings.ToLower(user.Name)
		v.require(!seen[name] || name == "", fmt.Sprintf("duplicate user %q", user.Name), "rename one of them; user names are not case-sensitive", "name")
		seen[name] = true
		if user.Role == "" && !firms {
			v.among(oneOf[ConsoleUser]("Role"), user.Role, "role")
		}
		v.require(!user.Password.Empty() || v.has("password") || c.OfFirms(), "the user's password is missing", "use the output of docketsync console password", "password")
		v.require(user.Password.Empty() || phc.MatchString(user.Password.Reveal()), "this is not an argon2id password hash",
			"use the output of docketsync console password, in single quotes", "password")
		v.require(costly(user.Password.Reveal()), "this password hash is too weak: its cost parameters are below the minimum",
			"hash the password again with docketsync console password", "password")
		v.wall(user.Jobs, jobs, "jobs")
	}
}

// wall checks which jobs somebody sees. A list that is empty, or that names unknown jobs, would be a restriction that
// nobody intended.
func (v validator) wall(seen Names, jobs []Job, keys ...any) {
	v.require(len(seen) > 0 || !v.has(keys...), "the list of jobs is empty", "name the jobs that the account sees, or remove the list: without it the account sees all jobs", keys...)
	var known []string
	for _, job := range jobs {
		known = append(known, job.Name)
	}
	for _, name := range seen {
		v.require(slices.Contains(known, name), fmt.Sprintf("unknown job %q", name), diagnostic.Suggest(name, known), keys...)
	}
}

func (v validator) oidc(o OIDC) {
	u, err := url.Parse(o.Issuer)
	v.require(err == nil && u.Scheme == "https" && u.Host != "" && u.RawQuery == "" && u.Fragment == "", "issuer is missing or is not an https:// URL",
		"for example, https://login.firm.example/realms/firm", "issuer")
	v.require(o.ClientID != "", "client_id is required", "the provider issues it when you register the console", "client_id")
	v.require(o.Claim != "", "claim is required: it determines the roles", "for example, claim: groups or claim: email", "claim")
	if err == nil {
		v.localDefault(o.ClientSecret, payload.Loopback(u.Hostname()), "client_secret")
	}
}

// roles checks which values of the claim give which role. With several firms, each firm says that itself.
func (v validator) roles(o OIDC, jobs []Job, firms bool) {
	v.require(len(o.Operators)+len(o.Viewers) > 0 || firms, "operators or viewers is required: otherwise nobody can sign in", "set operators: [VALUE] and viewers: [VALUE] to values of the claim", "operators")
	v.require(!slices.Contains(slices.Concat(o.Operators, o.Viewers), ""), "empty values are not allowed: they would match users without the claim", "use the name of a group or an email address", "operators")
	v.require(len(o.Jobs) > 0 || !v.has("jobs"), "the table of jobs is empty", "write jobs: {VALUE: [JOB]}, or remove it: without it everybody sees all jobs", "jobs")
	for _, value := range slices.Sorted(maps.Keys(o.Jobs)) {
		v.require(slices.Contains(slices.Concat(o.Operators, o.Viewers), value), fmt.Sprintf("%q is neither under operators nor under viewers", value), "use a value that may sign in, spelled as it is there", "jobs", value)
		if !slices.Equal(o.Jobs[value], Names{AllJobs}) {
			v.wall(o.Jobs[value], jobs, "jobs", value)
		}
	}
}
