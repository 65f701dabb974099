package doubts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/ledger"
)

// Find lists what is in doubt in a run, in all runs when none is named.
func Find(ctx context.Context, book *ledger.Reader, name string) ([]ledger.Record, error) {
	if name == "" {
		return book.Doubts(ctx, "")
	}
	run, err := book.Run(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	return book.Doubts(ctx, run.ID)
}

// UnderWay counts the records that are being sent, by what the ledger knows.
func UnderWay(ctx context.Context, book *ledger.Reader) (n int, err error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Pushing}})
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		counts, err := book.Tally(ctx, run.ID)
		if err != nil {
			return 0, err
		}
		for _, count := range counts {
			if count.State == ledger.Sending {
				n += count.N
			}
		}
	}
	return n, nil
}

// Bodies tells what was sent for records, of whichever runs.
type Bodies struct {
	in         *installation.Installation
	book       *ledger.Reader
	operations map[string]string // by run
}

// NewBodies tells it for the records of an installation, as a ledger or a copy of it has them.
func NewBodies(in *installation.Installation, book *ledger.Reader) Bodies {
	return Bodies{in: in, book: book, operations: map[string]string{}}
}

// Sent is what was sent for a record: as it went over the wire, with the switches of the service as they are configured now. A
// payload that these no longer take is given as the ledger has it.
func (b Bodies) Sent(ctx context.Context, r ledger.Record) (json.RawMessage, error) {
	operation, known := b.operations[r.Run]
	if !known {
		run, err := b.book.Run(ctx, r.Run)
		if err != nil {
			return nil, err
		}
		operation, b.operations[r.Run] = run.Operation, run.Operation
	}
	body, err := b.in.WireBody(operation, r.Payload, r.Body)
	if err == nil {
		return body, nil
	}
	if len(r.Body) > 0 {
		return r.Body, nil
	}
	return r.Payload, nil
}

// RowNumbers are the rows of a record as the spreadsheet numbers them.
func RowNumbers(r ledger.Record) string {
	numbers := make([]string, len(r.Rows))
	for n, row := range r.Rows {
		numbers[n] = fmt.Sprint(row.Number)
	}
	return strings.Join(numbers, ", ")
}

// Stamp is a time as it is shown here.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

// SettledAt is when the outcome of a record was known; "" when nobody knows.
func SettledAt(r ledger.Record) string {
	if r.Settled.IsZero() {
		return ""
	}
	return Stamp(r.Settled)
}
