package payload

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Change is one value of a payload beside the value it replaces. Old or New is nil if there is none: the value appears
// or disappears.
type Change struct {
	Field string `json:"field"` // its path: "files[0].number"
	Old   *Value `json:"old"`
	New   *Value `json:"new"`
	// Stays says of a value that disappears that nothing is sent about it: the service keeps it.
	Stays bool `json:"stays_in_service,omitempty"`
}

// Same reports whether the value does not change.
func (c Change) Same() bool {
	return c.New != nil && c.Old != nil && c.New.Text == c.Old.Text && c.New.Literal == c.Old.Literal
}

// Entry reports whether the value belongs to a goods and services entry.
func (c Change) Entry() bool { return strings.HasPrefix(c.Field, Goods+"[") }

// Changes returns the values that differ between the payload accepted before and the new one, in the order of Compare.
func Changes(op Operation, before, now []byte) ([]Change, error) {
	all, err := Compare(op, before, now)
	return slices.DeleteFunc(all, Change.Same), err
}

// Compare compares a payload with the one accepted before it, value by value, in the order of the new one; values that
// are gone come last. Entries of goods and services are matched wherever they are in their lists.
//
// Values that a trademark's payload no longer has stay in the service, because its update sets what it names and
// removes nothing. An update of a case replaces all of it.
func Compare(op Operation, before, now []byte) ([]Change, error) {
	after, err := Walk(now)
	if err != nil {
		return nil, err
	}
	earlier, err := Walk(before)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(Fields(op, Switches{}), func(f Field) bool { return f.Name == Goods }) {
		besideEntries(earlier, before, now)
	}
	old := make(map[string]*Value, len(earlier))
	for n := range earlier {
		old[earlier[n].Path] = &earlier[n]
	}
	list := make([]Change, 0, len(after))
	for n := range after {
		path := after[n].Path
		list = append(list, Change{Field: path, New: &after[n], Old: old[path]})
		delete(old, path)
	}
	for _, v := range earlier {
		if gone := old[v.Path]; gone != nil {
			list = append(list, Change{Field: v.Path, Old: gone, Stays: !op.Creates() && !op.About().Replaces && !gone.IsNull()})
		}
	}
	return list, nil
}

// besideEntries gives the values of a mark's earlier entries the positions of the same entries now: first of equal
// entries, then of those with the same id, or the same class and language. An entry that is gone gets a position after
// all others.
func besideEntries(earlier []Value, before, now []byte) {
	was, _ := Entries(before) // an unreadable entry matches no other
	is, _ := Entries(now)
	places := placesAmong(was, is)
	for n, v := range earlier {
		rest, entry := strings.CutPrefix(v.Path, Goods+"[")
		digits, inner, _ := strings.Cut(rest, "]")
		if at, err := strconv.Atoi(digits); entry && err == nil && at < len(places) {
			earlier[n].Path = Goods + "[" + strconv.Itoa(places[at]) + "]" + inner
		}
	}
}

func placesAmong(was, is []Entry) (places []int) {
	places, taken, free := make([]int, len(was)), make([]bool, len(is)), len(is)
	for n := range places {
		places[n] = -1
	}
	for _, alike := range []func(a, b Entry) bool{
		func(a, b Entry) bool { return bytes.Equal(a.json, b.json) },
		func(a, b Entry) bool { return a.ID == b.ID && (a.ID != "" || a.Language+a.Class == b.Language+b.Class) },
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
	return places
}
