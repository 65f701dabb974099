package plan

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// lastExports is how many exports back a vanished key is searched for content that other keys have too: a week of
// nights.
const lastExports = 7

// lastOnes returns the last exports of the job, newest first. If it was renamed since, those of the job that its first
// export was compared with follow.
func (f *renames) lastOnes(ctx context.Context) ([]ledger.Run, error) {
	if f.exports != nil {
		return f.exports, nil
	}
	filter := ledger.RunFilter{Job: f.p.Run.Job, Scope: f.p.Run.Scope, Operation: f.p.Run.Operation, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Exports: true, Limit: lastExports}
	list, err := f.p.Book.Runs(ctx, filter)
	if err != nil {
		return nil, err
	}
	first := f.p.Last
	if n := len(list); n > 0 {
		first = nil
		if base := list[n-1].Export.Base; n < lastExports && base != "" {
			run, err := f.p.Book.Run(ctx, base)
			if err != nil {
				return nil, err
			}
			first = &run
		}
	}
	if first != nil && first.Job != f.p.Run.Job {
		f.former, filter.Job, filter.Limit = first.Job, first.Job, lastExports-len(list)
		former, err := f.p.Book.Runs(ctx, filter)
		if err != nil {
			return nil, err
		}
		list = append(list, former...)
	}
	f.exports = append([]ledger.Run{}, list...)
	return f.exports, nil
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
		if r, _, err = f.p.find(ctx, exports[n].ID, key); saidOf(r, known) {
			list = append(list, said{r.Digest, r.Payload})
		}
	}
	return list, err
}

// saidOf reports whether a row of an earlier export had changed since what is now known of its key was created.
func saidOf(r ledger.Record, known ledger.LastAccepted) bool {
	return r.State == ledger.Unchanged && len(r.Payload) > 0 && known.Run != "" && r.ServiceID == known.ServiceID
}

// addLast indexes what rows of the last exports said, if they had changed since their records were created.
func (f *renames) addLast(ctx context.Context, traits func(stored json.RawMessage, key, run string) ([]mapping.Trait, error)) error {
	exports, err := f.lastOnes(ctx)
	for n := 0; n < len(exports) && err == nil; n++ {
		rows := map[string]ledger.Record{} // of a batch
		changed := func(yield func(string, error) bool) {
			for r, err := range f.p.Book.Records(ctx, exports[n].ID, ledger.RecordFilter{States: []ledger.State{ledger.Unchanged}, Remarkable: true}) {
				if err == nil && len(r.Payload) == 0 {
					continue
				}
				if rows[r.Key] = r; !yield(r.Key, err) {
					return
				}
			}
		}
		err = inBatches(changed, func(keys []string) error {
			known, err := f.p.Book.KnownBriefly(ctx, f.p.Run.Scope, keys)
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
			r, there, err := f.p.find(ctx, exports[n].ID, key)
			if err != nil {
				return nil, err
			}
			had = there && (digest == "" || r.Digest == digest)
		}
		if had {
			list = append(list, key)
		}
	}
	return list, nil
}

// sent returns the digest of what was sent under a key, or "" if it is not known.
func sent(known ledger.LastAccepted) string {
	if known.Doubt != nil {
		return known.Doubt.Digest
	}
	return known.Digest
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
