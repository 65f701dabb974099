package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

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
	asked     int          // records that wait for an answer
	former    string       // the job's former name, in exports that it read before it was renamed
	exports   []ledger.Run // the job's last exports; nil until they are read
}

func newRenames(p *planner) *renames {
	return &renames{p: p, own: keyFields(p.Run.Sources), gone: map[string]bool{}, doubts: map[string]json.RawMessage{}}
}

// vanished takes in keys that are no longer in the export.
func (f *renames) vanished(keys []string) {
	if f.p.to == 0 || !payload.Operation(f.p.Run.Operation).Creates() {
		return
	}
	for _, key := range keys {
		f.gone[key] = true
	}
}

// reject rejects the records to be created that may exist already, and stores the questions.
func (f *renames) reject(ctx context.Context) error {
	if !f.p.Walk.Mapping.Operation().Creates() {
		return nil
	}
	if err := f.askedBefore(ctx); err != nil || f.p.to == 0 {
		return err
	}
	doubts, err := f.p.recall.inDoubt(ctx)
	if err != nil {
		return err
	}
	if some, err := knowsAnything(ctx, f.p.Book.Reader, f.p.Run.Scope); err != nil || !some && len(doubts) == 0 {
		return err
	}
	check := reason.NumberTwice
	if f.p.Walk.Mapping.Operation() == payload.CreateFolder {
		check = reason.FileCreated
	}
	_, numbers, _ := f.p.Walk.Mapping.Comparison(check)
	traits := func(stored json.RawMessage, key, run string) (list []mapping.Trait, err error) {
		if numbers {
			list = mapping.CreatedTraits(stored)
		}
		if job, err := f.p.recall.job(ctx, run); err != nil || job != f.p.Run.Job && job != f.former && !f.gone[key] { // another job's export has such content too
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
	for r, err := range f.p.Book.Records(ctx, f.p.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
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
	if f.p.Run.Kind != ledger.Push {
		return nil
	}
	return f.p.Book.AskRenames(ctx, f.questions)
}

// askedBefore withdraws questions that no longer make sense, because to answer them would move what is known away from
// a record that is there. It withdraws a question if the plan has the former key with what was created under it,
// whatever became of the new key; if the former key is back and the new one is not in the plan; or if nothing is known
// under the former key any more. It rejects the records of the remaining questions.
func (f *renames) askedBefore(ctx context.Context) error {
	open, err := f.p.Book.OpenRenames(ctx)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(q ledger.Rename) bool { return q.Scope != f.p.Run.Scope })
	var idle []ledger.Rename
	for _, q := range open {
		held, err := f.p.Book.Known(ctx, q.Scope, []string{q.Former})
		if err != nil {
			return err
		}
		there, reused, err := f.inPlan(ctx, q.Former, held[q.Former])
		if err != nil {
			return err
		}
		back := false // in its place
		if there && reused && f.p.Last != nil {
			_, had, err := f.p.find(ctx, f.p.Last.ID, q.Former)
			if err != nil {
				return err
			}
			_, asked, err := f.p.find(ctx, f.p.Run.ID, q.Key)
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
		r, _, err := f.p.find(ctx, f.p.Run.ID, q.Key)
		if err == nil && r.State != ledger.Planned {
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
		f.hold(&r, list)
		if err := f.p.replace(ctx, []ledger.Record{r}); err != nil {
			return err
		}
	}
	if f.p.Run.Kind != ledger.Push {
		return nil
	}
	return f.p.Book.WithdrawRenames(ctx, idle)
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
	return inBatches(p.Book.Keys(ctx, p.Run.Scope), func(keys []string) error {
		known, err := p.Book.Known(ctx, p.Run.Scope, keys)
		for n := 0; n < len(keys) && err == nil; n++ {
			var list []mapping.Trait
			if list, err = traits(known[keys[n]].Held(), keys[n], known[keys[n]].Run); err == nil {
				err = index.addAllEarlier(list, keys[n])
			}
		}
		return err
	})
}

// inPlan reports whether the plan has a key, and whether its row says something else than what was sent under the key,
// because it is another record's or because it is rejected and nobody knows what it says.
func (f *renames) inPlan(ctx context.Context, key string, known ledger.LastAccepted) (there, reused bool, err error) {
	r, there, err := f.p.find(ctx, f.p.Run.ID, key)
	return there, there && sent(known) != "" && r.Digest != sent(known), err
}

// hold rejects a record until the questions about it are answered.
func (f *renames) hold(r *ledger.Record, list []ledger.Rename) {
	f.p.to--
	f.asked++
	r.State, r.Reasons = ledger.Rejected, []ledger.Reason{decide.RenamedReason(list)}
}

// reused returns what a key stood for, in one of the last exports, that the plan has for another record now.
func (f *renames) reused(ctx context.Context, key string, list []said) (reused []said, err error) {
	now, err := f.p.Book.RecordByKey(ctx, f.p.Run.ID, key)
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
	known, err := f.p.Book.Known(ctx, f.p.Run.Scope, former)
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
		asked, looking := f.p.Book.Renames(ctx, r.Scope, []string{r.Key})
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
		f.hold(r, list)
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
