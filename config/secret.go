package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"regexp"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// hidden is what every printed form of a secret says.
const hidden = "[hidden]"

// Secret is a value that must not be seen: a key, a cookie, a password. However it is printed, encoded or logged, it
// says "[hidden]", or nothing if it is empty; only Reveal returns the value. The value is behind a function, so that
// not even a struct that holds a secret in an unexported field prints it.
type Secret struct {
	kept *kept
}

// kept is what is known about a secret while the configuration is loaded.
type kept struct {
	value func() string
	file  string         // the file that holds the value, until it has been read
	local bool           // the value is a default written in the configuration
	node  *document.Node // where the configuration refers to it
}

func keep(value string) func() string { return func() string { return value } }

// Reveal returns the value, or "" if there is none.
func (s Secret) Reveal() string {
	if s.kept == nil || s.kept.value == nil {
		return ""
	}
	return s.kept.value()
}

// Empty reports whether there is no value.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// String hides the value.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return hidden
}

// Format hides the value whatever the verb.
func (s Secret) Format(state fmt.State, _ rune) { io.WriteString(state, s.String()) }

// MarshalText hides the value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalNode takes a value that came from the environment, or records the file to read. It refuses a value written
// in the configuration itself, because such files are copied, mailed and put under version control.
func (s *Secret) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	s.kept = &kept{node: n}
	const advice = "use {env: NAME} and set that environment variable, or {file: PATH} with a file that only you can read"
	switch {
	case n.Kind == document.Block:
		var from struct {
			File string `yaml:"file"`
		}
		// The key is not quoted: it may be the secret.
		if len(n.Content) > 0 && n.Content[0].Value != "file" {
			return diagnostic.Faults{f.At(n, "a secret must use env or file", advice)}
		}
		faults := f.Decode(n, &from)
		if len(faults) == 0 && from.File == "" {
			faults = append(faults, f.At(n, "the source of this secret is missing", advice))
		}
		s.kept.file = from.File
		return faults
	case n.Kind != document.Scalar || n.Tag != tagEnvironment && n.Tag != tagDefault:
		s.kept.value = keep(n.Value) // so that no message quotes it
		return diagnostic.Faults{f.At(n, "secrets are not allowed in the configuration", advice)}
	}
	s.kept.value, s.kept.local = keep(n.Value), n.Tag == tagDefault
	return nil
}

// fetch reads a secret from its file. It removes what editors add: a byte order mark, and surrounding white space and
// line ends.
func (s Secret) fetch(p *place) diagnostic.Faults {
	if s.kept == nil || s.kept.file == "" {
		return nil
	}
	data, err := p.readFile(p.resolve(s.kept.file))
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok && !isPlainPath(s.kept.file) { // it may be the secret itself
			err = at.Err
		}
		return diagnostic.Faults{p.file.At(s.kept.node, "cannot read the file of this secret: "+err.Error(),
			"check the path (relative to the folder of the configuration) and the file's permissions")}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return diagnostic.Faults{p.file.At(s.kept.node, "the file of this secret is UTF-16, as PowerShell writes it with >", "save "+s.kept.file+" as UTF-8")}
	}
	s.kept.value = keep(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")))
	if s.Empty() {
		return diagnostic.Faults{p.file.At(s.kept.node, "the file of this secret is empty", "write the secret to "+s.kept.file)}
	}
	return nil
}

// leastSecret is the minimum length of a secret of the service. Shorter ones occur in too many words to be kept out of
// logs and reports. If the service is on this machine the secret protects nothing, and may be short.
const leastSecret = 8

// held is a secret of the settings, with its place and its owner.
type held struct {
	Secret
	path []any
	of   Owner
}

// Owner is who needs a secret: if it cannot be obtained, that is a fault only for the owner. "" stands for whoever
// loads the configuration.
type Owner string

// The owners. For a remote use OfRemote.
const (
	OfService     Owner = "service"
	OfChannels    Owner = "notify"
	OfConsole     Owner = "console"
	OfCertificate Owner = "certificate"
	remotes             = "remotes"
)

// OfRemote returns the owner of the secrets of a remote.
func OfRemote(name string) Owner { return Owner(remotes + "/" + name) }

func ownerOf(path []any) Owner {
	switch block := path[0].(string); block {
	case string(OfService), string(OfChannels), string(OfConsole), string(OfCertificate):
		return Owner(block)
	case remotes:
		return OfRemote(path[1].(string))
	}
	return ""
}

// hint says when a missing variable must be set.
func (o Owner) hint() string {
	switch o {
	case OfService:
		return "set it before sending; check, plan and preview do not need it"
	case OfChannels:
		return "set it before jobs run: otherwise no notifications can be sent"
	case OfConsole:
		return "set it before you start the console"
	case OfCertificate:
		return "set it before you create a certificate"
	}
	return "set it before files of the remote " + strings.TrimPrefix(string(o), remotes+"/") + " are needed"
}

// held returns all secrets except the database's.
func (c *Config) held() (list []held) {
	c.visit(func(s setting) bool {
		switch secret := s.value.Interface().(type) {
		case Secret:
			list = append(list, held{secret, s.path, ownerOf(s.path)})
		case PasswordHash:
			list = append(list, held{secret.Secret, s.path, ownerOf(s.path)})
		default:
			return true
		}
		return false
	})
	return list
}

// Secrets returns the values that may not appear in any message: those of the service, the channels, the sources, the
// remotes and the database.
func (c *Config) Secrets() (list []string) {
	for _, secret := range c.held() {
		if !secret.Empty() {
			list = append(list, secret.Reveal())
		}
	}
	if hidden := c.Ledger.String(); hidden != c.Ledger.Reveal() {
		list = append(list, c.Ledger.Reveal())
	}
	return list
}

// SecretNames returns the names of the settings that hold a secret, as in the file and in its order, except for secrets
// that could not be obtained.
func (c *Config) SecretNames() (names []string) {
	for _, secret := range c.held() {
		if secret.Empty() {
			continue
		}
		names = append(names, dotted(secret.path))
	}
	return names
}

// checkSecrets refuses values that cannot be secrets. Only a private key may have several lines. A default is refused
// elsewhere.
func (c *Config) checkSecrets(list []held) (faults diagnostic.Faults) {
	for _, secret := range list {
		value := secret.Reveal()
		switch {
		case secret.path[len(secret.path)-1] != "private_key" && strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			faults = append(faults, c.place.file.At(secret.kept.node, "this secret contains a line break or another control character",
				"a key, cookie or password is a single line of text"))
		case secret.of == OfService && value != "" && !secret.kept.local && len(value) < leastSecret && !c.Service.UsesLocal():
			faults = append(faults, c.place.file.At(secret.kept.node, fmt.Sprintf("this secret is shorter than %d characters, so it cannot be reliably removed from logs and reports", leastSecret),
				"check that the value is complete, or have a longer one issued"))
		}
	}
	return faults
}

// SecretFiles says how docketsync deals with files that hold secrets.
type SecretFiles struct {
	Readable string `yaml:"readable" default:"refuse" oneof:"refuse accept"`
}

// opener returns the mode of a file that every user of this machine can open, and 0 for any other file.
type opener func(path string) fs.FileMode

// exposed refuses files with secrets that every user of this machine can open: those that settings name, the key of the
// console, and the configuration itself if it contains the hash of a password, because passwords can be tried against
// it. Nothing else that is secret may be in the configuration.
func (c *Config) exposed() (faults diagnostic.Faults) {
	if c.place.open == nil || c.SecretFiles.Readable == "accept" {
		return nil
	}
	refuse := func(n *document.Node, path, holds, other string) {
		if mode := c.place.open(path); mode != 0 {
			faults = append(faults, c.place.file.At(n, fmt.Sprintf("%s can be read by every user of this machine (mode %04o), and it contains %s", path, mode.Perm(), holds),
				"run chmod 600 "+path+other+"; or set secret_files: {readable: accept} to allow it"))
		}
	}
	for _, secret := range c.held() {
		if secret.kept != nil && secret.kept.file != "" {
			refuse(secret.kept.node, c.place.resolve(secret.kept.file), "a secret", "")
		}
	}
	if tls := c.Console.TLS; tls != nil && tls.Key != "" {
		refuse(c.place.file.Node("console", "tls", "key"), c.place.resolve(tls.Key), "the key of the console", "")
	}
	for _, user := range c.Console.Users {
		if kept := user.Password.kept; kept != nil && kept.file == "" && !user.Password.Empty() && kept.node.Tag != tagEnvironment {
			refuse(kept.node, c.place.file.Name(), "a password hash", ", or use {env: NAME} or {file: PATH} here")
			break
		}
	}
	return faults
}

// DSN names a database: a path, or a URL that may contain a password. However it is printed, encoded or logged, the
// password is hidden; Reveal returns the whole name.
type DSN string

// UnmarshalNode reads the name. A password in it must come from the environment, like every secret.
func (d *DSN) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Scalar {
		return diagnostic.Faults{f.Expected(n, "the path of a file or the URL of a database")}
	}
	*d = DSN(n.Value)
	if d.String() != n.Value && n.Tag != tagEnvironment {
		return diagnostic.Faults{f.At(n, "passwords are not allowed in the configuration",
			"store the whole URL in an environment variable and use {env: NAME}")}
	}
	return nil
}

// Reveal returns the name as written.
func (d DSN) Reveal() string { return string(d) }

// IsFile reports whether the DSN is a path and not a URL.
func (d DSN) IsFile() bool {
	return !strings.Contains(string(d), "://") && !strings.HasPrefix(string(d), "file:")
}

var passwordParameter = regexp.MustCompile(`(?i)(password\s*=\s*)('[^']*'|[^&\s]*)`)

// String hides the password.
func (d DSN) String() string {
	if d.IsFile() {
		return passwordParameter.ReplaceAllString(string(d), "${1}"+hidden)
	}
	u, err := url.Parse(string(d))
	if err != nil {
		return hidden // an unreadable URL may contain a password anywhere
	}
	text := string(d)
	if _, has := u.User.Password(); has {
		before, after, _ := strings.Cut(text, "://")
		name, _, _ := strings.Cut(after, ":")
		text = before + "://" + name + ":" + hidden + after[strings.LastIndex(after, "@"):]
	}
	return passwordParameter.ReplaceAllString(text, "${1}"+hidden)
}

// Format hides the password whatever the verb.
func (d DSN) Format(state fmt.State, _ rune) { io.WriteString(state, d.String()) }

// MarshalText hides the password.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
