package sheet

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func filled(tb testing.TB, inMemory, count int, text func(int) string) *Strings {
	tb.Helper()
	table := &Strings{InMemory: inMemory}
	for i := range count {
		if err := table.Add([]byte(text(i))); err != nil {
			tb.Fatal(err)
		}
	}
	if err := table.Finish(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = table.Close() })
	return table
}

// Strings that do not fit in memory come from disk the same, in any order.
func TestManySharedStringsAreSpilled(t *testing.T) {
	t.Parallel()
	const count = 60_000
	text := func(i int) string { return fmt.Sprintf("%d%s", i, strings.Repeat("é", i*7919%300)) }
	table := filled(t, 1<<20, count, text)
	if table.file == nil || table.held != nil {
		t.Fatal("the strings stayed in memory")
	}
	for n := range count + 2000 {
		i := n
		if n >= count {
			i = n * 7919 % count
		}
		got, err := table.At(i)
		if err != nil || got != text(i) {
			t.Fatalf("string %d is %.40q (error %v), want %.40q", i, got, err, text(i))
		}
	}
}

func TestSpilledStringsLeaveNoFiles(t *testing.T) {
	t.Parallel()
	table := filled(t, 1, 1, func(int) string { return "x" })
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(table.file.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary file is still there (%v)", err)
	}
}
