package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// vanish counts the records of the last run that are no longer in the export, and has renames look for them under a new
// key. If the firm wants it and the last run has finished, vanish plans to set them inactive. Most nights the keys are
// the same and nothing needs to be compared.
//
// While rows have no key, or are rejected without an id, nobody knows whether one of them is the record that seems to
// have vanished: a known key may belong to another record now. The update is held then, and the next export decides.
func (p *planner) vanish(ctx context.Context, last ledger.Run, now *ledger.Export, renamed *renames) error {
	inactive := p.policy.DeactivateVanished && last.Phase == ledger.Finished && last.Job == p.run.Job
	if now.Keys == last.Export.Keys && (last.Export.Vanished == 0 || !inactive) {
		return nil
	}
	var still map[string]bool
	var others []string
	if inactive {
		var err error
		if still, err = p.updatedStill(ctx, last); err != nil {
			return err
		}
		if others, err = p.otherExports(ctx, last); err != nil {
			return err
		}
	}
	return inBatches(p.book.Vanished(ctx, last.ID, p.run.ID), func(keys []string) error {
		now.Vanished += len(keys)
		renamed.vanished(keys)
		if !inactive {
			return nil
		}
		for _, key := range keys {
			for n := 0; n < len(others) && !still[key]; n++ {
				had, err := p.hadKey(ctx, others[n], key)
				if err != nil {
					return err
				}
				still[key] = had
			}
		}
		return p.deactivate(ctx, keys, still, last, now.Keyless)
	})
}

// inBatches passes keys on in batches. use must not keep them.
func inBatches(keys iter.Seq2[string, error], use func([]string) error) error {
	var batch []string
	for key, err := range keys {
		if err != nil {
			return err
		}
		if batch = append(batch, key); len(batch) == rows.BatchSize {
			if err := use(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return use(batch)
}

// deactivate plans an update for each vanished key that sends the last accepted payload with active false. Some are
// only counted: a record of which only the id is known has no payload to send, and one that the plan updates under
// another key, or that another job has, still exists. What the service refused is not sent again before a refused row
// would be.
func (p *planner) deactivate(ctx context.Context, keys []string, still map[string]bool, last ledger.Run, keyless int) error {
	known, err := p.book.Known(ctx, p.run.Scope, keys)
	if err != nil {
		return err
	}
	var mapped []*decide.Mapped
	for _, key := range keys {
		k, ok := known[key]
		if !ok || len(k.Payload) == 0 || still[key] {
			continue
		}
		inactive, err := payload.Replace(k.Payload, "active", "false")
		if err != nil {
			return fmt.Errorf("turn %s inactive: %w", key, err)
		}
		m := &decide.Mapped{Key: key, Operation: payload.Operation(p.run.Operation), Payload: inactive, Digest: decide.Digest(inactive)}
		if p.run.Order != "" {
			m.Rank = mapping.RankLast
		}
		m.Notes = []ledger.Reason{ledger.Reason{Value: key}.Says(reason.New(reason.Vanished, moment.Day(last.Started)))}
		mapped = append(mapped, m)
	}
	if err := p.recall.Verdicts(ctx, mapped, known); err != nil {
		return err
	}
	records := make([]ledger.Record, 0, len(mapped))
	for _, m := range mapped {
		k := known[m.Key]
		record, err := decide.Decide(*m, &k, p.policy)
		if err != nil {
			return err
		}
		if lacking, what := keyless+p.idless, "key"; record.State == ledger.Planned && lacking > 0 {
			if keyless == 0 {
				what = "id"
			}
			record.State = ledger.Held
			record.Message = fmt.Sprintf("it is no longer in the export, but %s no %s and it may be one of them; it is turned inactive when the export is whole",
				wording.Counted(lacking, "row there has", "rows there have"), what)
		}
		if record.State == ledger.Planned {
			p.to++
		} else {
			record.Notes = slices.DeleteFunc(record.Notes, func(r ledger.Reason) bool { return r.Code == reason.Vanished })
		}
		p.seq++
		record.Run, record.Scope, record.Seq = p.run.ID, p.run.Scope, p.seq
		records = append(records, record)
	}
	_, err = p.book.Add(ctx, records)
	return err
}

// hadKey reports whether a run has a record of a key.
func (p *planner) hadKey(ctx context.Context, run, key string) (bool, error) {
	_, err := p.book.RecordByKey(ctx, run, key)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// mostOthers is how many runs back other jobs of a scope are looked for.
const mostOthers = 100

// otherExports returns the exports of other jobs of the scope that may have what is gone from this one. These are the
// exports since this job's last one, into which a record may have moved, and the last export of each job that still
// exists, unless this job has read a week of exports since: what was migrated once says nothing about today.
func (p *planner) otherExports(ctx context.Context, last ledger.Run) (ids []string, err error) {
	filter := ledger.RunFilter{Scope: p.run.Scope, Kinds: []ledger.Kind{ledger.Push}, Exports: true, Limit: mostOthers}
	list, err := p.book.Runs(ctx, filter)
	for _, run := range list {
		if run.Job != p.run.Job && run.Started.After(last.Started) {
			ids = append(ids, run.ID)
		}
	}
	filter.Phases = []ledger.Phase{ledger.Finished}
	var since time.Time
	if err == nil {
		own := filter
		own.Job, own.Limit = p.run.Job, lastExports
		if list, err = p.book.Runs(ctx, own); len(list) == lastExports {
			since = list[lastExports-1].Started
		}
	}
	for n := 0; n < len(p.jobs) && err == nil; n++ {
		filter.Job = p.jobs[n]
		list, err = p.book.Runs(ctx, filter)
		if newest := slices.IndexFunc(list, func(r ledger.Run) bool { return r.Export.Rows > 0 }); newest >= 0 && p.jobs[n] != p.run.Job && list[newest].Started.After(since) {
			ids = append(ids, list[newest].ID)
		}
	}
	return ids, err
}

// updatedStill returns the vanished keys of the last run whose cases the plan updates under other keys.
func (p *planner) updatedStill(ctx context.Context, last ledger.Run) (map[string]bool, error) {
	err := inBatches(p.book.Vanished(ctx, last.ID, p.run.ID), func(keys []string) error {
		known, err := p.book.Known(ctx, p.run.Scope, keys)
		if err != nil {
			return err
		}
		for key, k := range known {
			if err := p.index.addEarlier(mapping.IDTrait(payload.ID(k.Payload)), key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	still := map[string]bool{}
	for group, err := range p.index.groups() {
		if err != nil {
			return nil, fmt.Errorf("compare what vanished with what is updated: %w", err)
		}
		for n := 0; n < len(group.earlier) && group.check == reason.IDTwice && len(group.seqs) > 0; n++ {
			still[group.earlier[n]] = true
		}
	}
	return still, nil
}

// lastExports is how many exports back a vanished key is searched for content that other keys have too: a week of
// nights.
const lastExports = 7

// renames finds the records of a plan that may have been created before under another key. It looks at records to be
// created if
//
//   - their number, or that of a file, is that of a case that is not in the plan, whenever and by whichever job it was
//     or may have been created;
//   - their content is that of a record that the job created, also before it was renamed, or that vanished from its
//     export;
//   - their content is that of a key that has another row since one of the last exports, as when references were
//     shifted or given anew.
//
// It is the last step of a plan and asks nothing on a night that creates nothing. The content of a record is what was
// sent, and what its row said in one of the last exports, because an update may have sent that since.
//
// Content that several known records share, such as the name of a yearly meeting, does not identify one of them. Then
// only a record counts that was in one of the last exports and is gone, or is in doubt. If several new records share
// the content, nothing is asked about a key that is still there.
type renames struct {
	p         *planner
	own       []string // the fields that are read from the key's columns alone
	index     duplicateIndex
	gone      map[string]bool            // keys that vanished since the last run
	doubts    map[string]json.RawMessage // what may have been created
	questions []ledger.Rename
	last      *ledger.Run  // the last export; nil if there is none, or the rows are not a whole export
	asked     int          // records that wait for an answer
	former    string       // the job's former name, in exports that it read before it was renamed
	exports   []ledger.Run // the job's last exports; nil until they are read
}

func newRenames(p *planner) *renames {
	return &renames{p: p, own: keyFields(p.run.Sources), gone: map[string]bool{}, doubts: map[string]json.RawMessage{}}
}

// vanished takes in keys that are no longer in the export.
func (f *renames) vanished(keys []string) {
	if f.p.to == 0 || !payload.Operation(f.p.run.Operation).Creates() {
		return
	}
	for _, key := range keys {
		f.gone[key] = true
	}
}

// reject rejects the records to be created that may exist already, and stores the questions.
func (f *renames) reject(ctx context.Context) error {
	if !f.p.mapping.Operation().Creates() {
		return nil
	}
	if err := f.askedBefore(ctx); err != nil || f.p.to == 0 {
		return err
	}
	doubts, err := f.p.recall.inDoubt(ctx)
	if err != nil {
		return err
	}
	if some, err := knowsAnything(ctx, f.p.book.Reader, f.p.run.Scope); err != nil || !some && len(doubts) == 0 {
		return err
	}
	check := reason.NumberTwice
	if f.p.mapping.Operation() == payload.CreateFolder {
		check = reason.FileCreated
	}
	_, numbers, _ := f.p.mapping.Comparison(check)
	traits := func(stored json.RawMessage, key, run string) (list []mapping.Trait, err error) {
		if numbers {
			list = mapping.CreatedTraits(stored)
		}
		if job, err := f.p.recall.job(ctx, run); err != nil || job != f.p.run.Job && job != f.former && !f.gone[key] { // another job's export has such content too
			return list, err
		}
		for _, text := range f.contents(stored, key) {
			sum := sha256.Sum256(text)
			list = append(list, mapping.Trait{Check: reason.Renamed, Sum: binary.LittleEndian.Uint64(sum[:])})
		}
		return list, nil
	}
	if _, err := f.lastOnes(ctx); err != nil {
		return err
	}
	for r, err := range f.p.book.Records(ctx, f.p.run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err != nil {
			return err
		}
		list, err := traits(r.Payload, r.Key, r.Run)
		for n := 0; n < len(list) && err == nil; n++ {
			err = f.index.add(list[n], r.Seq)
		}
		if err != nil {
			return err
		}
	}
	if err := f.p.addKnown(ctx, &f.index, traits); err != nil {
		return err
	}
	for _, doubt := range doubts {
		f.doubts[doubt.Key] = doubt.Payload
		list, err := traits(doubt.Payload, doubt.Key, doubt.Run)
		if err != nil {
			return err
		}
		if err := f.index.addAllEarlier(list, doubt.Key); err != nil {
			return err
		}
	}
	if err := f.addLast(ctx, traits); err != nil {
		return err
	}
	for group, err := range f.index.groups() {
		if err == nil && len(group.seqs) > 0 && len(group.earlier) > 0 {
			err = f.ask(ctx, group)
		}
		if err != nil {
			return fmt.Errorf("compare new records with earlier ones: %w", err)
		}
	}
	if f.p.run.Kind != ledger.Push {
		return nil
	}
	return f.p.book.AskRenames(ctx, f.questions)
}

// askedBefore withdraws questions that no longer make sense, because to answer them would move what is known away from
// a record that is there. It withdraws a question if the plan has the former key with what was created under it,
// whatever became of the new key; if the former key is back and the new one is not in the plan; or if nothing is known
// under the former key any more. It rejects the records of the remaining questions.
func (f *renames) askedBefore(ctx context.Context) error {
	open, err := f.p.book.OpenRenames(ctx)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(q ledger.Rename) bool { return q.Scope != f.p.run.Scope })
	var idle []ledger.Rename
	for _, q := range open {
		held, err := f.p.book.Known(ctx, q.Scope, []string{q.Former})
		if err != nil {
			return err
		}
		there, reused, err := f.inPlan(ctx, q.Former, held[q.Former])
		if err != nil {
			return err
		}
		back := false // in its place
		if there && reused && f.last != nil {
			had, err := f.p.hadKey(ctx, f.last.ID, q.Former)
			if err != nil {
				return err
			}
			asked, err := f.p.hadKey(ctx, f.p.run.ID, q.Key)
			if err != nil {
				return err
			}
			back = !had && !asked
		}
		if len(held) == 0 || there && !reused || back {
			idle = append(idle, q)
		}
	}
	for n, q := range open {
		if n > 0 && open[n-1].Key == q.Key {
			continue
		}
		r, err := f.p.book.RecordByKey(ctx, f.p.run.ID, q.Key)
		if errors.Is(err, ledger.ErrNotFound) || err == nil && r.State != ledger.Planned {
			continue
		}
		known := map[string]ledger.LastAccepted{}
		if err == nil {
			err = f.p.recall.Renamed(ctx, []*decide.Mapped{{Key: r.Key, Payload: r.Payload}}, known)
		}
		if err != nil {
			return err
		}
		list := slices.DeleteFunc(known[r.Key].Renames, func(q ledger.Rename) bool { return slices.Contains(idle, q) })
		if len(list) == 0 {
			continue
		}
		f.p.to--
		f.asked++
		r.State, r.Reasons = ledger.Rejected, []ledger.Reason{decide.RenamedReason(list)}
		if err := f.p.replace(ctx, []ledger.Record{r}); err != nil {
			return err
		}
	}
	if f.p.run.Kind != ledger.Push {
		return nil
	}
	return f.p.book.WithdrawRenames(ctx, idle)
}

// byKeys reports whether the number of a payload is its key.
func byKeys(stored json.RawMessage, key string) bool {
	number, is := mapping.NumberTrait(payload.Text(stored, "number"))
	return is && isKey(number, key)
}

// isKey reports whether a number is the key itself.
func isKey(number mapping.Trait, key string) bool {
	twin, _ := mapping.TwinTrait(key)
	return number.Sum == twin.Sum
}

// addKnown indexes what is known of a scope, by traits.
func (p *planner) addKnown(ctx context.Context, index *duplicateIndex, traits func(stored json.RawMessage, key, run string) ([]mapping.Trait, error)) error {
	return inBatches(p.book.Keys(ctx, p.run.Scope), func(keys []string) error {
		known, err := p.book.Known(ctx, p.run.Scope, keys)
		for n := 0; n < len(keys) && err == nil; n++ {
			var list []mapping.Trait
			if list, err = traits(known[keys[n]].Held(), keys[n], known[keys[n]].Run); err == nil {
				err = index.addAllEarlier(list, keys[n])
			}
		}
		return err
	})
}

// lastOnes returns the last exports of the job, newest first. If it was renamed since, those of the job that its first
// export was compared with follow.
func (f *renames) lastOnes(ctx context.Context) ([]ledger.Run, error) {
	if f.exports != nil {
		return f.exports, nil
	}
	filter := ledger.RunFilter{Job: f.p.run.Job, Scope: f.p.run.Scope, Operation: f.p.run.Operation, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Exports: true, Limit: lastExports}
	list, err := f.p.book.Runs(ctx, filter)
	if err != nil {
		return nil, err
	}
	first := f.last
	if n := len(list); n > 0 {
		first = nil
		if base := list[n-1].Export.Base; n < lastExports && base != "" {
			run, err := f.p.book.Run(ctx, base)
			if err != nil {
				return nil, err
			}
			first = &run
		}
	}
	if first != nil && first.Job != f.p.run.Job {
		f.former, filter.Job, filter.Limit = first.Job, first.Job, lastExports-len(list)
		former, err := f.p.book.Runs(ctx, filter)
		if err != nil {
			return nil, err
		}
		list = append(list, former...)
	}
	f.exports = append([]ledger.Run{}, list...)
	return f.exports, nil
}

// addLast indexes what rows of the last exports said, if they had changed since their records were created.
func (f *renames) addLast(ctx context.Context, traits func(stored json.RawMessage, key, run string) ([]mapping.Trait, error)) error {
	exports, err := f.lastOnes(ctx)
	for n := 0; n < len(exports) && err == nil; n++ {
		rows := map[string]ledger.Record{} // of a batch
		changed := func(yield func(string, error) bool) {
			for r, err := range f.p.book.Records(ctx, exports[n].ID, ledger.RecordFilter{States: []ledger.State{ledger.Unchanged}, Remarkable: true}) {
				if err == nil && len(r.Payload) == 0 {
					continue
				}
				if rows[r.Key] = r; !yield(r.Key, err) {
					return
				}
			}
		}
		err = inBatches(changed, func(keys []string) error {
			known, err := f.p.book.KnownBriefly(ctx, f.p.run.Scope, keys)
			for n := 0; n < len(keys) && err == nil; n++ {
				var list []mapping.Trait
				if r := rows[keys[n]]; saidOf(r, known[r.Key]) {
					list, err = traits(r.Payload, r.Key, r.Run)
				}
				if err == nil {
					err = f.index.addAllEarlier(list, keys[n])
				}
			}
			clear(rows)
			return err
		})
	}
	return err
}

// saidOf reports whether a row of an earlier export had changed since what is now known of its key was created.
func saidOf(r ledger.Record, known ledger.LastAccepted) bool {
	return r.State == ledger.Unchanged && len(r.Payload) > 0 && known.Run != "" && r.ServiceID == known.ServiceID
}

// said is one of the things that a key stood for, with its digest, or "" if that is not known.
type said struct {
	digest  string
	payload json.RawMessage
}

// said returns what was sent under a key, followed, if the content counts, by what its rows said since in the last
// exports.
func (f *renames) said(ctx context.Context, key string, known ledger.LastAccepted, content bool) ([]said, error) {
	list := []said{{sent(known), known.Held()}}
	if list[0].payload == nil {
		list[0].payload = f.doubts[key]
	}
	if !content {
		return list, nil
	}
	exports, err := f.lastOnes(ctx)
	for n := 0; n < len(exports) && err == nil; n++ {
		var r ledger.Record
		r, err = f.p.book.RecordByKey(ctx, exports[n].ID, key)
		if err == nil && saidOf(r, known) {
			list = append(list, said{r.Digest, r.Payload})
		}
		if errors.Is(err, ledger.ErrNotFound) {
			err = nil
		}
	}
	return list, err
}

// lately returns those keys that vanished in the last exports, or are in doubt. If digest is set, only exports in which
// the key had it count.
func (f *renames) lately(ctx context.Context, keys []string, digest string) (list []string, err error) {
	exports, err := f.lastOnes(ctx)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		had := f.gone[key] || f.doubts[key] != nil
		for n := 0; n < len(exports) && !had; n++ {
			r, err := f.p.book.RecordByKey(ctx, exports[n].ID, key)
			if err != nil && !errors.Is(err, ledger.ErrNotFound) {
				return nil, err
			}
			had = err == nil && (digest == "" || r.Digest == digest)
		}
		if had {
			list = append(list, key)
		}
	}
	return list, nil
}

// inPlan reports whether the plan has a key, and whether its row says something else than what was sent under the key,
// because it is another record's or because it is rejected and nobody knows what it says.
func (f *renames) inPlan(ctx context.Context, key string, known ledger.LastAccepted) (there, reused bool, err error) {
	r, err := f.p.book.RecordByKey(ctx, f.p.run.ID, key)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, false, nil
	}
	return true, sent(known) != "" && r.Digest != sent(known), err
}

// reused returns what a key stood for, in one of the last exports, that the plan has for another record now.
func (f *renames) reused(ctx context.Context, key string, list []said) (reused []said, err error) {
	now, err := f.p.book.RecordByKey(ctx, f.p.run.ID, key)
	for n := 0; n < len(list) && err == nil; n++ {
		if list[n].digest == "" || list[n].digest == now.Digest {
			continue
		}
		var had []string
		if had, err = f.lately(ctx, []string{key}, list[n].digest); len(had) > 0 {
			reused = append(reused, list[n])
		}
	}
	return reused, err
}

// sent returns the digest of what was sent under a key, or "" if it is not known.
func sent(known ledger.LastAccepted) string {
	if known.Doubt != nil {
		return known.Doubt.Digest
	}
	return known.Digest
}

// ask rejects the records of a group that nobody has yet said are new.
func (f *renames) ask(ctx context.Context, g group) error {
	former := slices.Compact(slices.Sorted(slices.Values(g.earlier)))
	alone := g.check == reason.Renamed && len(former) == 1
	gone, err := f.p.absent(ctx, former)
	there := alone && len(gone) == 0 && len(g.seqs) == 1
	switch {
	case err != nil:
	case g.check == reason.Renamed && !alone:
		former, err = f.lately(ctx, gone, "")
	case !there:
		former = gone
	}
	if err != nil || len(former) == 0 {
		return err
	}
	former = former[:min(len(former), mostParties)]
	known, err := f.p.book.Known(ctx, f.p.run.Scope, former)
	if err != nil {
		return err
	}
	held := map[string][]said{}
	for _, key := range former {
		if held[key], err = f.said(ctx, key, known[key], g.check == reason.Renamed); err == nil && there {
			held[key], err = f.reused(ctx, key, held[key])
		}
		if err != nil {
			return err
		}
	}
	failed := f.p.change(ctx, []*verdict{{group: g}}, func(_ *verdict, r *ledger.Record) bool {
		asked, looking := f.p.book.Renames(ctx, r.Scope, []string{r.Key})
		if err = looking; err != nil || r.State != ledger.Planned {
			return false
		}
		var list []ledger.Rename
		for _, key := range former {
			decided := slices.ContainsFunc(asked[r.Key], func(q ledger.Rename) bool { return q.Former == key && q.Decision == ledger.NewRecord })
			if g.check != reason.Renamed && byKeys(r.Payload, r.Key) && byKeys(held[key][0].payload, key) {
				continue // two spellings of one key: the comparison of keys judges them
			}
			alike := func(s said) bool { return f.alike(r.Payload, r.Key, s.payload, key) }
			if !decided && (g.check != reason.Renamed || slices.ContainsFunc(held[key], alike)) {
				list = append(list, ledger.Rename{Scope: r.Scope, Key: r.Key, Former: key})
			}
		}
		if len(list) == 0 {
			return false
		}
		f.questions = append(f.questions, list...)
		f.p.to--
		f.asked++
		r.State, r.Reasons = ledger.Rejected, []ledger.Reason{decide.RenamedReason(list)}
		return true
	})
	return errors.Join(err, failed)
}

// alike reports whether two records say the same apart from their keys.
func (f *renames) alike(a json.RawMessage, key string, b json.RawMessage, former string) bool {
	others := f.contents(b, former)
	return slices.ContainsFunc(f.contents(a, key), func(text []byte) bool {
		return slices.ContainsFunc(others, func(other []byte) bool { return bytes.Equal(text, other) })
	})
}

// absent returns those of some keys that the plan does not have.
func (p *planner) absent(ctx context.Context, keys []string) (list []string, err error) {
	for _, key := range keys {
		_, err := p.book.RecordByKey(ctx, p.run.ID, key)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			list = append(list, key)
		case err != nil:
			return nil, err
		}
	}
	return list, nil
}

// contents returns what a payload says apart from its key, without the fields that are read from the key's columns
// alone: once with every word that is the key removed, once as it stands. It returns none if the payload has neither a
// name nor files, because that is too little to recognize a record by.
func (f *renames) contents(stored json.RawMessage, key string) (list [][]byte) {
	values, err := payload.Walk(stored)
	if err != nil {
		return nil
	}
	var plain, text []byte
	known := false
	for _, v := range values {
		field := v.Field()
		known = known || strings.HasPrefix(v.Path, "files[")
		if slices.Contains(f.own, field) {
			continue
		}
		known = known || v.Path == "name" && !v.IsNull()
		plain = fmt.Appendf(plain, "%s %v %q\n", v.Path, v.Literal, v.Text)
		text = fmt.Appendf(text, "%s %v %q\n", v.Path, v.Literal, table.ReplaceWord(v.Text, key, ""))
	}
	switch {
	case !known:
		return nil
	case bytes.Equal(plain, text):
		return [][]byte{text}
	}
	return [][]byte{text, plain}
}

// keyFields returns the fields that are read from no other columns than the key is.
func keyFields(sources []ledger.Source) (fields []string) {
	if len(sources) == 0 || len(sources[0].Origins) == 0 {
		return nil
	}
	key := sources[0].Origins[0].Columns
	other := func(column int) bool { return !slices.Contains(key, column) }
	for _, o := range sources[0].Origins[1:] {
		if len(o.Columns) > 0 && !slices.ContainsFunc(o.Columns, other) {
			fields = append(fields, o.Field)
		}
	}
	return fields
}
