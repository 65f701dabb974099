package charset

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"docketsync/importer/source/format"
)

// Charset is an encoding: its name, and how its bytes become UTF-8.
type Charset struct {
	Name    string
	Why     string // how it was determined
	Example string // a word beyond ASCII as it reads, if the encoding is a guess

	decode func(io.Reader) *decoding // nil for UTF-8
	fits   func(head []byte) bool    // for UTF-16 and UTF-32: whether the zero bytes are where it has them
	skip   int                       // length of the byte order mark
}

// Decode returns the text of a file as UTF-8, without its byte order mark. Invalid bytes become a byte that UTF-8 does
// not have; the reader then has a method Fault that says where the first of them is.
func (c Charset) Decode(in io.Reader) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, in, int64(c.skip)); err != nil || c.decode == nil {
		return in, err
	}
	d := c.decode(in)
	d.offset = int64(c.skip)
	return d, nil
}

// The encodings that are detected; all others must be configured.
var (
	utf8Charset    = Charset{Name: "utf-8"}
	utf16le        = units("utf-16le", 2, binary.LittleEndian, func(head []byte) bool { return isUTF16(head, 1) })
	utf16be        = units("utf-16be", 2, binary.BigEndian, func(head []byte) bool { return isUTF16(head, 0) })
	utf32le        = units("utf-32le", 4, binary.LittleEndian, func(head []byte) bool { return isUTF32(head, binary.LittleEndian) })
	utf32be        = units("utf-32be", 4, binary.BigEndian, func(head []byte) bool { return isUTF32(head, binary.BigEndian) })
	windows1252    = Charset{Name: "windows-1252", decode: func(in io.Reader) *decoding { return newByteReader(in, charmap.Windows1252) }}
	byteOrderMarks = []struct {
		mark    string
		charset Charset
	}{ // the longer ones first: UTF-32LE begins with the mark of UTF-16LE
		{"\xff\xfe\x00\x00", utf32le}, {"\x00\x00\xfe\xff", utf32be},
		{"\xef\xbb\xbf", utf8Charset}, {"\xff\xfe", utf16le}, {"\xfe\xff", utf16be},
	}
)

func units(name string, size int, order binary.ByteOrder, fits func([]byte) bool) Charset {
	return Charset{Name: name, fits: fits, decode: func(in io.Reader) *decoding { return newUnitReader(in, size, order) }}
}

// charsetByLabel returns the encoding that Options name.
func charsetByLabel(label string) (Charset, error) {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "utf-32", "utf32", "utf-32le", "utf32le":
		return utf32le, nil
	case "utf-32be", "utf32be":
		return utf32be, nil
	case "utf-16", "utf16":
		return utf16le, nil
	}
	found, err := htmlindex.Get(label)
	if err != nil {
		return Charset{}, &format.Error{What: fmt.Sprintf("encoding %q is unknown", label), Err: err,
			Hint: "Use a name such as utf-8, utf-16le, windows-1252, windows-1250, iso-8859-2, macintosh, shift_jis, big5, gbk, euc-kr."}
	}
	name, err := htmlindex.Name(found)
	for _, known := range []Charset{utf8Charset, utf16le, utf16be} {
		if name == known.Name {
			return known, err
		}
	}
	switch table, ofBytes := found.(*charmap.Charmap); {
	case err != nil:
		return Charset{}, err
	case name == "replacement":
		return Charset{}, &format.Error{What: "this encoding is not supported because it is not safe", Hint: "Export the file again as UTF-8."}
	case ofBytes:
		return Charset{Name: name, decode: func(in io.Reader) *decoding { return newByteReader(in, table) }}, nil
	}
	return Charset{Name: name, decode: func(in io.Reader) *decoding { return newMultibyteReader(in, found) }}, nil
}

// Find determines the encoding of the file that open opens, reading it once to its end if necessary. label is the
// configured encoding, or "" to detect it.
func Find(ctx context.Context, open format.Opener, label string) (Charset, error) {
	in, err := open()
	if err != nil {
		return Charset{}, err
	}
	defer in.Close()
	head, err := format.ReadHead(in, probeLength)
	if err != nil {
		return Charset{}, err
	}
	if label != "" {
		return configuredCharset(head, label)
	}
	if found, ok := marked(head); ok {
		found.Why = "byte order mark"
		return found, nil
	}
	if found, ok := wideUnits(head); ok {
		return found, nil
	}
	var p proof
	if err := p.read(ctx, io.MultiReader(bytes.NewReader(head), in)); err != nil {
		return Charset{}, err
	}
	return p.verdict()
}

// marked returns the encoding whose byte order mark a file begins with.
func marked(head []byte) (found Charset, ok bool) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			found = m.charset
			found.skip = len(m.mark)
			return found, true
		}
	}
	return found, false
}

// probeLength is how much of a file is read for a first impression.
const probeLength = 64 << 10

// configuredCharset returns the configured encoding. It returns an error if a byte order mark contradicts it.
func configuredCharset(head []byte, label string) (Charset, error) {
	asked, err := charsetByLabel(label)
	if err != nil {
		return Charset{}, err
	}
	asked.Why = format.Configured
	switch found, ok := marked(head); {
	case !ok:
	case found.Name == asked.Name || isFamily(label) && strings.HasPrefix(found.Name, asked.Name[:6]):
		found.Why = format.Configured
		return found, nil
	case found.Name == "utf-8" || asked.decode == nil || strings.HasPrefix(asked.Name, "utf-"):
		return Charset{}, &format.Error{What: fmt.Sprintf("the encoding is set to %s, but the file begins with the byte order mark of %s", asked.Name, found.Name),
			Hint: "Leave the encoding out, or set " + found.Name + "."}
	}
	if asked.fits != nil {
		return configuredUnits(head, asked, isFamily(label))
	}
	return asked, nil
}

// isFamily reports whether a label leaves the byte order open.
func isFamily(label string) bool {
	return slices.Contains([]string{"utf-16", "utf16", "utf-32", "utf32"}, strings.ToLower(strings.TrimSpace(label)))
}

// configuredUnits checks a configured UTF-16 or UTF-32 against the file's zero bytes: in the wrong byte order every
// letter becomes another one. family lets the zero bytes decide the byte order.
func configuredUnits(head []byte, asked Charset, family bool) (Charset, error) {
	if !family && asked.fits(head) {
		return asked, nil
	}
	found, ok := wideUnits(head)
	if ok && family && strings.HasPrefix(found.Name, asked.Name[:6]) {
		found.Why = format.Configured
		return found, nil
	}
	fault := &format.Error{What: fmt.Sprintf("the encoding is set to %s, but the file's zero bytes stand where %s has them", asked.Name, found.Name),
		Hint: "Leave the encoding out, or set " + found.Name + "."}
	switch {
	case ok:
		return Charset{}, fault
	case len(head) > 0 && bytes.IndexByte(head, 0) < 0:
		fault.What = fmt.Sprintf("the encoding is set to %s, but the file has no zero bytes, which that has in delimiters and line breaks", asked.Name)
		fault.Hint = "Leave the encoding out to have it detected."
		return Charset{}, fault
	}
	return asked, nil
}

// wideUnits recognizes UTF-16 and UTF-32 without a byte order mark by the positions of their NUL bytes. Even text
// without Latin letters has them, in its delimiters and line breaks.
func wideUnits(head []byte) (Charset, bool) {
	if len(head) < 4 || bytes.IndexByte(head, 0) < 0 {
		return Charset{}, false
	}
	for _, found := range []Charset{utf32le, utf32be, utf16le, utf16be} {
		if found.fits(head) {
			found.Why = "zero bytes where " + found.Name + " has them"
			return found, true
		}
	}
	return Charset{}, false
}

func isUTF32(head []byte, order binary.ByteOrder) bool {
	for i := 0; i+4 <= len(head); i += 4 {
		if c := order.Uint32(head[i:]); c == 0 || !utf8.ValidRune(rune(c)) || c > unicode.MaxRune {
			return false
		}
	}
	return true
}

// isUTF16 reports whether the bytes with the given parity are the high ones: most of them are zero, or those beside
// delimiters and line breaks are.
func isUTF16(head []byte, high int) bool {
	units, zero, marks, zeroMarks := 0, 0, 0, 0
	for i := 0; i+2 <= len(head); i += 2 {
		upper, lower := head[i+high], head[i+1-high]
		units++
		mark := bytes.IndexByte([]byte("\r\n,;\t|"), lower) >= 0
		if mark {
			marks++
		}
		if upper == 0 && lower != 0 {
			zero++
			if mark {
				zeroMarks++
			}
		}
	}
	return 5*zero >= 2*units || zeroMarks > 0 && 2*zeroMarks >= marks
}
