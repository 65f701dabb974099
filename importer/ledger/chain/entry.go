package chain

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Ledger is the Run of the entries of the ledger's own chain.
const Ledger = 0

// Head is the last entry of a chain: its number, and its hash.
type Head struct {
	Number int64
	Hash   []byte // nil if the chain is empty
}

// Entry is one entry of a chain.
type Entry struct {
	Run     int64 // whose chain: the number of the run, or Ledger
	Number  int64 // from 1
	Kind    string
	At      int64 // microseconds since 1970
	Content []byte
	Salts   []byte // one for each salted operation of Content, SaltSize each; not in the hash
	Hash    []byte
}

// Sum returns the hash of an entry that follows another with the hash previous.
func (e *Entry) Sum(previous []byte) []byte {
	h := sha256.New()
	head := make([]byte, sha256.Size, sha256.Size+28)
	copy(head, previous)
	for _, n := range [...]int64{e.Run, e.Number, e.At} {
		head = binary.BigEndian.AppendUint64(head, uint64(n))
	}
	h.Write(binary.BigEndian.AppendUint32(head, uint32(len(e.Kind))))
	h.Write([]byte(e.Kind))
	h.Write(e.Content)
	return h.Sum(nil)
}

// Head returns the head of the chain that ends with the entry.
func (e *Entry) Head() Head { return Head{e.Number, e.Hash} }

// SaltSize and SumSize are the lengths of salts and of sums, in bytes.
const (
	SaltSize = 16
	SumSize  = 16
)

// Facet is what a sum of an operation covers.
type Facet int

// The facets. All except Content are about what may change, and are stated again when they do.
const (
	Content Facet = iota // what a record was planned as; a row of another table
	Answer               // what the service said
	Reasons              // why not
	Notes                // what the plan noted
	Remarks              // what was noted when it was accepted
	ID                   // the id that the service gave
	Tries                // the requests
	Facets               // how many there are
)

// Sum is a salted sum.
type Sum [SumSize]byte

// Summer makes sums. It is used by one goroutine; the zero value is ready.
type Summer struct {
	text []byte
}

// Sum returns the sum of values under a salt: nil, bool, int64, string and []byte. Bytes and a string of the same
// content are the same, because databases do not tell them apart.
func (s *Summer) Sum(salt []byte, f Facet, values ...any) (sum Sum) {
	s.text = append(append(s.text[:0], salt...), byte(f))
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			s.text = append(s.text, 0)
		case bool:
			s.text = append(s.text, 1)
			if v {
				s.text = append(s.text, 1)
			} else {
				s.text = append(s.text, 0)
			}
		case int64:
			s.text = binary.AppendVarint(append(s.text, 2), v)
		case string:
			s.text = append(binary.AppendUvarint(append(s.text, 3), uint64(len(v))), v...)
		case []byte:
			s.text = append(binary.AppendUvarint(append(s.text, 3), uint64(len(v))), v...)
		default:
			s.text = fmt.Appendf(append(s.text, 4), "%T %v", v, v) // somebody else wrote it: it must fit nothing
		}
	}
	whole := sha256.Sum256(s.text)
	return Sum(whole[:SumSize])
}

// Builder builds the content of an entry. The zero value is ready.
type Builder struct {
	Content, Salts []byte
	fresh          []byte // random bytes for the next salts
	last           Op
}

// freshSalts is for how many salts random bytes are fetched at once.
const freshSalts = 64

// Salt returns a new salt for the next operation.
func (b *Builder) Salt() []byte {
	if len(b.fresh) == 0 {
		b.fresh = make([]byte, freshSalts*SaltSize)
		_, _ = rand.Read(b.fresh) // it never fails
	}
	salt := b.fresh[:SaltSize:SaltSize]
	b.fresh = b.fresh[SaltSize:]
	return salt
}

// Add appends an operation. salt is that of its sums, nil if it has none.
func (b *Builder) Add(op *Op, salt []byte) {
	b.Content = op.append(b.Content, &b.last)
	b.last = *op
	b.Salts = append(b.Salts, salt...)
}
