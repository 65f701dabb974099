package config

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// DSN names a database: a path, or a URL that may hold a password. However it is printed, encoded or logged, the password
// is hidden; Reveal gives the whole.
type DSN string

// UnmarshalNode reads the name. A password in it must come from the environment, as every secret.
func (d *DSN) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Scalar {
		return diagnostic.Faults{f.Expected(n, "the path of a file or the URL of a database")}
	}
	*d = DSN(n.Value)
	if d.String() != n.Value && n.Tag != tagEnvironment {
		return diagnostic.Faults{f.At(n, "a password may not be written into the configuration",
			"put the whole URL into an environment variable and write {env: NAME}")}
	}
	return nil
}

// Reveal returns the name as it is written.
func (d DSN) Reveal() string { return string(d) }

// IsFile tells whether the DSN is a path and not a URL.
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
		return hidden // an unreadable URL may hold a password anywhere
	}
	text := string(d)
	if _, has := u.User.Password(); has {
		before, after, _ := strings.Cut(text, "://")
		credentials, rest, _ := cutLast(after, "@")
		name, _, _ := strings.Cut(credentials, ":")
		text = before + "://" + name + ":" + hidden + "@" + rest
	}
	return passwordParameter.ReplaceAllString(text, "${1}"+hidden)
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// GoString hides the password.
func (d DSN) GoString() string { return d.String() }

// Format hides the password whatever the verb.
func (d DSN) Format(state fmt.State, _ rune) { io.WriteString(state, d.String()) }

// MarshalText hides the password.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalJSON hides the password.
func (d DSN) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// MarshalYAML hides the password.
func (d DSN) MarshalYAML() (any, error) { return d.String(), nil }
