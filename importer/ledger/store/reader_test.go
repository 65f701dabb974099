package store_test

import (
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	_ "docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// TestAQueryThatBreaksOffIsNoShorterList reads rows of which the second cannot be worked out.
func TestAQueryThatBreaksOffIsNoShorterList(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := 0
	err = store.Each(db.Query, func(*sql.Rows) error { rows++; return nil }, `select abs(column1) from (values (1), (-9223372036854775807 - 1))`)
	if err == nil || rows != 1 {
		t.Errorf("%d rows, and the error %v", rows, err)
	}
	list, err := store.All(db.Query, store.Column[int64], `select abs(column1) from (values (1), (-9223372036854775807 - 1))`)
	if err == nil || list != nil {
		t.Errorf("the rows %v, and the error %v", list, err)
	}
}

// TestPagesAreReadAhead reads all of some pages, pages of which the last cannot be read, and only the first thing.
func TestPagesAreReadAhead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		numbers int
		fails   bool
	}{{0, false}, {1, false}, {4, false}, {5, false}, {0, true}, {4, true}} {
		var got, want []int
		var err error
		for n := range c.numbers {
			want = append(want, n+1)
		}
		for n, failed := range store.PagesAhead(2, func(last int) (page []int, err error) {
			if last == c.numbers && c.fails {
				return nil, broken
			}
			return want[last:min(last+2, len(want))], nil
		}) {
			if err = failed; err == nil {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) || c.fails != errors.Is(err, broken) {
			t.Errorf("of %v: %v, and the error %v", c, got, err)
		}
	}
	ahead, ended := make(chan struct{}), atomic.Bool{}
	for range store.PagesAhead(1, func(last int) ([]int, error) {
		if last == 1 {
			<-ahead // until the first thing is there
			ended.Store(true)
		}
		return []int{last + 1}, nil
	}) {
		close(ahead)
		break
	}
	if !ended.Load() {
		t.Error("a page was still being read")
	}
}
