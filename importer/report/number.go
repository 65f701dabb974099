package report

import (
	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
)

// CausesOf are the causes and notes of a record by their places in the summary; never nil, so that JSON has a list.
func (s *Summary) CausesOf(r ledger.Record) []int {
	list := s.places.Of(append(cause.Of(s.Run, r), cause.OfNotes(r)...))
	if s.Corrected != nil && corrected.WentThrough(s.Run, r) {
		if _, ok := s.former.Of(r); ok {
			list = append(list, s.CorrectedPlace())
		}
	}
	return list
}

// CorrectedPlace is where the page has what was corrected: behind the causes and the notes.
func (s *Summary) CorrectedPlace() int { return len(s.Causes) + len(s.Notes) }
