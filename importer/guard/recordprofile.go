package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/ledger"
)

// RecordProfile counts, while the records of an export are decided, how it differs from what the service is known to hold.
type RecordProfile struct {
	records, Rejected, keyless, stale int
	waiting                           int // rejected, and sent once something is over that says nothing of the export; see ledger.Export

	keys    [2]uint64
	swapped int // changed records of which nothing changed but day and month of dates

	shifts map[int]int // changed records by the days that all their dates moved
}

// Add takes in a record of the plan that is not one with an earlier one; its key is for addKey.
func (p *RecordProfile) Add(r *ledger.Record) {
	p.records++
	p.count(r, 1)
	if r.Key == "" {
		p.keyless++
	}
}

// count takes a record that is rejected in, or out again.
func (p *RecordProfile) count(r *ledger.Record, n int) {
	switch {
	case r.State == ledger.Rejected && r.Action != ledger.None:
		p.waiting += n
	case r.State == ledger.Rejected:
		p.Rejected += n
	}
}

// AddUnchanged takes in a record that is as it was in the last run; its key is for addKey or takeKeys.
func (p *RecordProfile) AddUnchanged() { p.records++ }

// AddStale takes in a record whose row changed since it was created.
func (p *RecordProfile) AddStale() { p.stale++ }

// Reject takes note that a record which was taken in is rejected after all.
func (p *RecordProfile) Reject() { p.Rejected++ }

// AddKey takes in the key of a record. The answer is a sum over it.
func (p *RecordProfile) AddKey(key string) uint64 {
	// A sum, so that the order of the rows does not matter.
	sum := sha256.Sum256([]byte(key))
	p.keys[0] += binary.LittleEndian.Uint64(sum[:])
	p.keys[1] += binary.LittleEndian.Uint64(sum[8:])
	return binary.LittleEndian.Uint64(sum[16:])
}

// Remove takes out a record with a key that turned out to be one with an earlier one.
func (p *RecordProfile) Remove(r *ledger.Record) {
	p.records--
	p.count(r, -1)
	sum := sha256.Sum256([]byte(r.Key))
	p.keys[0] -= binary.LittleEndian.Uint64(sum[:])
	p.keys[1] -= binary.LittleEndian.Uint64(sum[8:])
}

// Differ takes in a record whose payload is not the one that was last accepted.
func (p *RecordProfile) Differ(before, now json.RawMessage) {
	if onlySwapped(before, now) {
		p.swapped++
	}
	days := shift(before, now)
	if days == 0 {
		return
	}
	if p.shifts == nil {
		p.shifts = map[int]int{}
	}
	if len(p.shifts) < mostShifts || p.shifts[days] > 0 {
		p.shifts[days]++
	}
}

// mostShifts bounds how many different shifts are counted: when there are more, none of them stands for a mistake.
const mostShifts = 10_000

// commonest is the shift that most records have; the smaller one of several.
func (p *RecordProfile) commonest() (days, records int) {
	for shift, n := range p.shifts {
		if n > records || n == records && shift < days {
			days, records = shift, n
		}
	}
	return days, records
}

// TakeKeys takes in the keys of a whole export, as their sum says; false when it says nothing.
func (p *RecordProfile) TakeKeys(sum string) bool {
	both, err := hex.DecodeString(sum)
	if err != nil || len(both) != 16 {
		return false
	}
	p.keys[0] += binary.LittleEndian.Uint64(both)
	p.keys[1] += binary.LittleEndian.Uint64(both[8:])
	return true
}

func (p *RecordProfile) sum() string {
	var both [16]byte
	binary.LittleEndian.PutUint64(both[:], p.keys[0])
	binary.LittleEndian.PutUint64(both[8:], p.keys[1])
	return hex.EncodeToString(both[:])
}

// shift is by how many days all dates of a payload moved; 0 when it has none, or they did not all move alike.
func shift(before, now json.RawMessage) (days int) {
	was, is, err := both(before, now)
	if err != nil {
		return 0
	}
	for _, m := range is {
		from, ok := dateOf(was.Value(string(m.Name)))
		to, also := dateOf(m.Value)
		if !ok || !also {
			continue
		}
		moved := int(math.Round(to.Sub(from).Hours() / 24))
		if moved == 0 || days != 0 && moved != days {
			return 0
		}
		days = moved
	}
	return days
}

// onlySwapped tells whether all that differs between two payloads is dates of which day and month changed places.
func onlySwapped(before, now json.RawMessage) (swapped bool) {
	was, is, err := both(before, now)
	if err != nil || len(was) != len(is) {
		return false
	}
	for _, m := range is {
		old := was.Value(string(m.Name))
		if bytes.Equal(m.Value, old) {
			continue
		}
		from, ok := dateOf(old)
		to, also := dateOf(m.Value)
		if !ok || !also || !time.Date(from.Year(), time.Month(from.Day()), int(from.Month()), from.Hour(), from.Minute(), from.Second(), 0, time.UTC).Equal(to) {
			return false
		}
		swapped = true
	}
	return swapped
}

// both takes two payloads apart.
func both(before, now json.RawMessage) (was, is jsontext.Object, err error) {
	if was, err = jsontext.Parse(before); err == nil {
		is, err = jsontext.Parse(now)
	}
	return was, is, err
}

// dateOf reads a date as payloads have it: ISO 8601, UTC.
func dateOf(value []byte) (time.Time, bool) {
	if len(value) < len(`"2006-01-02T15:04:05Z"`) || value[0] != '"' || value[5] != '-' {
		return time.Time{}, false
	}
	t, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
	return t, err == nil
}
