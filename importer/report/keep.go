package report

import (
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
)

// What the forms of a check list. The forms of a run hold every record of which there is something to say, because somebody
// may ask for any of them; a check is asked what is to be mended, often over a whole migration, and is made again after every
// correction.
const (
	checkedRejects = 10_000 // records that are to be mended; the workbook of rejects has all
	checkedOthers  = 1_000  // records that would go in, with a note
)

// mostUnchanged is up to how many unchanged records of which there is nothing more to say are listed. When there are more, as
// on most nights of a large export, none is: their number says all, and writing them would take longer than the run.
const mostUnchanged = 10_000

// keeper chooses the records that the forms list.
type keeper struct {
	all             bool
	unchanged       bool // those of which there is nothing more to say too
	rejects, others int
}

func newKeeper(run ledger.Run, unchanged bool) *keeper {
	return &keeper{all: run.Kind != ledger.Check, unchanged: unchanged}
}

// unremarkable tells whether there is nothing to say of a record but that it was there.
func unremarkable(r ledger.Record) bool {
	return r.State == ledger.Unchanged && len(r.Notes) == 0 && len(r.Reasons) == 0 && r.Message == ""
}

// keeps tells whether a record is listed. Records come in the order of the run.
func (k *keeper) keeps(r ledger.Record) bool {
	if k.all {
		return k.unchanged || !unremarkable(r)
	}
	switch ended := outcome.Of(r); {
	case ended != outcome.Planned && ended != outcome.Unchanged:
		k.rejects++
		return k.rejects <= checkedRejects
	case len(r.Notes) > 0:
		k.others++
		return k.others <= checkedOthers
	}
	return false
}
