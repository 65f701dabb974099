package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// goodsPath is where the entries of a trademark stand in its payload (interface.md part 4.3). They are no list whose order says
// anything.
const goodsPath = "good_and_services"

// Entry tells whether the value is one of a goods and services entry.
func (c Change) Entry() bool { return strings.HasPrefix(c.Field, goodsPath+"[") }

// besideEntries gives the values of the entries that a mark had before the places of the same entries now: of equal ones, then of
// those of equal id, or class and language. One that is gone gets a place behind all others.
func besideEntries(earlier []leaf, before, now json.RawMessage) []leaf {
	was, is := entriesOf(before), entriesOf(now)
	if len(was) == 0 {
		return earlier
	}
	places, taken, free := make([]int, len(was)), make([]bool, len(is)), len(is)
	for n := range places {
		places[n] = -1
	}
	for _, alike := range []func(a, b goodsEntry) bool{
		func(a, b goodsEntry) bool { return bytes.Equal(a.raw, b.raw) },
		func(a, b goodsEntry) bool {
			return a.ID == b.ID && (a.ID != "" || a.Language+a.Class == b.Language+b.Class)
		},
	} {
		for n := range was {
			for m := range is {
				if places[n] < 0 && !taken[m] && alike(was[n], is[m]) {
					places[n], taken[m] = m, true
				}
			}
		}
	}
	for n := range places {
		if places[n] < 0 {
			places[n], free = free, free+1
		}
	}
	for n, l := range earlier {
		if rest, ok := strings.CutPrefix(l.path, goodsPath+"["); ok {
			digits, inner, _ := strings.Cut(rest, "]")
			if at, err := strconv.Atoi(digits); err == nil && at < len(places) {
				earlier[n].path = goodsPath + "[" + strconv.Itoa(places[at]) + "]" + inner
			}
		}
	}
	return earlier
}

// goodsEntry is as much of an entry as tells which it is.
type goodsEntry struct {
	ID       string `json:"id"`
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	raw      json.RawMessage
}

// entriesOf are the entries of a payload, none where it has none.
func entriesOf(payload json.RawMessage) []goodsEntry {
	var members struct {
		Entries []json.RawMessage `json:"good_and_services"`
	}
	if !bytes.Contains(payload, []byte(goodsPath)) || json.Unmarshal(payload, &members) != nil {
		return nil
	}
	list := make([]goodsEntry, len(members.Entries))
	for n, raw := range members.Entries {
		list[n].raw = raw
		_ = json.Unmarshal(raw, &list[n]) // what is no entry is like no other
	}
	return list
}

// leaf is one value of a payload: where it stands ("files[2].number") and what it says. Literal tells the numbers,
// booleans and nulls of JSON from texts; their digits are those of the payload.
type leaf struct {
	path    string
	text    string
	literal bool
}

// MarshalJSON writes a text as a string and a literal as a list of one string, so that no reader turns a number into a
// float on the way to a person.
func (l leaf) MarshalJSON() ([]byte, error) {
	if l.literal {
		return json.Marshal([]string{l.text})
	}
	return json.Marshal(l.text)
}

// leaves splits a payload into its values, in order. An empty list or object is a value of its own.
func leaves(payload json.RawMessage) ([]leaf, error) {
	if len(payload) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	var list []leaf
	if err := walk(decoder, "", &list); err != nil {
		return nil, fmt.Errorf("read a stored payload: %w", err)
	}
	return list, nil
}

func walk(decoder *json.Decoder, path string, list *[]leaf) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		*list = append(*list, newLeaf(path, token))
		return nil
	}
	empty := true
	for index := 0; decoder.More(); index++ {
		empty = false
		inner := path + "[" + strconv.Itoa(index) + "]"
		if delim == '{' {
			name, err := decoder.Token()
			if err != nil {
				return err
			}
			inner = join(path, fmt.Sprint(name))
		}
		if err := walk(decoder, inner, list); err != nil {
			return err
		}
	}
	end, err := decoder.Token()
	if err == nil && empty {
		*list = append(*list, leaf{path, delim.String() + fmt.Sprint(end), true})
	}
	return err
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func newLeaf(path string, token json.Token) leaf {
	switch value := token.(type) {
	case string:
		return leaf{path, value, false}
	case nil:
		return leaf{path, "null", true}
	default:
		return leaf{path, fmt.Sprint(value), true}
	}
}

// change is one value of a payload beside the one it replaces; now or before is nil where there is none.
type change struct {
	path        string
	now, before *leaf
	stays       bool // it is gone from the payload, and not from the service
}

func (c change) same() bool {
	return c.now != nil && c.before != nil && c.now.text == c.before.text && c.now.literal == c.before.literal
}

// MarshalJSON writes [path, now] for a value that is the same, [path, now, before] for one that changes, with null for none, and
// behind them true where it stays in the service all the same.
func (c change) MarshalJSON() ([]byte, error) {
	if c.same() {
		return json.Marshal([]any{c.path, c.now})
	}
	if c.stays {
		return json.Marshal([]any{c.path, c.now, c.before, true})
	}
	return json.Marshal([]any{c.path, c.now, c.before})
}

// changes compares a payload with the one accepted before it, value by value, in the order of the new one; what is no
// longer there comes last. Of a trademark that stays in the service, because an update sets what it names and removes nothing; an
// update of a case replaces all of it.
func changes(operation string, now, before json.RawMessage) ([]change, error) {
	after, err := leaves(now)
	if err != nil {
		return nil, err
	}
	earlier, err := leaves(before)
	if err != nil {
		return nil, err
	}
	mark := operation == "update_trademark"
	if mark {
		earlier = besideEntries(earlier, before, now)
	}
	old := make(map[string]*leaf, len(earlier))
	for n := range earlier {
		old[earlier[n].path] = &earlier[n]
	}
	list := make([]change, 0, len(after))
	for n := range after {
		path := after[n].path
		list = append(list, change{path: path, now: &after[n], before: old[path]})
		delete(old, path)
	}
	for n := range earlier {
		if path := earlier[n].path; old[path] != nil {
			list = append(list, change{path: path, before: old[path], stays: mark && old[path].text != "null"})
		}
	}
	return list, nil
}

// Change is one value of a payload that an update changes, by its path ("good_and_services[0].text"). Old or New is nil
// where there is none: the value appears or goes away. Values that are no text are given as their JSON literal.
type Change struct {
	Field string  `json:"field"`
	Old   *string `json:"old"`
	New   *string `json:"new"`
	// Stays tells of a value that goes away that nothing is sent about it: the service keeps it.
	Stays bool `json:"stays_in_service,omitempty"`
}

// Changes are the values that differ between the payload accepted before and the new one, in the order of the new one;
// what is no longer there comes last.
func Changes(operation string, before, now json.RawMessage) ([]Change, error) {
	all, err := changes(operation, now, before)
	if err != nil {
		return nil, err
	}
	var differing []Change
	for _, c := range all {
		if !c.same() {
			differing = append(differing, Change{Field: c.path, Old: c.before.value(), New: c.now.value(), Stays: c.stays})
		}
	}
	return differing, nil
}

func (l *leaf) value() *string {
	if l == nil {
		return nil
	}
	return &l.text
}
