package ledger

import (
	"context"
	"fmt"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// Recover settles what a run that died left in sending: it plans again what is repeatable and leaves the rest in doubt.
// If the run died while pushing, repeatable records that are still planned may have been sent too, since they need no
// intent, and count as sent; again does not include them. Recover must not be called while the run is being pushed; the
// caller must hold its lock. Nodes push parts without that lock: Recover asks for these back, and waits until they are
// given back or their leases have ended.
func (l *Ledger) Recover(ctx context.Context, run string) (again, doubt int, err error) {
	doing := "recover run " + run
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return 0, 0, l.h.Wrap(doing, err)
	}
	err = l.whenVacant(ctx, number, func(tx *transaction) (err error) {
		again, doubt, err = tx.recover(number, 0, all, l.w.Now().UnixMicro())
		return err
	})
	if err == nil {
		l.pushes.lapse(number)
		// In parts: if this is interrupted, the run is still pushing, and the next Recover does the rest.
		at := l.w.Now().UnixMicro()
		note := func(tx *transaction, after, until int64) error {
			return evidence.NoteMove(tx.Tx, number, evidence.MoveInterrupted, Planned, after, until, at)
		}
		_, err = l.inParts(ctx, number, note, `state = 'planned' and repeatable and sent_at is null and exists (select 1 from runs where number = $1 and phase = 'pushing')`,
			`sent_at = cast($4 as bigint), message = $5`, at, evidence.Interrupted)
	}
	if err != nil {
		return 0, 0, l.h.Wrap(doing, err)
	}
	return again, doubt, nil
}

// recover settles what was left in sending in a range of a run. The state is tested twice so that the index over the
// few unsure records is used; the run's number has a plus sign so that the index over all records is not.
func (tx *transaction) recover(number, first, last, now int64) (again, doubt int, err error) {
	const mine = ` where +run_no = $1 and +seq >= $2 and +seq <= $3 and state in ('sending', 'in_doubt') and sent_at is not null and state = 'sending'`
	if err := tx.One(`select coalesce(sum(case when repeatable then 1 else 0 end), 0), coalesce(sum(case when repeatable then 0 else 1 end), 0)
		from records`+mine, []any{number, first, last}, &again, &doubt); err != nil {
		return 0, 0, err
	}
	if err := evidence.NoteMove(tx.Tx, number, evidence.MoveRecover, Sending, max(first-1, 0), upTo(last), now); err != nil {
		return 0, 0, err
	}
	_, err = tx.Exec(`update records set
		state = case when repeatable then 'planned' else 'in_doubt' end,
		message = case when repeatable then message else $4 end,
		settled_at = case when repeatable then null else cast($5 as bigint) end`+mine, number, first, last, evidence.CutOff, now)
	return again, doubt, err
}

// upTo returns the last seq of a range as evidence stores it: 0 for the end of the run.
func upTo(last int64) int64 {
	if last == all {
		return 0
	}
	return last
}

// Hold sets everything that is still planned in a run to held and returns how many records that were.
func (l *Ledger) Hold(ctx context.Context, run string) (int, error) {
	n, err := l.move(ctx, run, Planned, Held, l.w.Now().UnixMicro())
	return n, l.h.Wrap("hold what is left of run "+run, err)
}

// Release sets the records of a run that are in the given states, held or failed, back to planned and returns how many
// those were. A failed record that was never sent only echoed the doubt about another request, so only a new plan may
// take it up.
func (l *Ledger) Release(ctx context.Context, run string, states ...State) (total int, err error) {
	for _, state := range states {
		n, err := l.move(ctx, run, state, Planned, 0)
		total += n
		if err != nil {
			return total, l.h.Wrap("release what was held of run "+run, err)
		}
	}
	return total, nil
}

// HoldRefused sets refused records of a run back to held, so that they are sent again with the rest. It is for refusals
// that say nothing about the records. It ignores those of seqs that were not refused. A process that sends a part of
// the run passes that part: the change then relies on no lock, and fails with ErrTakenOver if another process has the
// part. For a whole run part is nil.
func (l *Ledger) HoldRefused(ctx context.Context, run string, part *Shard, seqs []int64) error {
	doing := "hold what was refused of run " + run
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return l.h.Wrap(doing, err)
	}
	h, under := l.pushes.wholeOf(number), store.Locks(nil)
	if part != nil {
		h, under = part.commitsWith, store.NoLocks
	}
	err = l.doUnder(ctx, under, false, func(tx *transaction) error {
		if err := tx.stillHad(number, h); err != nil {
			return err
		}
		for _, seq := range seqs {
			if _, err := tx.Exec(`update records set state = 'held', reasons = null where run_no = $1 and seq = $2 and state = 'refused'`, number, seq); err != nil {
				return err
			}
			if err := evidence.NoteMove(tx.Tx, number, evidence.MoveRefused, Refused, seq-1, seq, 0); err != nil {
				return err
			}
		}
		return nil
	})
	return l.h.Wrap(doing, err)
}

// SentInDoubt counts the records of a run that were sent and are in doubt. It leaves out those that only echo another
// doubt.
func (l *Reader) SentInDoubt(ctx context.Context, run string) (n int, err error) {
	number, err := l.h.Number(ctx, run)
	if err == nil {
		err = l.h.Read.QueryRowContext(ctx, `select count(*) from records where +run_no = $1 and state in ('sending', 'in_doubt') and sent_at is not null and state = 'in_doubt'`, number).Scan(&n)
	}
	return n, l.h.Wrap("count what is in doubt of run "+run, err)
}

// move takes all records of a run from one state to another, in parts.
func (l *Ledger) move(ctx context.Context, run string, from, to State, settled int64) (total int, err error) {
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return 0, err
	}
	which := fmt.Sprintf(`state = '%s'`, from)
	switch from {
	case Failed:
		which += ` and sent_at is not null`
	case Held: // held by the push; what the plan itself holds back has not been settled
		which += ` and settled_at is not null`
	}
	how, at := evidence.MoveHold, any(settled)
	if to == Planned {
		how, at = evidence.MoveRelease, nil
	}
	note := func(tx *transaction, after, until int64) error {
		return evidence.NoteMove(tx.Tx, number, how, from, after, until, settled)
	}
	return l.inParts(ctx, number, note, which, fmt.Sprintf(`state = '%s', settled_at = cast($4 as bigint)`, to), at)
}

// inParts changes the records of a run that satisfy a condition, a part of them in each transaction, and returns how
// many those were. $1 is the run's number, and args begin at $4. note records each part, after one seq and up to
// another.
func (l *Ledger) inParts(ctx context.Context, number int64, note func(tx *transaction, after, until int64) error, which, set string, args ...any) (total int, err error) {
	next := fmt.Sprintf(`select max(seq) from (select seq from records where run_no = $1 and %s and seq > $2 order by seq limit %d) as p`, which, handle.Part)
	change := fmt.Sprintf(`update records set %s where run_no = $1 and %s and seq > $2 and seq <= $3`, set, which)
	for after := int64(0); ; {
		var last *int64
		var moved int64
		err := l.patiently(ctx, func() error {
			return l.do(ctx, false, func(tx *transaction) (err error) {
				if err := tx.stillOurs(number); err != nil {
					return err
				}
				if err := tx.One(next, []any{number, after}, &last); err != nil || last == nil {
					return err
				}
				if moved, err = tx.Exec(change, append([]any{number, after, *last}, args...)...); err != nil {
					return err
				}
				return note(tx, after, *last)
			})
		})
		total += int(moved)
		if err != nil || last == nil {
			return total, err
		}
		after = *last
	}
}
