package report

import "docketsync/importer/ledger"

// What the forms of a check list. The page and the JSON of a run hold every record, because somebody may ask for any of
// them; a check is asked what is to be mended, often over a whole migration, and is made again after every correction.
const (
	checkedRejects = 10_000 // records that are to be mended; the workbook of rejects has all
	checkedOthers  = 1_000  // records that would go in, with a note
)

// keeper chooses the records that the page and the JSON list.
type keeper struct {
	all             bool
	rejects, others int
}

func newKeeper(run ledger.Run) *keeper { return &keeper{all: run.Kind != ledger.Check} }

// keeps tells whether a record is listed. Records come in the order of the run.
func (k *keeper) keeps(r ledger.Record) bool {
	if k.all {
		return true
	}
	switch outcome := OutcomeOf(r); {
	case outcome != Planned && outcome != Unchanged:
		k.rejects++
		return k.rejects <= checkedRejects
	case len(r.Notes) > 0:
		k.others++
		return k.others <= checkedOthers
	}
	return false
}
