package config

import (
	"strconv"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Guards are the limits within which a nightly export may differ from that of the job's last finished run. One that differs
// more stops the run before anything is sent, until somebody has looked at it. The first run of a job has nothing to be
// compared with, so that a migration is not guarded.
type Guards struct {
	// Changes is the share of records that may be new or changed, of the records that the last run had.
	Changes Percent `yaml:"changes" json:"changes"`
	// MaxChanges is how many records may be new or changed, 0 for any number.
	MaxChanges int `yaml:"max_changes" json:"max_changes"`
	// RowsFell is the share of rows that may be missing.
	RowsFell Percent `yaml:"rows_fell" json:"rows_fell"`
	// Vanished is the share of the last run's records that may be gone.
	Vanished Percent `yaml:"vanished" json:"vanished"`
	// Rejects is by how much the share of rejected records may rise, in points.
	Rejects Percent `yaml:"rejects" json:"rejects"`
	// DatesShifted is the share of records of which all dates may have moved by one and the same number of days.
	DatesShifted Percent `yaml:"dates_shifted" json:"dates_shifted"`
	// DaysSwapped is how many records of which nothing but day and month of dates changed places (2024-03-04, 2024-04-03) stop a
	// run, 0 for any number.
	DaysSwapped int `yaml:"days_swapped" json:"days_swapped"`
	// Empty is about an export without rows, or that cannot be read; it is stop or ignore, as are the next three.
	Empty string `yaml:"empty" json:"empty"`
	// Header is about names over the columns that are gone, new or in another order.
	Header string `yaml:"header" json:"header"`
	// Columns is about a column that went blank, or holds another kind of values.
	Columns string `yaml:"columns" json:"columns"`
	// SameFile is about a file that is byte for byte the one of the last run.
	SameFile string `yaml:"same_file" json:"same_file"`
	// Listed is about records that a ledger which knows nothing would create though the service lists them; stop or ignore.
	Listed string `yaml:"listed" json:"listed"`
	// OlderThan is how long ago the file may have been written, 0 for any time.
	OlderThan time.Duration `yaml:"older_than" json:"older_than"`
	// Least is how many rows, records or cells a share must be made of to count.
	Least int `yaml:"least" json:"least"`
}

// defaultGuards are for an export of which a few percent change from one night to the next. A file's age and sameness are
// not guarded: only the firm knows when its exports are due, and an old one sends nothing new.
func defaultGuards() Guards {
	return Guards{
		Changes: 20, RowsFell: 20, Vanished: 10, Rejects: 10, DatesShifted: 5, DaysSwapped: 3,
		Empty: stopWord, Header: stopWord, Columns: stopWord, SameFile: ignoreWord, Listed: stopWord, Least: 10,
	}
}

const (
	stopWord   = "stop"
	ignoreWord = "ignore"
)

// Stops tells whether a word of a guard is stop.
func Stops(word string) bool { return word == stopWord }

// Deactivates tells whether cases whose rows are gone from the export are turned inactive.
func (j Job) Deactivates() bool { return j.Vanished == "inactive" }

// Percent is a share, written as 20% or 0.5%; off is 0.
type Percent float64

// UnmarshalNode reads a number with its sign, or off.
func (p *Percent) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	text := strings.TrimSpace(n.Value)
	if n.Kind == document.Scalar && (strings.EqualFold(text, "off") || text == "0") {
		*p = 0
		return nil
	}
	digits, found := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if n.Kind != document.Scalar || !found || err != nil || !(share >= 0 && share <= 1000) {
		return diagnostic.Faults{f.Expected(n, `a share such as "20%", or off`)}
	}
	*p = Percent(share)
	return nil
}

// String gives the share as it is written.
func (p Percent) String() string {
	if p == 0 {
		return "off"
	}
	return strconv.FormatFloat(float64(p), 'f', -1, 64) + "%"
}

// MarshalText writes the share as String does.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// inherit gives each job the guards of the installation, with what its own block says over them. The faults of that block
// have been found already.
func (c *Config) inherit() {
	for n := range c.Jobs {
		own := c.Guards
		if path := []any{"jobs", n, "guards"}; c.place.file.Has(path...) {
			_ = c.place.file.Decode(c.place.file.Node(path...), &own)
		}
		c.Jobs[n].Guards = own
	}
}

func (v *validator) guards(g Guards, at ...any) {
	under := func(key string) []any { return append(append([]any{}, at...), key) }
	v.choice(g.Empty, under("empty")...)
	v.choice(g.Header, under("header")...)
	v.choice(g.Columns, under("columns")...)
	v.choice(g.SameFile, under("same_file")...)
	v.choice(g.Listed, under("listed")...)
	v.require(g.MaxChanges >= 0, "max_changes cannot be below 0", "0 means any number", under("max_changes")...)
	v.require(g.DaysSwapped >= 0, "days_swapped cannot be below 0", "0 means any number", under("days_swapped")...)
	v.require(g.Least >= 0, "least cannot be below 0", "10 is a good beginning", under("least")...)
	v.require(g.OlderThan >= 0 && g.OlderThan <= 366*24*time.Hour, "older_than is from 0 to a year", "such as 36h; 0s for any age", under("older_than")...)
}
