package history

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// Vanished yields the keys of the run base that no row of the later run has, if the service is known to hold them or
// base held them for good, in the order of base. It yields nothing if the records of base are no longer kept. The
// ledger may be written in between.
//
// It does not look at what the two runs share: ranges of one segment that are in both.
func (l *Reader) Vanished(ctx context.Context, base, later string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := l.vanished(ctx, base, later, func(key string) bool { return yield(key, nil) }); err != nil {
			yield("", l.h.Wrap("find what vanished", err))
		}
	}
}

// Dropped counts the records that a run held for good, of which nothing is known in the service, and which neither a
// later run nor the plan has.
func (l *Reader) Dropped(ctx context.Context, run, plan string) (n int, err error) {
	err = l.h.Read.One(ctx, `select count(*) from runs u join records r on r.run_no = u.number
		where u.id = $1 and r.state = 'held' and r.key <> '' and not exists (select 1 from known k where k.scope = r.scope and k.key = r.key)
			and not exists (select 1 from records n join runs v on v.number = n.run_no
				where n.scope = r.scope and n.key = r.key and (v.kind = 'run' and n.run_no > r.run_no or v.id = $2))`, []any{run, plan}, &n)
	return n, l.h.Wrap("look for what a run held", err)
}

// StaleStill counts the records of a run that differ from what was last accepted of them, and were the same in the run
// base.
func (l *Reader) StaleStill(ctx context.Context, base, later string) (n int, err error) {
	err = l.h.Read.One(ctx, `select count(*) from runs u join runs v on v.id = $1 join records r on r.run_no = u.number
		join known k on k.scope = r.scope and k.key = r.key and k.digest not in ('', r.digest)
		join records b on b.run_no = v.number and b.key = r.key and b.key <> '' and b.digest = r.digest and b.state = r.state
		where u.id = $2 and r.key <> '' and r.state = 'unchanged'`, []any{base, later}, &n)
	return n, l.h.Wrap("compare with the last run", err)
}

func (l *Reader) vanished(ctx context.Context, base, later string, yield func(string) bool) error {
	from, err := l.h.Number(ctx, base)
	if err != nil {
		return err
	}
	to, err := l.h.Number(ctx, later)
	if err != nil {
		return err
	}
	scope, err := l.h.ScopeOf(ctx, from)
	if err != nil {
		return err
	}
	c := comparison{ledger: l, scope: scope, base: from, later: to, baseID: base, laterID: later}
	part := make([]string, 0, batchOfKeys)
	for e, err := range c.keys(ctx) {
		if err != nil {
			return err
		}
		if part = append(part, e.Key); len(part) < l.h.VanishedPart {
			continue
		}
		if more, err := c.gone(ctx, part, yield); err != nil || !more {
			return err
		}
		part = part[:0]
	}
	_, err = c.gone(ctx, part, yield)
	return err
}

// batchOfKeys is how many keys are looked up at once.
const batchOfKeys = 1000

// comparison compares the keys of two runs.
type comparison struct {
	ledger      *Reader
	scope       string
	base, later int64

	baseID, laterID string
}

// selectExported finds the records of a run with rows of their own, by key. A record without rows in the source is not
// part of the export: it sets a vanished one inactive, and no longer counts once it was accepted.
const selectExported = `select r.seq, r.key from records r where r.run_no = $1 and r.seq > $2 and r.key <> ''
	and not (r.source_rows = '[]' and r.state in ('accepted', 'unchanged')) order by r.seq limit $3`

// keys yields the keys of base in order, without unremarkable records in a segment that the later run has too.
func (c *comparison) keys(ctx context.Context) iter.Seq2[exported, error] {
	unshared := func(yield func(exported, error) bool) {
		for q, err := range unchanged.Unshared(ctx, c.ledger.h.Read, c.base, c.later, false) {
			if !yield(exported{q.Seq, q.Key}, err) || err != nil {
				return
			}
		}
	}
	return merged(c.exported(ctx), unshared, func(a, b exported) bool { return a.Seq < b.Seq })
}

// exported is a record of base, by its place and its key.
type exported struct {
	Seq int64
	Key string
}

// exported yields the records of base that have rows of their own.
func (c *comparison) exported(ctx context.Context) iter.Seq2[exported, error] {
	return store.Pages(KeysPerPage, func(last exported) ([]exported, error) {
		scan := store.Into(func(e *exported) []any { return []any{&e.Seq, (*store.Key)(&e.Key)} })
		return store.List(ctx, c.ledger.h.Read, scan, selectExported, c.base, last.Seq, KeysPerPage)
	})
}

// gone yields those of some keys of base that the later run does not have, if the service is known to hold them or base
// held them.
func (c *comparison) gone(ctx context.Context, keys []string, yield func(string) bool) (more bool, err error) {
	there := map[string]bool{}
	for _, key := range keys {
		there[key] = false
	}
	if len(there) == 0 {
		return true, nil
	}
	// Records in a range that both runs share are not among the keys, so only the others of the later run are read.
	for q, err := range unchanged.Unshared(ctx, c.ledger.h.Read, c.later, c.base, true) {
		if err != nil {
			return false, err
		}
		if _, asked := there[q.Key]; asked {
			there[q.Key] = true
		}
	}
	for batch := range slices.Chunk(keys, batchOfKeys) {
		batch = slices.DeleteFunc(slices.Clone(batch), func(key string) bool { return there[key] })
		gone, err := c.expected(ctx, batch)
		if err != nil {
			return false, err
		}
		for _, key := range batch {
			if gone[key] && !yield(key) {
				return false, nil
			}
		}
	}
	return true, nil
}

var (
	selectHeld   = &store.Keys{Text: `select key from known where scope = $1 and key in ({keys})`}
	selectUnsent = &store.Keys{Text: `select n.key from records n join runs u on u.number = n.run_no
		where u.id = $1 and n.key in ({keys}) and n.state = 'held'`}
	selectThere = &store.Keys{Text: `select n.key from records n join runs u on u.number = n.run_no
		where u.id = $1 and n.key in ({keys}) and n.key <> '' and n.source_rows <> '[]'`}
)

// expected returns those of some keys that the service is known to hold, or that base held, without those of which the
// later run has a record with rows.
func (c *comparison) expected(ctx context.Context, keys []string) (map[string]bool, error) {
	held := map[string]bool{}
	mark := func(value bool) func(*sql.Rows) error {
		return func(rows *sql.Rows) error {
			key, err := scanKey(rows)
			held[key] = value
			return err
		}
	}
	if err := selectHeld.Each(ctx, c.ledger.h.Read, c.scope, keys, mark(true)); err != nil {
		return nil, err
	}
	if err := selectUnsent.Each(ctx, c.ledger.h.Read, c.baseID, keys, mark(true)); err != nil {
		return nil, err
	}
	err := selectThere.Each(ctx, c.ledger.h.Read, c.laterID, keys, mark(false))
	return held, err
}
