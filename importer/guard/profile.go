package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"time"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// ColumnProfile counts what the columns of an export hold while its rows go by. It covers all files of the export and
// treats columns of the same name as one. It knows nothing of the mapping, because a column may go wrong that no field
// of a record shows.
type ColumnProfile struct {
	rows    int
	Columns []ledger.Column
	at      []int // the place in Columns of each column of the current file
}

// Begin takes up the columns of the next file.
func (p *ColumnProfile) Begin(header table.Header) {
	known := map[string]int{}
	for n, name := range names(p.Columns).unique() {
		known[name] = n
	}
	fresh := make([]ledger.Column, len(header.Names))
	for n, name := range header.Names {
		fresh[n].Name = name
	}
	p.at = p.at[:0]
	for n, name := range names(fresh).unique() {
		place, ok := known[name]
		if !ok {
			place = len(p.Columns)
			p.Columns = append(p.Columns, fresh[n])
		}
		p.at = append(p.at, place)
	}
}

func (p *ColumnProfile) Add(row table.Row) {
	p.rows++
	for n := range min(len(row.Cells), len(p.at)) {
		count(&p.Columns[p.at[n]], &row.Cells[n])
	}
}

// count adds a cell to its column.
func count(c *ledger.Column, cell *table.Cell) {
	kind := cell.Kind
	if kind == table.Text {
		kind = textKind(cell.Text)
	}
	switch kind {
	case table.Empty:
		return
	case table.Date, table.Clock:
		c.Dates++
	case table.Number:
		c.Numbers++
	case table.Bool:
		c.Words++
	case kindID:
		c.IDs++
	case kindWords:
		c.Words++
	default:
		c.Codes++
	}
	c.Filled++
}

// Kinds of text beside those of a source.
const (
	kindID table.Kind = iota + 100
	kindWords
	kindCodes
)

// The kinds of characters that textKind counts.
const (
	blankChar = iota
	digitChar
	markChar
	letterChar
	otherChar
	charKinds
)

// charKind is the kind of each byte of a text. It is a table because every character of an export is looked at every
// night.
var charKind = func() (kinds [256]uint8) {
	for n := range kinds {
		switch c := byte(n); {
		case c >= '0' && c <= '9':
			kinds[n] = digitChar
		case c == '-' || c == '/' || c == '.':
			kinds[n] = markChar
		case c <= ' ':
			kinds[n] = blankChar
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			kinds[n] = letterChar
		default:
			kinds[n] = otherChar
		}
	}
	return kinds
}()

// textKind says what a text looks like, by its characters alone. It need not be right about a cell; it only has to say
// the same of the same kind of cells every night.
func textKind(text string) table.Kind {
	var counts [charKinds]int
	for n := range len(text) {
		counts[charKind[text[n]]]++
	}
	digits, letters, marks, others := counts[digitChar], counts[letterChar], counts[markChar], counts[otherChar]
	switch {
	case digits+letters+marks+others == 0:
		return table.Empty
	case len(text) == 36 && marks == 4 && others == 0 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-':
		return kindID
	case digits == 0:
		return kindWords
	case letters <= 1 && marks == 2 && digits >= 3 && (digits <= 8 && others == 0 || others >= 1 && digits >= 8 && others <= 4):
		return table.Date // 3/1/2024, 2024-03-01T13:30:00
	case letters == 0 && others <= 3:
		return table.Number
	}
	return kindCodes
}

// ExportProfile returns the profile of an export from its columns and records. The caller adds what is to be sent of
// it, what vanished and when its files were written.
func ExportProfile(c *ColumnProfile, r *RecordProfile) *ledger.Export {
	export := r.Export
	export.Rows, export.Columns, export.Keys = c.rows, c.Columns, r.sum()
	export.Shift, export.Shifted = r.commonest()
	return &export
}

// RecordProfile counts, while the records of an export are decided, how they differ from what the service is known to
// hold.
type RecordProfile struct {
	ledger.Export // Records, Stale, Rejected, Waiting, Keyless, Swapped, Lost and Moved are counted in it

	keys   [2]uint64
	shifts map[int]int // changed records by the number of days that all their dates moved
}

// Add counts a record of the plan that is not merged into an earlier one. Its key is for AddKey.
func (p *RecordProfile) Add(r *ledger.Record) {
	p.Records++
	p.count(r, 1)
	if r.Key == "" {
		p.Keyless++
	}
}

// count counts a rejected record in (n = 1), or out again (n = -1).
func (p *RecordProfile) count(r *ledger.Record, n int) {
	switch {
	case r.State == ledger.Rejected && r.Action != ledger.None:
		p.Waiting += n
	case r.State == ledger.Rejected:
		p.Rejected += n
	}
}

// AddUnchanged counts a record that is as it was in the last run. Its key is for AddKey or TakeKeys.
func (p *RecordProfile) AddUnchanged() { p.Records++ }

// AddStale counts a record whose row changed since it was created.
func (p *RecordProfile) AddStale() { p.Stale++ }

// Reject notes that a record which was counted is rejected after all.
func (p *RecordProfile) Reject() { p.Rejected++ }

// AddKey adds the key of a record and returns a hash of it.
func (p *RecordProfile) AddKey(key string) uint64 {
	// The hashes are summed, so that the order of the rows does not matter.
	sum := sha256.Sum256([]byte(key))
	p.keys[0] += binary.LittleEndian.Uint64(sum[:])
	p.keys[1] += binary.LittleEndian.Uint64(sum[8:])
	return binary.LittleEndian.Uint64(sum[16:])
}

// Remove uncounts a record with a key that turned out to be one with an earlier record.
func (p *RecordProfile) Remove(r *ledger.Record) {
	p.Records--
	p.count(r, -1)
	sum := sha256.Sum256([]byte(r.Key))
	p.keys[0] -= binary.LittleEndian.Uint64(sum[:])
	p.keys[1] -= binary.LittleEndian.Uint64(sum[8:])
}

// Move counts a record whose id in the service is not that of its last accepted update.
func (p *RecordProfile) Move() { p.Moved++ }

// Differ counts a record that is to be sent with another payload than the last accepted one.
func (p *RecordProfile) Differ(before, now json.RawMessage) {
	if lostCharacters(before, now) {
		p.Lost++
	}
	if onlySwapped(before, now) {
		p.Swapped++
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

// mostShifts is how many different shifts are counted: if there are more, none of them stands for a mistake.
const mostShifts = 10_000

// commonest returns the shift that most records have; of several, the smallest.
func (p *RecordProfile) commonest() (days, records int) {
	for shift, n := range p.shifts {
		if n > records || n == records && shift < days {
			days, records = shift, n
		}
	}
	return days, records
}

// TakeKeys adds the keys of a whole export, given their sum. It returns false if sum is not one.
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

// shift returns by how many days all dates of a payload moved, or 0 if it has none or they did not all move alike.
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

// onlySwapped reports whether two payloads differ only in dates whose day and month changed places.
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

// both parses two payloads.
func both(before, now json.RawMessage) (was, is jsontext.Object, err error) {
	if was, err = jsontext.Parse(before); err == nil {
		is, err = jsontext.Parse(now)
	}
	return spread(was), spread(is), err
}

// spread replaces the list of a case's components, which hold all its dates, by the components, each under its id.
func spread(o jsontext.Object) jsontext.Object {
	at := slices.IndexFunc(o, func(m jsontext.Member) bool { return string(m.Name) == "components" })
	if at < 0 {
		return o
	}
	list, _ := jsontext.SplitList(o[at].Value)
	all := slices.Delete(slices.Clone(o), at, at+1)
	for _, text := range list {
		component, _ := jsontext.SplitObject(text)
		value := component.Value("value")
		if jsontext.IsNull(value) {
			value = component.Value("entity_id")
		}
		all = append(all, jsontext.Member{Name: component.Value("file_template_component_id"), Value: value})
	}
	return all
}

// dateOf reads a date as payloads have it: ISO 8601, UTC.
func dateOf(value []byte) (time.Time, bool) {
	if len(value) < len(`"2006-01-02T15:04:05Z"`) || value[0] != '"' || value[5] != '-' {
		return time.Time{}, false
	}
	t, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
	return t, err == nil
}
