package report

import (
	"fmt"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// discrepancies returns the counts that contradict each other, each as a sentence. It finds them by counting the same
// thing twice: the run's own account of its rows against the rows in its records, the records that went by against the
// ledger's tally, and the phase of the run against the states of its records.
func (f *fold) discrepancies(s *Summary, tally []ledger.Count) []string {
	var found []string
	complain := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if s.Partial == "" {
		if sum := s.Rows.InRecords + s.Rows.SkippedRows(); s.Rows.Read != sum {
			complain("%d rows were read, but %d in records and %d skipped make %d.", s.Rows.Read, s.Rows.InRecords, s.Rows.SkippedRows(), sum)
		}
		rows := 0
		for _, count := range f.counts {
			rows += count.Rows
		}
		if rows != s.Rows.InRecords {
			complain("The run counted %d rows in records, but its records are made of %d.", s.Rows.InRecords, rows)
		}
	}
	if f.twice > 0 {
		complain("%s stands in more than one record; there are %d such rows.", wording.UpperFirst(f.again), f.twice)
	}
	for _, count := range s.Records.ByOutcome {
		if !count.Outcome.Known() {
			complain("Records in the state %q, which this version does not know: %d.", count.Outcome, count.Records)
		}
	}
	if !moving(f.Run) {
		against(s, tally, complain)
	}
	if open := s.Count(outcome.Planned).Records + s.Count(outcome.Sending).Records; open > 0 && settled(f.Run) {
		complain("The run has ended, but not all records have an outcome: %d are open.", open)
	}
	return found
}

// against compares the records that went by with the ledger's counts.
func against(s *Summary, tally []ledger.Count, complain func(format string, args ...any)) {
	tallied := outcome.Tally(tally)
	for _, count := range s.Records.ByOutcome {
		if n := tallied[count.Outcome]; n != count.Records {
			complain("The ledger counts %d records as %s, but %d were found.", n, count.Outcome.Words(), count.Records)
		}
		delete(tallied, count.Outcome)
	}
	for outcome, n := range tallied {
		complain("The ledger counts %d records as %s, but none were found.", n, outcome.Words())
	}
}

// moving reports whether records may change their state while they are read.
func moving(run ledger.Run) bool { return run.Phase == ledger.Reading || run.Phase == ledger.Pushing }

// settled reports whether the run has come to an end at which every record has its outcome.
func settled(run ledger.Run) bool {
	return run.Kind == ledger.Push && (run.Phase == ledger.Finished || run.Phase == ledger.Stopped)
}

// rowSet remembers which rows of each source have been seen, one bit per row: a million rows take some 130 KB.
type rowSet map[int][]uint64

// add remembers a row, and returns false if it was there already.
func (s rowSet) add(source, row int) bool {
	bits, at, bit := s[source], row/64, uint64(1)<<(row%64)
	if more := at + 1 - len(bits); more > 0 {
		bits = append(bits, make([]uint64, more)...)
		s[source] = bits
	}
	fresh := bits[at]&bit == 0
	bits[at] |= bit
	return fresh
}
