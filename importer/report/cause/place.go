package cause

import "slices"

// Places numbers causes in the order in which they are listed.
type Places map[Key]int

// NewPlaces numbers the causes of lists, one list behind the other.
func NewPlaces(lists ...[]Cause) Places {
	numbered := Places{}
	for _, c := range slices.Concat(lists...) {
		numbered[c.key] = len(numbered)
	}
	return numbered
}

// Of are the places of causes, each once; never nil. A cause beyond the most that are told apart has the place of all those.
func (p Places) Of(causes []Cause) []int {
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
