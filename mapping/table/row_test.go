package table

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestStoredCellsComeBack shows that a row kept as JSON is read again as it was, whatever stands in its cells.
func TestStoredCellsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{Empty, Text, Number, Date, Clock, Bool, Error})
		cells := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Cell {
			c := Cell{Kind: kind.Draw(t, "kind")}
			if c.Kind != Empty {
				c.Text = rapid.String().Draw(t, "text")
			}
			return c
		})).Draw(t, "cells")
		for _, stored := range [][]byte{AppendCells(nil, cells), marshal(t, cells)} {
			var got []Cell
			if err := json.Unmarshal(stored, &got); err != nil {
				t.Fatalf("%s: %v", stored, err)
			}
			if diff := cmp.Diff(append([]Cell{}, cells...), append([]Cell{}, got...)); diff != "" {
				t.Fatalf("stored as %s (-want +got):\n%s", stored, diff)
			}
		}
	})
}

func marshal(t *rapid.T, cells []Cell) []byte {
	data, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
