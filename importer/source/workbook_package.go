package source

import (
	"archive/zip"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits on what a workbook may unpack to. Nothing of this size is ever held in memory: sheets are streamed, shared
// strings beyond stringsInMemory go to a temporary file.
const (
	maxPartBytes    = 4 << 30  // any part: a full sheet of 1,048,576 rows of real data stays below
	maxStringsBytes = 1 << 30  // shared strings, which may have to be spilled to disk
	maxCoverBytes   = 16 << 20 // workbook properties, styles, relationships
	maxParts        = 20_000
	bombRatio       = 250 // bombFloor bytes that were packed better than this are of no table
	bombFloor       = 64 << 20
)

var (
	errPartMissing   = errors.New("it is missing")
	errPartAmbiguous = errors.New("it is there twice, and programs would disagree about which one to read")
	errPartEncrypted = errors.New("it is encrypted by the zip program")
	errPartMethod    = errors.New("it is compressed in a way that workbooks do not use")
	errManyParts     = fmt.Errorf("it holds more than %d parts", maxParts)
)

// errTooLarge says that a part would unpack to more than its limit.
type errTooLarge struct {
	size, limit uint64
}

func (e errTooLarge) Error() string {
	return fmt.Sprintf("it would unpack to %s; the limit is %s", byteSize(e.size), byteSize(e.limit))
}

// errBomb says that a part unpacks to so many times its size that it can only be meant to do harm.
type errBomb struct {
	size, packed uint64
}

func (e errBomb) Error() string {
	return fmt.Sprintf("it would unpack from %s to %s, as decompression bombs do", byteSize(e.packed), byteSize(e.size))
}

// countedReader counts what is read.
type countedReader struct {
	in io.Reader
	n  uint64
}

// Read implements io.Reader.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += uint64(n)
	return n, err
}

// pacedReader unpacks and stops where bombFloor bytes in a row take next to nothing in the archive: what an archive says of
// its size may be false, and a bomb may begin behind something harmless.
type pacedReader struct {
	in           io.Reader
	packed       *countedReader
	n            uint64 // unpacked since the last look
	packedBefore uint64
}

// Read implements io.Reader.
func (r *pacedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if r.n += uint64(n); r.n < bombFloor {
		return n, err
	}
	if packed := r.packed.n - r.packedBefore; r.n/bombRatio > packed {
		return 0, errBomb{r.n, packed}
	}
	r.n, r.packedBefore = 0, r.packed.n
	return n, err
}

func byteSize(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", (n+1<<10-1)>>10)
}

// container is the zip archive of a workbook: its parts by name, whatever slashes and case the writer used.
type container struct {
	parts map[string]*zip.File // by folded name; nil where two parts have it
	exact map[string]*zip.File // by name as written; nil where two parts have it
}

// openContainer reads the directory of the archive.
func openContainer(in io.ReaderAt, size int64) (*container, error) {
	if directoryCount(in, size) > maxParts {
		return nil, errManyParts
	}
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	if len(archive.File) > maxParts {
		return nil, errManyParts
	}
	archive.RegisterDecompressor(zip.Deflate, func(in io.Reader) io.ReadCloser {
		packed := &countedReader{in: in}
		return io.NopCloser(&pacedReader{in: flate.NewReader(packed), packed: packed})
	})
	c := &container{parts: map[string]*zip.File{}, exact: map[string]*zip.File{}}
	for _, part := range archive.File {
		name := partName(part.Name)
		if strings.HasSuffix(name, "/") {
			continue
		}
		addPart(c.exact, name, part)
		addPart(c.parts, strings.ToLower(name), part)
	}
	return c, nil
}

func addPart(parts map[string]*zip.File, name string, part *zip.File) {
	if _, twice := parts[name]; twice {
		part = nil
	}
	parts[name] = part
}

// partName returns a part's name with forward slashes and no leading one; some writers use the slashes of Windows.
func partName(name string) string {
	return strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
}

// directoryCount reads how many entries the end of the archive declares, so that a directory of millions is refused
// before it is loaded. It returns 0 when there is no such end; the zip reader then says what is wrong.
func directoryCount(in io.ReaderAt, size int64) int {
	const endLength, longestComment = 22, 1 << 16
	tail := make([]byte, min(size, endLength+longestComment))
	if n, _ := in.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return 0
	}
	at := strings.LastIndex(string(tail), "PK\x05\x06")
	if at < 0 || at+endLength > len(tail) {
		return 0
	}
	count := int(binary.LittleEndian.Uint16(tail[at+10:]))
	length := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	if count == 0xffff {
		count = max(count, int(length/46)) // zip64, where the directory's length still bounds the number of entries
	}
	return count
}

// has tells if the archive has a part of that name.
func (c *container) has(name string) bool {
	_, found := c.parts[strings.ToLower(partName(name))]
	return found
}

// find returns the part, by its name as written or, as the standard has it, without regard to case. Two parts whose
// names differ only in case are refused even if one of them is spelled right: which data a person saw is anyone's guess.
func (c *container) find(name string) (*zip.File, error) {
	name = partName(name)
	part, found := c.parts[strings.ToLower(name)]
	switch {
	case !found:
		return nil, errPartMissing
	case part == nil:
		return nil, errPartAmbiguous
	}
	return part, nil
}

// open returns the unpacked part. Reading it to its end checks its checksum.
func (c *container) open(ctx context.Context, name string, limit uint64) (io.ReadCloser, error) {
	part, err := c.find(name)
	if err != nil {
		return nil, err
	}
	size := part.UncompressedSize64
	switch {
	case part.Flags&1 != 0:
		return nil, errPartEncrypted
	case size > limit:
		return nil, errTooLarge{size, limit}
	case size > bombFloor && size/bombRatio > part.CompressedSize64:
		return nil, errBomb{size, part.CompressedSize64}
	}
	in, err := part.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, errPartMethod
	}
	return cancelled{ctx, in}, err
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

// scan opens a part as XML.
func (c *container) scan(ctx context.Context, name string, limit uint64) (*xmlScanner, io.Closer, error) {
	in, err := c.open(ctx, name, limit)
	if err != nil {
		return nil, nil, err
	}
	xml, err := newXMLScanner(in)
	if err != nil {
		_ = in.Close()
		return nil, nil, err
	}
	return xml, in, nil
}

// partError is a fault of one part of an archive.
type partError struct {
	part string
	err  error
}

func partFault(part string, err error) error { return &partError{part, err} }

func (e *partError) Error() string { return fmt.Sprintf("part %s: %v", e.part, e.err) }
func (e *partError) Unwrap() error { return e.err }
