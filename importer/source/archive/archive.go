package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"docketsync/importer/source/format"
)

// Limits on what a workbook may unpack to. Nothing of this size is ever held in memory: sheets are streamed, and many
// shared strings go to a temporary file.
const (
	MaxPart     = 4 << 30  // any part: a full sheet of 1,048,576 rows of real data stays below
	MaxStrings  = 1 << 30  // shared strings, which may be spilled to disk
	MaxProperty = 16 << 20 // workbook properties, styles, relationships
	maxParts    = 20_000
	bombRatio   = 250 // bombFloor bytes that were compressed more than this are not a table
	bombFloor   = 64 << 20
)

// Faults of a part. ErrMissing means that there is no part of that name.
var (
	ErrMissing   = errors.New("it is missing")
	errAmbiguous = errors.New("it is there twice, and programs would disagree about which one to read")
	errManyParts = format.Harm(fmt.Sprintf("it holds more than %d parts", maxParts))
)

// Archive is the zip archive of a workbook: its parts by name, whatever slashes and case the writer used.
type Archive struct {
	parts map[string]*zip.File // by folded name; nil if two parts have it
	exact map[string]*zip.File // by name as written; nil if two parts have it
}

// Open reads the directory of the archive.
func Open(in io.ReaderAt, size int64) (*Archive, error) {
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
		packed := &counted{in: in}
		return io.NopCloser(&paced{in: flate.NewReader(packed), packed: packed})
	})
	c := &Archive{parts: map[string]*zip.File{}, exact: map[string]*zip.File{}}
	for _, part := range archive.File {
		name := Name(part.Name)
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

// Name returns a part's name with forward slashes and without a leading slash; some writers use Windows slashes.
func Name(name string) string {
	return strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
}

// directoryCount returns how many entries the end of the archive declares, so that a directory of millions is refused
// before it is loaded. It returns 0 if there is no valid end; the zip reader then says what is wrong.
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
		count = max(count, int(length/46)) // zip64; the directory's length still limits the number of entries
	}
	return count
}

// Has reports whether the archive has a part of that name.
func (c *Archive) Has(name string) bool {
	_, found := c.parts[strings.ToLower(Name(name))]
	return found
}

// Part returns the unpacked part, which ends with ctx. Reading it to its end verifies its checksum. Part names ignore
// case, as the standard says. If the names of two parts differ only in case, both are refused, even if one of them is
// spelled correctly: it is unknown which data a person saw.
func (c *Archive) Part(ctx context.Context, name string, limit uint64) (io.ReadCloser, error) {
	part, found := c.parts[strings.ToLower(Name(name))]
	switch {
	case !found:
		return nil, ErrMissing
	case part == nil:
		return nil, errAmbiguous
	}
	size := part.UncompressedSize64
	switch {
	case part.Flags&1 != 0:
		return nil, &format.Error{What: "the file is a zip archive with a password", Hint: "Unpack it and read the workbook in it."}
	case size > limit:
		return nil, format.Harm(fmt.Sprintf("it would unpack to %s; the limit is %s", format.ByteSize(size), format.ByteSize(limit)))
	case size > bombFloor && size/bombRatio > part.CompressedSize64:
		return nil, bomb{size, part.CompressedSize64}
	}
	in, err := part.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, &format.Error{What: "part " + name + ": it uses a compression method that workbooks do not use", Hint: "Open the file in a spreadsheet program and save it again as .xlsx."}
	}
	return WithContext(ctx, in), err
}

// Files returns the files of the archive by their names as written.
func (c *Archive) Files() map[string]*zip.File { return c.exact }

// Is reports whether a file that begins with these bytes is a zip archive.
func Is(head []byte) bool {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	return begins("PK\x03\x04") || begins("PK\x05\x06") || begins("PK00PK\x03\x04")
}
