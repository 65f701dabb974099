package decisions

import (
	"context"
	"database/sql"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Decision is what a person says about a record in doubt.
type Decision string

// The decisions.
const (
	Exists Decision = "exists" // the service acted on it: it becomes accepted
	Absent Decision = "absent" // the service did not: it becomes failed, and the next run may send it
	Leave  Decision = "leave"  // nobody knows yet: it stays in doubt
)

// Decided is one decision about one record.
type Decided struct {
	Run       string    `json:"run"`
	Seq       int64     `json:"seq"`
	Number    int       `json:"number"` // from 1
	Decision  Decision  `json:"decision"`
	ServiceID string    `json:"service_id,omitempty"`
	Who       string    `json:"who"`
	Note      string    `json:"note,omitempty"`
	At        time.Time `json:"at"`
}

// Decide stores what a person has decided about a record.
func Decide(tx *handle.Tx, p model.Place, decision, id, who, note string, at time.Time) error {
	op := chain.Op{What: chain.Decided, Seq: p.Seq}
	said := []any{decision, store.Plain(id), store.Plain(who), store.Plain(note), at.UnixMicro()}
	if err := tx.One(`insert into decisions (run_no, seq, number, decision, service_id, who, note, decided_at)
		select $1, $2, count(*) + 1, cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as text), cast($7 as bigint)
		from decisions where run_no = $1 and seq = $2 returning number`, append([]any{p.Number, p.Seq}, said...), &op.Count); err != nil {
		return err
	}
	tx.Note(p.Number, op, said...)
	tx.Join(p.Number)
	return nil
}

// Decisions returns what was decided about a record, in order, or nothing if nothing was.
func (l *Reader) Decisions(ctx context.Context, run string, seq int64) ([]Decided, error) {
	return handle.Of(ctx, l.h, "read decisions", run, func(number int64) ([]Decided, error) {
		return store.List(ctx, l.h.Read, func(rows *sql.Rows) (Decided, error) {
			d := Decided{Run: run, Seq: seq}
			err := rows.Scan(&d.Number, &d.Decision, &d.ServiceID, &d.Who, &d.Note, (*store.Time)(&d.At))
			return d, err
		}, `select number, decision, service_id, who, note, decided_at from decisions where run_no = $1 and seq = $2 order by number`, number, seq)
	})
}

// Looked notes that a record in doubt is being looked for in the service, and returns how long ago that was first
// noted. It uses the ledger's clock, because the machine that sent the record may have another clock than the one that
// asks. If the clock was set back, the time starts again.
func (l *Writer) Looked(ctx context.Context, run string, seq int64) (since time.Duration, err error) {
	err = l.w.DoFor(ctx, "note that a record is looked for", run, false, func(tx *handle.Tx, number int64) error {
		return tx.One(l.w.Engine.Dialect().Words.Replace(`insert into looks (run_no, seq, sent_at, at)
			select run_no, seq, coalesce(sent_at, 0), {clock} from records where run_no = $1 and seq = $2
			on conflict (run_no, seq) do update set sent_at = excluded.sent_at,
				at = case when looks.sent_at = excluded.sent_at and looks.at < excluded.at then looks.at else excluded.at end
			returning {clock} - at`), []any{number, seq}, &since)
	})
	return since * time.Microsecond, err
}
