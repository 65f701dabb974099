// Package varint reads what the ledger stores as numbers of variable length (encoding/binary) and texts preceded by
// their lengths: entries of the evidence, bundles, segments and the former journal. It imports nothing of docketsync.
package varint

import "encoding/binary"

// Reader reads bytes from their beginning. If there are fewer than there should be it becomes Bad, and returns only
// zeros from then on.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Fail makes the reader Bad.
func (r *Reader) Fail() { r.Rest, r.Bad = nil, true }

// Uint reads an unsigned number.
func (r *Reader) Uint() uint64 { return number(r, binary.Uvarint) }

// Int reads a signed number.
func (r *Reader) Int() int64 { return number(r, binary.Varint) }

func number[N uint64 | int64](r *Reader, decode func([]byte) (N, int)) N {
	n, size := decode(r.Rest)
	if size <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[size:]
	return n
}

// Byte reads a single byte.
func (r *Reader) Byte() byte {
	if one := r.Bytes(1); one != nil {
		return one[0]
	}
	return 0
}

// Bytes reads the next n bytes, nil for none. They share the memory of what is read.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Fail()
		return nil
	}
	if n == 0 {
		return nil
	}
	part := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return part
}

// Part reads bytes preceded by their number.
func (r *Reader) Part() []byte { return r.Bytes(r.Uint()) }
