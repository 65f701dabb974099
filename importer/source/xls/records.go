package xls

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"unicode/utf16"
)

// The records of a workbook stream that are read ([MS-XLS] 2.3).
const (
	biffFormula     = 0x0006
	biffEOF         = 0x000a
	biffDates       = 0x0022
	biffPassword    = 0x002f
	biffContinue    = 0x003c
	biffUncalced    = 0x005e
	biffColumns     = 0x007d
	biffSheet       = 0x0085
	biffManyNumbers = 0x00bd
	biffManyBlanks  = 0x00be
	biffRichText    = 0x00d6
	biffXF          = 0x00e0
	biffMerged      = 0x00e5
	biffStrings     = 0x00fc
	biffShared      = 0x00fd
	biffBlank       = 0x0201
	biffNumber      = 0x0203
	biffText        = 0x0204
	biffBoolean     = 0x0205
	biffResult      = 0x0207
	biffRow         = 0x0208
	biffSmallNumber = 0x027e
	biffFormat      = 0x041e
	biffBOF         = 0x0809
)

var (
	errBIFF      = errors.New("a record of the workbook stream contradicts itself")
	errBIFFShort = errors.New("the workbook stream ends too early")
)

const (
	biffHeader = 4 // bytes before a record's content: its type and its length
	biffWindow = 4 << 10
)

// biffReader reads the records of a workbook stream one after the other. A record of more than 8 KiB continues in
// others, which are read together with its text.
type biffReader struct {
	stream io.ReaderAt
	in     *bufio.Reader
	at     int64 // where the next record begins
	end    int64
	id     uint16
	data   []byte
	next   int // the next byte of data to read
	units  []uint16
}

func newBIFFReader(stream io.ReaderAt, from, end int64) *biffReader {
	r := &biffReader{stream: stream, end: end, in: bufio.NewReaderSize(nil, biffWindow)}
	r.seek(from)
	return r
}

// seek makes the record at that position the next one.
func (r *biffReader) seek(at int64) {
	if ahead := at - r.at; r.at > 0 && ahead >= 0 && ahead <= int64(r.in.Buffered()) {
		_, _ = r.in.Discard(int(ahead)) // buffered bytes are there
	} else {
		r.in.Reset(io.NewSectionReader(r.stream, at, r.end-at))
	}
	r.at = at
}

// read reads the next record.
func (r *biffReader) read() error {
	var header [biffHeader]byte
	if _, err := io.ReadFull(r.in, header[:]); err != nil {
		return biffShort(err)
	}
	length := int(binary.LittleEndian.Uint16(header[2:]))
	if cap(r.data) < length {
		r.data = make([]byte, 1<<16)
	}
	r.id, r.data, r.next = binary.LittleEndian.Uint16(header[:]), r.data[:length], 0
	r.at += biffHeader + int64(length)
	_, err := io.ReadFull(r.in, r.data)
	return biffShort(err)
}

func biffShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBIFFShort
	}
	return err
}

// continued moves on to the record that continues this one, if there is one.
func (r *biffReader) continued() bool {
	id, err := r.in.Peek(2)
	return err == nil && binary.LittleEndian.Uint16(id) == biffContinue && r.read() == nil && len(r.data) > 0
}

// more reports whether the record or its continuations have anything left to read.
func (r *biffReader) more() bool { return r.next < len(r.data) || r.continued() }

// part returns bytes of the current record, or zeros beyond its end, without changing what is read next. word, long and
// double return the numbers there.
func (r *biffReader) part(at, length int) []byte {
	if at+length > len(r.data) {
		return make([]byte, 8)
	}
	return r.data[at:]
}

func (r *biffReader) word(at int) int    { return int(binary.LittleEndian.Uint16(r.part(at, 2))) }
func (r *biffReader) long(at int) uint32 { return binary.LittleEndian.Uint32(r.part(at, 4)) }
func (r *biffReader) double(at int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.part(at, 8)))
}

// number reads the next bytes as a number.
func (r *biffReader) number(bytes int) (int, error) {
	n := 0
	for i := range bytes {
		if !r.more() {
			return 0, errBIFFShort
		}
		n |= int(r.data[r.next]) << (8 * i)
		r.next++
	}
	return n, nil
}

func (r *biffReader) skip(bytes int) error {
	for bytes > 0 {
		if !r.more() {
			return errBIFFShort
		}
		n := min(bytes, len(r.data)-r.next)
		r.next, bytes = r.next+n, bytes-n
	}
	return nil
}

// text reads a text ([MS-XLS] 2.5.293): the number of characters, what follows them, the characters, and what follows.
func (r *biffReader) text(lengthBytes int) (string, error) {
	const wide, phonetic, rich = 1, 4, 8
	length, err := r.number(lengthBytes)
	if err != nil {
		return "", err
	}
	flags, err := r.number(1)
	if err != nil {
		return "", err
	}
	runs, extra := 0, 0
	if flags&rich != 0 {
		runs, err = r.number(2)
	}
	if flags&phonetic != 0 && err == nil {
		extra, err = r.number(4)
	}
	if err == nil {
		err = r.characters(length, flags&wide != 0)
	}
	if err == nil {
		err = r.skip(4*runs + extra)
	}
	return string(utf16.Decode(r.units)), err
}

// characters reads the characters of a text into units. If the text continues in another record, that record begins by
// saying again whether characters take one byte or two.
func (r *biffReader) characters(length int, wide bool) error {
	r.units = r.units[:0]
	for length > 0 {
		if r.next >= len(r.data) {
			if !r.continued() {
				return errBIFFShort
			}
			wide, r.next = r.data[0]&1 != 0, 1
		}
		data, size := r.data[r.next:], 1
		if wide {
			size = 2
		}
		n := min(length, len(data)/size)
		for i := range n {
			if wide {
				r.units = append(r.units, binary.LittleEndian.Uint16(data[2*i:]))
			} else {
				r.units = append(r.units, uint16(data[i]))
			}
		}
		if n == 0 && len(data) > 0 {
			return errBIFF
		}
		r.next, length = r.next+n*size, length-n
	}
	return nil
}
