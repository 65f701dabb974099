package report

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
)

// Entry is a record with its attempts.
type Entry struct {
	ledger.Record
	Tries []ledger.Attempt
}

// Form is a report being written: records are added in the order of the run, and then it is ended.
type Form interface {
	Add(e Entry) error
	End() error
}

// Entries are records for a form, in the order of the run. An error ends them.
type Entries = iter.Seq2[Entry, error]

// Write goes through records once for all forms, and ends the forms.
func Write(entries Entries, forms ...Form) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		for _, form := range forms {
			if err := form.Add(e); err != nil {
				return fmt.Errorf("report on record %d: %w", e.Seq, err)
			}
		}
	}
	for _, form := range forms {
		if err := form.End(); err != nil {
			return err
		}
	}
	return nil
}

// WithAttempts yields records of a run with their attempts. Both come in the order of the records, so neither is held
// in memory.
func WithAttempts(ctx context.Context, led *ledger.Reader, run string, filter ledger.RecordFilter) Entries {
	return func(yield func(Entry, error) bool) {
		next, stop := iter.Pull2(led.AllAttempts(ctx, run))
		defer stop()
		attempt, err, more := next()
		for record, failure := range led.Records(ctx, run, filter) {
			e := Entry{Record: record}
			for ; more && err == nil && attempt.Seq <= record.Seq; attempt, err, more = next() {
				if attempt.Seq == record.Seq {
					e.Tries = append(e.Tries, attempt)
				}
			}
			if err = errors.Join(failure, err); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// listedPart is how many of the listed records are read at once.
const listedPart = 256

// Listed yields the records that the page and the JSON form list, as far as they are not too large.
func Listed(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	return func(yield func(Entry, error) bool) {
		var held budget
		for seqs := range slices.Chunk(s.listed, listedPart) {
			records, err := led.RecordsAt(ctx, s.Run.ID, seqs)
			var attempts []ledger.Attempt
			if err == nil {
				attempts, err = led.AttemptsAt(ctx, s.Run.ID, seqs)
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, record := range records {
				e := Entry{Record: record}
				for ; len(attempts) > 0 && attempts[0].Seq <= record.Seq; attempts = attempts[1:] {
					e.Tries = append(e.Tries, attempts[0])
				}
				if held.takes(e) && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Rejects yields the rejected records, without their attempts.
func Rejects(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	return alone(ctx, led, s.Run, ledger.RecordFilter{States: outcome.RejectedStates}, func(ledger.Record) bool { return true })
}

// Lines yields the records that have lines in report.csv, in brief and without their attempts.
func Lines(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	quiet := s.listing.unchanged.all()
	many := quiet > csvUnchanged
	filter := ledger.RecordFilter{Remarkable: many || quiet == 0, Brief: true}
	return alone(ctx, led, s.Run, filter, func(r ledger.Record) bool { return !many || !unremarkable(r) })
}

// alone yields the wanted records, without their attempts.
func alone(ctx context.Context, led *ledger.Reader, run ledger.Run, filter ledger.RecordFilter, wanted func(ledger.Record) bool) Entries {
	return func(yield func(Entry, error) bool) {
		for r, err := range led.Records(ctx, run.ID, filter) {
			if (err != nil || wanted(r)) && !yield(Entry{Record: r}, err) {
				return
			}
		}
	}
}
