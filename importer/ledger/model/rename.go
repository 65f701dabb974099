package model

import (
	"time"
)

// Renamed is a person's decision about a key that may be a new one of a record that the service holds.
type Renamed string

// The decisions about a renamed key.
const (
	SameRecord Renamed = "same" // what was known under the former key is known under the new one
	NewRecord  Renamed = "new"  // the next run creates it
)

// Rename is the question whether Key is a new key of what is known under Former.
type Rename struct {
	Scope    string    `json:"scope"`
	Key      string    `json:"key"`
	Former   string    `json:"former"`
	Asked    time.Time `json:"asked"`
	Decision Renamed   `json:"decision,omitempty"` // "" while it is open
	Who      string    `json:"who,omitempty"`
	Decided  time.Time `json:"decided,omitzero"`
}
