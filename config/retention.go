package config

import (
	"strconv"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Retention is how long what nothing needs any more is kept. What decides what is sent is kept for ever.
type Retention struct {
	// Runs is how old a run is when most of its records are taken out of the ledger; 0 for never.
	Runs Days `yaml:"runs" json:"runs,omitempty"`
	// Reports is how old a run is when its reports are removed, and an upload that nothing reads; 0 for never.
	Reports Days `yaml:"reports" json:"reports,omitempty"`
}

// Days is a number of days, written with a d: 400d.
type Days int

// mostDays is a hundred years.
const mostDays = 36525

// ParseDays reads a number of days, at least one; ok is false when the text is none.
func ParseDays(text string) (d Days, ok bool) {
	digits, found := strings.CutSuffix(strings.TrimSpace(text), "d")
	n, err := strconv.Atoi(digits)
	return Days(n), found && err == nil && n >= 1 && n <= mostDays
}

// UnmarshalNode reads a number of days.
func (d *Days) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		if days, ok := ParseDays(n.Value); ok {
			*d = days
			return nil
		}
	}
	return diagnostic.Faults{f.Expected(n, `a number of days, such as "400d"`)}
}

// String writes the days as they are read.
func (d Days) String() string { return strconv.Itoa(int(d)) + "d" }

// MarshalText writes the days as String does.
func (d Days) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Before is the time that lies so many days before another.
func (d Days) Before(t time.Time) time.Time { return t.AddDate(0, 0, -int(d)) }
