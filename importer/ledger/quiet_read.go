package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"

	"docketsync/importer/ledger/store"
)

// quiet tells whether a filter asks for quiet records too.
func (f RecordFilter) quiet() bool {
	return !f.Remarkable && (len(f.States) == 0 || slices.Contains(f.States, Unchanged)) && (len(f.Actions) == 0 || slices.Contains(f.Actions, None))
}

// allRecords yields the records of a run that have rows of their own, and the quiet ones between them, in order.
func (l *Reader) allRecords(ctx context.Context, run string, number int64, f RecordFilter, yield func(Record, error) bool) {
	scope, err := l.scopeOf(ctx, number)
	if err != nil {
		yield(Record{}, l.wrap("read records", err))
		return
	}
	next, stop := iter.Pull2(l.keptRecords(ctx, number, f))
	defer stop()
	kept, err, more := next()
	left := f.Limit
	give := func(r Record, err error) bool {
		ok := yield(r, err) && err == nil
		left--
		return ok && (f.Limit == 0 || left > 0)
	}
	for q, failed := range l.quiet(ctx, number, f.After) {
		if failed != nil {
			yield(Record{}, l.wrap("read records", failed))
			return
		}
		for more && (err != nil || kept.Seq < q.Seq) {
			if !give(kept, err) {
				return
			}
			kept, err, more = next()
		}
		if !give(q.entry.record(run, scope, q.Seq, q.shift), nil) {
			return
		}
	}
	for more && give(kept, err) {
		kept, err, more = next()
	}
}

func (l *Reader) scopeOf(ctx context.Context, run int64) (scope string, err error) {
	err = l.read.QueryRowContext(ctx, `select scope from runs where number = $1`, run).Scan(&scope)
	return scope, err
}

// quietAt are the quiet records of a run that have these seqs.
func (l *Reader) quietAt(ctx context.Context, run string, seqs []int64) (list []Record, err error) {
	number, err := l.number(ctx, run)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	scope, err := l.scopeOf(ctx, number)
	if err != nil {
		return nil, err
	}
	shelf := blockShelf{ledger: l}
	for _, seq := range seqs {
		s, err := l.stretchWith(ctx, &shelf, number, seq)
		if err != nil {
			return nil, err
		}
		if s != nil {
			list = append(list, s.block.entries[s.start+int(seq-s.first)].record(run, scope, seq, s.shift))
		}
	}
	return list, nil
}

// stretchWith is the stretch of a run in which a seq stands, with its block; nil for none.
func (l *Reader) stretchWith(ctx context.Context, shelf *blockShelf, run, seq int64) (*stretch, error) {
	first, err := l.stretchAt(ctx, run, seq)
	if err != nil || first == 0 {
		return nil, err
	}
	page, err := l.stretches(ctx, run, first-1)
	if err != nil || len(page) == 0 || seq >= page[0].first+int64(page[0].count) {
		return nil, err
	}
	if err := shelf.place(ctx, &page[0]); errors.Is(err, errBlockGone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &page[0], nil
}

// quietByKey is the quiet record of a run that has a key, none when there is none.
func (l *Reader) quietByKey(ctx context.Context, run, key string) ([]Record, error) {
	number, err := l.number(ctx, run)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	scope, err := l.scopeOf(ctx, number)
	if err != nil {
		return nil, err
	}
	s, index, err := l.stretchHolding(ctx, &blockShelf{ledger: l}, number, 0, key)
	if err != nil || s == nil {
		return nil, err
	}
	return []Record{s.block.entries[index].record(run, scope, s.first+int64(index-s.start), s.shift)}, nil
}

// selectHolding finds the stretches of a run, behind a seq, whose blocks may have a key.
const selectHolding = `select s.first_seq, s.records, s.block, s.start, s.shift from stretches s join blocks b on b.number = s.block
	where s.run_no = $1 and s.first_seq > $2 and b.first_key <= $3 and b.last_key >= $3 order by s.first_seq limit $4`

// stretchHolding is the first stretch of a run behind a seq that has a key, and the key's index in its block; nil for none.
func (l *Reader) stretchHolding(ctx context.Context, shelf *blockShelf, run, after int64, key string) (*stretch, int, error) {
	for {
		rows, err := l.read.QueryContext(ctx, selectHolding, run, after, store.StoredKey(key), stretchPage)
		if err != nil {
			return nil, 0, err
		}
		page, err := store.Collect(rows, scanStretch)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range page {
			if err := shelf.place(ctx, &s); errors.Is(err, errBlockGone) {
				return nil, 0, nil
			} else if err != nil {
				return nil, 0, err
			}
			for n := s.start; n < s.start+s.count; n++ {
				if s.block.entries[n].key == key {
					return &s, n, nil
				}
			}
			after = s.first
		}
		if len(page) < stretchPage {
			return nil, 0, nil
		}
	}
}

const selectWith = `select u.id, s.first_seq, s.records, s.block, s.start, s.shift from stretches s join runs u on u.number = s.run_no
	where s.block = $1 and s.start <= $2 and s.start + s.records > $2 order by s.run_no desc limit $3`

// withQuietHistory puts the quiet records of a scope and key among its others, newest run first, at most limit.
func (l *Reader) withQuietHistory(ctx context.Context, list []Record, scope, key string, limit int) ([]Record, error) {
	rows, err := l.read.QueryContext(ctx, `select number from blocks where scope = $1 and first_key <= $2 and last_key >= $2`, store.Plain(scope), store.StoredKey(key))
	if err != nil {
		return nil, err
	}
	blocks, err := store.Collect(rows, func(rows *sql.Rows) (number int64, err error) {
		err = rows.Scan(&number)
		return number, err
	})
	if err != nil {
		return nil, err
	}
	shelf := blockShelf{ledger: l}
	for _, number := range blocks {
		b, err := shelf.block(ctx, number)
		if errors.Is(err, errBlockGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		index := slices.IndexFunc(b.entries, func(e blockEntry) bool { return e.key == key })
		if index < 0 {
			continue
		}
		quiet, err := l.runsWith(ctx, b, index, scope, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, quiet...)
	}
	numbers := map[string]int64{}
	for _, r := range list {
		if numbers[r.Run], err = l.number(ctx, r.Run); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return cmp.Compare(numbers[b.Run], numbers[a.Run]) })
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list, nil
}

// runsWith are the records of the newest runs in which an entry of a block stands.
func (l *Reader) runsWith(ctx context.Context, b *block, index int, scope string, limit int) ([]Record, error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	rows, err := l.read.QueryContext(ctx, selectWith, b.number, index, limit)
	if err != nil {
		return nil, err
	}
	return store.Collect(rows, func(rows *sql.Rows) (r Record, err error) {
		var run string
		var s stretch
		err = rows.Scan(&run, &s.first, &s.count, &s.number, &s.start, &s.shift)
		if err != nil {
			return r, err
		}
		return b.entries[index].record(run, scope, s.first+int64(index-s.start), s.shift), nil
	})
}
