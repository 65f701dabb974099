package handle

import (
	"context"
	"fmt"
	"time"
)

// Rest leaves the database to others for a while: who waits in another process only looks now and then whether it is free.
func Rest(ctx context.Context, d time.Duration) error {
	over, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// Part is how many rows a long change touches in one transaction, so that others get their turn and the log stays small.
const Part = 5000

// RemoveInParts deletes the rows of a run from a table whose primary key is the run and one more column.
func (l *Writer) RemoveInParts(ctx context.Context, table, column string, run int64) error {
	text := fmt.Sprintf(`delete from %[1]s where run_no = $1 and %[2]s <= (
		select max(%[2]s) from (select %[2]s from %[1]s where run_no = $1 order by %[2]s limit %[3]d) as p)`, table, column, Part)
	for {
		var removed int64
		err := l.Do(ctx, true, func(tx *Tx) (err error) {
			removed, err = tx.Exec(text, run)
			return err
		})
		if err != nil || removed < Part {
			return err
		}
	}
}
