package source

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func isGzip(head []byte) bool { return len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b }

const hintArchive = "Fetch or export the file again; if it was cut off on the way, its size tells."

// openGzip opens the table inside a .gz file.
func (s *Source) openGzip(ctx context.Context) error {
	s.base.Compression = "gzip"
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.file), ".gz"), ".GZ")
	open := func() (io.ReadCloser, error) {
		file, err := fileOpener(s.file)()
		if err != nil {
			return nil, err
		}
		packed := &countedReader{in: file}
		in, err := newMembers(packed)
		if err != nil {
			return nil, errors.Join(damaged(err), file.Close())
		}
		return &unpacking{in: &pacedReader{in: in, packed: packed}, limit: s.options.Limits.Unpacked, file: file}, nil
	}
	return s.openMember(ctx, name, open)
}

// members unpacks the members of a gzip file one after the other. Each takes time though it holds nothing, so that there may not be
// many of those: programs that pack in blocks put some 64 KiB into each.
type members struct {
	packed *bufio.Reader
	in     *gzip.Reader
	n      int // bytes of the member at hand
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

// openZip opens a workbook, which is a zip archive, or the one table in an archive of files.
func (s *Source) openZip(ctx context.Context) error {
	file, err := os.Open(s.file)
	if err != nil {
		return unopened(err)
	}
	s.closers = append(s.closers, file.Close)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	parts, err := openContainer(file, info.Size())
	isArchive := strings.EqualFold(filepath.Ext(s.file), ".zip") || s.options.Format == "csv"
	switch {
	case err != nil && isArchive:
		return damaged(err)
	case err != nil || archiveFormat(parts) != "" || s.options.Format != "" && !isArchive:
		return s.openBook(ctx, s.file)
	}
	member, err := onlyTable(parts)
	if err != nil {
		if !isArchive && isBookName(strings.ToLower(filepath.Ext(s.file))) {
			return s.openBook(ctx, s.file)
		}
		return err
	}
	s.base.Compression, s.base.Member = "zip", partName(member.Name)
	return s.openMember(ctx, s.base.Member, func() (io.ReadCloser, error) { return s.unzip(member) })
}

func (s *Source) unzip(member *zip.File) (io.ReadCloser, error) {
	if member.Flags&1 != 0 {
		return nil, &Error{What: "the archive is protected by a password", Hint: "Unpack it first."}
	}
	in, err := member.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, &Error{What: "the archive is compressed in a way that is not read", Hint: "Unpack it, or pack it again as an ordinary .zip.", Err: err}
	}
	if err != nil {
		return nil, damaged(err)
	}
	return &unpacking{in: in, limit: s.options.Limits.Unpacked, file: in}, nil
}

// onlyTable returns the one file of an archive that can be a table.
func onlyTable(parts *container) (*zip.File, error) {
	var all, tables []*zip.File
	var names []string
	for name, part := range parts.exact {
		base := path.Base(name)
		if part == nil || strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, ".") || strings.EqualFold(base, "thumbs.db") {
			continue
		}
		all, names = append(all, part), append(names, name)
		switch extension := strings.ToLower(path.Ext(name)); {
		case isBookName(extension), extension == ".csv", extension == ".tsv", extension == ".psv", extension == ".tab":
			tables = append(tables, part)
		}
	}
	switch {
	case len(tables) == 1:
		return tables[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return nil, &Error{What: "the archive holds no file", Hint: "Check that the export went through, and export it again."}
	}
	return nil, &Error{What: fmt.Sprintf("the archive holds %d files (%s), and any of them may be the table", len(all), listed(names)),
		Hint: "Unpack it and name the one that is meant, or pack that one alone."}
}

// openMember opens what was packed. A workbook has to be read from any place, so it is unpacked to a temporary file.
func (s *Source) openMember(ctx context.Context, name string, open opener) error {
	head, err := readHead(open)
	if err != nil {
		return err
	}
	if isGzip(head) {
		return packedTwice
	}
	if !s.isWorkbook(head, strings.ToLower(filepath.Ext(name))) {
		return s.openPlain(ctx, head, name, open)
	}
	file, err := s.unpack(ctx, open, filepath.Ext(name))
	if err != nil {
		return err
	}
	if holdsFiles(file) {
		return packedTwice
	}
	return s.openBook(ctx, file)
}

// packedTwice is an archive within an archive. Only one is opened: what is in the second is anybody's guess.
var packedTwice = &Error{What: "the file is packed twice", Hint: "Unpack it once."}

// holdsFiles tells if a file is an archive of files rather than a workbook or another document.
func holdsFiles(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	parts, err := openContainer(file, info.Size())
	return err == nil && archiveFormat(parts) == "" && !parts.has("[Content_Types].xml") && !parts.has("mimetype")
}

// longestPackedBook is how large a workbook inside an archive may be; it is itself compressed.
const longestPackedBook = 1 << 30

// unpack writes the content to a temporary file, which Close removes.
func (s *Source) unpack(ctx context.Context, open opener, extension string) (string, error) {
	in, err := open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	file, err := os.CreateTemp("", "docketsync-*"+extension)
	if err != nil {
		return "", err
	}
	s.closers = append(s.closers, func() error { return os.Remove(file.Name()) })
	n, err := io.Copy(file, io.LimitReader(cancelled{ctx, in}, longestPackedBook+1))
	if n > longestPackedBook {
		err = tooMuch(longestPackedBook)
	}
	return file.Name(), errors.Join(err, file.Close())
}

// unpacking reads compressed content and stops when it unpacks to too much.
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
	var bomb errBomb
	switch {
	case u.n > u.limit:
		return 0, tooMuch(u.limit)
	case errors.As(err, &bomb):
		return 0, &Error{What: fmt.Sprintf("the archive unpacks from %s to more than %s, as decompression bombs do", byteSize(bomb.packed), byteSize(bomb.size)),
			Hint: "If the file can be trusted, unpack it first."}
	case err != nil && !errors.Is(err, io.EOF):
		return n, damaged(err)
	}
	return n, err
}

// Close closes the file beneath. That what was not read may be damaged is no fault of closing.
func (u *unpacking) Close() error {
	_ = u.file.Close()
	return nil
}

func tooMuch(limit int64) error {
	return &Error{What: fmt.Sprintf("the archive unpacks to more than %s", byteSize(uint64(limit))), Hint: "If the file can be trusted, unpack it first."}
}

// damaged does not keep the cause: it may be an unexpected end, which readers of whole blocks take for the end.
func damaged(err error) error {
	return &Error{What: fmt.Sprintf("the archive is damaged (%v)", err), Hint: hintArchive}
}

// listed names a few of many.
func listed(names []string) string {
	const most = 5
	slices.Sort(names)
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
