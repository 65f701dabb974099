package charset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// badByte replaces bytes that are not a character of the file's encoding. No UTF-8 text contains it, so the check for
// damaged UTF-8 finds the record that has it.
const badByte = 0xFF

// decoding converts blocks of a file to UTF-8. It replaces invalid bytes with badByte, and remembers the first of them
// for the message.
type decoding struct {
	in     io.Reader
	step   func(out, in []byte, last bool) (grown []byte, used int)
	raw    []byte
	held   int   // bytes at the front of raw that wait for more
	offset int64 // of raw's first byte in the file
	out    []byte
	unread []byte
	inErr  error
	bad    string
}

const decodeBlock = 32 << 10

// Fault says which bytes were invalid, and where. It returns "" if there were none.
func (d *decoding) Fault() string { return d.bad }

// blame remembers the first invalid bytes.
func (d *decoding) blame(at int, bytes []byte) {
	if d.bad == "" {
		d.bad = fmt.Sprintf("0x%X at offset %d", bytes, d.offset+int64(at))
	}
}

// Read implements io.Reader.
func (d *decoding) Read(p []byte) (int, error) {
	for len(d.unread) == 0 {
		if d.inErr != nil {
			return 0, d.inErr
		}
		n, err := d.in.Read(d.raw[d.held:])
		d.held += n
		d.inErr = err
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if n == 0 && err == nil {
			return 0, nil
		}
		var used int
		d.out, used = d.step(d.out[:0], d.raw[:d.held], err != nil)
		d.unread = d.out
		d.offset += int64(used)
		d.held = copy(d.raw, d.raw[used:d.held])
	}
	n := copy(p, d.unread)
	d.unread = d.unread[n:]
	return n, nil
}

// newUnitReader decodes UTF-16 (size 2) and UTF-32 (size 4).
func newUnitReader(in io.Reader, size int, order binary.ByteOrder) *decoding {
	d := &decoding{in: in, raw: make([]byte, decodeBlock)}
	d.step = func(out, in []byte, last bool) ([]byte, int) {
		i := 0
		for i+size <= len(in) {
			var c rune
			n := size
			if size == 4 {
				c = rune(order.Uint32(in[i:]))
			} else if c = rune(order.Uint16(in[i:])); utf16.IsSurrogate(c) {
				if i+4 > len(in) && !last {
					return out, i
				}
				if i+4 <= len(in) {
					if pair := utf16.DecodeRune(c, rune(order.Uint16(in[i+2:]))); pair != utf8.RuneError {
						c, n = pair, 4
					}
				}
			}
			if utf8.ValidRune(c) {
				out = utf8.AppendRune(out, c)
			} else {
				d.blame(i, in[i:i+n])
				out = append(out, badByte)
			}
			i += n
		}
		if last && i < len(in) {
			d.blame(i, in[i:])
			out, i = append(out, badByte), len(in)
		}
		return out, i
	}
	return d
}

// newByteReader decodes an encoding with one byte per character.
func newByteReader(in io.Reader, table *charmap.Charmap) *decoding {
	d := &decoding{in: in, raw: make([]byte, decodeBlock)}
	var text [256]string
	for b := range text {
		// The WHATWG tables map undefined bytes to the control characters of the same number, which no export means.
		if c := table.DecodeByte(byte(b)); c != utf8.RuneError && (c < 0x80 || c > 0x9f) {
			text[b] = string(c)
		}
	}
	d.step = func(out, in []byte, _ bool) ([]byte, int) {
		for i, b := range in {
			switch {
			case b < utf8.RuneSelf:
				out = append(out, b)
			case text[b] == "":
				d.blame(i, in[i:i+1])
				out = append(out, badByte)
			default:
				out = append(out, text[b]...)
			}
		}
		return out, len(in)
	}
	return d
}

// newMultibyteReader decodes any other encoding. These decoders write U+FFFD for invalid bytes, and none of the
// encodings can contain that character itself. As in newByteReader, control characters beyond ASCII count as invalid.
func newMultibyteReader(in io.Reader, table encoding.Encoding) *decoding {
	d := &decoding{in: in, raw: make([]byte, decodeBlock)}
	decoder, blamed := table.NewDecoder(), false
	dst := make([]byte, 3*decodeBlock+16)
	d.step = func(out, in []byte, last bool) ([]byte, int) {
		used := 0
		for {
			written, read, err := decoder.Transform(dst, in[used:], last)
			for at := 0; at < written; {
				c, n := utf8.DecodeRune(dst[at:written])
				if c == utf8.RuneError || c >= 0x80 && c <= 0x9f {
					if !blamed { // decoding again for each of many would take minutes
						blamed = true
						d.blameDecoded(table, used, in[used:], dst[:at], n)
					}
					out = append(out, badByte)
				} else {
					out = append(out, dst[at:at+n]...)
				}
				at += n
			}
			used += read
			if !errors.Is(err, transform.ErrShortDst) {
				return out, used
			}
		}
	}
	return d
}

// blameDecoded blames the bytes that became the n bytes after a decoded text. Decoding once more, with room for the text
// alone, stops in front of them. If that gives another text, the block began in the middle of a shift, and nothing is
// blamed.
func (d *decoding) blameDecoded(table encoding.Encoding, offset int, in, text []byte, n int) {
	room := make([]byte, len(text)+n)
	written, start, _ := table.NewDecoder().Transform(room[:len(text)], in, false)
	again := bytes.Equal(room[:written], text)
	if _, end, _ := table.NewDecoder().Transform(room, in, true); again && start < end {
		d.blame(offset+start, in[start:end])
	}
}
