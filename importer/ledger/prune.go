package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// pruneChunk is how many records one transaction of a prune goes through, so that a push that waits behind it waits for
// some hundredths of a second.
const pruneChunk = 2000

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
func (l *Ledger) Prune(ctx context.Context, id string) (removed int, err error) {
	doing := "prune run " + id
	number, err := l.number(ctx, id)
	if err != nil {
		return 0, l.wrap(doing, err)
	}
	if err := l.removeInParts(ctx, "staged", "place", number); err != nil {
		return 0, l.wrap(doing, err)
	}
	for bundle := int64(0); ; {
		began := time.Now()
		p := prune{run: number, at: l.now(), bundle: bundle}
		if err := l.do(ctx, true, p.step); err != nil {
			if errors.Is(err, ErrOpen) {
				return removed, fmt.Errorf("%s: %w", doing, err)
			}
			return removed, l.wrap(doing, err)
		}
		bundle, removed = p.bundle, removed+p.removed
		if p.done {
			return removed, nil
		}
		if err := rest(ctx, time.Since(began)); err != nil {
			return removed, err
		}
	}
}

// rest leaves the database to others for a while: who waits in another process only looks now and then whether it is free.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prune is one part of a run's pruning.
type prune struct {
	run     int64
	at      time.Time
	bundle  int64 // from which its bundles are still to be pruned; one that was interrupted begins with them anew
	removed int
	done    bool
}

// The records from $2 to $3 that may go. One that a person decided about is kept whole, with the decision, and so is one of which a
// conflict is open.
const prunable = ` from records where run_no = $1 and seq > $2 and seq <= $3 and state not in ('sending', 'in_doubt')
	and not exists (select 1 from decisions d where d.run_no = records.run_no and d.seq = records.seq)
	and not exists (select 1 from conflicts c where c.decision = '' and c.run_no = records.run_no and c.seq = records.seq)`

func (p *prune) step(tx *transaction) error {
	var phase Phase
	var prunedAt, from *int64
	var stored []byte
	if err := tx.One(`select phase, pruned_at, prune_seq, removed from runs where number = $1`, []any{p.run}, &phase, &prunedAt, &from, &stored); err != nil {
		return err
	}
	switch {
	case phase != Finished && phase != Stopped:
		return fmt.Errorf("it is %s: %w", phase, ErrOpen)
	case prunedAt != nil && from == nil:
		p.done = true
		return nil
	case from == nil:
		from = new(int64)
	}
	var doubts int
	if err := tx.One(`select count(*) from records where +run_no = $1 and state in ('sending', 'in_doubt') and sent_at is not null`, []any{p.run}, &doubts); err != nil {
		return err
	}
	if doubts > 0 {
		return fmt.Errorf("%d of its records are in doubt: %w", doubts, ErrOpen)
	}
	if prunedAt == nil {
		if err := tx.notePruning(p.run); err != nil {
			return err
		}
	}
	var to *int64
	if err := tx.One(fmt.Sprintf(`select max(seq) from (select seq from records where run_no = $1 and seq > $2 order by seq limit %d) as p`, pruneChunk),
		[]any{p.run, *from}, &to); err != nil {
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
	} else if p.bundle, err = tx.pruneBundles(p.run, p.bundle); err != nil {
		return err
	} else if p.bundle > 0 {
		to = from
	} else {
		p.done = true
	}
	if _, err := tx.Exec(`update runs set pruned_at = coalesce(pruned_at, $2), prune_seq = $3, removed = $4 where number = $1`,
		p.run, p.at.UnixMicro(), to, store.Raw(stored)); err != nil || !p.done {
		return err
	}
	return errors.Join(tx.dropAnswer(p.run), tx.notePruned(p.run))
}

// records prunes the records of one part, and counts those that go.
func (p *prune) records(tx *transaction, from, to int64, stored *[]byte) error {
	args := []any{p.run, from, to}
	rows, err := tx.Query(`select action, state, count(*)`+prunable+` and sent_at is null group by action, state`, args...)
	if err != nil {
		return err
	}
	gone, err := store.Collect(rows, scanCount)
	if err != nil {
		return err
	}
	if err := p.count(gone, stored); err != nil {
		return err
	}
	for _, text := range []string{
		`delete` + prunable + ` and sent_at is null`,
		`delete from attempts where run_no = $1 and seq > $2 and seq <= $3 and seq in (select seq` + prunable + `)`,
		`update records set payload = null, body = null, previous = null, notes = null, read_back = '', entries = null, source_rows = '[]', bundle = null, took_us = null
			where run_no = $1 and seq > $2 and seq <= $3 and seq in (select seq` + prunable + `)`,
	} {
		if _, err := tx.Exec(text, args...); err != nil {
			return err
		}
	}
	return nil
}

// unchanged removes a part of the unremarkable records, and counts them. left tells whether there are more.
func (p *prune) unchanged(tx *transaction, stored *[]byte) (left bool, err error) {
	records, left, err := unchanged.Remove(tx.Tx, p.run)
	if err != nil || len(records) == 0 {
		return left, err
	}
	var gone []Count
	for action, n := range records {
		r := unchanged.Record{Action: action}
		gone = append(gone, Count{Action: actionOf(r), State: stateOf(r), N: n})
	}
	return left, p.count(gone, stored)
}

// count adds to the number of records that are gone.
func (p *prune) count(gone []Count, stored *[]byte) (err error) {
	var before []Count
	if err := store.Unlisted(*stored, &before); err != nil {
		return err
	}
	for _, c := range gone {
		p.removed += c.N
	}
	*stored, err = json.Marshal(addCounts(before, gone))
	return err
}

// part is how many rows a long change touches in one transaction, so that others get their turn and the log stays small.
const part = 5000

// RemoveRun forgets a run and its records. Only what has sent nothing may be forgotten: plans and checks, and a push
// that never got beyond reading. It goes in parts; a removal that was interrupted is finished by the next.
func (l *Ledger) RemoveRun(ctx context.Context, id string) error {
	doing := "remove run " + id
	run, err := l.Run(ctx, id)
	if err != nil {
		return err
	}
	if run.Kind == Push && run.Phase != Reading {
		return fmt.Errorf("%s: it may have sent something (it is %s), so it is kept", doing, run.Phase)
	}
	number, err := l.number(ctx, run.ID)
	if err != nil {
		return l.wrap(doing, err)
	}
	if err := l.removeInParts(ctx, "staged", "place", number); err != nil {
		return l.wrap(doing, err)
	}
	if err := l.removeInParts(ctx, "records", "seq", number); err != nil {
		return l.wrap(doing, err)
	}
	if err := l.removeBundles(ctx, number); err != nil {
		return l.wrap(doing, err)
	}
	if err := l.removeUnchanged(ctx, number); err != nil {
		return l.wrap(doing, err)
	}
	err = l.do(ctx, true, func(tx *transaction) error {
		if err := tx.removeEvidence(number); err != nil {
			return err
		}
		_, err := tx.Exec(`delete from runs where number = $1`, number)
		return err
	})
	if err == nil {
		l.numbers.Delete(run.ID)
	}
	return l.wrap(doing, err)
}

// removeBundles deletes what the records of a run held.
func (l *Ledger) removeBundles(ctx context.Context, run int64) error {
	least, most := bundlesOf(run)
	for {
		var removed int64
		err := l.do(ctx, true, func(tx *transaction) (err error) {
			removed, err = tx.Exec(`delete from bundles where number in (select number from bundles where number >= $1 and number <= $2 order by number limit $3)`, least, most, part/bundleSize)
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}

// removeInParts deletes the rows of a run from a table whose primary key is the run and one more column.
func (l *Ledger) removeInParts(ctx context.Context, table, column string, run int64) error {
	text := fmt.Sprintf(`delete from %[1]s where run_no = $1 and %[2]s <= (
		select max(%[2]s) from (select %[2]s from %[1]s where run_no = $1 order by %[2]s limit %[3]d) as p)`, table, column, part)
	for {
		var removed int64
		err := l.do(ctx, true, func(tx *transaction) (err error) {
			removed, err = tx.Exec(text, run)
			return err
		})
		if err != nil || removed < part {
			return err
		}
	}
}
