package revert

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
)

// Reversal is what can be done about one record of a run that is to be taken back.
type Reversal string

// The reversals.
const (
	SendBack  Reversal = "send_back" // the payload accepted before can be sent again
	Created   Reversal = "created"   // it was created, and the service has no delete
	NotKnown  Reversal = "not_known" // what the service held before was never sent from here
	Changed   Reversal = "changed"   // it was changed again since, by another run
	Doubtful  Reversal = "in_doubt"  // nobody knows whether the run changed it
	Untouched Reversal = "untouched" // the run changed nothing, or it has been taken back already
)

// Reverse says what can be done about a record, from what the ledger knows under its key now (nil for nothing), and why if
// it is not to be sent back. It does no I/O.
//
// A record that failed may have been acted on all the same, so it is sent back too. One that was accepted, and whose key was
// sent again since, by this job or another, is not: that would undo the later change as well.
func Reverse(record ledger.Record, known *ledger.LastAccepted) (Reversal, string) {
	if known == nil {
		known = &ledger.LastAccepted{}
	}
	tried := record.State == ledger.Failed && record.Action == ledger.Update && record.Attempts > 0
	switch {
	case record.State == ledger.InDoubt || record.State == ledger.Sending:
		return Doubtful, "it is in doubt whether the service acted on it; settle that first with: docketsync resolve " + record.Run
	case record.State != ledger.Accepted && !tried:
		return Untouched, ""
	case record.Action == ledger.Create:
		return Created, "the service has no delete"
	case len(record.Previous) == 0:
		return NotKnown, "nothing was sent for it before this run, so what the service held is not known here"
	case bytes.Equal(known.Payload, record.Previous) && !known.Unsettled && known.Doubt == nil:
		return Untouched, "" // it has been taken back already
	case known.Doubt != nil:
		return Changed, fmt.Sprintf("run %s has sent it since, and it is in doubt whether the service acted on that", known.Doubt.Run)
	case tried && !bytes.Equal(known.Payload, record.Previous), !tried && known.Run != record.Run:
		return Changed, fmt.Sprintf("run %s has changed it since, on %s", known.Run, known.AcceptedAt.UTC().Format("2006-01-02 15:04 MST"))
	case !tried && known.Unsettled:
		return Changed, "a later run has sent it since, without an end that could be relied on"
	}
	return SendBack, ""
}

// Remains says what of a record stays in the service though its earlier payload is sent back, a sentence each: fields that
// were not sent before, whose earlier value is not known, and goods and services entries that the run created.
func Remains(record ledger.Record) ([]string, error) {
	now, err := jsontext.Parse(record.Payload)
	if err != nil {
		return nil, fmt.Errorf("read the payload of %s: %w", record.Key, err)
	}
	before, err := jsontext.Parse(record.Previous)
	if err != nil {
		return nil, fmt.Errorf("read the earlier payload of %s: %w", record.Key, err)
	}
	var fields, remains []string
	for _, m := range now {
		if name := m.Text(); before.Value(name) == nil && name != payload.Goods {
			fields = append(fields, name)
		}
	}
	if slices.Sort(fields); len(fields) > 0 {
		remains = append(remains, fmt.Sprintf("%s: not sent before, so the earlier value is not known; what this run sent stays", strings.Join(fields, ", ")))
	}
	made, err := madeEntries(record)
	for _, e := range made {
		remains = append(remains, fmt.Sprintf("%s: this run created the entry %q, and the service has no delete", payload.Goods, e.Text))
	}
	return remains, err
}

// madeEntries are the goods and services entries that a record created.
func madeEntries(record ledger.Record) ([]ledger.Entry, error) {
	made, err := decide.EntriesMade(record.Sent())
	if err != nil {
		return nil, fmt.Errorf("read what was sent of %s: %w", record.Key, err)
	}
	return made, nil
}

// reverseBatch is how many records are compared with the ledger at once.
const reverseBatch = 256

// Each calls each for the records of a run, in order, with what can be done about them.
func Each(ctx context.Context, book *ledger.Reader, run ledger.Run, each func(ledger.Record, Reversal, string) error) error {
	var batch []ledger.Record
	flush := func() error {
		keys := make([]string, len(batch))
		for n, record := range batch {
			keys[n] = record.Key
		}
		known, err := book.Known(ctx, run.Scope, keys)
		if err != nil {
			return err
		}
		for _, record := range batch {
			var k *ledger.LastAccepted
			if found, ok := known[record.Key]; ok {
				k = &found
			}
			what, why := Reverse(record, k)
			if err := each(record, what, why); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	for record, err := range book.Records(ctx, run.ID, ledger.RecordFilter{Actions: []ledger.Action{ledger.Create, ledger.Update}}) {
		if err != nil {
			return err
		}
		if batch = append(batch, record); len(batch) == reverseBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
