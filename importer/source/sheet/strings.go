package sheet

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"unsafe"

	"docketsync/importer/source/format"
)

// stringsInMemory is how many bytes of shared texts are held in memory, their bookkeeping included; a workbook with more has all of
// them in a temporary file.
const stringsInMemory = 48 << 20

const (
	blockBytes = 4 << 10 // at least, of every block of the file but the last
	blocksHeld = 512
)

// Strings are the texts that the cells of an .xlsx or .xls share: in memory while they are few, in a temporary file when they are many,
// so that memory does not grow with a workbook. The file is written once, in blocks of whole texts with their lengths, and then read block
// by block. Each block has one place to be held in: programs number the texts in the order of their cells, so neighbours are asked for
// together. The zero value is ready for Add.
type Strings struct {
	InMemory int // bytes that may be held in memory; 0 for the usual number

	held   []string
	bytes  int
	count  int
	file   *os.File
	begun  []byte  // the block that is being written
	blocks []block // those that are written, in their order
	cached [blocksHeld]cachedBlock
}

// ErrNoText says that a cell refers to a shared text that the workbook does not have.
var ErrNoText = errors.New("no such shared text")

// block is where a block of texts is in the file, and the number of its first one.
type block struct {
	first, length int
	at            int64
}

// cachedBlock is a block that was read, and how far.
type cachedBlock struct {
	first    int
	data     []byte // nil before one was read
	next, at int    // the number of the text that is read next, and where it begins
}

// Add puts a text behind the others.
func (s *Strings) Add(text []byte) (err error) {
	text = text[:min(len(text), format.LongestBytes+1)] // no cell can show more
	s.bytes += len(text) + int(unsafe.Sizeof(""))
	limit := s.InMemory
	if limit == 0 {
		limit = stringsInMemory
	}
	if s.bytes <= limit {
		s.held = append(s.held, string(text))
		s.count++
		return nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "docketsync-strings-*"); err != nil {
			return err
		}
		s.count = 0
		for _, held := range s.held {
			if err := s.write([]byte(held)); err != nil {
				return err
			}
		}
		s.held = nil
	}
	return s.write(text)
}

func (s *Strings) write(text []byte) error {
	if len(s.begun) == 0 {
		at := int64(0)
		if n := len(s.blocks); n > 0 {
			at = s.blocks[n-1].at + int64(s.blocks[n-1].length)
		}
		s.blocks = append(s.blocks, block{first: s.count, at: at})
	}
	s.begun = append(binary.AppendUvarint(s.begun, uint64(len(text))), text...)
	s.count++
	if len(s.begun) < blockBytes {
		return nil
	}
	return s.Finish()
}

// Finish ends the adding.
func (s *Strings) Finish() error {
	if len(s.begun) == 0 {
		return nil
	}
	s.blocks[len(s.blocks)-1].length = len(s.begun)
	_, err := s.file.Write(s.begun)
	s.begun = s.begun[:0]
	return err
}

// Close removes the temporary file.
func (s *Strings) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// At returns the text of that number; ErrNoText when there is none.
func (s *Strings) At(number int) (string, error) {
	if number < 0 || number >= s.count {
		return "", ErrNoText
	}
	if s.file == nil {
		return s.held[number], nil
	}
	n, found := slices.BinarySearchFunc(s.blocks, number, func(b block, number int) int { return b.first - number })
	if !found {
		n--
	}
	return s.blocks[n].text(s.file, &s.cached[n%blocksHeld], number)
}

// text is a text of the block, by way of its place in the cache.
func (b block) text(file io.ReaderAt, c *cachedBlock, number int) (string, error) {
	if c.data == nil || c.first != b.first {
		c.data = slices.Grow(c.data[:0], b.length)[:b.length]
		if _, err := file.ReadAt(c.data, b.at); err != nil {
			c.data = nil
			return "", err
		}
		c.first, c.next, c.at = b.first, b.first, 0
	}
	if number < c.next {
		c.next, c.at = b.first, 0
	}
	for {
		length, size := binary.Uvarint(c.data[c.at:])
		begin := c.at + size
		c.next, c.at = c.next+1, begin+int(length)
		if c.next > number {
			return string(c.data[begin:c.at]), nil
		}
	}
}
