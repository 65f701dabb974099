package prune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// Chunk is how many records one transaction of a prune goes through, so that a push that waits for it waits some
// hundredths of a second.
const Chunk = 2000

// ErrOpen says that a run cannot be pruned, because it may still be resumed or has sent what is still in doubt.
var ErrOpen = errors.New("the run is not over")

// Prune removes from the ledger what a run that is over holds and nothing needs any more, and returns how many records
// it removed.
//
// Records that were never sent (unchanged, rejected, held) are removed. Their number by action and state stays, so
// Tally still counts them. Of records that were sent, a row stays that says what became of the key and when, without
// rows, payloads and requests. Records in doubt, and those about which a person decided, are left as they are. What is
// known is a table of its own, which Prune does not touch, nor the payloads in bundles that it refers to. The run
// itself stays.
//
// So nothing that decides what is sent is lost: doubts, and what was sent without a reliable outcome
// (LastAccepted.Unsettled), are found among the records that stay. For a run that is being read, ready or pushed, or
// has sent what is still in doubt, the error is ErrOpen. Whether a stopped run may still be resumed is for the caller
// to know.
//
// Prune needs no lock, because it changes nothing that a push reads. It works in parts, and lets others write in
// between. The next call finishes what was interrupted; a call for a pruned run removes nothing.
func (l *Writer) Prune(ctx context.Context, id string) (removed int, err error) {
	doing := "prune run " + id
	number, err := l.w.Number(ctx, id)
	if err != nil {
		return 0, l.w.Wrap(doing, err)
	}
	if err := l.w.RemoveInParts(ctx, "staged", "place", number); err != nil {
		return 0, l.w.Wrap(doing, err)
	}
	for bundle := int64(0); ; {
		began := time.Now()
		p := Step{Run: number, At: l.w.Now(), bundle: bundle}
		if err := l.w.Do(ctx, true, p.Step); err != nil {
			if errors.Is(err, ErrOpen) {
				return removed, fmt.Errorf("%s: %w", doing, err)
			}
			return removed, l.w.Wrap(doing, err)
		}
		bundle, removed = p.bundle, removed+p.Removed
		if p.done {
			return removed, nil
		}
		if err := handle.Rest(ctx, time.Since(began)); err != nil {
			return removed, err
		}
	}
}

// Step is one part of a run's pruning.
type Step struct {
	Run     int64
	At      time.Time
	bundle  int64 // the first of its bundles still to be pruned; an interrupted prune starts with the first again
	Removed int
	done    bool
}

// The records after $2 up to $3 that may be removed. A record that a person decided about is kept whole, with the
// decision, and so is one with an open conflict.
const prunable = ` from records where run_no = $1 and seq > $2 and seq <= $3 and state not in ('sending', 'in_doubt')
	and not exists (select 1 from decisions d where d.run_no = records.run_no and d.seq = records.seq)
	and not exists (select 1 from conflicts c where c.decision = '' and c.run_no = records.run_no and c.seq = records.seq)`

func (p *Step) Step(tx *handle.Tx) error {
	var phase model.Phase
	var prunedAt, from *int64
	var stored []byte
	if err := tx.One(`select phase, pruned_at, prune_seq, removed from runs where number = $1`, []any{p.Run}, &phase, &prunedAt, &from, &stored); err != nil {
		return err
	}
	switch {
	case phase != model.Finished && phase != model.Stopped:
		return fmt.Errorf("it is %s: %w", phase, ErrOpen)
	case prunedAt != nil && from == nil:
		p.done = true
		return nil
	case from == nil:
		from = new(int64)
	}
	var doubts int
	if err := tx.One(`select count(*) from records where +run_no = $1 and state in ('sending', 'in_doubt') and sent_at is not null`, []any{p.Run}, &doubts); err != nil {
		return err
	}
	if doubts > 0 {
		return fmt.Errorf("%d of its records are in doubt: %w", doubts, ErrOpen)
	}
	if prunedAt == nil {
		if err := evidence.NotePruning(tx, p.Run); err != nil {
			return err
		}
	}
	var to *int64
	if err := tx.One(fmt.Sprintf(`select max(seq) from (select seq from records where run_no = $1 and seq > $2 order by seq limit %d) as p`, Chunk),
		[]any{p.Run, *from}, &to); err != nil {
		return err
	}
	if to != nil {
		if err := p.records(tx, *from, *to, &stored); err != nil {
			return err
		}
	} else if left, err := p.unchanged(tx, &stored); err != nil {
		return err
	} else if left {
		to = from
	} else if p.bundle, err = pruneBundles(tx, p.Run, p.bundle); err != nil {
		return err
	} else if p.bundle > 0 {
		to = from
	} else {
		p.done = true
	}
	if _, err := tx.Exec(`update runs set pruned_at = coalesce(pruned_at, $2), prune_seq = $3, removed = $4 where number = $1`,
		p.Run, p.At.UnixMicro(), to, store.Raw(stored)); err != nil || !p.done {
		return err
	}
	return errors.Join(tx.DropAnswer(p.Run), evidence.NotePruned(tx, p.Run))
}

// records prunes the records of one part, and counts those that are removed.
func (p *Step) records(tx *handle.Tx, from, to int64, stored *[]byte) error {
	args := []any{p.Run, from, to}
	gone, err := store.All(tx.Query, history.ScanCount, `select action, state, count(*)`+prunable+` and sent_at is null group by action, state`, args...)
	if err != nil {
		return err
	}
	if err := p.count(gone, stored); err != nil {
		return err
	}
	return tx.ExecAll(args,
		`delete`+prunable+` and sent_at is null`,
		`delete from attempts where run_no = $1 and seq > $2 and seq <= $3 and seq in (select seq`+prunable+`)`,
		`update records set payload = null, body = null, previous = null, notes = null, read_back = '', entries = null, source_rows = '[]', bundle = null, took_us = null
			where run_no = $1 and seq > $2 and seq <= $3 and seq in (select seq`+prunable+`)`)
}

// unchanged removes a part of the unremarkable records, and counts them. left says whether there are more.
func (p *Step) unchanged(tx *handle.Tx, stored *[]byte) (left bool, err error) {
	records, left, err := unchanged.Remove(tx.Tx, p.Run)
	if err != nil || len(records) == 0 {
		return left, err
	}
	var gone []model.Count
	for action, n := range records {
		r := unchanged.Record{Action: action}
		gone = append(gone, model.Count{Action: history.ActionOf(r), State: history.StateOf(r), N: n})
	}
	return left, p.count(gone, stored)
}

// count adds to the number of records that are removed.
func (p *Step) count(gone []model.Count, stored *[]byte) (err error) {
	var before []model.Count
	if err := store.Unlisted(*stored, &before); err != nil {
		return err
	}
	for _, c := range gone {
		p.Removed += c.N
	}
	*stored, err = json.Marshal(history.AddCounts(before, gone))
	return err
}

// RemoveRun removes a run and its records. Only a run that has sent nothing may be removed: a plan, a check, or a push
// that never got beyond reading. It works in parts; the next removal finishes one that was interrupted.
func (l *Writer) RemoveRun(ctx context.Context, id string) error {
	doing := "remove run " + id
	run, err := l.history.Run(ctx, id)
	if err != nil {
		return err
	}
	if run.Kind == model.Push && run.Phase != model.Reading {
		return fmt.Errorf("%s: it may have sent something (it is %s), so it is kept", doing, run.Phase)
	}
	number, err := l.w.Number(ctx, run.ID)
	if err != nil {
		return l.w.Wrap(doing, err)
	}
	least, most := bundle.NumbersOf(number)
	err = l.w.RemoveInParts(ctx, "staged", "place", number)
	if err == nil {
		err = l.w.RemoveInParts(ctx, "records", "seq", number)
	}
	if err == nil {
		err = l.w.InParts(ctx, func(tx *handle.Tx) (left bool, err error) {
			removed, err := tx.Exec(`delete from bundles where number in (select number from bundles where number >= $1 and number <= $2 order by number limit $3)`, least, most, handle.Part/bundle.Size)
			return removed > 0, err
		})
	}
	if err == nil {
		err = l.w.InParts(ctx, func(tx *handle.Tx) (left bool, err error) {
			_, left, err = unchanged.Remove(tx.Tx, number)
			return left, err
		})
	}
	if err == nil {
		err = l.w.Do(ctx, true, func(tx *handle.Tx) error {
			if err := evidence.RemoveEvidence(tx, number); err != nil {
				return err
			}
			_, err := tx.Exec(`delete from runs where number = $1`, number)
			return err
		})
	}
	if err == nil {
		l.w.Numbers.Delete(run.ID)
	}
	return l.w.Wrap(doing, err)
}

// selectPrunable selects the bundles of a run and of those before it. It reads the content of those from which
// something may have to be removed: all of the run's, and of runs pruned earlier those that hold what was known then
// and no longer is.
const selectPrunable = `select b.number, case when b.number >= $2 or b.records > (select count(*) from known k where k.bundle = b.number)
		and exists (select 1 from runs r where r.number = b.number >> 32 and r.pruned_at is not null and r.prune_seq is null) then b.content end
	from bundles b where b.number >= $1 and b.number <= $3 order by b.number limit $4`

// pruneBundles removes from bundles, starting at a number, what nothing refers to any more: everything except the
// payloads that are known, and records that a prune has left whole. next is where to continue, 0 when all are done.
func pruneBundles(tx *handle.Tx, run, from int64) (next int64, err error) {
	least, most := bundle.NumbersOf(run)
	type stored struct {
		number int64
		text   []byte
	}
	list, err := store.All(tx.Query, store.Into(func(s *stored) []any { return []any{&s.number, &s.text} }), selectPrunable, from, least, most, prunedBundles)
	for _, s := range list {
		if next = s.number + 1; s.text == nil {
			continue
		}
		if err := bundle.Prune(tx, s.number, s.text); err != nil {
			return 0, err
		}
		if of := s.number >> 32; of != run {
			if err := evidence.NoteBundles(tx, of, map[int64]bool{s.number: true}); err != nil {
				return 0, err
			}
		}
	}
	return next, err
}

// prunedBundles is how many bundles one transaction of a prune goes through.
const prunedBundles = Chunk / bundle.Size
