package report

import (
	"context"
	"fmt"
	"maps"
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

// read folds the records of a run, and beside them the requests, and returns what the ledger counts by itself.
func (f *fold) read(ctx context.Context, led *ledger.Reader) (tally []ledger.Count, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if tally, err = led.Tally(ctx, f.run.ID); err != nil {
			err = fmt.Errorf("count the records of run %s: %w", f.run.ID, err)
		}
		return err
	})
	group.Go(func() error { return f.addRecords(ctx, led) })
	group.Go(func() error {
		for attempt, err := range led.Timings(ctx, f.run.ID) {
			if err != nil {
				return fmt.Errorf("read the attempts of run %s: %w", f.run.ID, err)
			}
			f.requests.add(attempt)
		}
		return nil
	})
	err = group.Wait()
	return tally, err
}

// addRecords goes through the records, in brief unless their cells have the marks of what was rejected before.
func (f *fold) addRecords(ctx context.Context, led *ledger.Reader) error {
	for record, err := range led.Records(ctx, f.run.ID, ledger.RecordFilter{Remarkable: true, Brief: !corrected.Marked(f.run)}) {
		if err != nil {
			return fmt.Errorf("read the records of run %s: %w", f.run.ID, err)
		}
		f.add(record)
	}
	for record, err := range led.UnchangedRecords(ctx, f.run.ID) {
		if err != nil {
			return fmt.Errorf("read the records of run %s: %w", f.run.ID, err)
		}
		f.addQuiet(record)
	}
	titled := ledger.RecordFilter{Remarkable: true, Actions: []ledger.Action{ledger.Create, ledger.Update}, Limit: titleSample}
	for record, err := range led.Records(ctx, f.run.ID, titled) {
		if err != nil {
			return fmt.Errorf("read the records of run %s: %w", f.run.ID, err)
		}
		f.titles.learn(record)
	}
	return nil
}

// fold is what is remembered while the records go by.
type fold struct {
	run    ledger.Run
	counts map[outcome.Outcome]*OutcomeCount
	total  int
	rows   rowSet
	twice  int    // rows that stand in more than one record
	again  string // where the first of them is
	causes cause.Grouping
	notes  cause.Grouping
	kinds  cause.Grouping
	listed listing
	quiet  int // unchanged records of which there is nothing more to say

	requests histogram
	rejects  []Sample
	titles   titles
	byUs     int
	waiting  *cause.Waiting
	accepted *Acknowledged
	stays    *Noted
	unsent   *Noted
	differs  *Noted
	changed  *Noted

	corrections  corrected.Collector
	acknowledged map[int64]ledger.Acknowledged
}

func newFold(run ledger.Run, past corrected.Former) *fold {
	return &fold{run: run, corrections: corrected.Collector{Former: past}, counts: map[outcome.Outcome]*OutcomeCount{}, rows: rowSet{}, listed: listing{check: run.Kind == ledger.Check}}
}

func (f *fold) add(r ledger.Record) {
	ended := outcome.Of(r)
	count := f.count(ended)
	count.Rows += len(r.Rows)
	for _, row := range r.Rows {
		f.addRow(row.Source, row.Number)
	}
	if unremarkable(r) {
		f.quiet++
	}
	causes, notes := cause.Of(f.run, r), cause.OfNotes(r)
	for _, cause := range causes {
		f.causes.Add(f.run, r, cause)
	}
	for _, note := range notes {
		f.notes.Add(f.run, r, note)
	}
	f.stays = f.stays.count(r, reason.Stays)
	if r.State == ledger.Held {
		f.changed = f.changed.count(r, reason.ChangedThere)
	}
	for _, kind := range cause.Kinds(slices.Concat(causes, notes)) {
		f.kinds.Add(f.run, r, kind)
	}
	f.listed.add(r, f.corrections.Add(f.run, r))
	_, known := f.acknowledged[r.Seq]
	if !known {
		f.differs = f.differs.count(r, reason.Differs)
		if r.Stale().Unsent {
			f.unsent = f.unsent.count(r, reason.ChangedSince, reason.EntryChanged, reason.Stays)
		}
	} else if !r.Stale().Any() {
		if f.accepted == nil {
			f.accepted = &Acknowledged{}
		}
		f.accepted.Records, f.accepted.Rows = f.accepted.Records+1, f.accepted.Rows+len(r.Rows)
	}
	if ended == outcome.Rejected && !cause.RefusedByService(r) {
		if f.byUs++; !known {
			f.waiting = f.waiting.Add(r)
		}
	}
	if ended == outcome.Rejected && len(f.rejects) < sampleSize {
		f.rejects = append(f.rejects, Sample{Where: wording.Positions(f.run, r.Rows), Key: r.Key, Reasons: r.Reasons, Message: r.Message})
	}
}

// addQuiet takes in a record that the ledger keeps apart, since there is nothing to say of it but that it was there.
func (f *fold) addQuiet(r unchanged.Record) {
	ended := outcome.Unchanged
	if r.Action != "" {
		ended = outcome.Planned // a check found it in order
	}
	count := f.count(ended)
	for source, number := range r.Places() {
		count.Rows++
		f.addRow(source, number)
	}
	if r.Action != "" {
		return // whoever asks for a check wants no list of it
	}
	f.quiet++
	f.listed.add(ledger.Record{Seq: r.Seq, State: ledger.Unchanged}, false)
}

// count counts a record, and returns the count of its outcome for its rows.
func (f *fold) count(outcome outcome.Outcome) *OutcomeCount {
	count := f.counts[outcome]
	if count == nil {
		count = &OutcomeCount{Outcome: outcome}
		f.counts[outcome] = count
	}
	f.total++
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
		f.again = fmt.Sprintf("row %d of %s", number, wording.SourceName(f.run, source))
	}
}

func (f *fold) summary(tally []ledger.Count) *Summary {
	notes := reading.Read(f.run)
	s := &Summary{
		Run: f.run, Partial: partial(f.run), Requests: f.requests.requests(), Findings: notes.Detections, Warnings: notes.Warnings, Lists: notes.Lists, Respelled: notes.Respelled, Forecast: forecastOf(f.run, notes),
		RejectSamples: f.rejects, Titles: f.titles, former: f.corrections.Former, RejectedByUs: f.byUs, Stays: f.stays, Differs: f.differs, Changed: f.changed, Unsent: f.unsent,
		Rows:    Rows{Read: f.run.Counts.Read, InRecords: f.run.Counts.InRecords, Skipped: Skips(f.run.Counts.Skipped), United: f.run.Counts.United},
		Records: Records{Total: f.total, ByOutcome: f.byOutcome()}, Waiting: f.waiting, Acknowledged: f.accepted, acknowledged: f.acknowledged,
		Causes: f.causes.List(), Notes: f.notes.List(),
	}
	s.Problems = cause.Problems(f.kinds.List(), slices.Concat(s.Causes, s.Notes))
	f.list(s)
	s.places = cause.NewPlaces(s.Causes, s.Notes)
	s.Discrepancies = f.discrepancies(s, tally)
	s.AddsUp = len(s.Discrepancies) == 0
	s.Verdict = verdict(s)
	return s
}

// list says what the page and the JSON form list, and what they do not.
func (f *fold) list(s *Summary) {
	s.listed, s.quiet, s.others, s.Missing = f.listed.seqs(), f.quiet, f.listed.others, f.listed.missing()
	if f.listed.unchanged.leftOut > 0 {
		s.Unlisted = f.quiet
	}
	if len(s.listed) < f.total {
		s.Listed, s.FullList = len(s.listed), "docketsync report "+f.run.Name+" --json --all"
	}
}

// byOutcome lists the seven outcomes, and what else there is behind them.
func (f *fold) byOutcome() []OutcomeCount {
	list := make([]OutcomeCount, 0, len(outcome.All)+2)
	for _, o := range slices.Concat(outcome.All, []outcome.Outcome{outcome.Planned, outcome.Sending}) {
		count, ok := f.counts[o]
		switch {
		case ok:
			list = append(list, *count)
		case slices.Contains(outcome.All, o):
			list = append(list, OutcomeCount{Outcome: o})
		}
	}
	for _, o := range slices.Sorted(maps.Keys(f.counts)) {
		if !o.Known() {
			list = append(list, *f.counts[o])
		}
	}
	return list
}
