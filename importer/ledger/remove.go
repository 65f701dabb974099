package ledger

import (
	"context"
	"fmt"
)

// part is how many rows a long change touches in one transaction, so that others get their turn and the log stays small.
const part = 5000

// RemoveRun forgets a run and its records. Only what has sent nothing may be forgotten: plans and checks, and a push
// that never got beyond reading. It goes in parts; a removal that was cut off is finished by the next.
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
	if err := l.removeUnchanged(ctx, number); err != nil {
		return l.wrap(doing, err)
	}
	err = l.do(ctx, true, func(tx *transaction) error {
		_, err := tx.Exec(`delete from runs where number = $1`, number)
		return err
	})
	if err == nil {
		l.numbers.Delete(run.ID)
	}
	return l.wrap(doing, err)
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
