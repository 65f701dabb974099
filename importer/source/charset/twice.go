package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

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
