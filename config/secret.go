package config

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// hidden is what every printed form of a secret says.
const hidden = "[hidden]"

// Secret is a value that must not be seen: a key, a cookie, a password. However it is printed, encoded or logged, it
// says "[hidden]", or nothing when it is empty; Reveal alone gives the value. The value stands behind a function, so that
// not even a struct that holds a secret in an unexported field prints it.
type Secret struct {
	kept *kept
}

// kept is what is known about a secret while the configuration is loaded.
type kept struct {
	value func() string
	file  string         // the file that holds the value, until it has been read
	local bool           // the value is a default written in the configuration
	node  *document.Node // where the configuration speaks of it
}

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&kept{value: keep(value)}} }

func keep(value string) func() string { return func() string { return value } }

// Reveal returns the value, "" when there is none.
func (s Secret) Reveal() string {
	if s.kept == nil || s.kept.value == nil {
		return ""
	}
	return s.kept.value()
}

// Empty tells whether there is no value.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// String hides the value.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return hidden
}

// GoString hides the value.
func (s Secret) GoString() string { return s.String() }

// Format hides the value whatever the verb.
func (s Secret) Format(state fmt.State, _ rune) { io.WriteString(state, s.String()) }

// MarshalText hides the value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the value.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalYAML hides the value.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// UnmarshalNode takes a value that came from the environment, or notes the file to read. A value written into the
// configuration itself is refused: such files are copied, mailed and put under version control.
func (s *Secret) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	s.kept = &kept{node: n}
	const advice = "write {env: NAME} and set that environment variable, or {file: PATH} with a file that only you can read"
	switch {
	case n.Kind == document.Block:
		var from struct {
			File string `yaml:"file"`
		}
		// The key is not quoted: it may be the secret.
		if len(n.Content) > 0 && n.Content[0].Value != "file" {
			return diagnostic.Faults{f.At(n, "a secret comes from env or from file, and this says neither", advice)}
		}
		faults := f.Decode(n, &from)
		if len(faults) == 0 && from.File == "" {
			faults = append(faults, f.At(n, "it is not said where this secret comes from", advice))
		}
		s.kept.file = from.File
		return faults
	case n.Kind != document.Scalar || n.Tag != tagEnvironment && n.Tag != tagDefault:
		s.kept.value = keep(n.Value) // so that no message quotes it
		return diagnostic.Faults{f.At(n, "a secret may not be written into the configuration", advice)}
	}
	s.kept.value, s.kept.local = keep(n.Value), n.Tag == tagDefault
	return nil
}

// fetch reads a secret that a file holds. A line end at the end of the file, which editors add, does not belong to it.
func (s Secret) fetch(p *place) diagnostic.Faults {
	if s.kept == nil || s.kept.file == "" {
		return nil
	}
	data, err := p.readFile(p.resolve(s.kept.file))
	if err != nil {
		return diagnostic.Faults{p.file.At(s.kept.node, "the file of this secret cannot be read: "+err.Error(),
			"check the path (relative ones start from the folder of the configuration) and the file's permissions")}
	}
	s.kept.value = keep(strings.TrimRight(string(data), "\r\n"))
	if s.Empty() {
		return diagnostic.Faults{p.file.At(s.kept.node, "the file of this secret is empty", "put the secret into "+s.kept.file)}
	}
	return nil
}

// check refuses a secret that cannot be one.
func (s Secret) check(p *place) diagnostic.Faults {
	if !strings.ContainsFunc(s.Reveal(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil
	}
	return diagnostic.Faults{p.file.At(s.kept.node, "this secret holds a line break or another control character",
		"a key, cookie or password is one line of text; store it without anything around it")}
}

// leastSecret is how many characters a secret of the service has at least. A shorter one stands in too many words to be kept out
// of logs and reports; where the service is on this machine it guards nothing, and may be short.
const leastSecret = 8

// long refuses a secret that is too short to be hidden. A default is refused as such.
func (s Secret) long(p *place) diagnostic.Faults {
	if s.Empty() || s.kept.local || len(s.Reveal()) >= leastSecret {
		return nil
	}
	return diagnostic.Faults{p.file.At(s.kept.node, fmt.Sprintf("this secret is shorter than %d characters, so it cannot be told from other words and kept out of logs and reports", leastSecret),
		"check that it is the whole value, or have a longer one issued")}
}
