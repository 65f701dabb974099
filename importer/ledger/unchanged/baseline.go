package unchanged

import (
	"context"
	"errors"
	"iter"

	"docketsync/importer/ledger/store"
)

const (
	// lookAhead is how many records of the last run are searched for one that is not the next: the rows before it may
	// have been removed.
	lookAhead = 4 * segmentRecords
	// firstSearch is after how many records that were not found the rest of the last run is searched for one. The next
	// time it takes twice as many, so that an export in another order is not searched again and again.
	firstSearch = 1000
)

// Baseline is what the last run of a job found unchanged, in its order, as far as that is still true. With it the
// records of the next export are recognised one after the other, without looking up what is known of each.
type Baseline struct {
	reader reader
	run    int64 // the last run, 0 for none
	learnt map[string]struct{}

	next    func() (span, error, bool) // what of the last run was not read yet
	stop    func()
	through int64   // the last of its seqs that was read
	ahead   []found // records of the last run from the next on, and some before it
	at      int     // the next
	places  map[string]int
	missed  int // records in a row that were not found
	search  int // how many of those it takes until the rest is searched
}

// found is a record of the last run.
type found struct {
	segment *segment
	index   int
}

func (f found) entry() *entry { return &f.segment.entries[f.index] }

// Same is a record that the last run found unchanged and that still is. The zero Same is none.
type Same struct{ found }

// Found reports whether there is one.
func (s Same) Found() bool { return s.segment != nil }

// NewBaseline reads the unchanged records of a run, 0 for none. Something was learnt of the keys in learnt since, so
// they are not recognised. Close ends it.
func NewBaseline(ctx context.Context, read *store.Reader, run int64, learnt map[string]struct{}) *Baseline {
	b := &Baseline{reader: reader{Reader: read}, run: run, learnt: learnt, search: firstSearch, stop: func() {}}
	if run != 0 {
		b.next, b.stop = iter.Pull2(b.reader.spans(ctx, run, 0))
	}
	return b
}

// Same returns the record with a key and digest, if the last run found it unchanged and nothing was learnt about its
// key since. Records must be asked for in the order of the export, and each is found once. One that is far from where
// it was in the last run may not be found. That means nothing: the record is then looked up.
func (b *Baseline) Same(ctx context.Context, key, digest string) (Same, error) {
	if b.run == 0 || key == "" {
		return Same{}, nil
	}
	there, err := b.find(ctx, key)
	if err != nil || !there {
		return Same{}, b.reader.Wrap("compare with the last run", err)
	}
	same := b.ahead[b.at]
	b.at++
	if _, ok := b.learnt[key]; ok || !same.entry().digest.is(digest) {
		return Same{}, nil
	}
	return Same{same}, nil
}

// find moves on to the record of a key. If there is none, it stays where it is.
func (b *Baseline) find(ctx context.Context, key string) (bool, error) {
	if b.at == len(b.ahead) {
		if more, err := b.read(ctx); err != nil || !more {
			return false, err
		}
	}
	if b.ahead[b.at].entry().key == key {
		b.missed = 0
		return true, nil
	}
	for len(b.ahead)-b.at < lookAhead/2 {
		if more, err := b.read(ctx); err != nil {
			return false, err
		} else if !more {
			break
		}
	}
	if b.places == nil {
		b.places = make(map[string]int, len(b.ahead)-b.at)
		for n := b.at; n < len(b.ahead); n++ {
			b.places[b.ahead[n].entry().key] = n
		}
	}
	if n, ok := b.places[key]; ok && n >= b.at {
		b.at, b.missed = n, 0
		return true, nil
	}
	if b.missed++; b.missed < b.search {
		return false, nil
	}
	b.missed, b.search = 0, 2*b.search
	return b.searchFor(ctx, key)
}

// read reads the next lookAhead records of the last run. There are no more if the run's records are removed meanwhile.
func (b *Baseline) read(ctx context.Context) (more bool, err error) {
	if b.next == nil {
		return false, nil
	}
	b.ahead = append(b.ahead[:0], b.ahead[b.at:]...)
	b.at, b.places = 0, nil
	for len(b.ahead) < lookAhead {
		s, err, ok := b.next()
		if ok && err == nil {
			err = b.reader.load(ctx, &s)
		}
		if !ok || errors.Is(err, errSegmentGone) {
			b.next = nil
			break
		}
		if err != nil {
			return false, err
		}
		more, b.through = true, s.first+int64(s.count)-1
		for n := range s.count {
			b.ahead = append(b.ahead, found{s.segment, s.start + n})
		}
	}
	return more, nil
}

// searchFor searches for a key in all that is left of the last run, and continues from there. So an export from which
// many rows were removed is recognised again.
func (b *Baseline) searchFor(ctx context.Context, key string) (bool, error) {
	s, index, err := b.reader.holding(ctx, b.run, b.through, key)
	if err != nil || s == nil {
		return false, err
	}
	b.goOn(ctx, *s, index-s.start)
	return true, nil
}

// goOn continues with a record of a span, and forgets those before it.
func (b *Baseline) goOn(ctx context.Context, s span, from int) {
	b.stop()
	b.ahead, b.at, b.places = b.ahead[:0], 0, nil
	for n := from; n < s.count; n++ {
		b.ahead = append(b.ahead, found{s.segment, s.start + n})
	}
	b.through = s.end() - 1
	b.next, b.stop = iter.Pull2(b.reader.spans(ctx, b.run, b.through))
}

// Close releases what was read.
func (b *Baseline) Close() { b.stop() }
