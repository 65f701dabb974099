package source

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// openBytes opens a workbook that is held in memory.
func openBytes(data []byte, o Options) (*Source, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Source{options: o, tally: newTally(o)}
	if err := s.openBook(context.Background(), bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openOne opens a workbook that must open, and in which one sheet must be chosen.
func openOne(tb testing.TB, data []byte, o Options) *Source {
	tb.Helper()
	s, err := openBytes(data, o)
	if err != nil {
		tb.Fatalf("the workbook does not open: %v (%s)", err, sourcetest.Hint(err))
	}
	if len(s.parts) != 1 {
		tb.Fatalf("%d sheets were chosen, want one", len(s.parts))
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// rowsOf reads the physical rows of all chosen sheets.
func rowsOf(s *Source) ([]table.Row, error) {
	var all []table.Row
	for _, p := range s.parts {
		for row, err := range p.table.Rows(context.Background()) {
			if err != nil {
				return all, err
			}
			row.Cells = slices.Clone(row.Cells)
			all = append(all, row)
		}
	}
	return all, nil
}

func mustRows(tb testing.TB, s *Source) []table.Row {
	tb.Helper()
	rows, err := rowsOf(s)
	if err != nil {
		tb.Fatalf("the rows cannot be read: %v", err)
	}
	return rows
}

// readBytes opens a workbook and reads its chosen sheets; the error is from either.
func readBytes(data []byte, o Options) ([]table.Row, error) {
	s, err := openBytes(data, o)
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf(s)
	return rows, errors.Join(err, s.Close())
}
