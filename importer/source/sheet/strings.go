package sheet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"unsafe"

	"docketsync/importer/source/format"
)

// stringsInMemory is how many bytes of shared texts are held in memory, including overhead. If a workbook has more, all
// of them go to a temporary file.
const stringsInMemory = 48 << 20

const (
	blockTexts  = 32       // texts per block
	blocksHeld  = 256      // maximum number of blocks held, of those not longer than longestHeld
	longestHeld = 64 << 10 // bytes
)

// Strings are the texts that the cells of an .xlsx or .xls share. A few are held in memory; many go to a temporary
// file, so that memory does not grow with the workbook. The file is written once, in blocks of whole texts with their
// lengths, and then read block by block. Each block has one slot in the cache: programs number the texts in the order
// of their cells, so adjacent texts are needed together. The zero value is ready for Add.
type Strings struct {
	InMemory int // bytes that may be held in memory; 0 for the default

	held   []string
	bytes  int
	count  int
	file   *os.File
	begun  []byte  // the block being written
	ends   []int64 // where each written block ends in the file
	cached [blocksHeld]cachedBlock
	struck map[int]bool // see Strike
}

// ErrNoText means that a cell refers to a shared text that the workbook does not have.
var ErrNoText = errors.New("no such shared text")

// cachedBlock is a block that was read.
type cachedBlock struct {
	number int
	data   []byte // nil if no block is cached
}

// Add appends a text.
func (s *Strings) Add(text []byte) (err error) {
	text = text[:min(len(text), format.LongestBytes+1)] // no cell can show more
	s.bytes += len(text) + int(unsafe.Sizeof(""))
	if s.bytes <= cmp.Or(s.InMemory, stringsInMemory) {
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
	s.begun = append(binary.AppendUvarint(s.begun, uint64(len(text))), text...)
	if s.count++; s.count%blockTexts > 0 {
		return nil
	}
	return s.Finish()
}

// Strike notes that a part of the text that is added next is struck through.
func (s *Strings) Strike() {
	if s.struck == nil {
		s.struck = map[int]bool{}
	}
	s.struck[s.count] = true
}

// Struck reports whether a part of the text with that number is struck through.
func (s *Strings) Struck(number int) bool { return s.struck[number] }

// Finish must be called after the last Add.
func (s *Strings) Finish() error {
	if len(s.begun) == 0 {
		return nil
	}
	n, err := s.file.Write(s.begun)
	s.ends = append(s.ends, s.begin(len(s.ends))+int64(n))
	s.begun = s.begun[:0]
	return err
}

// begin returns where a block begins in the file.
func (s *Strings) begin(block int) int64 {
	if block == 0 {
		return 0
	}
	return s.ends[block-1]
}

// Close removes the temporary file.
func (s *Strings) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// At returns the text with that number, or ErrNoText if there is none.
func (s *Strings) At(number int) (string, error) {
	if number < 0 || number >= s.count {
		return "", ErrNoText
	}
	if s.file == nil {
		return s.held[number], nil
	}
	data, err := s.block(number / blockTexts)
	if err != nil {
		return "", err
	}
	for range number % blockTexts {
		length, size := binary.Uvarint(data)
		data = data[size+int(length):]
	}
	length, size := binary.Uvarint(data)
	return string(data[size : size+int(length)]), nil
}

// block returns a block of the file, using its slot in the cache.
func (s *Strings) block(number int) ([]byte, error) {
	c := &s.cached[number%blocksHeld]
	if c.data != nil && c.number == number {
		return c.data, nil
	}
	length := int(s.ends[number] - s.begin(number))
	if length > longestHeld {
		c = &cachedBlock{}
	}
	data := slices.Grow(c.data[:0], length)[:length]
	c.number, c.data = number, nil
	if _, err := s.file.ReadAt(data, s.begin(number)); err != nil {
		return nil, err
	}
	c.data = data
	return data, nil
}
