package archive

import (
	"context"
	"fmt"
	"io"

	"docketsync/importer/source/format"
)

// bomb says that a part unpacks to so many times its size that it can only be meant to do harm.
type bomb struct {
	size, packed uint64
}

func (e bomb) Error() string {
	return fmt.Sprintf("it would unpack from %s to %s, as decompression bombs do", format.ByteSize(e.packed), format.ByteSize(e.size))
}

func (e bomb) Unwrap() error { return format.Harm(e.Error()) }

// counted counts what is read.
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

// paced unpacks and stops where bombFloor bytes in a row take next to nothing in the archive: what an archive says of
// its size may be false, and a bomb may begin behind something harmless.
type paced struct {
	in           io.Reader
	packed       *counted
	n            uint64 // unpacked since the last look
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

// cancelled is a part whose reading ends when nobody wants it any longer.
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

// WithContext ends the reading with the context.
func WithContext(ctx context.Context, in io.ReadCloser) io.ReadCloser { return cancelled{ctx, in} }
