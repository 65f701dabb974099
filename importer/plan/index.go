package plan

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"slices"

	"docketsync/mapping"
)

// duplicateIndex finds the records of a plan that share a trait, in memory that does not grow with the file. Each trait
// takes sixteen bytes, which go into one of many buckets by the trait's sum. What a bucket cannot hold goes to a
// temporary file, and at the end the buckets are sorted one by one. Until somebody asks for groups, which nobody does
// if nothing has changed, traits are only written one after the other.
//
// This costs a plan far less than a ledger table with an index over sums in random order. It leaves nothing in the
// ledger, and a crash loses nothing, because an interrupted plan is made again.
type duplicateIndex struct {
	checks  []string
	recent  []byte // the last traits that are in no bucket yet; before has the earlier ones
	before  spill
	buckets [bucketCount]bucket
	blocks  spill
	keys    spill // of earlier runs
	keysEnd int64
	writer  *bufio.Writer
}

const (
	bucketCount = 256
	// blockSize is how much of a bucket is in memory: all of them together take a MiB.
	blockSize  = 4 << 10
	recentSize = 64 << 10 // of traits in no bucket
	traitSize  = 16
	earlierBit = 1 << 8 // of who: the other bits are the place of a key instead of the seq of a record
)

// bucket holds the traits whose sums fall into it: those in memory, and the offsets of full blocks in the file.
type bucket struct {
	traits []byte
	blocks []int64
}

// group is the records that share a trait: by seq if they are in the plan, by key if an earlier run sent them.
type group struct {
	check   string
	seqs    []int64
	earlier []string
}

// add indexes a trait of a record of the plan.
func (x *duplicateIndex) add(t mapping.Trait, seq int64) error { return x.put(t, seq<<9) }

// addAllEarlier indexes the traits of a record of an earlier run.
func (x *duplicateIndex) addAllEarlier(traits []mapping.Trait, key string) error {
	for _, t := range traits {
		if err := x.addEarlier(t, key); err != nil {
			return err
		}
	}
	return nil
}

// addEarlier indexes a trait of a record of an earlier run.
func (x *duplicateIndex) addEarlier(t mapping.Trait, key string) error {
	if x.writer == nil {
		x.writer = bufio.NewWriter(&x.keys)
	}
	at := x.keysEnd
	size := binary.AppendUvarint(nil, uint64(len(key)))
	for _, part := range [][]byte{size, []byte(key)} {
		n, err := x.writer.Write(part)
		x.keysEnd += int64(n)
		if err != nil {
			return err
		}
	}
	return x.put(t, at<<9|earlierBit)
}

func (x *duplicateIndex) put(t mapping.Trait, who int64) error {
	check := slices.Index(x.checks, t.Check)
	if check < 0 {
		check = len(x.checks)
		x.checks = append(x.checks, t.Check)
	}
	if x.recent == nil {
		x.recent = make([]byte, 0, recentSize)
	}
	x.recent = binary.LittleEndian.AppendUint64(x.recent, t.Sum)
	x.recent = binary.LittleEndian.AppendUint64(x.recent, uint64(who|int64(check)))
	if len(x.recent) < recentSize {
		return nil
	}
	_, err := x.before.Write(x.recent)
	x.recent = x.recent[:0]
	return err
}

// distribute moves all traits that are in no bucket yet into their buckets.
func (x *duplicateIndex) distribute() error {
	last := x.recent
	part := make([]byte, recentSize)
	for at := int64(0); at < x.before.size; at += recentSize {
		if _, err := x.before.file.ReadAt(part, at); err != nil {
			return fmt.Errorf("read comparison data: %w", err)
		}
		if err := x.fill(part); err != nil {
			return err
		}
	}
	x.before.close()
	x.before, x.recent = spill{}, nil
	return x.fill(last)
}

// fill puts traits into their buckets.
func (x *duplicateIndex) fill(traits []byte) error {
	for ; len(traits) >= traitSize; traits = traits[traitSize:] {
		sum := binary.LittleEndian.Uint64(traits)
		// The highest bits of a sum are not its best ones.
		b := &x.buckets[(sum^sum>>32)%bucketCount]
		if b.traits == nil {
			b.traits = make([]byte, 0, blockSize)
		}
		if b.traits = append(b.traits, traits[:traitSize]...); len(b.traits) < blockSize {
			continue
		}
		b.blocks = append(b.blocks, x.blocks.size)
		if _, err := x.blocks.Write(b.traits); err != nil {
			return err
		}
		b.traits = b.traits[:0]
	}
	return nil
}

// entry is one record's trait in a bucket.
type entry struct {
	sum uint64
	who int64
}

func (t entry) check() int { return int(t.who & (earlierBit - 1)) }

// groups yields every trait that two or more records have, with all of them.
func (x *duplicateIndex) groups() iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		if x.writer != nil {
			if err := x.writer.Flush(); err != nil {
				yield(group{}, err)
				return
			}
		}
		if err := x.distribute(); err != nil {
			yield(group{}, err)
			return
		}
		var room []entry
		for n := range x.buckets {
			traits, err := x.read(&x.buckets[n], room[:0])
			if err != nil {
				yield(group{}, err)
				return
			}
			for room = traits; len(traits) > 0; {
				end := 1
				for end < len(traits) && traits[end].sum == traits[0].sum && traits[end].check() == traits[0].check() {
					end++
				}
				if end > 1 && !yield(x.group(traits[:end])) {
					return
				}
				traits = traits[end:]
			}
		}
	}
}

// read returns what a bucket holds, sorted by sum and check.
func (x *duplicateIndex) read(b *bucket, traits []entry) ([]entry, error) {
	take := func(data []byte) {
		for ; len(data) >= traitSize; data = data[traitSize:] {
			traits = append(traits, entry{binary.LittleEndian.Uint64(data), int64(binary.LittleEndian.Uint64(data[8:]))})
		}
	}
	block := make([]byte, blockSize)
	for _, at := range b.blocks {
		if _, err := x.blocks.file.ReadAt(block, at); err != nil {
			return nil, fmt.Errorf("read comparison data: %w", err)
		}
		take(block)
	}
	take(b.traits)
	traits = crowded(traits)
	slices.SortFunc(traits, func(a, b entry) int {
		if a.sum != b.sum { // as nearly always
			return cmp.Compare(a.sum, b.sum)
		}
		return cmp.Or(cmp.Compare(a.check(), b.check()), cmp.Compare(a.who, b.who))
	})
	return traits, nil
}

// crowded keeps the traits of a bucket whose sums others may have too. Nearly every sum belongs to one record alone,
// and sorting those would be most of the work of comparing.
func crowded(traits []entry) []entry {
	var once, again [1 << 11]uint64 // a bit for each of 1<<17 hashes of a sum
	bit := func(sum uint64) (word, mask uint64) {
		n := sum * 0x9e3779b97f4a7c15 >> 47
		return n / 64, 1 << (n % 64)
	}
	for n := range traits {
		word, mask := bit(traits[n].sum)
		again[word] |= once[word] & mask
		once[word] |= mask
	}
	return slices.DeleteFunc(traits, func(t entry) bool {
		word, mask := bit(t.sum)
		return again[word]&mask == 0
	})
}

func (x *duplicateIndex) group(traits []entry) (group, error) {
	g := group{check: x.checks[traits[0].check()]}
	for _, t := range traits {
		if t.who&earlierBit == 0 {
			g.seqs = append(g.seqs, t.who>>9)
			continue
		}
		key, err := x.earlierKey(t.who >> 9)
		if err != nil {
			return g, err
		}
		g.earlier = append(g.earlier, key)
	}
	return g, nil
}

// earlierKey reads a key where addEarlier wrote it.
func (x *duplicateIndex) earlierKey(at int64) (string, error) {
	var head [binary.MaxVarintLen64]byte
	if _, err := x.keys.file.ReadAt(head[:min(int64(len(head)), x.keysEnd-at)], at); err != nil {
		return "", fmt.Errorf("read the keys of earlier runs: %w", err)
	}
	size, n := binary.Uvarint(head[:])
	key := make([]byte, size)
	if _, err := x.keys.file.ReadAt(key, at+int64(n)); err != nil {
		return "", fmt.Errorf("read the keys of earlier runs: %w", err)
	}
	return string(key), nil
}

// close removes the temporary files of the index.
func (x *duplicateIndex) close() {
	x.before.close()
	x.blocks.close()
	x.keys.close()
}

// spill is a temporary file that is created when something is first written to it.
type spill struct {
	file *os.File
	size int64
}

// Write appends to the file.
func (s *spill) Write(data []byte) (int, error) {
	if s.file == nil {
		file, err := os.CreateTemp("", "docketsync-plan-*")
		if err != nil {
			return 0, fmt.Errorf("store comparison data: %w", err)
		}
		s.file = file
		_ = os.Remove(file.Name()) // where an open file can be removed it goes with the process; elsewhere close removes it
	}
	n, err := s.file.WriteAt(data, s.size)
	s.size += int64(n)
	if err != nil {
		err = fmt.Errorf("store comparison data (free some space in %s): %w", os.TempDir(), err)
	}
	return n, err
}

// close removes the file. If that fails, the system clears the file away later.
func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
