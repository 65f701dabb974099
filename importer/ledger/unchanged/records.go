package unchanged

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"

	"docketsync/importer/ledger/store"
)

// Place is where a part of a record is: the index of its source in the run, and the number of its row.
type Place struct{ Source, Number int }

// Record is an unchanged record of a run, or one of a check that is in order; then Action is what would be done with
// it.
type Record struct {
	Seq    int64
	Key    string
	Action string
	entry  *entry
	shift  int
}

// Digest returns the digest of its payload.
func (r Record) Digest() string { return r.entry.digest.String() }

// ServiceID returns the id that the service gave it, or "" if it is not known.
func (r Record) ServiceID() string { return r.entry.id.String() }

// Places yields where the record is in its sources: the index of the source and the number of the row.
func (r Record) Places() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, place := range r.entry.places {
			if !yield(place.Source, place.Number+r.shift) {
				return
			}
		}
	}
}

// Records yields the unchanged records of a run after a seq, in order. What is removed meanwhile may or may not be
// seen.
func Records(ctx context.Context, read *store.Reader, run, after int64) iter.Seq2[Record, error] {
	r := &reader{Reader: read}
	return r.records(ctx, r.spans(ctx, run, after), func(_ context.Context, s span) (func(int) bool, error) {
		return func(index int) bool { return s.first+int64(index-s.start) > after }, nil
	})
}

// records yields the records of spans. keeps returns, for a span, which of its records to yield, by their indexes in
// the segment.
func (r *reader) records(ctx context.Context, spans iter.Seq2[span, error], keeps func(context.Context, span) (func(int) bool, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for s, err := range spans {
			var kept func(int) bool
			if err == nil {
				kept, err = keeps(ctx, s)
			}
			if err == nil {
				err = r.load(ctx, &s)
			}
			if errors.Is(err, errSegmentGone) {
				return // with its run
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			for index := s.start; index < s.start+s.count; index++ {
				if kept(index) && !yield(s.record(index), nil) {
					return
				}
			}
		}
	}
}

// At returns the unchanged records of a run that have these seqs.
func At(ctx context.Context, read *store.Reader, run int64, seqs []int64) (list []Record, err error) {
	r := reader{Reader: read}
	for _, seq := range seqs {
		s, ok, err := r.around(ctx, run, seq)
		if ok && err == nil {
			err = r.load(ctx, &s)
		}
		switch {
		case errors.Is(err, errSegmentGone):
		case err != nil:
			return nil, err
		case ok:
			list = append(list, s.record(s.start+int(seq-s.first)))
		}
	}
	return list, nil
}

// ByKey returns the one unchanged record of a run that has a key, or none.
func ByKey(ctx context.Context, read *store.Reader, run int64, key string) ([]Record, error) {
	r := reader{Reader: read}
	s, index, err := r.holding(ctx, run, 0, key)
	if err != nil || s == nil {
		return nil, err
	}
	return []Record{s.record(index)}, nil
}

// selectHolding finds the ranges of a run, after a seq, whose segments may have a key.
const selectHolding = `select r.first_seq, r.records, r.segment, r.start, r.shift, r.action from ranges r join segments s on s.number = r.segment
	where r.run_no = $1 and r.first_seq > $2 and s.first_key <= $3 and s.last_key >= $3 order by r.first_seq limit $4`

// holding returns the first span of a run after a seq that has a key, and the key's index in its segment, or nil if
// there is none.
func (r *reader) holding(ctx context.Context, run, after int64, key string) (*span, int, error) {
	stored := store.StoredKey(key)
	for s, err := range store.Pages(rangesPerPage, func(last span) ([]span, error) {
		return r.query(ctx, selectHolding, run, max(after, last.first), stored, rangesPerPage)
	}) {
		if err == nil {
			err = r.load(ctx, &s)
		}
		if errors.Is(err, errSegmentGone) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		for index := s.start; index < s.start+s.count; index++ {
			if s.segment.entries[index].key == key {
				return &s, index, nil
			}
		}
	}
	return nil, 0, nil
}

// sighting is an unchanged record in one of the runs that found it so.
type sighting struct {
	Record
	Run int64
}

const selectWith = `select run_no, ` + rangeColumns + ` from ranges where segment = $1 and start <= $2 and start + records > $2
	order by run_no desc limit $3`

// History returns the newest runs that found a key of a scope unchanged, at most limit for each segment that has it (0
// for all).
func History(ctx context.Context, read *store.Reader, scope, key string, limit int) (list []sighting, err error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	numbers, err := store.List(ctx, read, store.Column[int64], `select number from segments where scope = $1 and first_key <= $2 and last_key >= $2`, store.Plain(scope), store.StoredKey(key))
	if err != nil {
		return nil, err
	}
	r := reader{Reader: read}
	for _, number := range numbers {
		s, err := r.segment(ctx, number)
		if errors.Is(err, errSegmentGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		index := slices.IndexFunc(s.entries, func(e entry) bool { return e.key == key })
		if index < 0 {
			continue
		}
		found, err := store.List(ctx, read, func(rows *sql.Rows) (g sighting, err error) {
			at := span{segment: s}
			if err = rows.Scan(append([]any{&g.Run}, at.columns()...)...); err == nil {
				g.Record = at.record(index)
			}
			return g, err
		}, selectWith, number, index, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// selectUnshared finds the ranges of a run that another run does not have, whole or as part of a longer one.
const selectUnshared = `select s.first_seq, s.records, s.segment, s.start, s.shift, s.action from ranges s where s.run_no = $1 and s.first_seq > $2
	and not exists (select 1 from ranges o where o.segment = s.segment and o.run_no = $3 and o.start <= s.start and o.start + o.records >= s.start + s.records)
	order by s.first_seq limit $4`

// Unshared yields the unchanged records of a run that are not in a segment where another run has them too. With roughly
// it is cheaper but yields some that are: all records of ranges that the other run does not have whole.
func Unshared(ctx context.Context, read *store.Reader, run, other int64, roughly bool) iter.Seq2[Record, error] {
	r := &reader{Reader: read}
	spans := store.Pages(rangesPerPage, func(last span) ([]span, error) {
		return r.query(ctx, selectUnshared, run, last.first, other, rangesPerPage)
	})
	return r.records(ctx, spans, func(ctx context.Context, s span) (func(int) bool, error) {
		if roughly {
			return func(int) bool { return true }, nil
		}
		shared, err := r.query(ctx, `select `+rangeColumns+` from ranges where segment = $1 and run_no = $2 and start < $3 and start + records > $4`,
			s.number, other, s.start+s.count, s.start)
		return func(index int) bool {
			return !slices.ContainsFunc(shared, func(o span) bool { return index >= o.start && index < o.start+o.count })
		}, err
	})
}
