package compare

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"slices"
)

// entry is what is sorted: for a record the two hashes of its key, the hash of its content and its place; for a
// difference two places.
type entry struct {
	high, low uint64 // sorted by these
	sum       uint64
	place     int64
	kind      uint64
}

const entrySize = 5 * 8

// inMemory is how many entries, of some MiB, are sorted at once. If there are more, they go to a file, sorted, and are
// merged from there.
const inMemory = 1 << 17

// seeds are those of a key's two hashes. Among a million keys, two have both in common once in 10^26 comparisons.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// compareTo orders entries by their hashes.
func (e entry) compareTo(o entry) int {
	return cmp.Or(cmp.Compare(e.high, o.high), cmp.Compare(e.low, o.low))
}

// sorter sorts any number of entries in bounded memory.
type sorter struct {
	recent []entry
	most   int // of recent; 0 for inMemory
	file   *os.File
	ends   []int64 // of the sorted parts in the file
}

func (s *sorter) add(e entry) error {
	if s.recent = append(s.recent, e); len(s.recent) < cmp.Or(s.most, inMemory) {
		return nil
	}
	return s.spill()
}

// spill writes what is in memory to the file, sorted.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "docketsync-compare-*"); err != nil {
			return fmt.Errorf("store comparison data: %w", err)
		}
		_ = os.Remove(s.file.Name()) // where an open file can be removed it goes with the process; elsewhere close removes it
	}
	slices.SortFunc(s.recent, entry.compareTo)
	out := bufio.NewWriterSize(s.file, 1<<16)
	var b []byte
	for _, e := range s.recent {
		b = b[:0]
		for _, n := range [...]uint64{e.high, e.low, e.sum, uint64(e.place), e.kind} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		_, _ = out.Write(b) // Flush returns the error
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("store comparison data (free some space in %s): %w", os.TempDir(), err)
	}
	begin := int64(0)
	if n := len(s.ends); n > 0 {
		begin = s.ends[n-1]
	}
	s.ends = append(s.ends, begin+int64(len(s.recent))*entrySize)
	s.recent = s.recent[:0]
	return nil
}

// part is a sorted part that is being read.
type part struct {
	in   io.Reader
	head entry
}

func (p *part) next() error {
	var b [entrySize]byte
	if _, err := io.ReadFull(p.in, b[:]); err != nil {
		return err
	}
	n := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	p.head = entry{n(0), n(1), n(2), int64(n(3)), n(4)}
	return nil
}

// sorted yields all entries in order.
func (s *sorter) sorted() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		if s.file == nil {
			slices.SortFunc(s.recent, entry.compareTo)
			for _, e := range s.recent {
				if !yield(e, nil) {
					return
				}
			}
			return
		}
		if err := s.merge(yield); err != nil {
			yield(entry{}, fmt.Errorf("read comparison data: %w", err))
		}
	}
}

// merge yields what the parts hold, in order.
func (s *sorter) merge(yield func(entry, error) bool) error {
	if len(s.recent) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	var parts []*part
	from := int64(0)
	for _, end := range s.ends {
		p := &part{in: bufio.NewReaderSize(io.NewSectionReader(s.file, from, end-from), 1<<14)}
		if err := p.next(); err != nil {
			return err
		}
		parts, from = append(parts, p), end
	}
	for len(parts) > 0 {
		n := 0
		for m := range parts {
			if parts[m].head.compareTo(parts[n].head) < 0 {
				n = m
			}
		}
		if !yield(parts[n].head, nil) {
			return nil
		}
		switch err := parts[n].next(); {
		case errors.Is(err, io.EOF):
			parts = slices.Delete(parts, n, n+1)
		case err != nil:
			return err
		}
	}
	return nil
}

// close removes the file. If that fails, the system clears the file away later.
func (s *sorter) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
