package report

import "docketsync/importer/ledger"

// causesOf are the causes and notes of a record by their places in the summary; never nil, so that JSON has a list.
func (s *Summary) causesOf(r ledger.Record) []int {
	list := s.places.of(append(troubles(s.Run, r), noteCauses(r)...))
	if s.Corrected != nil && wentThrough(s.Run, r) {
		if _, ok := s.former.of(r); ok {
			list = append(list, s.correctedPlace())
		}
	}
	return list
}

// correctedPlace is where the page has what was corrected: behind the causes and the notes.
func (s *Summary) correctedPlace() int { return len(s.Causes) + len(s.Notes) }
