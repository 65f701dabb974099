package archive

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"docketsync/importer/source/format"
)

const hintArchive = "Fetch or export the file again; if it was cut off on the way, its size tells."

// Gunzip unpacks a .gz file up to a limit of bytes. Closing the result closes the file.
func Gunzip(file io.ReadCloser, limit int64) (io.ReadCloser, error) {
	packed := &counted{in: file}
	in, err := newMembers(packed)
	if err != nil {
		return nil, errors.Join(Damaged(err), file.Close())
	}
	return &unpacking{in: &paced{in: in, packed: packed}, limit: limit, file: file}, nil
}

// Unzip unpacks one file of an archive up to a limit of bytes.
func Unzip(member *zip.File, limit int64) (io.ReadCloser, error) {
	if member.Flags&1 != 0 {
		return nil, &format.Error{What: "the archive is protected by a password", Hint: "Unpack it first."}
	}
	in, err := member.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, &format.Error{What: "the archive uses a compression method that is not supported", Hint: "Unpack it, or pack it again as an ordinary .zip.", Err: err}
	}
	if err != nil {
		return nil, Damaged(err)
	}
	return &unpacking{in: in, limit: limit, file: in}, nil
}

// unpacking reads compressed content and stops if it unpacks to too much.
type unpacking struct {
	in    io.Reader
	limit int64
	n     int64
	file  io.Closer
}

// Read implements io.Reader.
func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	u.n += int64(n)
	switch packed, isBomb := errors.AsType[bomb](err); {
	case u.n > u.limit:
		return 0, TooMuch(u.limit)
	case isBomb:
		return 0, &format.Error{What: fmt.Sprintf("the archive unpacks from %s to more than %s, as decompression bombs do", format.ByteSize(packed.packed), format.ByteSize(packed.size)),
			Hint: "If the file can be trusted, unpack it first."}
	case err != nil && !errors.Is(err, io.EOF):
		return n, Damaged(err)
	}
	return n, err
}

// Close closes the underlying file. Damage in the part that was not read is not an error here.
func (u *unpacking) Close() error {
	_ = u.file.Close()
	return nil
}

// TooMuch returns the error that a file unpacks to more than the limit.
func TooMuch(limit int64) error {
	return &format.Error{What: fmt.Sprintf("the archive unpacks to more than %s", format.ByteSize(uint64(limit))), Hint: "If the file can be trusted, unpack it first."}
}

// Damaged returns the error that an archive cannot be read. It does not wrap the cause, which may be an unexpected end
// that readers of whole blocks would take for the end.
func Damaged(err error) error {
	return &format.Error{What: fmt.Sprintf("the archive is damaged (%v)", err), Hint: hintArchive}
}

// members unpacks the members of a gzip file one after the other. A member takes time even if it is empty, so only a
// limited number of tiny members is allowed; programs that compress in blocks put some 64 KiB into each.
type members struct {
	packed *bufio.Reader
	in     *gzip.Reader
	n      int // bytes of the current member
	small  int
}

const (
	smallMember      = 512
	mostSmallMembers = 10_000
)

var errSmallMembers = errors.New("it consists of too many parts that hold next to nothing")

func newMembers(packed io.Reader) (*members, error) {
	m := &members{packed: bufio.NewReader(packed)}
	var err error
	m.in, err = gzip.NewReader(m.packed)
	return m, err
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	m.in.Multistream(false)
	n, err := m.in.Read(p)
	if m.n += n; err != io.EOF {
		return n, err
	}
	if m.n < smallMember {
		m.small++
	}
	if m.n = 0; m.small > mostSmallMembers {
		return n, errSmallMembers
	}
	return n, m.in.Reset(m.packed)
}

// bomb says that a part unpacks to so many times its size that it can only be meant to do harm.
type bomb struct {
	size, packed uint64
}

func (e bomb) Error() string {
	return fmt.Sprintf("it would unpack from %s to %s, as decompression bombs do", format.ByteSize(e.packed), format.ByteSize(e.size))
}

func (e bomb) Unwrap() error { return format.Harm(e.Error()) }

// counted counts the bytes read.
type counted struct {
	in io.Reader
	n  uint64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += uint64(n)
	return n, err
}

// paced unpacks, and stops if bombFloor bytes in a row take almost nothing in the archive: the declared size may be
// false, and a bomb may follow something harmless.
type paced struct {
	in           io.Reader
	packed       *counted
	n            uint64 // unpacked since the last check
	packedBefore uint64
}

// Read implements io.Reader.
func (r *paced) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if r.n += uint64(n); r.n < bombFloor {
		return n, err
	}
	if packed := r.packed.n - r.packedBefore; r.n/bombRatio > packed {
		return 0, bomb{r.n, packed}
	}
	r.n, r.packedBefore = 0, r.packed.n
	return n, err
}

// cancelled is a part whose reading ends with a context.
type cancelled struct {
	ctx context.Context
	io.ReadCloser
}

// Read implements io.Reader.
func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.ReadCloser.Read(p)
}

// WithContext returns a reader that ends with the context.
func WithContext(ctx context.Context, in io.ReadCloser) io.ReadCloser { return cancelled{ctx, in} }
