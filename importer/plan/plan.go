package plan

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"docketsync/importer/decide"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/unchanged"
	"docketsync/importer/report/corrected"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// planner is the second half of the first pass: it decides each record and writes it to the ledger. Its counts and
// indexes belong to the writing step; the deciding step touches none of them.
type planner struct {
	Order
	most    int          // rows of one key
	read    atomic.Int64 // rows
	sources *rows.Sources
	index   duplicateIndex
	records guard.RecordProfile

	quiet  *unchanged.Writer
	keys   duplicateIndex // of all records; it finds those with the same key
	same   int            // records that were recognized from the last run
	looked int            // records that were not
	still  int            // unchanged records, recognized or not
	fine   int            // records of a check that are in order, of which nothing else is kept
	idless int            // rejected rows whose id is not known
	merged int            // rows that are one record with an earlier row of their key
	// forgets says that some records were forgotten. forgotten counts the rows that were left out because their record
	// is one; it belongs to the looking step.
	forgets   bool
	forgotten int
	recall    Recall // belongs to the looking step
	contested map[string]int
	sharers   map[string]bool // whether other jobs send under the scope
	// The following belong to the looking step and are about rows with marks.
	arrived    map[corrected.Mark]map[string]int // places of rows by the records that their marks name
	rearranged map[string]rearranged             // by column
	runs       map[string]ledger.Run             // that marks may name; nil until there is a mark
	age        map[string]int                    // of runs, by id: 0 for the newest
	mappers    map[int]*mapping.Mapper           // of their sources
	formerOf   corrected.Mark                    // the record that the former rows belong to
	former     []corrected.NamedRow

	places []unchanged.Place

	seq int64
	to  int // records that are to be sent
	// bare are the places of rows that were stored without cells, because their record was unchanged, and that are
	// needed after all because a later row contradicts them.
	bare map[place]bool
}

type place struct{ source, row int }

// Order says what a plan is made of.
type Order struct {
	Book *ledger.Ledger
	// Run has begun. Make completes its counts, sources, notes and export profile.
	Run *ledger.Run
	// Walk goes over the sources of the job. Its mapping is ready to map (see rows.Walk.InferDates).
	Walk   rows.Walk
	Policy decide.Policy
	// Notes are stored with the run beside what was detected of the sources.
	Notes []any
	// Partial says that the rows are not a whole export: there is no profile of it, and nothing has vanished from it.
	Partial bool
	// Part receives how such rows differ from what the service is known to hold.
	Part *ledger.Export
	// Last is the last export, which this one is compared with; nil if there is none.
	Last *ledger.Run
	// Former are exports to choose Last from if it is nil: the one that has the most records in common with this
	// export, and at least half as many as this one has.
	Former []ledger.Run
	// Jobs are the jobs of the configuration. A record that the last export of another job of the scope has did not
	// vanish.
	Jobs []string
	// Report is called with the rows read, the records planned, and how many of these are to be sent.
	Report func(rows, records, to int)
}

// Make reads, maps and decides everything into the ledger. It goes on reading and mapping while the ledger writes.
func (o Order) Make(ctx context.Context) error {
	p := &planner{Order: o, most: o.Walk.Mapping.MostRows(), bare: map[place]bool{},
		recall: Recall{Book: o.Book.Reader, Policy: o.Policy, Scope: o.Run.Scope, Job: o.Run.Job, At: o.Run.Started}}
	defer p.index.close()
	defer p.keys.close()
	var err error
	if p.forgets, err = o.Book.Forgets(ctx); err != nil {
		return err
	}
	last, err := o.Book.Baseline(ctx, *o.Run)
	if err != nil {
		return err
	}
	defer last.Close()
	if p.quiet, err = o.Book.UnchangedWriter(ctx, *o.Run); err != nil {
		return err
	}
	r := &rows.Reader{Walk: o.Walk, Book: o.Book, Run: o.Run, Last: last, Notes: o.Notes, Report: func(rows int) { p.read.Store(int64(rows)) }}
	r.Begin()
	p.sources = r.Sources()
	err = p.each(ctx, r)
	o.Run.Sources = p.sources.All()
	if err := cmp.Or(err, p.sorted()); err != nil {
		return err
	}
	if p.forgotten > 0 {
		o.Run.Counts.InRecords -= p.forgotten
		o.Run.Counts.Skipped[ledger.SkipForgotten] += p.forgotten
	}
	for _, lookup := range o.Walk.Lookups {
		// Rows were rejected because the ledger could not answer; that says nothing about the rows.
		if err := lookup.Err(); err != nil {
			return err
		}
	}
	if err := p.indexUnchangedKeys(ctx, last.Export()); err != nil {
		return err
	}
	if err := p.mergeUnchanged(ctx); err != nil {
		return err
	}
	o.Run.Counts.United = p.merged
	if err := p.compare(ctx); err != nil {
		return err
	}
	if err := p.fillBare(ctx); err != nil {
		return err
	}
	renamed := newRenames(p)
	defer renamed.index.close()
	if o.Partial {
		*o.Part = *guard.ExportProfile(&guard.ColumnProfile{}, &p.records)
		return renamed.reject(ctx)
	}
	return p.exportProfile(ctx, r.Profile(), renamed)
}

func (p *planner) report() { p.Report(int(p.read.Load()), int(p.seq), p.to) }

// each has every record of a reader looked up, decided and written, each step in a goroutine of its own. The channels
// between them hold hardly a batch, because a batch takes some megabytes.
func (p *planner) each(ctx context.Context, r *rows.Reader) error {
	group, ctx := errgroup.WithContext(ctx)
	mapped := make(chan *rows.Batch, 1)
	group.Go(func() error {
		defer close(mapped)
		return r.Read(ctx, func(ctx context.Context, batch *rows.Batch) error { return send(ctx, mapped, batch) })
	})
	looked := make(chan lookedUp)
	group.Go(func() error {
		defer close(looked)
		return p.lookUp(ctx, mapped, looked)
	})
	decided, used := make(chan decidedBatch), make(chan decidedBatch, 3)
	group.Go(func() error {
		defer close(decided)
		return p.decideAll(ctx, looked, used, decided)
	})
	group.Go(func() error {
		for batch := range decided {
			if err := p.add(ctx, batch); err != nil {
				return err
			}
			r.Done(batch.Batch)
			clear(batch.decided)
			batch.lookedUp = lookedUp{}
			select {
			case used <- batch:
			default:
			}
		}
		return p.quiet.Flush(ctx, true)
	})
	return group.Wait()
}

func send[T any](ctx context.Context, to chan<- T, batch T) error {
	select {
	case to <- batch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// decidedBatch is a batch with the decisions on those of its records that are not the same as in the last run.
type decidedBatch struct {
	lookedUp
	decided []ledger.Record
	rows    rows.RowWriter // of decided
}

// decideAll decides batches while others are mapped and written. It reuses the memory of used, the batches that were
// written.
func (p *planner) decideAll(ctx context.Context, looked <-chan lookedUp, used <-chan decidedBatch, decided chan<- decidedBatch) error {
	seq := int64(0)
	for batch := range looked {
		var to decidedBatch
		select {
		case to = <-used:
		default:
			to.decided = make([]ledger.Record, 0, len(batch.Records))
		}
		to.lookedUp, to.decided = batch, to.decided[:0]
		to.rows.Reset()
		for n := range batch.Records {
			seq++
			if m := &batch.Records[n]; !m.Same.Found() {
				record, err := p.decide(m, batch.holds(m), seq, &to.rows)
				if err != nil {
					return err
				}
				to.decided = append(to.decided, record)
			}
		}
		if err := send(ctx, decided, to); err != nil {
			return err
		}
	}
	return nil
}

// add writes a batch.
func (p *planner) add(ctx context.Context, batch decidedBatch) error {
	records := batch.decided[:0]
	var of []int // where they stand in the batch
	next := 0
	for n := range batch.Records {
		m := &batch.Records[n]
		p.seq++
		if m.Same.Found() {
			p.same++
			p.still++
			p.quiet.Again(p.seq, m.Same, p.placesOf(m.Rows))
			if err := p.indexUnchanged(m, p.seq); err != nil {
				return err
			}
			continue
		}
		p.looked++
		record := &batch.decided[next]
		next++
		if batch.moved[m.Key] && record.State == ledger.Planned {
			p.records.Move()
		} else {
			p.contrast(m, batch.holds(m), record)
		}
		if record.State == ledger.Planned {
			p.to++
		}
		if record.State == ledger.Rejected && !slices.ContainsFunc(m.Traits, func(t mapping.Trait) bool { return t.Check == reason.IDTwice }) {
			p.idless += len(m.Rows)
		}
		if p.checked(record) {
			p.fine++
			p.quiet.AddInOrder(record.Seq, record.Key, record.Digest, record.ServiceID, string(record.Action), p.placesOf(m.Rows))
			if err := p.indexRecord(m, record); err != nil {
				return err
			}
			continue
		}
		if !record.Unremarkable() {
			records, of = append(records, *record), append(of, n)
			continue
		}
		p.still++
		p.quiet.Add(record.Seq, record.Key, record.Digest, record.ServiceID, p.placesOf(m.Rows))
		if err := p.indexUnchanged(m, record.Seq); err != nil {
			return err
		}
	}
	if err := p.keep(ctx, batch.lookedUp, records, of); err != nil {
		return err
	}
	p.report()
	return p.quiet.Flush(ctx, false)
}

// placesOf returns the places of rows, valid until the next call.
func (p *planner) placesOf(rows []table.Row) []unchanged.Place {
	p.places = p.places[:0]
	for _, row := range rows {
		p.places = append(p.places, unchanged.Place{Source: row.Source, Number: row.Number})
	}
	return p.places
}

// keep writes the records of a batch that are not unchanged.
func (p *planner) keep(ctx context.Context, batch lookedUp, records []ledger.Record, of []int) error {
	conflicts, err := p.Book.Add(ctx, records)
	if err != nil {
		return err
	}
	for n, record := range records {
		// A record that the ledger left out is merged into the first of its key.
		if len(conflicts) > 0 && slices.Contains(conflicts, n) {
			continue
		}
		if err := p.indexRecord(&batch.Records[of[n]], &record); err != nil {
			return err
		}
	}
	var late []lateRecord
	for _, n := range conflicts {
		late = append(late, lateRecord{records[n], batch.Records[of[n]].Rows})
	}
	return p.merge(ctx, late)
}

// indexRecord indexes what a record is compared by, with the others and with the last export.
func (p *planner) indexRecord(m *rows.Record, r *ledger.Record) error {
	p.records.Add(r)
	if m.Key != "" {
		if err := p.keys.add(mapping.Trait{Check: keyCheck, Sum: p.records.AddKey(m.Key)}, r.Seq); err != nil {
			return err
		}
	}
	return p.indexTraits(m, r.Seq)
}

// indexUnchanged is indexRecord for an unchanged record. Its key is left to indexUnchangedKeys.
func (p *planner) indexUnchanged(m *rows.Record, seq int64) error {
	p.records.AddUnchanged()
	return p.indexTraits(m, seq)
}

func (p *planner) indexTraits(m *rows.Record, seq int64) error {
	for _, trait := range m.Traits {
		if err := p.index.add(trait, seq); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) decide(m *rows.Record, holds *ledger.LastAccepted, seq int64, w *rows.RowWriter) (ledger.Record, error) {
	record, err := decide.Decide(m.Mapped, holds, p.Policy)
	if err != nil {
		return record, err
	}
	record.Run, record.Scope, record.Seq = p.Run.ID, p.Run.Scope, seq
	bare := record.State == ledger.Unchanged || p.checked(&record)
	record.Rows = w.Rows(m.Rows, !bare)
	if bare {
		// A report needs where the row stands in the source. If the row has changed since its record was created, what
		// it says now is kept too: by that it is recognized under another key.
		if record.Body, record.Previous = nil, nil; holds == nil || holds.Digest == "" || holds.Digest == m.Digest {
			record.Payload = nil
		}
	}
	return record, nil
}

// contrast counts a record that differs from what the service holds. Of an adopted record that is not known. How it
// differs counts only if it is to be sent: of a created record, and of what the service refused or left in doubt, the
// difference stays every night.
func (p *planner) contrast(m *rows.Record, holds *ledger.LastAccepted, record *ledger.Record) {
	if holds == nil || holds.Digest == "" || holds.Digest == m.Digest || len(m.Reasons) > 0 {
		return
	}
	switch record.State {
	case ledger.Unchanged:
		p.records.AddStale()
	case ledger.Planned:
		p.records.Differ(holds.Payload, m.Payload)
	}
}

// checkedWhole is how many records a check keeps whole. From these its report learns what records are called.
const checkedWhole = 1000

// checked reports whether only the place of a record is kept: it would be accepted, nothing will be sent, and nobody
// will look at it. A check of a million rows is made for the few that would not be accepted, and lists none of the
// others.
func (p *planner) checked(r *ledger.Record) bool {
	return p.Run.Kind == ledger.Check && r.State == ledger.Planned && len(r.Notes) == 0 && r.Key != "" && r.Seq > checkedWhole
}

// exportProfile stores the export's profile with the run, and compares its keys with those of the last export.
func (p *planner) exportProfile(ctx context.Context, columns *guard.ColumnProfile, renamed *renames) (err error) {
	export := guard.ExportProfile(columns, &p.records)
	export.Written = rows.Written(p.Walk.Inputs)
	if p.Last == nil {
		if p.Last, err = p.renamedFrom(ctx, export.Records); err != nil {
			return err
		}
	}
	if last := p.Last; last != nil {
		export.Base, export.Contested = last.ID, p.contested
		if export.Stale > 0 {
			if export.StaleStill, err = p.Book.StaleStill(ctx, last.ID, p.Run.ID); err != nil {
				return err
			}
		}
		if err := p.vanish(ctx, *last, export, renamed); err != nil {
			return err
		}
	}
	if err := renamed.reject(ctx); err != nil {
		return err
	}
	export.ToSend, export.Waiting = p.to, export.Waiting+renamed.asked
	p.Run.Export = export
	return nil
}

// renamedFrom returns the export among Former that has the most records in common with the run's, and at least half as
// many as the run has; nil if there is none.
func (p *planner) renamedFrom(ctx context.Context, records int) (best *ledger.Run, err error) {
	most := max(records/2, 1)
	for n := range p.Former {
		common := p.Former[n].Export.Records
		for _, err := range p.Book.Vanished(ctx, p.Former[n].ID, p.Run.ID) {
			if err != nil {
				return nil, err
			}
			common--
		}
		if common >= most {
			best, most = &p.Former[n], common+1
		}
	}
	return best, nil
}
