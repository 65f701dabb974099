package unchanged

import (
	"context"
	"errors"
	"iter"

	"docketsync/importer/ledger/store"
)

// span is a range of a segment in a run, whose records follow each other.
type span struct {
	first   int64 // seq of its first record
	count   int
	number  int64  // of its segment
	start   int    // index of its first record there
	shift   int    // what is added to the row numbers of the segment
	action  string // for a check, what would be done with the records; "" if they are unchanged
	segment *segment
}

// end returns the seq after the last record.
func (s *span) end() int64 { return s.first + int64(s.count) }

// record returns the record of the span at an index of its segment.
func (s *span) record(index int) Record {
	return Record{Seq: s.first + int64(index-s.start), Key: s.segment.entries[index].key, Action: s.action, entry: &s.segment.entries[index], shift: s.shift}
}

// rangesPerPage is how many ranges are read at once, without their segments.
const rangesPerPage = 256

const (
	rangeColumns = `first_seq, records, segment, start, shift, action`
	selectRanges = `select ` + rangeColumns + ` from ranges where run_no = $1 and first_seq > $2 order by first_seq limit $3`
	// selectAround finds the last range of a run that begins at or before a seq: the only one that may have the seq.
	selectAround = `select ` + rangeColumns + ` from ranges where run_no = $1 and first_seq <= $2 order by first_seq desc limit 1`
)

// columns returns where the columns of a range are scanned to.
func (s *span) columns() []any {
	return []any{&s.first, &s.count, &s.number, &s.start, &s.shift, &s.action}
}

var scanSpan = store.Into((*span).columns)

// reader reads segments, and keeps the last few: the ranges between two changes are of one segment.
type reader struct {
	*store.Reader
	kept [8]*segment
	next int
}

// errSegmentGone says that a segment was removed since the range that needs it was read.
var errSegmentGone = errors.New("a segment of unchanged records is gone")

func (r *reader) segment(ctx context.Context, number int64) (*segment, error) {
	for _, s := range r.kept {
		if s != nil && s.number == number {
			return s, nil
		}
	}
	contents, err := store.All(r.Prepared(ctx), store.Column[[]byte], `select content from segments where number = $1`, number)
	if err != nil {
		return nil, err
	}
	if len(contents) == 0 {
		return nil, errSegmentGone
	}
	s, err := decodeSegment(number, string(contents[0]))
	if err != nil {
		return nil, err
	}
	r.kept[r.next] = s
	r.next = (r.next + 1) % len(r.kept)
	return s, nil
}

// load loads the segment of a span.
func (r *reader) load(ctx context.Context, s *span) (err error) {
	if s.segment, err = r.segment(ctx, s.number); err == nil && (s.start < 0 || s.start+s.count > len(s.segment.entries)) {
		err = errSegment
	}
	return err
}

// query reads spans without their segments.
func (r *reader) query(ctx context.Context, text string, args ...any) ([]span, error) {
	return store.All(r.Prepared(ctx), scanSpan, text, args...)
}

// around returns the span of a run that has a seq, without its segment. ok is false if there is none.
func (r *reader) around(ctx context.Context, run, seq int64) (s span, ok bool, err error) {
	list, err := r.query(ctx, selectAround, run, seq)
	if err != nil || len(list) == 0 || seq >= list[0].end() {
		return s, false, err
	}
	return list[0], true, nil
}

// spans yields the spans of a run that reach beyond a seq, in order, without their segments.
func (r *reader) spans(ctx context.Context, run, after int64) iter.Seq2[span, error] {
	return func(yield func(span, error) bool) {
		if s, ok, err := r.around(ctx, run, after+1); ok || err != nil {
			if !yield(s, err) || err != nil {
				return
			}
			after = s.first
		}
		store.Pages(rangesPerPage, func(last span) ([]span, error) {
			return r.query(ctx, selectRanges, run, max(after, last.first), rangesPerPage)
		})(yield)
	}
}
