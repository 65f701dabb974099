package doubts

import (
	"context"
	"fmt"
	"strings"
	"time"

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
