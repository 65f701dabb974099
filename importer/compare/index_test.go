package compare

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorterSortsMoreThanItHolds sorts entries most of which are in a file.
func TestSorterSortsMoreThanItHolds(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 99, 100, 101, 5_000} {
		s := &sorter{most: 100}
		draw := rand.New(rand.NewPCG(1, 2))
		var all []entry
		for range count {
			e := entry{draw.Uint64N(500), draw.Uint64(), draw.Uint64(), draw.Int64(), draw.Uint64()}
			all = append(all, e)
			if err := s.add(e); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(all, entry.compareTo)
		var got []entry
		for e, err := range s.sorted() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if !slices.Equal(all, got) {
			t.Errorf("%d entries came out as %d, in another order or changed", count, len(got))
		}
		s.close()
	}
}
