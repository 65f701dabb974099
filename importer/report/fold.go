package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/unchanged"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/reading"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
)

// read folds the records of a run and, concurrently, its requests, and returns the ledger's own counts.
func (f *fold) read(ctx context.Context, led *ledger.Reader) (tally []ledger.Count, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { tally, err = led.Tally(ctx, f.Run.ID); return err })
	group.Go(func() error { return f.addRecords(ctx, led) })
	group.Go(func() error {
		for attempt, err := range led.Timings(ctx, f.Run.ID) {
			if err != nil {
				return err
			}
			f.requests.add(attempt)
		}
		return nil
	})
	err = group.Wait()
	return tally, err
}

// addRecords goes through the records, in brief unless their cells have the marks of earlier rejects.
func (f *fold) addRecords(ctx context.Context, led *ledger.Reader) error {
	for record, err := range led.Records(ctx, f.Run.ID, ledger.RecordFilter{Remarkable: true, Brief: !corrected.Marked(f.Run)}) {
		if err != nil {
			return err
		}
		f.add(record)
	}
	for record, err := range led.UnchangedRecords(ctx, f.Run.ID) {
		if err != nil {
			return err
		}
		f.addQuiet(record)
	}
	return nil
}

// fold is what is remembered while the records go by, besides what goes straight into the summary.
type fold struct {
	*Summary
	counts map[outcome.Outcome]*OutcomeCount
	rows   rowSet
	twice  int    // rows that are in more than one record
	again  string // where the first of them is
	causes cause.Grouping
	notes  cause.Grouping
	kinds  cause.Grouping

	requests    histogram
	corrections corrected.Collector
}

func newFold(run ledger.Run, past corrected.Former) *fold {
	s := &Summary{Run: run, Partial: partial(run), former: past, listing: listing{check: run.Kind == ledger.Check},
		Rows: Rows{Read: run.Counts.Read, InRecords: run.Counts.InRecords, Skipped: Skips(run.Counts.Skipped), United: run.Counts.United}}
	return &fold{Summary: s, corrections: corrected.Collector{Former: past}, counts: map[outcome.Outcome]*OutcomeCount{}, rows: rowSet{}}
}

func (f *fold) add(r ledger.Record) {
	ended := outcome.Of(r)
	count := f.count(ended)
	count.Rows += len(r.Rows)
	for _, row := range r.Rows {
		f.addRow(row.Source, row.Number)
	}
	causes, notes := cause.Of(f.Run, r), cause.OfNotes(r)
	for _, cause := range causes {
		f.causes.Add(f.Run, r, cause)
	}
	for _, note := range notes {
		f.notes.Add(f.Run, r, note)
	}
	for _, kind := range cause.Kinds(slices.Concat(causes, notes)) {
		f.kinds.Add(f.Run, r, kind)
	}
	f.Stays = f.Stays.count(r, reason.Stays)
	if r.State == ledger.Held {
		f.Changed = f.Changed.count(r, reason.ChangedThere)
	}
	f.listing.add(r, f.corrections.Add(f.Run, r))
	_, known := f.Acknowledgements[r.Seq]
	if !known {
		f.Differs = f.Differs.count(r, reason.Differs)
		if r.Stale().Unsent {
			f.Unsent = f.Unsent.count(r, reason.ChangedSince, reason.EntryChanged, reason.Stays)
		}
	} else if !r.Stale().Any() {
		f.Acknowledged = cmp.Or(f.Acknowledged, &Acknowledged{})
		f.Acknowledged.Records, f.Acknowledged.Rows = f.Acknowledged.Records+1, f.Acknowledged.Rows+len(r.Rows)
	}
	if ended != outcome.Rejected {
		return
	}
	if len(r.Rows) == 0 && !known {
		f.Rowless++
	}
	if !cause.RefusedByService(r) {
		if f.RejectedByUs++; !known {
			f.Waiting = f.Waiting.Add(r)
		}
	}
	if len(f.RejectSamples) < sampleSize {
		f.RejectSamples = append(f.RejectSamples, Sample{Where: wording.Positions(f.Run, r.Rows), Key: r.Key, Reasons: r.Reasons, Message: r.Message})
	}
}

// addQuiet takes in a record that the ledger stores separately, because it was merely there, without anything to
// report.
func (f *fold) addQuiet(r unchanged.Record) {
	ended := outcome.Unchanged
	if r.Action != "" {
		ended = outcome.Planned // a check found nothing wrong with it
	}
	count := f.count(ended)
	for source, number := range r.Places() {
		count.Rows++
		f.addRow(source, number)
	}
	if ended == outcome.Unchanged { // whoever asks for a check does not want these listed
		f.listing.add(ledger.Record{Seq: r.Seq, State: ledger.Unchanged}, false)
	}
}

// count counts a record, and returns the count of its outcome for its rows.
func (f *fold) count(outcome outcome.Outcome) *OutcomeCount {
	count := f.counts[outcome]
	if count == nil {
		count = &OutcomeCount{Outcome: outcome}
		f.counts[outcome] = count
	}
	f.Summary.Records.Total++
	count.Records++
	return count
}

// addRow takes in a row of a record.
func (f *fold) addRow(source, number int) {
	if f.rows.add(source, number) {
		return
	}
	f.twice++
	if f.again == "" {
		f.again = fmt.Sprintf("row %d of %s", number, wording.SourceName(f.Run, source))
	}
}

// summary completes the summary.
func (f *fold) summary(tally []ledger.Count) *Summary {
	s, notes := f.Summary, reading.Read(f.Run)
	s.Findings, s.Warnings, s.Lists, s.Respelled = notes.Detections, notes.Warnings, notes.Lists, notes.Respelled
	if notes.Forecast != nil {
		s.Forecast = &Forecast{*notes.Forecast, f.Run.Ended, f.Run.Phase == ledger.Stopped}
	}
	s.Requests, s.Records.ByOutcome, s.Causes, s.Notes = f.requests.requests(), f.byOutcome(), f.causes.List(), f.notes.List()
	s.Problems = cause.Problems(f.kinds.List(), slices.Concat(s.Causes, s.Notes))
	s.listed, s.Missing = s.listing.seqs(), s.listing.missing()
	if s.listing.unchanged.leftOut > 0 {
		s.Unlisted = s.listing.unchanged.all()
	}
	if len(s.listed) < s.Records.Total {
		s.Listed, s.FullList = len(s.listed), "docketsync report "+s.Run.Name+" --json --all"
	}
	s.places = cause.NewPlaces(s.Causes, s.Notes)
	s.Discrepancies = f.discrepancies(s, tally)
	s.AddsUp = len(s.Discrepancies) == 0
	s.Verdict = verdict(s)
	return s
}

// byOutcome lists the seven outcomes, followed by any other states.
func (f *fold) byOutcome() (list []OutcomeCount) {
	for _, o := range outcome.All {
		f.counts[o] = cmp.Or(f.counts[o], &OutcomeCount{Outcome: o})
	}
	for _, o := range outcome.Present(f.counts) {
		list = append(list, *f.counts[o])
	}
	return list
}

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
