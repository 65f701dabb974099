package source

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
)

// A compound file ([MS-CFB]) is a small file system of sectors and chains: the container of .xls and of encrypted
// workbooks. This reader knows just enough to tell the two apart, and to prove that a file is sound before the libraries
// that decrypt it are let at it: they allocate what its header declares.

var errCompound = errors.New("its container is damaged")

const (
	compoundHeader    = 512
	directoryEntry    = 128
	lastSector        = 0xfffffffa // sector numbers from here on mean the end of a chain, or nothing
	miniSectorBytes   = 64
	miniStreamBelow   = 4096 // streams shorter than this are kept in the stream of the root, in small sectors
	maxCompoundNames  = 1024
	maxEncryptionInfo = 64 << 10
	maxSpins          = 1_000_000 // rounds of hashing a password; Office uses 100,000
)

// compoundStream is one entry of the directory.
type compoundStream struct {
	name  string
	start uint32
	size  uint64
}

type compoundFile struct {
	in      io.ReaderAt
	size    int64
	sector  int64
	fat     []uint32
	miniFAT []uint32
	root    compoundStream
	streams []compoundStream
}

// readCompound reads the allocation tables and the directory.
func readCompound(in io.ReaderAt, size int64) (*compoundFile, error) {
	header := make([]byte, compoundHeader)
	if _, err := in.ReadAt(header, 0); err != nil {
		return nil, errCompound
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(header[at:]) }
	c := &compoundFile{in: in, size: size, sector: 1 << (header[30] & 31)}
	sectors := uint32(min(size/c.sector+1, lastSector))
	if c.sector != 512 && c.sector != 4096 || word(40) > sectors || word(44) > sectors || word(64) > sectors || word(72) > sectors {
		return nil, errCompound
	}
	var err error
	if c.fat, err = c.table(header[76:], word(68), word(72)); err != nil {
		return nil, err
	}
	minis, err := c.chain(word(60), sectors)
	if err != nil {
		return nil, err
	}
	if c.miniFAT, err = c.words(minis); err != nil {
		return nil, err
	}
	return c, c.readDirectory(word(48))
}

// table reads the sector allocation table, whose own sectors are listed in the header and in a chain of further lists.
func (c *compoundFile) table(listed []byte, next, lists uint32) ([]uint32, error) {
	var sectors []uint32
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
	}
	if int64(len(sectors)) > c.size/c.sector+1 {
		return nil, errCompound
	}
	return c.words(sectors)
}

func (c *compoundFile) words(sectors []uint32) ([]uint32, error) {
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

func (c *compoundFile) read(sector uint32) ([]byte, error) {
	data := make([]byte, c.sector)
	n, err := c.in.ReadAt(data, (int64(sector)+1)*c.sector)
	if err != nil && (n == 0 || !errors.Is(err, io.EOF)) {
		return nil, errCompound
	}
	return data, nil
}

// chain lists the sectors of a chain; one of more than limit goes in a circle.
func (c *compoundFile) chain(start, limit uint32) ([]uint32, error) {
	return follow(c.fat, start, limit)
}

func follow(table []uint32, start, limit uint32) ([]uint32, error) {
	var all []uint32
	for s := start; s < lastSector; s = table[s] {
		if all = append(all, s); uint32(len(all)) > limit || s >= uint32(len(table)) {
			return nil, errCompound
		}
	}
	return all, nil
}

func (c *compoundFile) readDirectory(start uint32) error {
	sectors, err := c.chain(start, maxCompoundNames*directoryEntry/512)
	if err != nil {
		return err
	}
	for _, s := range sectors {
		data, err := c.read(s)
		if err != nil {
			return err
		}
		for ; len(data) >= directoryEntry; data = data[directoryEntry:] {
			if err := c.addStream(data[:directoryEntry]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *compoundFile) addStream(entry []byte) error {
	const stream, root = 2, 5
	s := compoundStream{name: entryName(entry), start: binary.LittleEndian.Uint32(entry[116:]), size: binary.LittleEndian.Uint64(entry[120:])}
	if c.sector == 512 {
		s.size &= 0xffffffff
	}
	switch entry[66] {
	case root:
		c.root = s
	case stream:
		if s.size > uint64(c.size) {
			return errCompound
		}
		c.streams = append(c.streams, s)
	}
	return nil
}

func entryName(entry []byte) string {
	length := min(int(binary.LittleEndian.Uint16(entry[64:])), 64)
	var name []uint16
	for i := 0; i+2 < length; i += 2 {
		name = append(name, binary.LittleEndian.Uint16(entry[i:]))
	}
	return string(utf16.Decode(name))
}

// stream returns the entry of that name.
func (c *compoundFile) stream(name string) (compoundStream, bool) {
	for _, s := range c.streams {
		if s.name == name {
			return s, true
		}
	}
	return compoundStream{}, false
}

// content reads a short stream.
func (c *compoundFile) content(s compoundStream) ([]byte, error) {
	if s.size > maxEncryptionInfo {
		return nil, errCompound
	}
	if s.size >= miniStreamBelow {
		return c.joined(s.start, int(s.size))
	}
	minis, err := follow(c.miniFAT, s.start, miniStreamBelow/miniSectorBytes)
	if err != nil {
		return nil, err
	}
	sectors, err := c.chain(c.root.start, uint32(c.size/c.sector+1))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, m := range minis {
		at := int64(m) * miniSectorBytes
		if at/c.sector >= int64(len(sectors)) {
			return nil, errCompound
		}
		data, err := c.read(sectors[at/c.sector])
		if err != nil {
			return nil, err
		}
		all = append(all, data[at%c.sector:at%c.sector+miniSectorBytes]...)
	}
	if len(all) < int(s.size) {
		return nil, errCompound
	}
	return all[:s.size], nil
}

func (c *compoundFile) joined(start uint32, size int) ([]byte, error) {
	sectors, err := c.chain(start, uint32(int64(size)/c.sector+2))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, s := range sectors {
		data, err := c.read(s)
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	if len(all) < size {
		return nil, errCompound
	}
	return all[:size], nil
}
