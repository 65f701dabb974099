package model

import (
	"encoding/json"
	"time"
)

// Export is what an export looked like as a whole. It is kept with the run that read it, so that the next one can be
// compared with it before anything is sent. A run of corrected rows alone has none.
type Export struct {
	Rows     int `json:"rows"`    // below the header, blank ones not counted
	Records  int `json:"records"` // of different keys
	ToSend   int `json:"to_send"`
	Stale    int `json:"stale,omitempty"` // created before, and different now: creates are not sent again
	Rejected int `json:"rejected"`
	Waiting  int `json:"waiting,omitempty"` // rejected until a time is over or a person has decided, and then to be sent; not among Rejected
	Keyless  int `json:"keyless,omitempty"` // rejected records whose key nobody knows
	// Keys is a sum over all keys, in any order: exports with the same keys have the same sum.
	Keys string `json:"keys"`
	// Shift is the commonest number of days by which all dates of a changed record moved, Shifted how many records that is.
	Shift   int `json:"shift_days,omitempty"`
	Shifted int `json:"shifted,omitempty"`
	// Swapped is of how many records nothing changed but day and month of dates.
	Swapped int `json:"swapped,omitempty"`
	// Moved is of how many updates the id in the service is another one than in the last accepted update of their key.
	Moved int `json:"moved,omitempty"`
	// Written is when the oldest of the files was last written to.
	Written time.Time `json:"written,omitzero"`
	Columns []Column  `json:"columns"`
	// Base is the run whose export this one was compared with, "" for the first; Vanished is how many records of it that
	// the service holds are not in this one.
	Base     string `json:"base,omitempty"`
	Vanished int    `json:"vanished,omitempty"`
	// Contested counts by other jobs of the configuration the records that say what they said in Base, and of which those jobs sent something else since.
	Contested map[string]int `json:"contested,omitempty"`
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

// Guard is a guard that fired: what it saw, against what, in words.
type Guard struct {
	Name    string `json:"name"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
}

// Passed says who let a run through its guards. Run is the run that they had stopped, "" when an approved plan was carried out.
type Passed struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Run string    `json:"run,omitempty"`
}

// guarded is how the guards of a run are stored.
type guarded struct {
	Fired  []Guard `json:"fired"`
	Passed *Passed `json:"passed,omitempty"`
}

// ExportValues are a run's export and guards as they are stored, null where there are none.
func ExportValues(r Run) (export, guards any, err error) {
	if r.Export != nil {
		if export, err = InJSON(r.Export); err != nil {
			return nil, nil, err
		}
	}
	if len(r.Guards) > 0 || r.Passed != nil {
		guards, err = InJSON(guarded{r.Guards, r.Passed})
	}
	return export, guards, err
}

// InJSON is a value as a column of JSON keeps it.
func InJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// ReadExport reads what ExportValues stored.
func (r *Run) ReadExport(export, guards []byte) error {
	if len(export) > 0 {
		r.Export = &Export{}
		if err := json.Unmarshal(export, r.Export); err != nil {
			return err
		}
	}
	if len(guards) == 0 {
		return nil
	}
	var g guarded
	err := json.Unmarshal(guards, &g)
	r.Guards, r.Passed = g.Fired, g.Passed
	return err
}
