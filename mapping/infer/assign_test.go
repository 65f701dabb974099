package infer

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestAssignFindsTheGreatestSum holds against every other way to give rows their columns.
func TestAssignFindsTheGreatestSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "columns")
		fits := make([][]float64, rows)
		for i := range fits {
			fits[i] = make([]float64, columns)
			for j := range fits[i] {
				fits[i][j] = float64(rapid.IntRange(0, 9).Draw(t, "fit")) / 10
			}
		}
		got, taken := 0.0, map[int]bool{}
		for row, column := range assign(fits) {
			switch {
			case column < 0:
				continue
			case taken[column] || fits[row][column] == 0:
				t.Fatalf("column %d is given twice, or to a row that it does not fit", column)
			}
			taken[column] = true
			got += fits[row][column]
		}
		if want := greatest(fits, 0, map[int]bool{}); math.Abs(got-want) > 1e-9 {
			t.Fatalf("the sum is %g, and %g is possible", got, want)
		}
	})
}

func greatest(fits [][]float64, row int, taken map[int]bool) float64 {
	if row == len(fits) {
		return 0
	}
	best := greatest(fits, row+1, taken)
	for column, fit := range fits[row] {
		if !taken[column] {
			taken[column] = true
			best = max(best, fit+greatest(fits, row+1, taken))
			delete(taken, column)
		}
	}
	return best
}
