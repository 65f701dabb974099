package plan

import (
	"context"
	"maps"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// Recall completes what is known by key with what is known otherwise.
//
// An update is about the record whose id it names; the key is only what the firm calls it. So if the two come apart,
// because a reference was changed or a lookup corrected, what is known goes by the id: what was last accepted of it
// under any key, with all of its entries, and any doubt about it. Jobs of other scopes send what they like, but the
// entries that they sent exist.
type Recall struct {
	Book   *ledger.Reader
	Policy decide.Policy
	Scope  string
	Job    string
	At     time.Time

	read   bool
	some   bool                       // whether anything is known of the scope
	others map[payload.Operation]bool // whether other scopes have runs of an operation
	jobs   map[string]string          // of runs, by run id
	shared map[string]bool            // keys whose ids other keys of the scope have too
	doubts map[string][]string        // keys in doubt, by id
	unsure []ledger.Record            // the records in doubt
}

// begin reads, once, what questions by id need.
func (r *Recall) begin(ctx context.Context) (err error) {
	if r.read {
		return nil
	}
	r.shared, r.doubts = map[string]bool{}, map[string][]string{}
	if r.some, err = knowsAnything(ctx, r.Book, r.Scope); err != nil {
		return err
	}
	if r.some {
		keys, err := r.Book.SharingIDs(ctx, r.Scope)
		if err != nil {
			return err
		}
		for _, key := range keys {
			r.shared[key] = true
		}
	}
	list, err := r.inDoubt(ctx)
	for _, doubt := range list {
		if id := payload.ID(doubt.Payload); id != "" {
			r.doubts[id] = append(r.doubts[id], doubt.Key)
		}
	}
	r.read = err == nil
	return err
}

// inDoubt returns the records of the scope that are in doubt. It reads them once.
func (r *Recall) inDoubt(ctx context.Context) ([]ledger.Record, error) {
	if r.unsure != nil {
		return r.unsure, nil
	}
	list, err := r.Book.Doubts(ctx, "")
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(doubt ledger.Record) bool { return doubt.Scope != r.Scope })
	r.unsure = append([]ledger.Record{}, list...)
	return r.unsure, nil
}

// knowsAnything reports whether anything is known of a scope. Before a migration nothing is.
func knowsAnything(ctx context.Context, book *ledger.Reader, scope string) (bool, error) {
	for _, err := range book.Keys(ctx, scope) {
		return err == nil, err
	}
	return false, nil
}

// ByIDs replaces what is known of the keys of updates by what is known of the ids that they name, if the key is not
// enough: if it names another id than before (moved has these keys), shares its id, may share it with a key in doubt,
// or is unknown and its update may create something.
func (r *Recall) ByIDs(ctx context.Context, records []*decide.Mapped, known map[string]ledger.LastAccepted) (moved map[string]bool, err error) {
	moved = map[string]bool{}
	of := map[string]string{} // ids by key
	for _, m := range records {
		if m.Operation.Creates() || len(m.Payload) == 0 {
			continue
		}
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
		k, is := known[m.Key]
		if decide.Moved(*m, &k) {
			moved[m.Key] = true
		}
		fresh := !is && r.some && mayCreate(m)
		doubted := len(r.doubts) > 0 && len(r.doubts[payload.ID(m.Payload)]) > 0
		if k.Doubt == nil && (fresh || doubted || moved[m.Key] || r.shared[m.Key]) {
			of[m.Key] = payload.ID(m.Payload)
		}
	}
	if len(of) == 0 {
		return moved, r.elsewhere(ctx, records, known)
	}
	ids := slices.Collect(maps.Values(of))
	holders, err := r.Book.Holders(ctx, ids)
	if err != nil {
		return nil, err
	}
	former := map[string][]string{} // keys by id
	var keys []string
	for id, list := range holders {
		for _, i := range list {
			if i.Scope == r.Scope {
				former[id] = append(former[id], i.Key)
			}
		}
		keys = append(keys, former[id]...)
	}
	for _, id := range ids {
		keys = append(keys, r.doubts[id]...)
	}
	slices.Sort(keys)
	held, err := r.Book.Known(ctx, r.Scope, slices.Compact(keys))
	if err != nil {
		return nil, err
	}
	for _, k := range held {
		if _, err := r.job(ctx, k.Run); err != nil {
			return nil, err
		}
	}
	for key, id := range of {
		if k, is := r.newest(held, former[id], r.doubts[id], id); is {
			if own := known[key]; moved[key] { // own also knows the entries of other ids that the key named before
				k.Entries = union(k.Entries, decide.EntriesOfIDs(own.Entries, payload.ID(own.Payload), id))
			}
			known[key] = k
		}
	}
	return moved, r.elsewhere(ctx, records, known)
}

// elsewhere adds the entries that were sent under other scopes to what is known of an update, if the update may create
// entries and is not the one accepted last.
func (r *Recall) elsewhere(ctx context.Context, records []*decide.Mapped, known map[string]ledger.LastAccepted) error {
	of := map[string]string{} // ids by key
	for _, m := range records {
		if _, asked := r.others[m.Operation]; !asked {
			others, err := r.Book.OtherScopes(ctx, string(m.Operation), r.Scope)
			if err != nil {
				return err
			}
			r.others = map[payload.Operation]bool{m.Operation: len(others) > 0} // all records of a job have one operation
		}
		if k := known[m.Key]; r.others[m.Operation] && !m.Operation.Creates() && len(m.Payload) > 0 && (k.Digest != m.Digest || k.Unsettled) && mayCreate(m) {
			of[m.Key] = payload.ID(m.Payload)
		}
	}
	if len(of) == 0 {
		return nil
	}
	holders, err := r.Book.Holders(ctx, slices.Collect(maps.Values(of)))
	if err != nil {
		return err
	}
	for key, id := range of {
		for _, other := range holders[id] {
			if other.Scope == r.Scope {
				continue
			}
			held, err := r.Book.Known(ctx, other.Scope, []string{other.Key})
			if err != nil {
				return err
			}
			k := held[other.Key]
			if payload.ID(k.Payload) != id || len(k.Entries) == 0 {
				continue
			}
			own := known[key]
			own.Scope, own.Key = r.Scope, key
			own.Entries = union(own.Entries, k.Entries)
			known[key] = own
		}
	}
	return nil
}

// job returns the job of a run, or "" if run is "".
func (r *Recall) job(ctx context.Context, run string) (string, error) {
	name, read := r.jobs[run]
	if read || run == "" {
		return name, nil
	}
	of, err := r.Book.Run(ctx, run)
	if err != nil {
		return "", err
	}
	if r.jobs == nil {
		r.jobs = map[string]string{}
	}
	r.jobs[run] = of.Job
	return of.Job, nil
}

// mayCreate reports whether an update may create something each time it is sent.
func mayCreate(m *decide.Mapped) bool {
	out, err := payload.Encoded(m.Operation, m.Payload)
	return err == nil && out.Creates() != (payload.Creation{})
}

// newest returns what was last accepted of an id under any of the keys that had it, with the entries of all of them,
// and the doubt under one. What runs of this job sent comes first, because another job of the scope may send other
// fields of the same record.
func (r *Recall) newest(held map[string]ledger.LastAccepted, keys, doubtful []string, id string) (best ledger.LastAccepted, is bool) {
	var entries []ledger.Entry
	unsettled := false
	for _, key := range keys {
		k := held[key]
		if payload.ID(k.Payload) != id {
			continue // the key names another id since
		}
		entries = union(entries, k.Entries)
		unsettled = unsettled || k.Unsettled
		ours, before := r.jobs[k.Run] == r.Job, r.jobs[best.Run] == r.Job
		if !is || ours && !before || ours == before && k.AcceptedAt.After(best.AcceptedAt) {
			best, is = k, true
		}
	}
	best.Entries, best.Unsettled, best.Doubt = entries, unsettled, nil
	for _, key := range doubtful {
		if doubt := held[key].Doubt; doubt != nil {
			best.Key, best.Doubt, is = key, doubt, true
		}
	}
	return best, is
}

// union returns list with the entries of others that it lacks.
func union(list, others []ledger.Entry) []ledger.Entry {
	list = slices.Clip(list)
	for _, e := range others {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// Renamed adds the open questions about records, as long as their payloads still allow what the questions ask.
func (r *Recall) Renamed(ctx context.Context, records []*decide.Mapped, known map[string]ledger.LastAccepted) error {
	payloads := make(map[string][]byte, len(records))
	keys := make([]string, len(records))
	for n, m := range records {
		keys[n], payloads[m.Key] = m.Key, m.Payload
	}
	renamed, err := r.Book.Renames(ctx, r.Scope, keys)
	if err != nil {
		return err
	}
	for key, list := range renamed {
		var former []string
		for _, q := range list {
			former = append(former, q.Former)
		}
		held, err := r.Book.Known(ctx, r.Scope, former)
		if err != nil {
			return err
		}
		k := known[key]
		k.Renames = slices.DeleteFunc(list, func(q ledger.Rename) bool {
			may := q.Decision == "" && err == nil && mayBe(payloads[key], key, held[q.Former].Payload, q.Former)
			if q.Decision != "" || err != nil || may {
				return !may
			}
			var rows []ledger.Record // the question may be about what a row of the former key said since
			rows, err = r.Book.History(ctx, r.Scope, q.Former, 0)
			return !slices.ContainsFunc(rows, func(row ledger.Record) bool {
				return len(row.Payload) > 0 && mayBe(payloads[key], key, row.Payload, q.Former)
			})
		})
		if known[key] = k; err != nil {
			return err
		}
	}
	return nil
}

// Verdicts adds what the service refused and is not to be asked again yet.
func (r *Recall) Verdicts(ctx context.Context, records []*decide.Mapped, known map[string]ledger.LastAccepted) error {
	if len(records) == 0 || r.Policy.RetryRefused == 0 {
		return nil
	}
	keys := make([]string, len(records))
	for n, m := range records {
		keys[n] = m.Key
	}
	refusals, err := r.Book.Refusals(ctx, r.Scope, keys)
	for key, refusal := range refusals {
		ahead := refusal.At.After(r.At) // from a clock that was wrong: it would hold the record until that day
		if said := refusal.Reasons; len(said) > 0 && said[0].SentTo != "" && r.Policy.Target != "" && said[0].SentTo != r.Policy.Target {
			continue
		}
		if r.Policy.RetryRefused < 0 || !ahead && r.At.Before(refusal.At.Add(r.Policy.RetryRefused)) {
			k := known[key]
			k.Refused = &refusal
			known[key] = k
		}
	}
	return err
}

// mayBe reports whether a record may be another one under a new key. It may not if both its number and its name have
// changed.
func mayBe(now []byte, key string, held []byte, former string) bool {
	number, numbered := mapping.NumberTrait(payload.Text(now, "number"))
	before, known := mapping.NumberTrait(payload.Text(held, "number"))
	numbered, known = numbered && !isKey(number, key), known && !isKey(before, former) // a number that is the key says nothing under another key
	return !numbered || !known || number == before || table.ReplaceWord(payload.Title(now), key, "") == table.ReplaceWord(payload.Title(held), former, "")
}
