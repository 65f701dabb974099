package importer

import (
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// planner is the second half of the first pass: it decides each record and writes it into the ledger.
type planner struct {
	book    *ledger.Ledger
	run     *ledger.Run
	policy  Policy
	most    int // rows of one key
	report  func(records, to int)
	sources *sourceList
	sieve   sieve
	drift   drift

	quiet  *ledger.QuietWriter
	keys   sieve // of all records, by which those of one key are found
	same   int   // records that were recollected
	looked int   // and those that were not
	united int   // rows that are one record with an earlier row of their key
	places []ledger.Row

	seq int64
	to  int // records that are to be sent
	// bare are the places of rows that were stored without cells, because their record was unchanged, and that turned
	// out to be needed when a later row contradicted them.
	bare map[place]bool
}

type place struct{ source, row int }

// plan reads, maps and decides everything of a job into the ledger. Reading and mapping go on while the ledger writes.
// The run's counts are whole when it returns.
func (i *Importer) plan(ctx context.Context, job Job, run *ledger.Run) error {
	lookups, err := i.Lookups(ctx, job)
	if err != nil {
		return beforeReading(ctx, job, lookups, err)
	}
	if job, err = proven(ctx, job, lookups); err != nil {
		return err
	}
	progress := Progress{Job: job.Name, Phase: ledger.Reading}
	planning := make(chan []mappedRecord, 2)
	rows := make(chan int, 1)
	p := &planner{book: i.Ledger, run: run, policy: job.Policy, most: job.Mapping.MostRows(), sources: &sourceList{}, bare: map[place]bool{}}
	p.report = func(records, to int) {
		select {
		case progress.Rows = <-rows:
		default:
		}
		progress.Records, progress.To = records, to
		i.progress(progress)
	}
	defer p.sieve.close()
	defer p.keys.close()
	recalled, err := i.Ledger.Recall(ctx, *run)
	if err != nil {
		return err
	}
	defer recalled.Close()
	p.quiet = i.Ledger.Quiet(*run)
	reading := ctx
	r := &reader{job: job, book: i.Ledger, run: run, lookup: lookups, sources: p.sources, recalled: recalled, used: make(chan []mappedRecord, 4)}
	if r.ended, err = i.endedBefore(ctx, run); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(planning)
		r.report = func(read int) { offer(rows, read) }
		r.emit = func(ctx context.Context, batch []mappedRecord) error {
			select {
			case planning <- batch:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return r.read(ctx)
	})
	looked := make(chan lookedUp, 1)
	group.Go(func() error {
		defer close(looked)
		return p.lookUp(ctx, planning, looked)
	})
	group.Go(func() error {
		for batch := range looked {
			if err := p.add(ctx, batch); err != nil {
				return err
			}
			clear(batch.records)
			select {
			case r.used <- batch.records[:0]:
			default:
			}
		}
		return p.quiet.Flush(ctx, true)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for _, lookup := range lookups {
		// Rows that asked a ledger which could not answer were rejected for it; that is no verdict on the rows.
		if err := lookup.Err(); err != nil {
			return err
		}
	}
	if err := p.siftQuietKeys(reading, recalled.Export()); err != nil {
		return err
	}
	if err := p.unite(reading); err != nil {
		return err
	}
	run.Counts.United = p.united
	if err := p.compare(reading, job.Mapping); err != nil {
		return err
	}
	if err := p.fillBare(reading, job); err != nil || job.Partial {
		return err
	}
	last, err := i.lastExport(reading, run)
	if err != nil {
		return err
	}
	return p.takeStock(reading, job, r.profile, last)
}

// offer puts the newest value into a channel of one, in place of an older one that nobody took.
func offer(c chan int, value int) {
	select {
	case <-c:
	default:
	}
	c <- value
}

func (i *Importer) progress(p Progress) {
	if i.Progress != nil {
		i.Progress(p)
	}
}

// lookedUp is a batch with what is known of its keys.
type lookedUp struct {
	records []mappedRecord
	known   map[string]ledger.Known
}

// lookUp finds out what is known of batches, while others are being mapped and written. Of a record that is the same as the one
// that was accepted no more is read than its digest, and nothing of one that is the same as in the last run.
func (p *planner) lookUp(ctx context.Context, batches <-chan []mappedRecord, looked chan<- lookedUp) error {
	for batch := range batches {
		var keys []string
		for _, m := range batch {
			if m.Key != "" && !m.same.Found() {
				keys = append(keys, m.Key)
			}
		}
		known, err := p.book.KnownBriefly(ctx, p.run.Scope, keys)
		if err != nil {
			return err
		}
		var fresh, differ []string
		for _, m := range batch {
			k, ok := known[m.Key]
			switch {
			case m.same.Found() || m.Key == "":
			case !ok:
				fresh = append(fresh, m.Key)
			case k.Digest != m.Digest || k.Unsettled:
				differ = append(differ, m.Key)
			}
		}
		whole, err := p.book.Known(ctx, p.run.Scope, differ)
		if err != nil {
			return err
		}
		maps.Copy(known, whole)
		if err := p.policy.recall(ctx, p.book.Reader, p.run.Scope, append(fresh, differ...), known, p.run.Started); err != nil {
			return err
		}
		select {
		case looked <- lookedUp{batch, known}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// add decides a batch and writes it.
func (p *planner) add(ctx context.Context, batch lookedUp) error {
	var records []ledger.Record
	var of []int // where they stand in the batch
	for n := range batch.records {
		m := &batch.records[n]
		if m.same.Found() {
			p.seq++
			p.same++
			p.quiet.Again(p.seq, m.same, p.placesOf(m.rows))
			if err := p.siftQuiet(m, p.seq); err != nil {
				return err
			}
			continue
		}
		p.looked++
		record, err := p.decide(*m, batch.known)
		if err != nil {
			return err
		}
		if record.State == ledger.Planned {
			p.to++
		}
		if !record.Quiet() {
			records, of = append(records, record), append(of, n)
			continue
		}
		p.quiet.Add(&record)
		if err := p.siftQuiet(m, record.Seq); err != nil {
			return err
		}
	}
	if err := p.keep(ctx, batch, records, of); err != nil {
		return err
	}
	p.report(int(p.seq), p.to)
	return p.quiet.Flush(ctx, false)
}

// placesOf are rows without their cells, until the next call.
func (p *planner) placesOf(rows []table.Row) []ledger.Row {
	p.places = p.places[:0]
	for _, row := range rows {
		p.places = append(p.places, ledger.Row{Source: row.Source, Number: row.Number})
	}
	return p.places
}

// keep writes the records of a batch that are not quiet.
func (p *planner) keep(ctx context.Context, batch lookedUp, records []ledger.Record, of []int) error {
	conflicts, err := p.book.Add(ctx, records)
	if err != nil {
		return err
	}
	for n, record := range records {
		// A record that the ledger left out is one with the first of its key.
		if len(conflicts) > 0 && slices.Contains(conflicts, n) {
			continue
		}
		if err := p.sift(&batch.records[of[n]], &record); err != nil {
			return err
		}
	}
	var late []lateRecord
	for _, n := range conflicts {
		late = append(late, lateRecord{records[n], batch.records[of[n]].rows})
	}
	return p.merge(ctx, late)
}

// sift keeps what a record is compared by, with the others and with the last export.
func (p *planner) sift(m *mappedRecord, r *ledger.Record) error {
	p.drift.add(r)
	if m.Key != "" {
		if err := p.keys.add(mapping.Trait{Check: keyCheck, Sum: p.drift.addKey(m.Key)}, r.Seq); err != nil {
			return err
		}
	}
	return p.siftTraits(m, r.Seq)
}

// siftQuiet is sift for a quiet record, whose key is left to siftQuietKeys.
func (p *planner) siftQuiet(m *mappedRecord, seq int64) error {
	p.drift.records++
	return p.siftTraits(m, seq)
}

func (p *planner) siftTraits(m *mappedRecord, seq int64) error {
	for _, trait := range m.Traits {
		if err := p.sieve.add(trait, seq); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) decide(m mappedRecord, known map[string]ledger.Known) (ledger.Record, error) {
	var holds *ledger.Known
	if k, ok := known[m.Key]; ok && m.Key != "" {
		holds = &k
	}
	record, err := Decide(m.Mapped, holds, p.policy)
	if err != nil {
		return record, err
	}
	p.contrast(m, holds, record)
	p.seq++
	record.Run, record.Scope, record.Seq = p.run.ID, p.run.Scope, p.seq
	bare := record.State == ledger.Unchanged || p.checked(record)
	record.Rows = ledgerRows(m.rows, !bare)
	if bare {
		// What is kept for a report is where it stands in the source.
		record.Payload, record.Body, record.Previous = nil, nil, nil
	}
	return record, nil
}

// contrast counts a record that differs from what the service holds.
func (p *planner) contrast(m mappedRecord, holds *ledger.Known, record ledger.Record) {
	if holds == nil || holds.Run == "" || holds.Digest == m.Digest || len(m.Reasons) > 0 {
		return
	}
	if record.State == ledger.Unchanged {
		p.drift.stale++
	}
	p.drift.differ(holds.Payload, m.Payload)
}

// checkedWhole is how many records a check keeps whole, from which its report learns what records are called.
const checkedWhole = 1000

// checked tells whether a record needs no more than its place: it would go in, nothing will be sent, and nobody will look
// at it. A check of a million rows is made for the few that would not.
func (p *planner) checked(r ledger.Record) bool {
	return p.run.Kind == ledger.Check && r.State == ledger.Planned && len(r.Notes) == 0 && r.Seq > checkedWhole
}

// ledgerRows are the rows of a record as the ledger keeps them, with or without their cells.
func ledgerRows(rows []table.Row, cells bool) []ledger.Row {
	list := make([]ledger.Row, len(rows))
	for n, row := range rows {
		list[n] = ledger.Row{Source: row.Source, Number: row.Number}
		if cells {
			list[n].Cells = table.AppendCells(nil, row.Cells)
		}
	}
	return list
}

var errChanged = errors.New("the file changed while it was being read; nothing was sent, run it again")
