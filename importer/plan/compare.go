package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

// compare judges the records that share what only one record should have. It is the last step of a plan, as any two rows of
// any two files may be such a pair.
func (p *planner) compare(ctx context.Context, m *mapping.Mapping) error {
	if err := p.recallEarlier(ctx, m); err != nil {
		return err
	}
	if p.to == 0 && p.records.Rejected == 0 {
		return nil // nothing to say it of, as on most nights
	}
	for group, err := range p.index.groups() {
		if err != nil {
			return err
		}
		comparison, rejects, ok := m.Comparison(group.check)
		if !ok {
			continue
		}
		v := verdict{Comparison: comparison, rejects: rejects, sources: p.sources}
		if err := p.judge(ctx, group, v); err != nil {
			return fmt.Errorf("compare records (%s): %w", group.check, err)
		}
	}
	p.report(int(p.seq), p.to)
	return nil
}

// recallEarlier takes in the keys that earlier runs created or may have created, so that "ab-07" is not created where
// "AB-7" was. A plan that creates nothing, as that of most nights, need not ask.
func (p *planner) recallEarlier(ctx context.Context, m *mapping.Mapping) error {
	if _, _, on := m.Comparison(reason.Twin); !on || p.to == 0 || !m.Operation().Creates() {
		return nil
	}
	add := func(key string) error {
		if trait, ok := mapping.TwinTrait(key); ok {
			return p.index.addEarlier(trait, key)
		}
		return nil
	}
	for key, err := range p.book.Keys(ctx, p.run.Scope) {
		if err != nil {
			return err
		}
		if err := add(key); err != nil {
			return err
		}
	}
	doubts, err := p.book.Doubts(ctx, "")
	if err != nil {
		return err
	}
	for _, record := range doubts {
		if record.Scope == p.run.Scope {
			if err := add(record.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge rejects or notes what is to be sent of a group. Records that are rejected anyway get the reason too, so that
// rejects show all rows concerned and nobody corrects a row twice; what the service holds already stays as it is.
func (p *planner) judge(ctx context.Context, g group, v verdict) error {
	if some, err := p.anyRemarkable(ctx, g.seqs); err != nil || !some {
		return err
	}
	concerned, keys := false, map[string]bool{}
	err := p.change(ctx, g.seqs, func(r *ledger.Record) bool {
		concerned = concerned || r.State == ledger.Planned || r.State == ledger.Rejected && v.rejects
		if v.tell(r) {
			keys[r.Key] = true
		}
		return false
	})
	if err != nil || !concerned {
		return err
	}
	if err := p.tellEarlier(ctx, g.earlier, keys, &v); err != nil {
		return err
	}
	if v.count < 2 {
		return nil
	}
	return p.change(ctx, g.seqs, func(r *ledger.Record) bool {
		wasPlanned := r.State == ledger.Planned
		changed := v.apply(r)
		if wasPlanned && r.State != ledger.Planned {
			p.to--
			p.records.Reject()
		}
		return changed
	})
}

// anyRemarkable tells whether any record of these seqs may have something said of it. Quiet ones cost more to read than to know of.
func (p *planner) anyRemarkable(ctx context.Context, seqs []int64) (bool, error) {
	if p.fine > 0 {
		return true, nil
	}
	for part := range slices.Chunk(seqs, rows.BatchSize/2) {
		if some, err := p.book.AnyRemarkable(ctx, p.run.ID, part); err != nil || some {
			return some, err
		}
	}
	return false, nil
}

// change reads records by their seqs and writes those back that change says it has changed.
func (p *planner) change(ctx context.Context, seqs []int64, change func(*ledger.Record) bool) error {
	for part := range slices.Chunk(seqs, rows.BatchSize/2) {
		records, err := p.book.RecordsAt(ctx, p.run.ID, part)
		if err != nil {
			return err
		}
		changed := records[:0]
		for _, r := range records {
			if change(&r) {
				changed = append(changed, r)
			}
		}
		if err := p.replace(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// replace writes records anew; those of a check may have no row yet.
func (p *planner) replace(ctx context.Context, records []ledger.Record) error {
	if p.fine == 0 {
		return p.book.Replace(ctx, records...)
	}
	unions := make([]ledger.Union, len(records))
	for n := range records {
		unions[n].First = records[n]
	}
	return p.book.Unite(ctx, p.run.ID, unions)
}

// tellEarlier adds those of earlier runs that are not in the plan themselves.
func (p *planner) tellEarlier(ctx context.Context, keys []string, planned map[string]bool, v *verdict) error {
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return planned[key] })
	v.count += len(keys)
	keys = keys[:min(len(keys), mostParties)]
	known, err := p.book.Known(ctx, p.run.Scope, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		said := fmt.Sprintf("%q, which an earlier run may have created", key)
		if k := known[key]; k.Doubt == nil && k.Run != "" {
			said = fmt.Sprintf("%q, which was created on %s", key, moment.Day(k.AcceptedAt))
		}
		v.earlier = append(v.earlier, said)
	}
	return nil
}

// mostParties is how many records a reason names.
const mostParties = 10

// verdict is what is said about the records of a group.
type verdict struct {
	mapping.Comparison
	rejects bool
	sources *rows.Sources
	count   int // of records, in the plan or before
	parties []party
	value   string // what they share, as the first one that has a payload spells it
	earlier []string
	holds   bool // the service holds one of them
}

// party is a record of the plan as others are told of it.
type party struct {
	seq  int64
	said string
}

// tell adds a record of the plan. The answer is whether its key may be one of an earlier run.
func (v *verdict) tell(r *ledger.Record) bool {
	if v.count++; len(v.parties) < mostParties {
		v.parties = append(v.parties, v.party(r))
	}
	if v.value == "" {
		v.value = payload.Text(r.Payload, v.Field)
	}
	v.holds = v.holds || r.State == ledger.Unchanged
	return r.State != ledger.Planned
}

func (v *verdict) party(r *ledger.Record) party {
	said := fmt.Sprintf("%q in %s", r.Key, v.sources.Places(r.Rows))
	if r.State == ledger.Unchanged {
		said += " (which the service already has)"
	}
	return party{r.Seq, said}
}

// apply says it to one record, and tells whether that changed it.
func (v *verdict) apply(r *ledger.Record) bool {
	switch {
	case r.State == ledger.Planned && v.rejects:
		reject(r)
		r.Reasons = append(r.Reasons, v.reason(r))
	case r.State == ledger.Planned:
		r.Notes = append(r.Notes, v.reason(r))
	case r.State == ledger.Rejected && v.rejects:
		r.Reasons = append(r.Reasons, v.reason(r))
	default:
		return false
	}
	return true
}

func (v *verdict) reason(r *ledger.Record) ledger.Reason {
	// The record itself comes first, and those of earlier runs are not the ones that fall off the end.
	names := append([]string{v.party(r).said}, v.earlier...)
	for _, other := range v.parties {
		if other.seq != r.Seq {
			names = append(names, other.said)
		}
	}
	names = names[:min(len(names), mostParties)]
	list := strings.Join(names, ", ")
	if more := v.count - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	name := v.Name
	if (v.holds || len(v.earlier) > 0) && name == reason.Twin {
		name = reason.TwinSent
	}
	why := reason.New(name, v.count, v.value, list)
	if v.rejects {
		why = why.And(reason.OrDifferent)
	}
	return ledger.Reason{Field: v.Field, Value: r.Key, Row: r.Rows[0].Number, Source: rows.SourceNumber(r.Rows)}.Says(why)
}
