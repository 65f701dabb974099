package decisions

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Acknowledged says that somebody knows of a rejected record, or of one that the service holds differently, and accepts
// it as it is. It does not change what is sent.
type Acknowledged struct {
	Scope string    `json:"scope"`
	Key   string    `json:"key"`
	Print string    `json:"print"` // of what was acknowledged, see Record.Print
	Who   string    `json:"who"`
	Note  string    `json:"note,omitempty"`
	At    time.Time `json:"at"`

	model.Stale // what the service holds differently
}

// Acknowledge records that somebody accepts records as they are, until they change. It is on disk when it returns. An
// earlier acknowledgement stays as it was, unless another change of the record was acknowledged, or the service
// accepted the record, since.
func (l *Writer) Acknowledge(ctx context.Context, records []model.Record, who, note string) error {
	if who == "" {
		return fmt.Errorf("acknowledge %d records: the name of the person who does is required", len(records))
	}
	return l.w.Wrap("acknowledge records", l.w.Do(ctx, false, func(tx *handle.Tx) error {
		for _, r := range records {
			print := r.Print()
			if print == "" {
				return fmt.Errorf("record %d needs no acknowledgement, or its row is no longer kept", r.Seq)
			}
			if _, err := tx.Exec(`insert into acknowledged (scope, key, print, who, note, at) values ($1, $2, $3, $4, $5, $6)
				on conflict (scope, key, print) do update set who = excluded.who, note = excluded.note, at = excluded.at
				where acknowledged.print like '`+model.ChangePrint+`%' and (exists (select 1 from acknowledged o where o.scope = excluded.scope
					and o.key = excluded.key and o.print like '`+model.ChangePrint+`%' and o.at > acknowledged.at)
				or exists (select 1 from known k where k.scope = excluded.scope and k.key = excluded.key and k.accepted_at > acknowledged.at))`,
				store.Plain(r.Scope), store.StoredKey(r.Key), print, store.Plain(who), store.Plain(note), l.w.Now().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Withdraw removes the acknowledgements of records.
func (l *Writer) Withdraw(ctx context.Context, records []model.Record) error {
	var list [][]any
	for _, r := range records {
		for _, print := range r.Prints() {
			list = append(list, []any{store.Plain(r.Scope), store.StoredKey(r.Key), print})
		}
	}
	return handle.ExecEach(ctx, l.w, "withdraw acknowledgements", list, func(args []any) []any { return args }, `delete from acknowledged where scope = $1 and key = $2 and print = $3`)
}

// Acknowledgeable yields the records of a run that somebody may acknowledge: first what was rejected, then what the
// service holds differently.
func (l *Reader) Acknowledgeable(ctx context.Context, run string) iter.Seq2[model.Record, error] {
	return l.acknowledgeable(ctx, run, true)
}

// acknowledgeable leaves out changes unless asked for: to find them takes reading all notes on unchanged records.
func (l *Reader) acknowledgeable(ctx context.Context, run string, changes bool) iter.Seq2[model.Record, error] {
	return func(yield func(model.Record, error) bool) {
		for r, err := range l.history.Records(ctx, run, model.RecordFilter{States: []model.State{model.Rejected, model.Refused}}) {
			if !yield(r, err) || err != nil {
				return
			}
		}
		if !changes {
			return
		}
		for r, err := range l.history.Records(ctx, run, model.RecordFilter{States: model.Holding, Remarkable: true}) {
			if (err != nil || r.Stale().Any()) && !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// AcknowledgedIn returns, by seq, which records of a run somebody has acknowledged as they are in it, or nil if there
// are none. It reads the records only if anything of their scope was ever acknowledged. If the service has accepted the
// key again since, what it holds differently is new, even if it is the same as before: somebody may have corrected it
// in between.
func (l *Reader) AcknowledgedIn(ctx context.Context, run model.Run) (map[int64]Acknowledged, error) {
	known := map[[2]string]Acknowledged{}
	list, err := handle.List(ctx, l.h, "read what was acknowledged", store.Into(func(a *Acknowledged) []any {
		return []any{&a.Scope, (*store.Key)(&a.Key), &a.Print, &a.Who, &a.Note, (*store.Time)(&a.At)}
	}), `select scope, key, print, who, note, at from acknowledged a where scope = $1 and not (print like '`+model.ChangePrint+`%' and exists (select 1 from known k
		where k.scope = a.scope and k.key = a.key and k.accepted_at > a.at and k.run_no <= (select number from runs where id = $2)))`, store.Plain(run.Scope), run.ID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	changes := false
	newest := map[string]time.Time{} // of the changes of a key that were acknowledged before the run; what the service holds is the last one
	for _, a := range list {
		known[[2]string{a.Key, a.Print}] = a
		change := strings.HasPrefix(a.Print, model.ChangePrint)
		if change && a.At.Before(run.Started) && a.At.After(newest[a.Key]) {
			newest[a.Key] = a.At
		}
		changes = changes || change
	}
	found := map[int64]Acknowledged{}
	for r, err := range l.acknowledgeable(ctx, run.ID, changes) {
		if err != nil {
			return nil, err
		}
		for _, print := range r.Prints() {
			a, ok := known[[2]string{r.Key, print}]
			if a.Stale = r.Stale(); ok && (!a.Any() || !a.At.Before(newest[r.Key])) {
				found[r.Seq] = a
			}
		}
	}
	return found, nil
}
