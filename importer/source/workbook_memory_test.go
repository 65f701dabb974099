package source

import (
	"context"
	"runtime"
	"testing"

	"docketsync/importer/source/format"
)

// What is held while a large sheet is read does not grow from row to row. Not parallel: it looks at the whole heap.
func TestMemoryDoesNotGrowWithTheSheet(t *testing.T) {
	const steps, bound = 6, 4 << 20
	step := 1_500
	if long() {
		step = 5_000
	}
	size := steps * step
	path := largeWorkbook(t, size, false)
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var atFirst uint64
	rows := 0
	for _, err := range s.parts[0].table.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; rows%step != 0 {
			continue
		}
		now := held()
		if rows == step {
			atFirst = now
		} else if now > atFirst+bound {
			t.Fatalf("%s are held at row %d, %s at row %d", format.ByteSize(now), rows, format.ByteSize(atFirst), step)
		}
	}
	if rows != size {
		t.Errorf("%d rows read, want %d", rows, size)
	}
}
