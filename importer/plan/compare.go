package plan

import (
	"cmp"
	"context"
	"encoding/json"
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

// compare judges the records that share what only one record may have. It is the last step of a plan, because any two
// rows of any two files may be such a pair.
func (p *planner) compare(ctx context.Context) error {
	if err := p.recallEarlier(ctx); err != nil {
		return err
	}
	if p.to == 0 && p.records.Rejected == 0 {
		return nil // nothing to report it on, as on most nights
	}
	var list []*verdict
	members := 0
	for group, err := range p.index.groups() {
		if err == nil && members > 0 && members+len(group.seqs) > comparedAtOnce {
			err = p.judge(ctx, list)
			list, members = nil, 0
		}
		if err != nil {
			return fmt.Errorf("compare records: %w", err)
		}
		if comparison, rejects, ok := p.Walk.Mapping.Comparison(group.check); ok {
			list = append(list, &verdict{group: group, Comparison: comparison, rejects: rejects, sources: p.sources})
			members += len(group.seqs)
		}
	}
	if err := p.judge(ctx, list); err != nil {
		return fmt.Errorf("compare records: %w", err)
	}
	p.report()
	return nil
}

// recallEarlier indexes the keys that earlier runs created or may have created, so that "ab-07" is not created if
// "AB-7" was, and the files that they created in folders. A plan that creates nothing, as on most nights, does not need
// it.
func (p *planner) recallEarlier(ctx context.Context) error {
	m := p.Walk.Mapping
	if p.to == 0 || !m.Operation().Creates() {
		return nil
	}
	if _, _, on := m.Comparison(reason.FileCreated); on {
		if err := p.addKnown(ctx, &p.index, func(stored json.RawMessage, _, _ string) ([]mapping.Trait, error) {
			return mapping.CreatedTraits(stored), nil
		}); err != nil {
			return err
		}
	}
	if _, _, on := m.Comparison(reason.Twin); !on {
		return nil
	}
	add := func(key string) error {
		if trait, ok := mapping.TwinTrait(key); ok {
			return p.index.addEarlier(trait, key)
		}
		return nil
	}
	for key, err := range p.Book.Keys(ctx, p.Run.Scope) {
		if err != nil {
			return err
		}
		if err := add(key); err != nil {
			return err
		}
	}
	doubts, err := p.recall.inDoubt(ctx)
	if err != nil {
		return err
	}
	for _, record := range doubts {
		if err := add(record.Key); err != nil {
			return err
		}
	}
	return nil
}

// comparedAtOnce is how many records are judged together. The records of a group stand anywhere in the plan; judging
// many groups at once lets neighbours be read together.
const comparedAtOnce = 32 * rows.BatchSize

// judge rejects the planned records of groups, or adds a note to them. Records that are already rejected get the reason
// too, so that the rejects show all rows concerned and nobody corrects a row twice. What the service already holds
// stays as it is.
func (p *planner) judge(ctx context.Context, list []*verdict) error {
	list, err := p.remarkable(ctx, list)
	if err != nil {
		return err
	}
	if err := p.change(ctx, list, func(v *verdict, r *ledger.Record) bool { v.tell(r); return false }); err != nil {
		return err
	}
	for _, v := range list {
		if err := p.tellEarlier(ctx, v); err != nil {
			return err
		}
	}
	list = slices.DeleteFunc(list, func(v *verdict) bool {
		return !v.concerned || v.count < 2 || v.Name == reason.FileCreated && len(v.earlier) == 0
	})
	return p.change(ctx, list, func(v *verdict, r *ledger.Record) bool {
		wasPlanned := r.State == ledger.Planned
		changed := v.apply(r)
		if wasPlanned && r.State != ledger.Planned {
			p.to--
			p.records.Reject()
		}
		return changed
	})
}

// remarkable returns the groups that have a record on which something can be reported. Groups of unchanged records are
// not read: a query for them is cheaper.
func (p *planner) remarkable(ctx context.Context, list []*verdict) ([]*verdict, error) {
	if p.fine > 0 {
		return list, nil
	}
	some := map[*verdict]bool{}
	for part := range slices.Chunk(membersOf(list), rows.BatchSize/2) {
		found, err := p.Book.Remarkable(ctx, p.Run.ID, seqsOf(part))
		if err != nil {
			return nil, err
		}
		for _, m := range part {
			if _, is := slices.BinarySearch(found, m.seq); is {
				some[m.of] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(v *verdict) bool { return !some[v] }), nil
}

// member is a record of a group.
type member struct {
	seq int64
	of  *verdict
}

// membersOf returns the records of groups in the order of the plan. A record of several groups appears once for each.
func membersOf(list []*verdict) (members []member) {
	for _, v := range list {
		for _, seq := range v.group.seqs {
			members = append(members, member{seq, v})
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Compact(members) // a folder may have a trait twice
}

func seqsOf(members []member) []int64 {
	seqs := make([]int64, len(members))
	for n := range members {
		seqs[n] = members[n].seq
	}
	return slices.Compact(seqs)
}

// change reads the records of groups, calls change for each group that a record belongs to, and writes back the records
// that this changed.
func (p *planner) change(ctx context.Context, list []*verdict, change func(*verdict, *ledger.Record) bool) error {
	members := membersOf(list)
	for part := range slices.Chunk(seqsOf(members), rows.BatchSize/2) {
		records, err := p.Book.RecordsAt(ctx, p.Run.ID, part)
		if err != nil {
			return err
		}
		changed := records[:0]
		for _, r := range records {
			is := false
			for ; len(members) > 0 && members[0].seq <= r.Seq; members = members[1:] {
				is = members[0].seq == r.Seq && change(members[0].of, &r) || is
			}
			if is {
				changed = append(changed, r)
			}
		}
		if err := p.replace(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// replace writes records again. Those of a check may have no row in the ledger yet.
func (p *planner) replace(ctx context.Context, records []ledger.Record) error {
	if p.fine == 0 {
		return p.Book.Replace(ctx, records...)
	}
	unions := make([]ledger.Union, len(records))
	for n := range records {
		unions[n].First = records[n]
	}
	return p.Book.Unite(ctx, p.Run.ID, unions)
}

// tellEarlier adds to a verdict the records of earlier runs that are not in the plan themselves.
func (p *planner) tellEarlier(ctx context.Context, v *verdict) error {
	if !v.concerned || len(v.group.earlier) == 0 {
		return nil
	}
	keys := v.group.earlier
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return v.planned[key] })
	if v.Name == reason.FileCreated { // a folder that is gone as a whole is left to renames
		gone, err := p.absent(ctx, keys)
		if err != nil {
			return err
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return slices.Contains(gone, key) })
	}
	v.count += len(keys)
	keys = keys[:min(len(keys), mostParties)]
	known, err := p.Book.Known(ctx, p.Run.Scope, keys)
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
	group   group
	rejects bool
	sources *rows.Sources
	count   int // of records, in the plan or earlier
	parties []party
	value   string // the shared value, as the first record with a payload spells it
	earlier []string
	holds   bool // the service holds one of them
	// concerned says that the group has a record on which something can be reported. planned are the keys of the plan's
	// records that earlier runs may have too.
	concerned bool
	planned   map[string]bool
}

// party is a record of the plan as the reasons of others name it.
type party struct {
	seq  int64
	said string
}

// tell adds a record of the plan.
func (v *verdict) tell(r *ledger.Record) {
	if v.count++; len(v.parties) < mostParties {
		v.parties = append(v.parties, v.party(r))
	}
	if v.value == "" {
		v.value = payload.Text(r.Payload, v.Field)
	}
	v.holds = v.holds || r.State == ledger.Unchanged
	v.concerned = v.concerned || r.State == ledger.Planned || r.State == ledger.Rejected && v.rejects
	if len(v.group.earlier) > 0 && r.State != ledger.Planned {
		if v.planned == nil {
			v.planned = map[string]bool{}
		}
		v.planned[r.Key] = true
	}
}

func (v *verdict) party(r *ledger.Record) party {
	said := fmt.Sprintf("%q in %s", r.Key, v.sources.Places(r.Rows))
	if r.State == ledger.Unchanged {
		said += " (which the service already has)"
	}
	return party{r.Seq, said}
}

// apply puts the verdict on one record and reports whether that changed it.
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
	// The record itself comes first, then those of earlier runs, so that they are not cut off at the end.
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
		also := reason.OrDifferent
		if v.Name == reason.FileCreated {
			also = reason.OrAnother
		}
		why = why.And(also)
	}
	return ledger.Reason{Field: v.Field, Value: r.Key, Row: r.Rows[0].Number, Source: rows.SourceNumber(r.Rows)}.Says(why)
}
