package config

import (
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Again is after what time something is done again: a duration, 0 for always, below 0 for never.
type Again time.Duration

const (
	alwaysWord = "always"
	neverWord  = "never"
)

// UnmarshalNode reads a duration, always or never.
func (a *Again) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	switch {
	case n.Kind == document.Scalar && n.Value == alwaysWord:
		*a = 0
		return nil
	case n.Kind == document.Scalar && n.Value == neverWord:
		*a = -1
		return nil
	}
	d, err := time.ParseDuration(n.Value)
	if n.Kind != document.Scalar || err != nil || d < 0 {
		return diagnostic.Faults{f.Expected(n, `a time such as "24h", or always, or never`)}
	}
	*a = Again(d)
	return nil
}

// String gives the time as it is written.
func (a Again) String() string {
	switch {
	case a == 0:
		return alwaysWord
	case a < 0:
		return neverWord
	}
	return time.Duration(a).String()
}

// MarshalText writes the time as String does.
func (a Again) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
