package model

import (
	"encoding/json"
	"time"
)

// Export describes an export as a whole. It is stored with the run that read it, so that the next export can be
// compared with it before anything is sent. A run of corrected rows alone has none.
type Export struct {
	Rows     int `json:"rows"`    // below the header, without blank ones
	Records  int `json:"records"` // of different keys
	ToSend   int `json:"to_send"`
	Stale    int `json:"stale,omitempty"` // created before, and different now: creates are not sent again
	Rejected int `json:"rejected"`
	Waiting  int `json:"waiting,omitempty"` // rejected until a time is over or a person has decided, and then sent; not included in Rejected
	Keyless  int `json:"keyless,omitempty"` // rejected records whose key nobody knows
	// Keys is a sum over all keys, in any order: exports with the same keys have the same sum.
	Keys string `json:"keys"`
	// Shift is the most common number of days by which all dates of a changed record moved, and Shifted the number of
	// such records.
	Shift   int `json:"shift_days,omitempty"`
	Shifted int `json:"shifted,omitempty"`
	// Swapped is the number of records in which only day and month of dates changed.
	Swapped int `json:"swapped,omitempty"`
	// Lost is the number of records to be sent in which a text lost characters: leading zeros, digits, or letters outside ASCII.
	Lost int `json:"lost_characters,omitempty"`
	// Moved is the number of updates whose id in the service differs from that of the last accepted update of their
	// key.
	Moved int `json:"moved,omitempty"`
	// Written is when the oldest of the files was last written to.
	Written time.Time `json:"written,omitzero"`
	Columns []Column  `json:"columns"`
	// Base is the run whose export this one was compared with, "" for the first. Vanished is how many of its records
	// that the service holds are not in this one.
	Base     string `json:"base,omitempty"`
	Vanished int    `json:"vanished,omitempty"`
	// Contested counts, by other job of the configuration, the records that are the same as in Base but for which that
	// job has sent something else since. It is not stored: who reads the run need not be allowed to see that job.
	Contested map[string]int `json:"-"`
	// StaleStill is how many of Stale were the same in Base.
	StaleStill int `json:"stale_still,omitempty"`
}

// Column is what one column held: how many of its cells were filled, and with what.
type Column struct {
	Name    string `json:"name"`
	Filled  int    `json:"filled"`
	IDs     int    `json:"ids,omitempty"` // GUIDs
	Dates   int    `json:"dates,omitempty"`
	Numbers int    `json:"numbers,omitempty"`
	Words   int    `json:"words,omitempty"` // text without digits
	Codes   int    `json:"codes,omitempty"` // letters and digits, or anything else
}

// Guard is a guard that fired, and in words what it compared.
type Guard struct {
	Name    string `json:"name"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
}

// Passed says who let a run through its guards. Run is the run that they had stopped, "" if an approved plan was
// carried out.
type Passed struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Run string    `json:"run,omitempty"`
}

// Guarded is the stored form of the guards of a run.
type Guarded struct {
	Fired  []Guard `json:"fired"`
	Passed *Passed `json:"passed,omitempty"`
}

// ExportValues returns a run's export and guards as they are stored, nil if there are none.
func ExportValues(r Run) (export, guards any, err error) {
	if r.Export != nil {
		if export, err = InJSON(r.Export); err != nil {
			return nil, nil, err
		}
	}
	if len(r.Guards) > 0 || r.Passed != nil {
		guards, err = InJSON(Guarded{r.Guards, r.Passed})
	}
	return export, guards, err
}

// InJSON returns a value as a JSON column stores it.
func InJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}
