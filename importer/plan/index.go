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

// sieve finds the records of a plan that share a trait, in memory that does not grow with the file. Each trait is sixteen
// bytes, put into one of many buckets by its sum; what a bucket cannot hold goes to a temporary file, and in the end one
// bucket after the other is sorted. Until somebody asks for groups, as nobody does when nothing has changed, traits are only
// written down one behind the other. That costs a plan far less than a table of the ledger, with an index over sums in no order,
// would; it leaves nothing behind in the ledger, and loses nothing in a crash, as a plan that was cut off is made anew.
type sieve struct {
	checks  []string
	recent  []byte // traits that are in no bucket yet, and those before them
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
	earlierBit = 1 << 8 // of who: the rest is where a key stands, not the seq of a record
)

// bucket is the traits whose sums fall into it: those in memory, and the places of full blocks in the file.
type bucket struct {
	traits []byte
	blocks []int64
}

// group is the records that share a trait: by their seqs in the plan, and by their keys if an earlier run sent them.
type group struct {
	check   string
	seqs    []int64
	earlier []string
}

// add puts in a trait of a record of the plan.
func (s *sieve) add(t mapping.Trait, seq int64) error { return s.put(t, seq<<9) }

// addEarlier puts in a trait of a record of an earlier run.
func (s *sieve) addEarlier(t mapping.Trait, key string) error {
	if s.writer == nil {
		s.writer = bufio.NewWriter(&s.keys)
	}
	at := s.keysEnd
	size := binary.AppendUvarint(nil, uint64(len(key)))
	for _, part := range [][]byte{size, []byte(key)} {
		n, err := s.writer.Write(part)
		s.keysEnd += int64(n)
		if err != nil {
			return err
		}
	}
	return s.put(t, at<<9|earlierBit)
}

func (s *sieve) put(t mapping.Trait, who int64) error {
	check := slices.Index(s.checks, t.Check)
	if check < 0 {
		check = len(s.checks)
		s.checks = append(s.checks, t.Check)
	}
	if s.recent == nil {
		s.recent = make([]byte, 0, recentSize)
	}
	s.recent = binary.LittleEndian.AppendUint64(s.recent, t.Sum)
	s.recent = binary.LittleEndian.AppendUint64(s.recent, uint64(who|int64(check)))
	if len(s.recent) < recentSize {
		return nil
	}
	_, err := s.before.Write(s.recent)
	s.recent = s.recent[:0]
	return err
}

// distribute puts all traits that are in no bucket yet into theirs.
func (s *sieve) distribute() error {
	last := s.recent
	part := make([]byte, recentSize)
	for at := int64(0); at < s.before.size; at += recentSize {
		if _, err := s.before.file.ReadAt(part, at); err != nil {
			return fmt.Errorf("read what records are compared by: %w", err)
		}
		if err := s.fill(part); err != nil {
			return err
		}
	}
	s.before.close()
	s.before, s.recent = spill{}, nil
	return s.fill(last)
}

// fill puts traits into their buckets.
func (s *sieve) fill(traits []byte) error {
	for ; len(traits) >= traitSize; traits = traits[traitSize:] {
		sum := binary.LittleEndian.Uint64(traits)
		// The best of a sum's bits are not its highest ones.
		b := &s.buckets[(sum^sum>>32)%bucketCount]
		if b.traits == nil {
			b.traits = make([]byte, 0, blockSize)
		}
		if b.traits = append(b.traits, traits[:traitSize]...); len(b.traits) < blockSize {
			continue
		}
		b.blocks = append(b.blocks, s.blocks.size)
		if _, err := s.blocks.Write(b.traits); err != nil {
			return err
		}
		b.traits = b.traits[:0]
	}
	return nil
}

// trait is one entry of a bucket.
type trait struct {
	sum uint64
	who int64
}

func (t trait) check() int { return int(t.who & (earlierBit - 1)) }

// groups yields every trait that two or more have, with all who have it.
func (s *sieve) groups() iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		if s.writer != nil {
			if err := s.writer.Flush(); err != nil {
				yield(group{}, err)
				return
			}
		}
		if err := s.distribute(); err != nil {
			yield(group{}, err)
			return
		}
		var traits []trait
		for n := range s.buckets {
			var err error
			if traits, err = s.read(&s.buckets[n], traits[:0]); err != nil {
				yield(group{}, err)
				return
			}
			for len(traits) > 0 {
				end := 1
				for end < len(traits) && traits[end].sum == traits[0].sum && traits[end].check() == traits[0].check() {
					end++
				}
				if end > 1 && !yield(s.group(traits[:end])) {
					return
				}
				traits = traits[end:]
			}
		}
	}
}

// read takes a bucket out, sorted by sum and check.
func (s *sieve) read(b *bucket, traits []trait) ([]trait, error) {
	take := func(data []byte) {
		for ; len(data) >= traitSize; data = data[traitSize:] {
			traits = append(traits, trait{binary.LittleEndian.Uint64(data), int64(binary.LittleEndian.Uint64(data[8:]))})
		}
	}
	block := make([]byte, blockSize)
	for _, at := range b.blocks {
		if _, err := s.blocks.file.ReadAt(block, at); err != nil {
			return nil, fmt.Errorf("read what records are compared by: %w", err)
		}
		take(block)
	}
	take(b.traits)
	slices.SortFunc(traits, func(a, b trait) int {
		if a.sum != b.sum { // as nearly always
			return cmp.Compare(a.sum, b.sum)
		}
		return cmp.Or(cmp.Compare(a.check(), b.check()), cmp.Compare(a.who, b.who))
	})
	return traits, nil
}

func (s *sieve) group(traits []trait) (group, error) {
	g := group{check: s.checks[traits[0].check()]}
	for _, t := range traits {
		if t.who&earlierBit == 0 {
			g.seqs = append(g.seqs, t.who>>9)
			continue
		}
		key, err := s.earlierKey(t.who >> 9)
		if err != nil {
			return g, err
		}
		g.earlier = append(g.earlier, key)
	}
	return g, nil
}

// earlierKey reads a key where addEarlier wrote it.
func (s *sieve) earlierKey(at int64) (string, error) {
	var head [binary.MaxVarintLen64]byte
	if _, err := s.keys.file.ReadAt(head[:min(int64(len(head)), s.keysEnd-at)], at); err != nil {
		return "", fmt.Errorf("read the keys of earlier runs: %w", err)
	}
	size, n := binary.Uvarint(head[:])
	key := make([]byte, size)
	if _, err := s.keys.file.ReadAt(key, at+int64(n)); err != nil {
		return "", fmt.Errorf("read the keys of earlier runs: %w", err)
	}
	return string(key), nil
}

// close removes what the sieve has put aside.
func (s *sieve) close() {
	s.before.close()
	s.blocks.close()
	s.keys.close()
}

// spill is a temporary file that is made when something is written to it.
type spill struct {
	file *os.File
	size int64
}

// Write appends to the file.
func (s *spill) Write(data []byte) (int, error) {
	if s.file == nil {
		file, err := os.CreateTemp("", "docketsync-plan-*")
		if err != nil {
			return 0, fmt.Errorf("put aside what records are compared by: %w", err)
		}
		s.file = file
		_ = os.Remove(file.Name()) // where an open file can be removed it goes with the process; close removes it elsewhere
	}
	n, err := s.file.WriteAt(data, s.size)
	s.size += int64(n)
	if err != nil {
		err = fmt.Errorf("put aside what records are compared by (free some space in %s): %w", os.TempDir(), err)
	}
	return n, err
}

// close removes the file. What fails here leaves a file behind that the system clears away.
func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
