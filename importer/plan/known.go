package plan

import (
	"context"
	"maps"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

// Recall adds to what is known of keys why they may not be sent: what the service refused and is not to be asked again yet, and
// what may have been created under another key.
func Recall(ctx context.Context, book *ledger.Reader, p decide.Policy, scope string, keys []string, known map[string]ledger.LastAccepted, at time.Time) error {
	renamed, err := book.Renames(ctx, scope, keys)
	for key, list := range renamed {
		list = slices.DeleteFunc(list, func(r ledger.Rename) bool { return r.Decision != "" })
		k := known[key]
		k.Renames = list
		known[key] = k
	}
	if err != nil || p.RetryRefused == 0 {
		return err
	}
	refusals, err := book.Refusals(ctx, scope, keys)
	for key, refusal := range refusals {
		if p.RetryRefused < 0 || at.Before(refusal.At.Add(p.RetryRefused)) {
			k := known[key]
			k.Refused = &refusal
			known[key] = k
		}
	}
	return err
}

// lookedUp is a batch with what is known of its keys.
type lookedUp struct {
	*rows.Batch
	known map[string]ledger.LastAccepted
}

// holds is what is known of a record, nil for nothing.
func (l *lookedUp) holds(m *rows.Record) *ledger.LastAccepted {
	if k, ok := l.known[m.Key]; ok && m.Key != "" {
		return &k
	}
	return nil
}

// lookUp finds out what is known of batches, while others are being mapped and written. Of a record that is the same as the one
// that was accepted no more is read than its digest, and nothing of one that is the same as in the last run.
func (p *planner) lookUp(ctx context.Context, batches <-chan *rows.Batch, looked chan<- lookedUp) error {
	anything, err := p.knowsAnything(ctx)
	if err != nil {
		return err
	}
	for batch := range batches {
		if err := p.leaveOutForgotten(ctx, batch); err != nil {
			return err
		}
		if err := p.holdToMarks(ctx, batch); err != nil {
			return err
		}
		var keys []string
		for n := range batch.Records {
			if m := &batch.Records[n]; m.Key != "" && !m.Same.Found() {
				keys = append(keys, m.Key)
			}
		}
		known, err := p.book.KnownBriefly(ctx, p.run.Scope, keys)
		if err != nil {
			return err
		}
		var fresh, differ []string
		for n := range batch.Records {
			m := &batch.Records[n]
			k, ok := known[m.Key]
			switch {
			case m.Same.Found() || m.Key == "":
			case !ok:
				fresh = append(fresh, m.Key)
			case k.Digest != m.Digest || k.Unsettled:
				differ = append(differ, m.Key)
			}
		}
		if p.forgets {
			if err := p.doubtForgotten(ctx, batch, fresh); err != nil {
				return err
			}
		}
		whole, err := p.book.Known(ctx, p.run.Scope, differ)
		if err != nil {
			return err
		}
		maps.Copy(known, whole)
		if anything && len(fresh) > 0 {
			if err := p.underFormerKeys(ctx, batch, known); err != nil {
				return err
			}
		}
		if err := Recall(ctx, p.book.Reader, p.policy, p.run.Scope, append(fresh, differ...), known, p.run.Started); err != nil {
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

// knowsAnything tells whether anything is known of the scope, as it is not before a migration.
func (p *planner) knowsAnything(ctx context.Context) (bool, error) {
	for _, err := range p.book.Keys(ctx, p.run.Scope) {
		return err == nil, err
	}
	return false, nil
}

// underFormerKeys has an update that may create something, and of whose key nothing is known, go by what was accepted of its id under another key: the
// id says which mark it is, whatever the firm calls it now.
func (p *planner) underFormerKeys(ctx context.Context, batch *rows.Batch, known map[string]ledger.LastAccepted) error {
	of := map[string]string{} // keys by ids
	var ids []string
	for n := range batch.Records {
		m := &batch.Records[n]
		if _, is := known[m.Key]; is || m.Same.Found() || m.Key == "" || m.Operation.Creates() || len(m.Payload) == 0 {
			continue
		}
		if out, err := payload.Encoded(m.Operation, m.Payload); err == nil && out.Creates() != (payload.Creation{}) {
			of[out.ID] = m.Key
			ids = append(ids, out.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	holders, err := p.book.Holders(ctx, ids)
	if err != nil {
		return err
	}
	for id, list := range holders {
		for _, former := range list {
			if former.Scope != p.run.Scope {
				continue
			}
			held, err := p.book.Known(ctx, p.run.Scope, []string{former.Key})
			if err != nil {
				return err
			}
			k, is := held[former.Key]
			if !is || payload.ID(k.Payload) != id {
				continue
			}
			// Of several keys the newest says what the service holds; that it holds just that is then too much to rely on.
			if other, twice := known[of[id]]; twice {
				if other.AcceptedAt.After(k.AcceptedAt) {
					k = other
				}
				k.Unsettled = true
			}
			known[of[id]] = k
		}
	}
	return nil
}

// leaveOutForgotten takes the records out of a batch that were forgotten: they are never sent again, and nothing of them is to be kept. Their rows
// are accounted for as skipped.
func (p *planner) leaveOutForgotten(ctx context.Context, batch *rows.Batch) error {
	if !p.forgets {
		return nil
	}
	var keys []string
	ids := map[string]string{}
	for _, m := range batch.Records {
		if m.Key == "" || m.Same.Found() { // nothing that stands in the last run is forgotten
			continue
		}
		keys = append(keys, m.Key)
		if id := payload.ID(m.Payload); id != "" {
			ids[m.Key] = id
		}
	}
	forgotten, err := p.book.Forgotten(ctx, p.run.Scope, keys, ids)
	if err != nil || len(forgotten) == 0 {
		return err
	}
	batch.Records = slices.DeleteFunc(batch.Records, func(m rows.Record) bool {
		if forgotten[m.Key] {
			p.forgotten += len(m.Rows)
		}
		return forgotten[m.Key]
	})
	return nil
}

// doubtForgotten says of records that nothing is known of when their keys are spelled like one that was forgotten: what spells the key of
// a forgotten client in another way would be created once more.
func (p *planner) doubtForgotten(ctx context.Context, batch *rows.Batch, fresh []string) error {
	alike, say, rejects, err := LikeForgotten(ctx, p.book.Reader, p.mapping, fresh)
	if err != nil || len(alike) == 0 {
		return err
	}
	for n := range batch.Records {
		m := &batch.Records[n]
		if !alike[m.Key] {
			continue
		}
		said := say(m.Key, m.Rows[0].Number)
		if rejects {
			m.Reasons = append(m.Reasons, said)
		} else {
			m.Notes = append(m.Notes, said)
		}
	}
	return nil
}

// LikeForgotten finds those of some keys of a mapping's scope, of which nothing is known, that are spelled like one that was forgotten, and what is
// said of each, by its key and row; it rejects or notes as the check of keys that differ only in spelling does.
func LikeForgotten(ctx context.Context, book *ledger.Reader, m *mapping.Mapping, keys []string) (alike map[string]bool, say func(key string, row int) ledger.Reason, rejects bool, err error) {
	comparison, rejects, on := m.Comparison(reason.Twin)
	if !on || len(keys) == 0 {
		return nil, nil, false, nil
	}
	alike, err = book.ForgottenAlike(ctx, m.Scope(), keys)
	return alike, func(key string, row int) ledger.Reason {
		why := reason.New(reason.TwinForgot, key)
		if rejects {
			why = why.And(reason.OrOther)
		}
		return ledger.Reason{Field: comparison.Field, Value: key, Row: row}.Says(why)
	}, rejects, err
}
