package report

import "slices"

// places numbers causes in the order in which they are listed.
type places map[causeKey]int

// newPlaces numbers the causes of lists, one list behind the other.
func newPlaces(lists ...[]Cause) places {
	numbered := places{}
	for _, c := range slices.Concat(lists...) {
		numbered[c.key] = len(numbered)
	}
	return numbered
}

// of are the places of causes, each once; never nil. A cause beyond the most that are told apart has the place of all those.
func (p places) of(causes []Cause) []int {
	list := []int{}
	for _, c := range causes {
		place, ok := p[c.key]
		if !ok {
			place, ok = p[c.key.other()]
		}
		if ok && !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return list
}
