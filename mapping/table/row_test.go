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

// What looks like a number is a text, and keeps what a number would lose.
func TestStoredCellsKeepZerosAndBlanks(t *testing.T) {
	t.Parallel()
	var cells []Cell
	for _, text := range []string{"00123", "0", "000", "-007", "1.50", "12345678901234567890", " 7 ", "1e5", "true", "null", ""} {
		cells = append(cells, Cell{Kind: Text, Text: text}, Cell{Kind: Number, Text: text})
	}
	got, err := StoredCells(AppendCells(nil, cells))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cells, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func marshal(t *rapid.T, cells []Cell) []byte {
	data, err := json.Marshal(cells)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
