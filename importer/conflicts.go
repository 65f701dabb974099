package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// applySettled carries out what people have decided about records that somebody else changed in the service: it takes
// out of the plan what is to stay theirs. It asks only the ledger, so a plan shows what a run would send.
func (i *Importer) applySettled(ctx context.Context, job Job, run *ledger.Run) error {
	if some, err := i.Ledger.HasConflicts(ctx, run.Scope); err != nil || !some {
		return err
	}
	return i.plannedUpdates(ctx, run, func(part []ledger.Record) error {
		settled, err := i.Ledger.Conflicts(ctx, run.Scope, keysOf(part))
		if err != nil {
			return err
		}
		var changed []ledger.Record
		for _, r := range part {
			c := settled[r.Key]
			if c.Side != ledger.Theirs {
				continue
			}
			if is, err := leaveTheirs(r, c, job); err != nil {
				return err
			} else if is != nil {
				changed = append(changed, *is)
			}
		}
		return i.Ledger.Replace(ctx, changed...)
	})
}

// leaveTheirs returns a copy of a record in which everything stays theirs that was decided so, or nil if that changes
// nothing. A record that stays theirs as a whole is not sent until our side says something else.
func leaveTheirs(r ledger.Record, c ledger.Conflict, job Job) (*ledger.Record, error) {
	kept := func(what, field string) ledger.Reason {
		return ledger.Reason{Field: field}.Says(reason.New(reason.Theirs, what, c.Who))
	}
	if len(c.Fields) == 0 {
		if c.Digest != r.Digest {
			return nil, nil
		}
		r.State, r.Action, r.Payload, r.Body, r.Previous, r.Repeatable = ledger.Unchanged, ledger.None, nil, nil, nil, false
		r.Notes = append(r.Notes, kept("the record", ""))
		return &r, nil
	}
	body, left, err := conflict.Apply(job.Mapping.Operation(), r, c, job.Policy.Switches)
	if err != nil {
		return nil, fmt.Errorf("leave fields of %s as they are in the service: %w", r.Key, err)
	}
	for _, field := range left {
		r.Notes = append(r.Notes, kept(field, field))
	}
	if len(left) == 0 {
		return nil, nil
	}
	r.Body = body
	return &r, nil
}

const (
	// listGood is how long updates are sent on the word of one reading of the list. A change that somebody makes
	// meanwhile may be overwritten.
	listGood = 10 * time.Minute
	// listShare keeps the reading of the list to a tenth of a run: a list that takes long to read is good for listShare
	// times as long.
	listShare = 10
)

// watching makes a push read the list again when its last reading is too old, and hold what somebody else has changed
// meanwhile.
func (i *Importer) watching(job Job, p *push.Pusher, run *ledger.Run, began time.Time) {
	good := time.Time{}
	read := func(began time.Time) { good = i.now().Add(max(listGood, listShare*i.now().Sub(began))) }
	read(began)
	p.Stale = func() bool { return i.now().After(good) }
	p.Look = func(ctx context.Context) (held int, err error) {
		began := i.now()
		held, err = i.holdChanged(ctx, job, run)
		read(began)
		return held, err
	}
}

// holdChanged holds the planned updates of records that somebody else has changed in the service, if a list shows that,
// and returns how many. Until then the ledger keeps what the list says of these records, so memory grows with neither.
func (i *Importer) holdChanged(ctx context.Context, job Job, run *ledger.Run) (held int, err error) {
	list, err := i.showing(job)
	if err != nil || list == nil {
		return 0, err
	}
	wanted := newWanted()
	if err := i.plannedUpdates(ctx, run, func(part []ledger.Record) error { wanted.add(part); return nil }); err != nil {
		return 0, err
	}
	if wanted.any {
		if err := i.look(ctx, list, run, wanted); err != nil {
			return 0, err
		}
		err := i.plannedUpdates(ctx, run, func(part []ledger.Record) error {
			updates, err := i.judge(ctx, job, list, run, part)
			held += len(updates)
			if err != nil || len(updates) == 0 {
				return err
			}
			return i.Ledger.HoldConflicts(ctx, run.ID, updates)
		})
		if err != nil {
			return held, err
		}
		if err := i.Ledger.Unlist(ctx, run.ID); err != nil {
			return held, err
		}
	}
	if job.Partial {
		return held, nil
	}
	return held, i.Ledger.DropConflicts(ctx, *run)
}

// showing returns the list of the records that a job updates, or nil if the configuration has no such list that says
// who changed a record, or when.
func (i *Importer) showing(job Job) (*conflict.List, error) {
	if i.Shows == nil || job.Mapping.Operation().Creates() {
		return nil, nil
	}
	return i.Shows(job.Mapping.Operation())
}

// look reads a list and stores what it says of the wanted records.
func (i *Importer) look(ctx context.Context, list *conflict.List, run *ledger.Run, wanted *wanted) error {
	err := list.Walk(ctx, func() error { return i.Ledger.Unlist(ctx, run.ID) }, func(items []ledger.Listed) error {
		var kept []ledger.Listed
		for _, item := range items {
			if wanted.has(item.ID) {
				kept = append(kept, item)
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return i.Ledger.AddListed(ctx, run.ID, kept)
	})
	if err != nil {
		return fmt.Errorf("nobody knows what was changed in the service since the last run, because its list %s could not be read: %w", list.Name, err)
	}
	return nil
}

// judge returns those of some planned updates that must be held.
func (i *Importer) judge(ctx context.Context, job Job, list *conflict.List, run *ledger.Run, part []ledger.Record) (held []ledger.HeldUpdate, err error) {
	keys, op := keysOf(part), job.Mapping.Operation()
	known, err := i.Ledger.Known(ctx, run.Scope, keys)
	if err != nil {
		return nil, err
	}
	stamps, err := i.Ledger.Stamps(ctx, run.Scope, keys)
	if err != nil {
		return nil, err
	}
	settled, err := i.Ledger.Conflicts(ctx, run.Scope, keys)
	if err != nil {
		return nil, err
	}
	seen, err := i.Ledger.ListedAs(ctx, run.ID, idsOf(part))
	if err != nil {
		return nil, err
	}
	for _, r := range part {
		k := known[r.Key]
		if k.Digest == "" {
			continue // docketsync has not updated it yet
		}
		u := conflict.Update{Operation: op, Accepted: k.Payload, Planned: r.Sent(), Unsettled: k.Unsettled}
		if s, ok := seen[recordID(r)]; ok {
			u.Seen = &s
		}
		if s, ok := stamps[r.Key]; ok && s.Run == k.Run {
			u.Stamp = &s.Stamp
		}
		c, asked := settled[r.Key]
		if asked && (c.Side == ledger.Ours || c.Side == ledger.Theirs && len(c.Fields) > 0) && // "theirs" for a whole record was said of what our side had then
			!c.Sent { // a push has carried the decision out
			u.Settled = &conflict.Told{Stamp: c.Seen, Fields: c.Theirs}
		}
		if asked && c.Side == ledger.Theirs && len(c.Fields) > 0 { // the accepted update was sent with their values in it
			if body, _, err := conflict.Apply(op, ledger.Record{Payload: k.Payload}, c, job.Policy.Switches); err == nil && body != nil {
				u.Accepted = body
			}
		}
		verdict, why := list.Rule.Judge(u)
		if verdict == conflict.Untouched || verdict == conflict.Unknown && list.SendUnknown {
			continue
		}
		held = append(held, heldUpdate(r, run, u, verdict, why))
	}
	return held, nil
}

func heldUpdate(r ledger.Record, run *ledger.Run, u conflict.Update, verdict conflict.Verdict, why string) ledger.HeldUpdate {
	c := ledger.Conflict{Scope: r.Scope, Key: r.Key, Run: run.ID, Seq: r.Seq, Why: string(verdict), Ours: r.Payload, Digest: r.Digest, Theirs: json.RawMessage("{}")}
	if u.Seen != nil {
		c.Seen, c.Theirs = u.Seen.Stamp, u.Seen.Fields
	}
	r.Message = conflict.Message(verdict, why)
	r.Notes = append(r.Notes, conflict.Notes(u, fmt.Sprintf("docketsync resolve %s %s ours, or theirs.", cmp.Or(run.Name, run.ID), reason.Operand(r.Key)))...)
	return ledger.HeldUpdate{Conflict: c, Record: r}
}

// learnStamps reads the list again after a push and remembers the stamps of the updated records. It is needed only if
// the list does not say who changed a record: then the stamps alone show a later change by somebody else.
func (i *Importer) learnStamps(ctx context.Context, job Job, run *ledger.Run) error {
	list, err := i.showing(job)
	if err != nil || list == nil || list.Rule.By || ctx.Err() != nil {
		return err
	}
	wanted, op := newWanted(), job.Mapping.Operation()
	accepted := ledger.RecordFilter{States: []ledger.State{ledger.Accepted}, Actions: []ledger.Action{ledger.Update}}
	if err := i.inBatches(ctx, run, accepted, func(part []ledger.Record) error { wanted.add(part); return nil }); err != nil || !wanted.any {
		return err
	}
	if err := i.look(ctx, list, run, wanted); err != nil {
		return err
	}
	err = i.inBatches(ctx, run, accepted, func(part []ledger.Record) error {
		seen, err := i.Ledger.ListedAs(ctx, run.ID, idsOf(part))
		if err != nil {
			return err
		}
		var stamps []ledger.Stamped
		for _, r := range part {
			if s, ok := seen[recordID(r)]; ok && conflict.Learn(op, r.Sent(), s) {
				stamps = append(stamps, ledger.Stamped{Key: r.Key, Run: run.ID, Stamp: s.Stamp})
			}
		}
		if len(stamps) == 0 {
			return nil
		}
		return i.Ledger.SaveStamps(ctx, run.Scope, stamps)
	})
	if err != nil {
		return err
	}
	return i.Ledger.Unlist(ctx, run.ID)
}

// stopUnseen ends a run before it sends anything, because nobody can tell what was changed in the service.
func (i *Importer) stopUnseen(ctx context.Context, run *ledger.Run, cause error) error {
	if ctx.Err() != nil {
		return i.stop(context.WithoutCancel(ctx), run, stop.Interrupted, "the run was interrupted")
	}
	why := strings.ReplaceAll(cause.Error(), "\n", " ")
	return i.stop(ctx, run, stop.Service, why+"; nothing was sent. To send without looking, remove changed from that list in the configuration")
}

// plannedUpdates passes the planned updates of a run to each, in batches.
func (i *Importer) plannedUpdates(ctx context.Context, run *ledger.Run, each func([]ledger.Record) error) error {
	return i.inBatches(ctx, run, ledger.RecordFilter{States: []ledger.State{ledger.Planned}, Actions: []ledger.Action{ledger.Update}}, each)
}

func (i *Importer) inBatches(ctx context.Context, run *ledger.Run, f ledger.RecordFilter, each func([]ledger.Record) error) error {
	part := make([]ledger.Record, 0, rows.BatchSize)
	for record, err := range i.Ledger.Records(ctx, run.ID, f) {
		if err != nil {
			return err
		}
		if part = append(part, record); len(part) == rows.BatchSize {
			if err := each(part); err != nil {
				return err
			}
			part = part[:0]
		}
	}
	if len(part) == 0 {
		return nil
	}
	return each(part)
}

// wanted is the set of ids that a list is to be searched for. If they are too many to hold, every id is wanted.
type wanted struct {
	any bool
	ids map[string]bool
}

// mostWanted is how many ids wanted holds.
const mostWanted = 100_000

func newWanted() *wanted { return &wanted{ids: map[string]bool{}} }

func (w *wanted) add(part []ledger.Record) {
	for _, r := range part {
		w.any = true
		if w.ids == nil {
			return
		}
		if w.ids[recordID(r)] = true; len(w.ids) > mostWanted {
			w.ids = nil
		}
	}
}

func (w *wanted) has(id string) bool { return w.ids == nil || w.ids[id] }

func keysOf(part []ledger.Record) []string {
	keys := make([]string, len(part))
	for n, r := range part {
		keys[n] = r.Key
	}
	return keys
}

func idsOf(part []ledger.Record) []string {
	ids := make([]string, len(part))
	for n, r := range part {
		ids[n] = recordID(r)
	}
	return ids
}

// recordID returns the id of the record that an update is about, spelled as in conflict lists.
func recordID(r ledger.Record) string { return payload.PlainID(payload.ID(r.Payload)) }
