package sharedstrings

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"unsafe"

	"docketsync/importer/source/format"
)

// InMemory is how many bytes of shared strings are held in memory, their bookkeeping included; a workbook with
// more has all of them in a temporary file.
const InMemory = 48 << 20

// stringOverhead is what the table needs for a string beside its bytes.
const stringOverhead = int64(unsafe.Sizeof(""))

// ErrNone says that a cell refers to a shared string that the workbook does not have.
var ErrNone = errors.New("no such shared string")

// Table holds the texts that the cells of a workbook share, in memory while they are few.
type Table struct {
	held    []string
	bytes   int64
	spilled *stringFile
}

// Add puts a text behind the others. InMemory is how many bytes may be held in memory.
func (t *Table) Add(text []byte, inMemory int64) error {
	text = text[:min(len(text), format.LongestBytes+1)] // no cell can show more
	if t.spilled != nil {
		return t.spilled.add(text)
	}
	t.bytes += int64(len(text)) + stringOverhead
	if t.bytes <= inMemory {
		t.held = append(t.held, string(text))
		return nil
	}
	spilled, err := newStringFile()
	if err != nil {
		return err
	}
	t.spilled = spilled
	for _, s := range t.held {
		if err := spilled.add([]byte(s)); err != nil {
			return err
		}
	}
	t.held = nil
	return spilled.add(text)
}

// Finish ends the adding.
func (t *Table) Finish() error {
	if t.spilled != nil {
		return t.spilled.flush()
	}
	return nil
}

// At returns the shared string of that number.
func (t *Table) At(index int) (string, error) {
	if t == nil {
		return "", ErrNone
	}
	if t.spilled != nil {
		return t.spilled.at(index)
	}
	if index < 0 || index >= len(t.held) {
		return "", ErrNone
	}
	return t.held[index], nil
}

// Close removes the temporary files.
func (t *Table) Close() error {
	if t == nil || t.spilled == nil {
		return nil
	}
	return t.spilled.close()
}

// stringFile is a string table on disk: one file of texts, one of where each begins. Both are read in pages, of which
// the last few are kept: programs number shared strings in the order of their cells, so neighbours are asked together.
type stringFile struct {
	texts, starts *pagedFile
	count         int
	length        int64
}

func newStringFile() (*stringFile, error) {
	texts, err := newPagedFile()
	if err != nil {
		return nil, err
	}
	starts, err := newPagedFile()
	if err != nil {
		return nil, errors.Join(err, texts.close())
	}
	return &stringFile{texts: texts, starts: starts}, nil
}

func (f *stringFile) add(text []byte) error {
	var start [8]byte
	binary.LittleEndian.PutUint64(start[:], uint64(f.length))
	f.length += int64(len(text))
	f.count++
	return errors.Join(f.starts.write(start[:]), f.texts.write(text))
}

// flush ends the writing.
func (f *stringFile) flush() error {
	var end [8]byte
	binary.LittleEndian.PutUint64(end[:], uint64(f.length))
	return errors.Join(f.starts.write(end[:]), f.starts.flush(), f.texts.flush())
}

func (f *stringFile) at(index int) (string, error) {
	if index < 0 || index >= f.count {
		return "", ErrNone
	}
	var bounds [16]byte
	if err := f.starts.read(bounds[:], int64(index)*8); err != nil {
		return "", err
	}
	start := int64(binary.LittleEndian.Uint64(bounds[:8]))
	text := make([]byte, int64(binary.LittleEndian.Uint64(bounds[8:]))-start)
	err := f.texts.read(text, start)
	return string(text), err
}

func (f *stringFile) close() error { return errors.Join(f.texts.close(), f.starts.close()) }

const (
	pageBytes = 16 << 10
	pagesHeld = 256
)

// pagedFile is a temporary file, written once from beginning to end and then read in pages. Each page has one place to be
// held in, so that a page takes the place of another that is far away in the file.
type pagedFile struct {
	file    *os.File
	pending []byte
	pages   [pagesHeld]filePage
}

type filePage struct {
	number int64
	data   []byte // nil before it was read
}

func newPagedFile() (*pagedFile, error) {
	file, err := os.CreateTemp("", "docketsync-strings-*")
	if err != nil {
		return nil, err
	}
	return &pagedFile{file: file}, nil
}

func (f *pagedFile) write(data []byte) error {
	f.pending = append(f.pending, data...)
	if len(f.pending) < pageBytes {
		return nil
	}
	return f.flush()
}

func (f *pagedFile) flush() error {
	_, err := f.file.Write(f.pending)
	f.pending = f.pending[:0]
	return err
}

// read fills the buffer from the offset on.
func (f *pagedFile) read(into []byte, offset int64) error {
	for len(into) > 0 {
		page, err := f.page(offset / pageBytes)
		if err != nil {
			return err
		}
		begin := int(offset % pageBytes)
		if begin >= len(page) {
			return io.ErrUnexpectedEOF
		}
		n := copy(into, page[begin:])
		into, offset = into[n:], offset+int64(n)
	}
	return nil
}

func (f *pagedFile) page(number int64) ([]byte, error) {
	page := &f.pages[number%pagesHeld]
	if page.data != nil && page.number == number {
		return page.data, nil
	}
	if page.data == nil {
		page.data = make([]byte, pageBytes)
	}
	n, err := f.file.ReadAt(page.data[:pageBytes], number*pageBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		page.data = nil
		return nil, err
	}
	page.number, page.data = number, page.data[:n]
	return page.data, nil
}

func (f *pagedFile) close() error {
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}
