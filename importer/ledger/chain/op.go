package chain

import (
	"encoding/binary"
	"errors"
	"fmt"

	"docketsync/importer/ledger/varint"
)

// What says what an operation is.
type What byte

// The operations, those of runs first, then those of the ledger's chain. A number is never reused for something else.
const (
	Begun    What = 1  // the run began; Text is its id, Content its row
	Saved    What = 2  // the run was saved; Text is its phase, Content its row
	Planned  What = 3  // a record was planned, or planned again; the facets are those of its row
	TakenOut What = 4  // a record that was planned became part of another
	Bundled  What = 5  // Seq is the number of a bundle, Content the bundle
	Intended What = 6  // a record is about to be sent
	Settled  What = 7  // what became of it
	Moved    What = 8  // records were put into another state: Text says how, Seq after which, Until up to which
	Resolved What = 9  // a person said what became of a record, or freed one that waited for that
	Decided  What = 10 // what the person said: Count is the number of the decision, Content its row
	Named    What = 11 // the service gave an id to something else of ours; Content is scope, key and id
	Kept     What = 12 // Content is the records that are unchanged, as ranges of segments
	Stands   What = 13 // a row as it is since something of it was removed; all of it is stated again
	Span     What = 14 // the rows from Seq to Until, of which Count are left, as they are since the run was pruned
	Boundary What = 15 // what was before this entry has been pruned; Text is the head of the chain up to there
	Pruning  What = 16 // the run is about to be pruned; Count is how much of it did not match its entries then

	Opened    What = 32 // the chain began: Seq is the last run that had begun before, Count how many records there were
	Joined    What = 33 // the chain of run Seq has Until entries; Text is its head
	Service   What = 34 // which service the ledger is about
	Audited   What = 35 // an entry of the audit: Text is its id, Content its row
	Renamed   What = 36 // a person said whether a key was a new one; Content is the row
	Removed   What = 37 // run Seq, which had sent nothing, was removed, with its chain of Until entries
	Forgotten What = 38 // a client was forgotten: Count is how much did not match its entries before, Content is what is never sent again
	Restored  What = 39 // somebody said that the ledger is valid although it is an older copy
)

// Op is an operation of an entry. Fields that an operation does not use are zero.
type Op struct {
	What                 What
	State                byte // an index, see the states of package ledger
	Repeatable           bool
	Seq, Until           int64
	Sent, SettledAt      int64 // microseconds since 1970, 0 for none
	Took                 int64 // 1 more than the microseconds; 0 for none
	Status, Tried, Count int64
	Text                 []byte
	Has                  [Facets]bool
	Sums                 [Facets]Sum
}

// Salted reports whether an operation has a salt.
func (op *Op) Salted() bool { return op.Has != [Facets]bool{} }

// Put states the sum of a facet.
func (op *Op) Put(f Facet, sum Sum) { op.Has[f], op.Sums[f] = true, sum }

// Fields that are not zero follow each other; a mask says which there are. Seqs and times are differences to the
// previous operation.
const (
	hasState = 1 << iota
	hasRepeatable
	hasSeq
	hasUntil
	hasSent
	hasSettled
	hasTook
	hasStatus
	hasTried
	hasCount
	hasText
	hasSums
)

func (op *Op) append(to []byte, last *Op) []byte {
	at := len(to) + 1
	to = append(to, byte(op.What), 0, 0)
	mask := 0
	number := func(flag int, n, base int64) {
		if n != 0 {
			mask |= flag
			to = binary.AppendVarint(to, n-base)
		}
	}
	if op.State != 0 {
		mask |= hasState
		to = append(to, op.State)
	}
	if op.Repeatable {
		mask |= hasRepeatable
	}
	number(hasSeq, op.Seq, last.Seq)
	number(hasUntil, op.Until, op.Seq)
	number(hasSent, op.Sent, last.Sent)
	number(hasSettled, op.SettledAt, op.Sent)
	number(hasTook, op.Took, 0)
	number(hasStatus, op.Status, 0)
	number(hasTried, op.Tried, 0)
	number(hasCount, op.Count, 0)
	if len(op.Text) > 0 {
		mask |= hasText
		to = append(binary.AppendUvarint(to, uint64(len(op.Text))), op.Text...)
	}
	if op.Salted() {
		mask |= hasSums
		which := len(to)
		to = append(to, 0)
		for f, has := range op.Has {
			if has {
				to[which] |= 1 << f
				to = append(to, op.Sums[f][:]...)
			}
		}
	}
	binary.BigEndian.PutUint16(to[at:], uint16(mask))
	return to
}

var errContent = errors.New("the content of an entry cannot be read")

// Ops calls each for every operation of an entry, with the offset of its salt among the entry's, or -1 if it has none.
func (e *Entry) Ops(each func(op *Op, salt int) error) error {
	salt := 0
	return e.each(func(op *Op) error {
		if !op.Salted() {
			return each(op, -1)
		}
		at := salt
		if salt += SaltSize; salt > len(e.Salts) {
			return fmt.Errorf("entry %d: %w: a salt is missing", e.Number, errContent)
		}
		return each(op, at)
	})
}

// each is Ops without the salts, which entries of an export do not have.
func (e *Entry) each(do func(op *Op) error) error {
	var last Op
	for r := (varint.Reader{Rest: e.Content}); len(r.Rest) > 0; {
		op := readOp(&r, &last)
		if r.Bad {
			return fmt.Errorf("entry %d: %w", e.Number, errContent)
		}
		last = op
		if err := do(&op); err != nil {
			return err
		}
	}
	return nil
}

// readOp reads what append wrote.
func readOp(r *varint.Reader, last *Op) (op Op) {
	op.What = What(r.Byte())
	head := r.Bytes(2)
	if r.Bad {
		return op
	}
	mask := int(binary.BigEndian.Uint16(head))
	number := func(flag int, base int64) int64 {
		if mask&flag == 0 {
			return 0
		}
		return base + r.Int()
	}
	if mask&hasState != 0 {
		op.State = r.Byte()
	}
	op.Repeatable = mask&hasRepeatable != 0
	op.Seq = number(hasSeq, last.Seq)
	op.Until = number(hasUntil, op.Seq)
	op.Sent = number(hasSent, last.Sent)
	op.SettledAt = number(hasSettled, op.Sent)
	op.Took, op.Status, op.Tried, op.Count = number(hasTook, 0), number(hasStatus, 0), number(hasTried, 0), number(hasCount, 0)
	if mask&hasText != 0 {
		op.Text = r.Part()
	}
	if mask&hasSums != 0 {
		which := r.Byte()
		for f := range Facets {
			if which&(1<<f) != 0 {
				op.Has[f] = true
				copy(op.Sums[f][:], r.Bytes(SumSize))
			}
		}
	}
	return op
}
