package plan

import (
	"context"
	"fmt"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
)

// codeVanished is the note of a record that is turned inactive because its row is gone.
const codeVanished = "vanished"

// vanish counts the records of the last run that are no longer in the export, holds back what seems to be one of them under a new
// key and, where the firm wants it, plans to turn them inactive. It is the last step of a plan. Most nights the keys are the same, and nothing needs to be compared.
//
// While rows have no key nobody knows whether one of them is the record that seems to have vanished. It is held then, and the
// next export decides.
func (p *planner) vanish(ctx context.Context, last ledger.Run, now *ledger.Export) error {
	if now.Keys == last.Export.Keys && (last.Export.Vanished == 0 || !p.policy.DeactivateVanished) {
		return nil
	}
	renamed := newRenames(p, now)
	defer renamed.index.close()
	var keys []string
	flush := func() error {
		defer func() { keys = keys[:0] }()
		if err := renamed.vanished(ctx, keys); err != nil || len(keys) == 0 || !p.policy.DeactivateVanished {
			return err
		}
		return p.deactivate(ctx, keys, last, now.Keyless)
	}
	for key, err := range p.book.Vanished(ctx, last.ID, p.run.ID) {
		if err != nil {
			return err
		}
		now.Vanished++
		if keys = append(keys, key); len(keys) == rows.BatchSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return renamed.reject(ctx)
}

// deactivate plans an update for each key that sends what was last accepted, with active false. A record of which only the id
// is known has no payload that could be sent; it is only counted.
func (p *planner) deactivate(ctx context.Context, keys []string, last ledger.Run, keyless int) error {
	known, err := p.book.Known(ctx, p.run.Scope, keys)
	if err != nil {
		return err
	}
	var records []ledger.Record
	for _, key := range keys {
		k, ok := known[key]
		if !ok || len(k.Payload) == 0 {
			continue
		}
		inactive, err := payload.Replace(k.Payload, "active", "false")
		if err != nil {
			return fmt.Errorf("turn %s inactive: %w", key, err)
		}
		m := decide.Mapped{Key: key, Operation: payload.Operation(p.run.Operation), Payload: inactive, Digest: decide.Digest(inactive)}
		m.Notes = []ledger.Reason{{Code: codeVanished, Value: key,
			Message: fmt.Sprintf("it is no longer in the export, which it was last in on %s, so it is turned inactive", last.Started.UTC().Format("2006-01-02"))}}
		record, err := decide.Decide(m, &k, p.policy)
		if err != nil {
			return err
		}
		if record.State == ledger.Planned && keyless > 0 {
			record.State = ledger.Held
			record.Message = fmt.Sprintf("it is no longer in the export, but %d rows there have no key and it may be one of them; it is turned inactive when the export is whole", keyless)
		}
		if record.State == ledger.Planned {
			p.to++
		}
		p.seq++
		record.Run, record.Scope, record.Seq = p.run.ID, p.run.Scope, p.seq
		records = append(records, record)
	}
	_, err = p.book.Add(ctx, records)
	return err
}
