package charset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// proof reads a whole file to learn if it is UTF-8. Nothing less will do: a file whose first accent stands in its last
// row looks like anything until there.
type proof struct {
	multi   int // a measure of characters of more than one byte; 0 when all is ASCII
	invalid int // bytes that belong to no character
	rest    []byte
	lines   sampleLines
}

const proofBlock = 256 << 10

// read goes through the file to its end.
func (p *proof) read(ctx context.Context, in io.Reader) error {
	block := make([]byte, proofBlock)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		kept := copy(block, p.rest)
		n, err := io.ReadFull(in, block[kept:])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		p.block(block[:kept+n], last)
		if last {
			return nil
		}
	}
}

// block goes on with the next bytes, in front of which stands the character that the block before cut off.
func (p *proof) block(b []byte, last bool) {
	p.rest = p.rest[:0]
	if !last {
		whole := len(b) - cutOff(b)
		p.rest = append(p.rest, b[whole:]...)
		b = b[:whole]
	}
	if utf8.Valid(b) {
		p.multi += len(b) - utf8.RuneCount(b)
		return
	}
	p.lines.add(b)
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1:
			p.invalid++
		case n > 1:
			p.multi += n - 1
		}
		b = b[n:]
	}
}

// cutOff returns how many bytes at the end of b begin a character that goes on behind it.
func cutOff(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if b[at] >= utf8.RuneSelf && !utf8.FullRune(b[at:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// verdict names the encoding. Where bytes are no UTF-8 but most accents are, the file is damaged UTF-8: reading it will
// stop at the first bad byte and say where it stands.
func (p *proof) verdict() (Charset, error) {
	found := utf8Charset
	switch {
	case p.invalid == 0 && p.multi == 0:
		found.Why = "all ASCII"
	case p.invalid == 0:
		found.Why = "valid to the end of the file"
	case p.multi > 2*p.invalid:
		found.Why = "most characters beyond ASCII are valid"
	default:
		return guessCharset(p.lines.text)
	}
	return found, nil
}

// sampleLines keeps the first lines that hold bytes beyond ASCII, for guessing what they mean, and further ones that may tell Turkish
// from Western text: the first of them may stand anywhere.
type sampleLines struct{ text []byte }

const (
	sampleBytes = 64 << 10
	longestLine = 4 << 10
)

func (s *sampleLines) add(b []byte) {
	for len(b) > 0 && len(s.text) < 2*sampleBytes {
		end := bytes.IndexAny(b, "\n\r")
		if end < 0 {
			end = len(b)
		}
		line := b[:end]
		b = b[min(end+1, len(b)):]
		if wanted := len(s.text) < sampleBytes && !isASCII(line) || slices.ContainsFunc(line, tells); wanted && (len(line) <= longestLine || len(s.text) == 0) {
			s.text = append(append(s.text, line...), '\n')
		}
	}
}

// tells tells bytes that are þ, ð, ý, õ or û in Windows-1252, small or capital, and other letters in Turkish and Hungarian.
func tells(b byte) bool {
	return b >= 0xd0 && strings.IndexByte("\xd0\xd5\xdb\xdd\xde\xf0\xf5\xfb\xfd\xfe", b) >= 0
}

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

// What the bytes of one character of UTF-8 become when they are taken for Windows-1252 and encoded again: a letter for the first, and
// for the second one of U+0080 to U+00BF, or what Windows-1252 has in the places below.
const (
	twiceFirst  = "ÂÃÄÅÎÏÐÑØÙ"
	twiceSecond = "€‚ƒ„†‡ˆ‰Š‹ŒŽ˜šœžŸ" // without those that stand behind a letter in any text: quotes, dashes, ™ and ›
	twiceBehind = "\u00a0«»®©°º·"     // as these do, behind all of the first but Â, Ã and Ð
)

// EncodedTwice tells if the text shows that it was encoded twice. What begins a letter in that stands in front of blanks and signs
// alone in no language.
func EncodedTwice(text []byte) bool {
	for {
		at := bytes.IndexByte(text, 0xc3) // all of twiceFirst begin with it, and â does
		if at < 0 {
			return false
		}
		text = text[at:]
		first, size := utf8.DecodeRune(text)
		text = text[size:]
		second, _ := utf8.DecodeRune(text)
		switch {
		case first == 'â' && (second == '€' || second == '\u0080'):
			return true
		case !strings.ContainsRune(twiceFirst, first), second == utf8.RuneError:
		case strings.ContainsRune(twiceBehind, second):
			if first == 'Â' || first == 'Ã' || first == 'Ð' {
				return true
			}
		case second >= 0x80 && second <= 0xbf, strings.ContainsRune(twiceSecond, second):
			return true
		}
	}
}

// HoldsC1 tells if the text holds one of the characters U+0080 to U+009F, which nobody writes: they are what the quotes and dashes of
// Windows-1252 become when they are taken for ISO-8859-1. U+0085 is left alone, since it ends lines on some machines.
func HoldsC1(text []byte) bool {
	for {
		at := bytes.IndexByte(text, 0xc2)
		if at < 0 || at+1 == len(text) {
			return false
		}
		if second := text[at+1]; second < 0xa0 && second != 0x85 {
			return true
		}
		text = text[at+1:]
	}
}
