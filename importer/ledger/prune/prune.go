package prune

import (
	"context"
	"database/sql"
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

// Chunk is how many records one transaction of a prune goes through, so that a push that waits behind it waits for
// some hundredths of a second.
const Chunk = 2000

// ErrOpen tells that a run may still be resumed, or has sent what is still in doubt, so that it cannot be pruned.
var ErrOpen = errors.New("the run is not over")

// Prune takes out of the ledger what a run that is over holds and nothing needs any more, and says how many records it removed.
//
// Records that were never sent (unchanged, rejected, held) are removed; their number by action and state stays, so that Tally
// counts them still. Records that were sent stay as a line, which says what became of the key and when, without rows, payloads
// and requests. Left as they are: records in doubt, and those about which a person decided. What is known is a table of its
// own, which Prune does not touch, nor the payloads in bundles that it refers to; and the run itself stays.
//
// So nothing that decides what is sent is lost: doubts and what was sent without an end that could be relied on (LastAccepted.Unsettled)
// are found among the records that stay. A run that is being read, ready or pushed, or has sent what is still in doubt, is
// ErrOpen; so whether a stopped run may still be resumed is for the caller to know.
//
// It needs no lock, because nothing that a push reads is changed, and goes in parts, between which it lets others write. What
// was interrupted is finished by the next call; a call for a run that was pruned removes nothing.
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

// prune is one part of a run's pruning.
type Step struct {
	Run     int64
	At      time.Time
	bundle  int64 // from which its bundles are still to be pruned; one that was interrupted begins with them anew
	Removed int
	done    bool
}

// The records from $2 to $3 that may go. One that a person decided about is kept whole, with the decision, and so is one of which a
// conflict is open.
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

// records prunes the records of one part, and counts those that go.
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

// unchanged removes a part of the unremarkable records, and counts them. left tells whether there are more.
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

// count adds to the number of records that are gone.
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

// RemoveRun forgets a run and its records. Only what has sent nothing may be forgotten: plans and checks, and a push
// that never got beyond reading. It goes in parts; a removal that was interrupted is finished by the next.
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

// selectPrunable goes through the bundles of a run and of those before it. It reads what may have to be taken out of: of the run all
// of them, and of those that were pruned before it the ones that hold what was known then and is not any more.
const selectPrunable = `select b.number, case when b.number >= $2 or b.records > (select count(*) from known k where k.bundle = b.number)
		and exists (select 1 from runs r where r.number = b.number >> 32 and r.pruned_at is not null and r.prune_seq is null) then b.content end
	from bundles b where b.number >= $1 and b.number <= $3 order by b.number limit $4`

// pruneBundles takes out of bundles, from one number on, what nothing refers to any more: all but the payloads that are known, and
// what of its records a prune has left whole. next is where to go on, 0 when all are done.
func pruneBundles(tx *handle.Tx, run, from int64) (next int64, err error) {
	least, most := bundle.NumbersOf(run)
	type stored struct {
		number int64
		text   []byte
	}
	list, err := store.All(tx.Query, func(rows *sql.Rows) (s stored, err error) {
		err = rows.Scan(&s.number, &s.text)
		return s, err
	}, selectPrunable, from, least, most, prunedBundles)
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
