package plan

import (
	"context"
	"maps"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

// lookedUp is a batch with what is known of its keys.
type lookedUp struct {
	*rows.Batch
	known map[string]ledger.LastAccepted
	moved map[string]bool // keys whose updates name another record of the service than before
}

// holds returns what is known of a record, or nil if nothing is.
func (l *lookedUp) holds(m *rows.Record) *ledger.LastAccepted {
	if k, ok := l.known[m.Key]; ok && m.Key != "" {
		return &k
	}
	return nil
}

// lookUp finds out what is known of batches while others are mapped and written. If a record is the same as the
// accepted one, only its digest is read; if it is the same as in the last run, nothing is.
func (p *planner) lookUp(ctx context.Context, batches <-chan *rows.Batch, looked chan<- lookedUp) error {
	for batch := range batches {
		if err := p.leaveOutForgotten(ctx, batch); err != nil {
			return err
		}
		if err := p.holdToMarks(ctx, batch); err != nil {
			return err
		}
		var looking, unlike []*decide.Mapped
		var keys, fresh, differ []string
		for n := range batch.Records {
			if m := &batch.Records[n]; m.Key != "" && !m.Same.Found() {
				looking, keys = append(looking, &m.Mapped), append(keys, m.Key)
			}
		}
		known, err := p.Book.KnownBriefly(ctx, p.Run.Scope, keys)
		if err != nil {
			return err
		}
		for _, m := range looking {
			k, ok := known[m.Key]
			switch {
			case !ok:
				fresh, unlike = append(fresh, m.Key), append(unlike, m)
			case k.Digest != m.Digest || k.Unsettled:
				differ, unlike = append(differ, m.Key), append(unlike, m)
			}
		}
		if p.forgets {
			if err := p.doubtForgotten(ctx, batch, fresh); err != nil {
				return err
			}
		}
		whole, err := p.Book.Known(ctx, p.Run.Scope, differ)
		if err != nil {
			return err
		}
		maps.Copy(known, whole)
		moved, err := p.recall.ByIDs(ctx, looking, known)
		if err != nil {
			return err
		}
		if err := p.recall.Verdicts(ctx, unlike, known); err != nil {
			return err
		}
		if err := p.contest(ctx, unlike, known); err != nil {
			return err
		}
		if err := send(ctx, looked, lookedUp{batch, known, moved}); err != nil {
			return err
		}
	}
	return nil
}

// contest counts and notes the updates that are the same as in the last export, but for which another job of the
// configuration has sent something else since. Either the two jobs would overwrite each other every night, or this
// export is older. A job that has another scope by now does not count: it no longer sends anything here.
func (p *planner) contest(ctx context.Context, records []*decide.Mapped, known map[string]ledger.LastAccepted) error {
	for _, m := range records {
		k := known[m.Key]
		if p.Last == nil || m.Operation.Creates() || k.Run == "" || k.Digest == m.Digest {
			continue
		}
		job, err := p.recall.job(ctx, k.Run)
		if err != nil {
			return err
		}
		if job == p.Run.Job || !slices.Contains(p.Jobs, job) {
			continue
		}
		here, asked := p.sharers[job]
		if !asked {
			newest, err := p.Book.Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
			if err != nil {
				return err
			}
			if p.sharers == nil {
				p.sharers = map[string]bool{}
			}
			here = len(newest) > 0 && newest[0].Scope == p.Run.Scope
			p.sharers[job] = here
		}
		if !here {
			continue
		}
		r, there, err := p.find(ctx, p.Last.ID, m.Key)
		if err != nil {
			return err
		}
		if there && r.Digest == m.Digest && (r.State == ledger.Accepted || r.State == ledger.Unchanged) {
			if p.contested == nil {
				p.contested = map[string]int{}
			}
			p.contested[job]++
			m.Notes = append(m.Notes, ledger.Reason{Value: m.Key}.Says(reason.New(reason.Overwrites)))
		}
	}
	return nil
}

// leaveOutForgotten removes the forgotten records from a batch: they are never sent again, and nothing of them may be
// kept. Their rows are counted as skipped.
func (p *planner) leaveOutForgotten(ctx context.Context, batch *rows.Batch) error {
	if !p.forgets {
		return nil
	}
	var keys []string
	ids := map[string]string{}
	for _, m := range batch.Records {
		if m.Key == "" || m.Same.Found() { // nothing that is in the last run is forgotten
			continue
		}
		keys = append(keys, m.Key)
		if id := payload.ID(m.Payload); id != "" {
			ids[m.Key] = id
		}
	}
	forgotten, err := p.Book.Forgotten(ctx, p.Run.Scope, keys, ids)
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

// doubtForgotten rejects or notes the new records whose keys are spelled like a forgotten one, because another spelling
// of a forgotten client's key would create the client again.
func (p *planner) doubtForgotten(ctx context.Context, batch *rows.Batch, fresh []string) error {
	alike, say, rejects, err := LikeForgotten(ctx, p.Book.Reader, p.Walk.Mapping, fresh)
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

// LikeForgotten returns those of some unknown keys of a mapping's scope that are spelled like a forgotten one. say
// returns the reason for a key and its row. rejects says whether the reason rejects the record or is a note, as for
// keys that differ only in spelling.
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
