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

// proof reads a whole file to learn whether it is UTF-8. Nothing less suffices: a file whose first accent is in its
// last row could be in any encoding up to there.
type proof struct {
	multi   int // measures characters of more than one byte; 0 if all is ASCII
	invalid int // bytes that belong to no character
	rest    []byte
	lines   sampleLines
}

const proofBlock = 256 << 10

// read reads the file to its end.
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

// block takes the next bytes, preceded by the beginning of a character that the previous block cut off.
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

// cutOff returns how many bytes at the end of b begin an incomplete character.
func cutOff(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// verdict names the encoding. If there are invalid bytes but most accents are valid, the file is damaged UTF-8: reading
// it will stop at the first bad byte and say where it is.
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

// sampleLines keeps the first lines with bytes beyond ASCII, for guessing what they mean, and further lines that may
// distinguish Turkish from Western text, because the first of these may be anywhere.
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

// tells reports whether a byte is þ, ð, ý, õ or û in Windows-1252, small or capital, and another letter in Turkish and
// Hungarian.
func tells(b byte) bool {
	return b >= 0xd0 && strings.IndexByte("\xd0\xd5\xdb\xdd\xde\xf0\xf5\xfb\xfd\xfe", b) >= 0
}

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}
