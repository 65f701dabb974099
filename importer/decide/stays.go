package decide

import (
	"encoding/json"
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
)

// staysNotes say what of the trademark that was last accepted is no longer in the export and stays in the service all the same:
// the update names only what it sets, and neither an optional field nor a goods and services entry that it leaves out is removed by
// it (interface.md part 4.3). An entry whose text changed is told by withheldNotes.
func staysNotes(before, now json.RawMessage, withheld []ledger.Entry) ([]ledger.Reason, error) {
	changes, err := payload.Changes(payload.UpdateTrademark, before, now)
	if err != nil {
		return nil, err
	}
	var notes []ledger.Reason
	for _, c := range changes {
		if c.Stays && c.Old != nil && !c.Entry() {
			notes = append(notes, staysNote(c.Field, c.Old.Text, "the value is no longer in the export"))
		}
	}
	gone, err := goneEntries(before, now)
	for _, e := range gone {
		replaced := func(w ledger.Entry) bool { return w.Language == e.Language && w.Class == e.Class }
		if !slices.ContainsFunc(withheld, replaced) {
			notes = append(notes, staysNote(payload.Goods, e.Text, "the entry is no longer in the export"))
		}
	}
	return notes, err
}

func staysNote(field, value, what string) ledger.Reason {
	return ledger.Reason{Code: cause.CodeStays, Field: field, Value: value,
		Message: fmt.Sprintf("%s: %s, and an update does not remove it: it stays in the service", field, what), Hint: "Remove it there by hand."}
}

// goneEntries are the entries of a mark that it no longer has: by their ids, or by their language, class and text.
func goneEntries(before, now json.RawMessage) (gone []payload.Entry, err error) {
	was, err := payload.Entries(before)
	if err != nil {
		return nil, err
	}
	is, err := payload.Entries(now)
	for _, e := range was {
		same := func(g payload.Entry) bool {
			if !e.New() && !g.New() {
				return e.ID == g.ID
			}
			return remembered(g) == remembered(e)
		}
		if !slices.ContainsFunc(is, same) {
			gone = append(gone, e)
		}
	}
	return gone, err
}
