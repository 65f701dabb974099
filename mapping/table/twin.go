package table

import (
	"unicode"
	"unicode/utf8"
)

// TwinKey is equal for keys that people are likely to mean as one: it drops capitals, accents, blanks and punctuation, and
// the zeros in front of numbers, and takes Cyrillic and Greek letters for the Latin ones that their capitals look like. The bar between the parts of a key of several columns stays. Two different keys of one
// file with one TwinKey deserve a look.
func TwinKey(key string) string { return string(AppendTwin(nil, key)) }

func AppendTwin(dst []byte, key string) []byte {
	w := twinWriter{dst: dst}
	if !ascii(key) {
		foldRunes(key, func(r rune) {
			if latin, ok := lookalikes[r]; ok {
				r = latin
			}
			w.rune(r)
		})
	} else {
		for i := 0; i < len(key); i++ {
			c := key[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			w.rune(rune(c))
		}
	}
	w.number()
	return w.dst
}

// lookalikes are the letters whose capitals nobody can tell from Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'е': 'e', 'ѕ': 's', 'і': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x',
	'α': 'a', 'β': 'b', 'ε': 'e', 'ζ': 'z', 'η': 'h', 'ι': 'i', 'κ': 'k', 'μ': 'm', 'ν': 'n', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'y', 'χ': 'x',
}

// twinWriter writes a twin rune by rune.
type twinWriter struct {
	dst    []byte
	zeros  int  // in front of the number in hand
	digits bool // the number in hand has others
	parted bool // a number ended, so that another one is a number of its own
}

// number ends the number in hand. Zeros that no digit followed are the number 0.
func (w *twinWriter) number() {
	if w.zeros > 0 && !w.digits {
		w.dst = append(w.dst, '0')
	}
	w.parted = w.parted || w.zeros > 0 || w.digits
	w.zeros, w.digits = 0, false
}

func (w *twinWriter) rune(r rune) {
	switch {
	case r >= '0' && r <= '9':
		if w.parted && w.zeros == 0 && !w.digits {
			w.dst, w.parted = append(w.dst, '-'), false
		}
		if r == '0' && !w.digits {
			w.zeros++
			return
		}
		w.digits = true
		w.dst = append(w.dst, byte(r))
	case r == '|' || r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)):
		w.number()
		w.parted = false
		w.dst = utf8.AppendRune(w.dst, r)
	default:
		w.number()
	}
}
