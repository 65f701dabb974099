package report

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"docketsync/importer/ledger"
)

// Entry is a record with its attempts.
type Entry struct {
	ledger.Record
	Tries []ledger.Attempt
}

// Form is a report being written, which has begun: records come in the order of the run, and then its end.
type Form interface {
	Add(e Entry) error
	End() error
}

// Entries are records for a form, in the order of the run. An error ends them.
type Entries = iter.Seq2[Entry, error]

// Write goes through records once for all forms, and writes these to their ends.
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

// All are all records of a run.
func All(ctx context.Context, led *ledger.Reader, run string) Entries {
	return joined(led.Records(ctx, run, ledger.RecordFilter{}), led.AllAttempts(ctx, run))
}

// Remarkable are the records of a run of which there is something to say, with their attempts.
func Remarkable(ctx context.Context, led *ledger.Reader, run string) Entries {
	return joined(led.Records(ctx, run, ledger.RecordFilter{Remarkable: true}), led.AllAttempts(ctx, run))
}

// joined puts records and attempts together; both come in the order of the records, so that neither is held in memory.
func joined(records iter.Seq2[ledger.Record, error], attempts iter.Seq2[ledger.Attempt, error]) Entries {
	return func(yield func(Entry, error) bool) {
		next, stop := iter.Pull2(attempts)
		defer stop()
		attempt, err, more := next()
		for record, failure := range records {
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

// listedPart is how many of the records listed are read at once.
const listedPart = 256

// Listed are the records that the page and the JSON form list, unless they hold too much.
func Listed(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	return func(yield func(Entry, error) bool) {
		var held budget
		for seqs := range slices.Chunk(s.listed, listedPart) {
			records, err := led.RecordsAt(ctx, s.Run.ID, seqs)
			if err != nil {
				yield(Entry{}, unread(s.Run, err))
				return
			}
			attempts, err := led.AttemptsAt(ctx, s.Run.ID, seqs)
			if err != nil {
				yield(Entry{}, unread(s.Run, err))
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

// Rejects are the records that were rejected, without their attempts.
func Rejects(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	return func(yield func(Entry, error) bool) {
		for r, err := range led.Records(ctx, s.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected, ledger.Refused}}) {
			if !yield(Entry{Record: r}, unread(s.Run, err)) {
				return
			}
		}
	}
}

// Lines are the records that have lines in report.csv, in brief and without their attempts.
func Lines(ctx context.Context, led *ledger.Reader, s *Summary) Entries {
	quiet := s.listing.unchanged.all()
	many := quiet > csvUnchanged
	return func(yield func(Entry, error) bool) {
		for r, err := range led.Records(ctx, s.Run.ID, ledger.RecordFilter{Remarkable: many || quiet == 0, Brief: true}) {
			if err == nil && many && unremarkable(r) {
				continue
			}
			if !yield(Entry{Record: r}, unread(s.Run, err)) {
				return
			}
		}
	}
}

func unread(run ledger.Run, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read the records of run %s: %w", run.ID, err)
}
