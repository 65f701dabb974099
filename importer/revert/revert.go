// Package revert says what of a run can be reverted, and writes the source that does it.
//
// The service has no undo, so a run is reverted by sending the payloads that were accepted before it. reverse decides
// for one record whether that is right (it is pure). A sheet is the earlier payloads as a table, with the mapping that
// turns the table into the same payloads. Write writes the table and the mapping into a folder, reads them back as a
// run would, and lists what cannot be reverted. Nothing is sent from here: the table is a source like any other and
// goes through check, plan and run.
package revert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// reversal is what can be done about one record of a run that is to be reverted.
type reversal string

// The reversals.
const (
	sendBack  reversal = "send_back" // the payload accepted before can be sent again
	created   reversal = "created"   // it was created, and the service cannot delete records
	notKnown  reversal = "not_known" // what the service held before was never sent from here
	changed   reversal = "changed"   // another run has changed it again since
	doubtful  reversal = "in_doubt"  // nobody knows whether the run changed it
	untouched reversal = "untouched" // the run changed nothing, or it has been reverted already
)

// reverse says what can be done about a record, from what the ledger knows under its key now (nil for nothing), and why
// if it is not to be sent back. It does no I/O.
//
// The service may have acted on a record that failed, so it is sent back too. A record that was accepted, and whose key
// was sent again since by this job or another, is not sent back: that would undo the later change as well.
func reverse(record ledger.Record, known *ledger.LastAccepted) (reversal, string) {
	if known == nil {
		known = &ledger.LastAccepted{}
	}
	tried := record.State == ledger.Failed && record.Action == ledger.Update && record.Attempts > 0
	switch {
	case record.State == ledger.InDoubt || record.State == ledger.Sending:
		return doubtful, "it is in doubt whether the service acted on it; settle that first with: docketsync resolve"
	case record.State != ledger.Accepted && !tried:
		return untouched, ""
	case record.Action == ledger.Create:
		return created, "the service cannot delete records"
	case len(record.Previous) == 0:
		return notKnown, "nothing was sent for it before this run, so its previous values in the service are not known"
	case bytes.Equal(known.Payload, record.Previous) && !known.Unsettled && known.Doubt == nil:
		return untouched, "" // it has been reverted already
	case known.Doubt != nil:
		return changed, fmt.Sprintf("run %s has sent it since, and it is in doubt whether the service acted on that", known.Doubt.Run)
	case tried && !bytes.Equal(known.Payload, record.Previous), !tried && known.Run != record.Run:
		return changed, fmt.Sprintf("run %s has changed it since, on %s", known.Run, moment.Of(known.AcceptedAt))
	case !tried && known.Unsettled:
		return changed, "a later run has sent it since, without a conclusive result"
	}
	return sendBack, ""
}

// remains says, in one sentence each, what of a record stays in the service although its earlier payload is sent back:
// fields that were not sent before, whose earlier value is not known, and goods and services entries that the run
// created.
func remains(record ledger.Record) ([]string, error) {
	now, err := jsontext.Parse(record.Payload)
	if err != nil {
		return nil, fmt.Errorf("read the payload of %s: %w", record.Key, err)
	}
	before, err := jsontext.Parse(record.Previous)
	if err != nil {
		return nil, fmt.Errorf("read the earlier payload of %s: %w", record.Key, err)
	}
	var fields, stays []string
	for _, m := range now {
		if name := m.Text(); before.Value(name) == nil && name != payload.Goods {
			fields = append(fields, name)
		}
	}
	if slices.Sort(fields); len(fields) > 0 {
		stays = append(stays, fmt.Sprintf("%s: not sent before, so the earlier value is not known; what this run sent stays", strings.Join(fields, ", ")))
	}
	made, err := decide.EntriesMade(record.Sent())
	if err != nil {
		return nil, fmt.Errorf("read what was sent of %s: %w", record.Key, err)
	}
	for _, e := range made {
		stays = append(stays, fmt.Sprintf("%s: this run created the entry %q, and the service cannot delete records", payload.Goods, e.Text))
	}
	return stays, nil
}
