package compound

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// ErrDamaged means that the file contradicts itself.
var ErrDamaged = errors.New("its container is damaged")

const (
	headerSize      = 512
	entrySize       = 128
	lastSector      = 0xfffffffa // sector numbers from here on mean the end of a chain, or nothing
	miniSectorBytes = 64
	miniStreamBelow = 4096 // shorter streams are kept in the stream of the root, in small sectors
	maxNames        = 1024
	maxContent      = 64 << 10
)

// Stream is one entry of the directory. The entries of a folder form a tree: left and right of an entry are others of
// the same folder, child is one of those inside it.
type Stream struct {
	kind               byte
	name               string
	left, right, child uint32
	start              uint32
	Size               uint64
}

// The kinds of entries that matter here.
const (
	kindRoot   = 5 // the top one
	kindStream = 2
)

// File is an opened compound file.
type File struct {
	in      io.ReaderAt
	size    int64
	sector  int64
	fat     []uint32
	miniFAT []uint32
	root    Stream
	entries []Stream // of all folders, as they are numbered
}

// Read reads the allocation tables and the directory.
func Read(in io.ReaderAt, size int64) (*File, error) {
	header := make([]byte, headerSize)
	if _, err := in.ReadAt(header, 0); err != nil {
		return nil, ErrDamaged
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(header[at:]) }
	c := &File{in: in, size: size, sector: 1 << (header[30] & 31)}
	sectors := uint32(min(size/c.sector+1, lastSector))
	if c.sector != 512 && c.sector != 4096 || word(40) > sectors || word(44) > sectors || word(64) > sectors || word(72) > sectors {
		return nil, ErrDamaged
	}
	var err error
	if c.fat, err = c.table(header[76:], word(68), word(72)); err != nil {
		return nil, err
	}
	minis, err := follow(c.fat, word(60), sectors/8+8) // twice as many as a file with only small sectors has
	if err != nil {
		return nil, err
	}
	if c.miniFAT, err = c.words(minis); err != nil {
		return nil, err
	}
	return c, c.readDirectory(word(48))
}

// table reads the sector allocation table, whose own sectors are listed in the header and in a chain of further lists.
func (c *File) table(listed []byte, next, lists uint32) ([]uint32, error) {
	var sectors []uint32
	each := c.sector / 4                                // how many sectors one sector of the table describes
	most := len(listed)/4 + int(2*c.size/c.sector/each) // more are a bomb: lists may lead back to themselves
	add := func(list []byte) {
		for ; len(list) >= 4; list = list[4:] {
			if s := binary.LittleEndian.Uint32(list); s < lastSector {
				sectors = append(sectors, s)
			}
		}
	}
	add(listed)
	for range lists {
		if next >= lastSector {
			break
		}
		list, err := c.read(next)
		if err != nil {
			return nil, err
		}
		add(list[:c.sector-4])
		next = binary.LittleEndian.Uint32(list[c.sector-4:])
		if len(sectors) > most {
			return nil, ErrDamaged
		}
	}
	return c.words(sectors)
}

func (c *File) words(sectors []uint32) ([]uint32, error) {
	var all []uint32
	for _, s := range sectors {
		data, err := c.read(s)
		if err != nil {
			return nil, err
		}
		for ; len(data) > 0; data = data[4:] {
			all = append(all, binary.LittleEndian.Uint32(data))
		}
	}
	return all, nil
}

func (c *File) read(sector uint32) ([]byte, error) {
	data := make([]byte, c.sector)
	n, err := c.in.ReadAt(data, (int64(sector)+1)*c.sector)
	if err != nil && (n == 0 || !errors.Is(err, io.EOF)) {
		return nil, ErrDamaged
	}
	return data, nil
}

// follow returns the sectors of a chain; a chain of more than limit sectors is a loop.
func follow(table []uint32, start, limit uint32) ([]uint32, error) {
	var all []uint32
	for s := start; s < lastSector; s = table[s] {
		if all = append(all, s); uint32(len(all)) > limit || s >= uint32(len(table)) {
			return nil, ErrDamaged
		}
	}
	return all, nil
}

func (c *File) readDirectory(start uint32) error {
	sectors, err := follow(c.fat, start, maxNames*entrySize/512)
	if err != nil {
		return err
	}
	for _, sector := range sectors {
		data, err := c.read(sector)
		if err != nil {
			return err
		}
		for ; len(data) >= entrySize; data = data[entrySize:] {
			word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
			s := Stream{kind: data[66], left: word(68), right: word(72), child: word(76), start: word(116), Size: binary.LittleEndian.Uint64(data[120:])}
			var name []uint16
			for i := 0; i+2 < min(int(binary.LittleEndian.Uint16(data[64:])), 64); i += 2 {
				name = append(name, binary.LittleEndian.Uint16(data[i:]))
			}
			s.name = string(utf16.Decode(name))
			if c.sector == 512 {
				s.Size &= 0xffffffff
			}
			if s.kind == kindRoot {
				c.root = s
			}
			if s.kind == kindStream && s.Size > uint64(c.size) {
				return ErrDamaged
			}
			c.entries = append(c.entries, s)
		}
	}
	return nil
}

// Stream returns the stream of that name in the top folder. Workbooks may be embedded in others, with streams of the
// same names in their own folders.
func (c *File) Stream(name string) (Stream, bool) {
	seen := make([]bool, len(c.entries))
	for waiting := []uint32{c.root.child}; len(waiting) > 0; {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if int64(at) >= int64(len(c.entries)) || seen[at] {
			continue
		}
		seen[at] = true
		entry := c.entries[at]
		if entry.kind == kindStream && strings.EqualFold(entry.name, name) {
			return entry, true
		}
		waiting = append(waiting, entry.left, entry.right)
	}
	return Stream{}, false
}

// Reader returns a reader of a stream at any position.
func (c *File) Reader(s Stream) (io.ReaderAt, error) {
	r := &streamReader{in: c.in, sector: c.sector}
	start, most := s.start, int64(s.Size)/c.sector+2
	small := s.Size < miniStreamBelow
	if small { // these sectors hold the small sectors of all short streams
		start, most = c.root.start, c.size/c.sector+1
	}
	sectors, err := follow(c.fat, start, uint32(most))
	if err != nil {
		return nil, err
	}
	for _, sector := range sectors {
		r.places = append(r.places, (int64(sector)+1)*c.sector)
	}
	if small {
		minis, err := follow(c.miniFAT, s.start, miniStreamBelow/miniSectorBytes)
		if err != nil {
			return nil, err
		}
		within := r.places
		r.sector, r.places = miniSectorBytes, nil
		for _, mini := range minis {
			at := int64(mini) * miniSectorBytes
			if at/c.sector >= int64(len(within)) {
				return nil, ErrDamaged
			}
			r.places = append(r.places, within[at/c.sector]+at%c.sector)
		}
	}
	if int64(len(r.places))*r.sector < int64(s.Size) {
		return nil, ErrDamaged
	}
	return r, nil
}

// streamReader reads a stream by the positions of its sectors in the file. Callers do not read beyond the stream's
// size.
type streamReader struct {
	in     io.ReaderAt
	sector int64
	places []int64
}

// ReadAt implements io.ReaderAt. It reads adjacent sectors together.
func (r *streamReader) ReadAt(p []byte, at int64) (int, error) {
	done := 0
	for done < len(p) {
		first, within := int((at+int64(done))/r.sector), (at+int64(done))%r.sector
		if first >= len(r.places) {
			return done, io.EOF
		}
		length := r.sector - within
		for next := first + 1; next < len(r.places) && r.places[next] == r.places[next-1]+r.sector && length < int64(len(p)-done); next++ {
			length += r.sector
		}
		part := p[done:min(int64(len(p)), int64(done)+length)]
		n, err := r.in.ReadAt(part, r.places[first]+within)
		if done += n; n < len(part) {
			return done, err
		}
	}
	return done, nil
}

// Content reads a short stream.
func (c *File) Content(s Stream) ([]byte, error) {
	if s.Size > maxContent {
		return nil, ErrDamaged
	}
	r, err := c.Reader(s)
	if err != nil {
		return nil, err
	}
	all := make([]byte, s.Size)
	if _, err := r.ReadAt(all, 0); err != nil {
		return nil, ErrDamaged
	}
	return all, nil
}
