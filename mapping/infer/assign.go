package infer

import (
	"math"
	"slices"
)

// assign gives each row of fits at most one column, and each column to at most one row, so that the sum is the greatest
// possible (Kuhn and Munkres, with potentials). The result has the column of each row, -1 for none: a fit of 0 is none.
func assign(fits [][]float64) []int {
	rows := len(fits)
	if rows == 0 {
		return nil
	}
	columns := len(fits[0]) + rows // a column of its own for each row that gets none
	cost := func(row, column int) float64 {
		if column < len(fits[0]) {
			return -fits[row][column]
		}
		return 0
	}
	rowPotential, columnPotential := make([]float64, rows+1), make([]float64, columns+1)
	owner, way := make([]int, columns+1), make([]int, columns+1) // counted from 1, 0 is free
	for row := 1; row <= rows; row++ {
		owner[0] = row
		least, visited := slices.Repeat([]float64{math.Inf(1)}, columns+1), make([]bool, columns+1)
		at := 0
		for owner[at] != 0 {
			visited[at] = true
			from, next, delta := owner[at], 0, math.Inf(1)
			for column := 1; column <= columns; column++ {
				if visited[column] {
					continue
				}
				if reduced := cost(from-1, column-1) - rowPotential[from] - columnPotential[column]; reduced < least[column] {
					least[column], way[column] = reduced, at
				}
				if least[column] < delta {
					delta, next = least[column], column
				}
			}
			for column := range visited {
				if visited[column] {
					rowPotential[owner[column]] += delta
					columnPotential[column] -= delta
				} else {
					least[column] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			owner[at] = owner[way[at]]
			at = way[at]
		}
	}
	result := slices.Repeat([]int{-1}, rows)
	for column := 1; column <= len(fits[0]); column++ {
		if row := owner[column] - 1; row >= 0 && fits[row][column-1] > 0 {
			result[row] = column - 1
		}
	}
	return result
}
