package report

import (
	"context"
	"fmt"
	"iter"

	"docketsync/importer/ledger"
)

// Entry is a record with its attempts.
type Entry struct {
	ledger.Record
	Tries []ledger.Attempt
}

// entries puts records and attempts together; both come in the order of the records, so that neither is held in memory.
func entries(records iter.Seq2[ledger.Record, error], attempts iter.Seq2[ledger.Attempt, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		next, stop := iter.Pull2(attempts)
		defer stop()
		attempt, err, more := next()
		for record, failure := range records {
			if failure != nil {
				yield(Entry{}, failure)
				return
			}
			e := Entry{Record: record}
			for ; more && err == nil && attempt.Seq <= record.Seq; attempt, err, more = next() {
				if attempt.Seq == record.Seq {
					e.Tries = append(e.Tries, attempt)
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Form is a report being written, which has begun: records come in the order of the run, and then its end.
type Form interface {
	Add(e Entry) error
	End() error
}

// complete is a form that takes every record, also those that a check does not list: the workbook has all rejects, since it is what
// is imported again.
type complete interface{ Complete() }

// WriteForms goes through the records of a run once, for all forms.
func WriteForms(ctx context.Context, led *ledger.Reader, s *Summary, forms ...Form) error {
	run := s.Run
	keeper := newKeeper(run, s.Unlisted == 0)
	filter := ledger.RecordFilter{Remarkable: s.Unlisted > 0 || run.Kind == ledger.Check}
	records, attempts := led.Records(ctx, run.ID, filter), led.AllAttempts(ctx, run.ID)
	for e, err := range entries(records, attempts) {
		if err != nil {
			return fmt.Errorf("read the records of run %s: %w", run.ID, err)
		}
		kept := keeper.keeps(e.Record)
		for _, f := range forms {
			if _, all := f.(complete); !kept && !all {
				continue
			}
			if err := f.Add(e); err != nil {
				return fmt.Errorf("report on record %d: %w", e.Seq, err)
			}
		}
	}
	for _, f := range forms {
		if err := f.End(); err != nil {
			return err
		}
	}
	return nil
}
