package table

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldLetters spells letters that have no decomposition but that people write in two ways, and signs that spreadsheets
// replace with typographic ones.
var foldLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ς': "σ",
	'’': "'", '‘': "'", 'ʼ': "'", '´': "'", '`': "'", '“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`,
	'–': "-", '—': "-", '‐': "-", '‑': "-", '−': "-", '\u00ad': "", '\u200b': "", '\ufeff': "",
}

// Fold makes two spellings of one name equal. It drops the accents of Latin and Greek letters, lower-cases, turns any
// run of white space into one space, and replaces typographic quotes and dashes with plain ones. Punctuation counts:
// "12-3" and "12/3" may be two files. In other scripts a mark makes a different letter: バ is not ハ, and Й is not И.
func Fold(text string) string {
	if plain(text) {
		return text
	}
	if ASCII(text) {
		return foldASCII(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	foldRunes(text, func(r rune) {
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && s[len(s)-1] != ' ' {
			b.WriteByte(' ')
		}
	})
	return strings.TrimSuffix(b.String(), " ")
}

// FoldName makes two spellings of a header or a YAML word equal. It drops case, accents (as Fold does) and everything
// but letters and digits. A name without a letter or digit, such as "#", keeps its signs. Columns are matched this way
// everywhere, so a header that the source takes for the requested one is also the one that a mapping finds.
func FoldName(text string) string {
	var b strings.Builder
	foldRunes(text, func(r rune) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			b.WriteRune(r)
		}
	})
	if b.Len() == 0 {
		return Fold(text)
	}
	return b.String()
}

// SaysName reports whether a text is a name that FoldName has folded. It compares sums first, because nearly all texts
// are different names.
func SaysName(text, folded string) bool {
	sum := NameSum(text)
	return folded != "" && (sum == 0 || sum == NameSum(folded)) && FoldName(text) == folded
}

// NameSum returns a sum over the letters and digits of a name; a name and its folded form have the same sum. It returns
// 0, which says nothing, if the name has characters outside ASCII.
func NameSum(text string) uint32 {
	sum := uint32(2166136261) // FNV-1a
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return 0
		case 'A' <= c && c <= 'Z':
			c |= ' '
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			continue
		}
		sum = (sum ^ uint32(c)) * 16777619
	}
	return sum
}

// Words returns the words of a list, folded, as a set; an underscore stands for a space inside a word.
func Words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[Fold(strings.ReplaceAll(word, "_", " "))] = true
	}
	return set
}

// plain reports whether Fold would change nothing.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c == '`' || c < ' ' {
			return false
		}
		if c == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' ') {
			return false
		}
	}
	return true
}

// ASCII reports whether a text has no other characters.
func ASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldASCII is Fold for most texts, at a tenth of the cost.
func foldASCII(text string) string {
	folded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			folded = append(folded, c+'a'-'A')
		case c == '`':
			folded = append(folded, '\'')
		case c != ' ' && (c < '\t' || c > '\r'):
			folded = append(folded, c)
		case len(folded) > 0 && folded[len(folded)-1] != ' ':
			folded = append(folded, ' ')
		}
	}
	if n := len(folded); n > 0 && folded[n-1] == ' ' {
		folded = folded[:n-1]
	}
	return string(folded)
}

func foldRunes(text string, emit func(rune)) {
	spelling := false // the letter before belongs to a script whose marks are part of the spelling
	for _, r := range norm.NFKD.String(text) {
		if unicode.IsMark(r) {
			// After something that was dropped, drop marks as well: they would end up in another order if folded again.
			if spelling = spelling && !unicode.Is(unicode.Variation_Selector, r); spelling {
				emit(r)
			}
			continue
		}
		spelling = r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek)
		r = unicode.ToLower(r)
		if spelled, ok := foldLetters[r]; ok {
			spelling = false
			for _, s := range spelled {
				emit(s)
			}
			continue
		}
		emit(r)
	}
}

// Trim removes white space of any kind around a text, and the invisible marks that exports leave there.
func Trim(text string) string {
	if text == "" || (text[0] > ' ' && text[0] < utf8.RuneSelf && text[len(text)-1] > ' ' && text[len(text)-1] < utf8.RuneSelf) {
		return text
	}
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}

// SameKey spells a key in one way: accents composed, and every run of white space one space. Exports of one system
// differ in such things from one night to the next. A key that looks the same must be the same, or its record would be
// created again.
func SameKey(text string) string {
	plain := true
	for n := 0; n < len(text) && plain; n++ {
		plain = text[n] > ' ' && text[n] < 0x80 || n > 0 && text[n] == ' ' && text[n-1] != ' '
	}
	if plain {
		return text
	}
	return strings.Join(strings.Fields(norm.NFC.String(text)), " ")
}

// TwinKey is equal for keys that people probably mean as one. It drops case, accents, spaces, punctuation and the
// leading zeros of numbers, and replaces Cyrillic and Greek letters with the Latin ones that their capitals look like.
// The bar between the parts of a key of several columns stays. If two different keys of one file have the same TwinKey,
// somebody should look at them.
func TwinKey(key string) string { return string(AppendTwin(nil, key)) }

func AppendTwin(dst []byte, key string) []byte {
	w := twinWriter{dst: dst}
	if !ASCII(key) {
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

// lookalikes are the letters whose capitals look the same as Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'е': 'e', 'ѕ': 's', 'і': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x',
	'α': 'a', 'β': 'b', 'ε': 'e', 'ζ': 'z', 'η': 'h', 'ι': 'i', 'κ': 'k', 'μ': 'm', 'ν': 'n', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'y', 'χ': 'x',
}

// twinWriter writes a twin rune by rune.
type twinWriter struct {
	dst    []byte
	zeros  int  // leading zeros of the current number
	digits bool // the current number has other digits
	ended  bool // a number has ended, so that another one is a separate number
}

// number ends the current number. Zeros without another digit after them are the number 0.
func (w *twinWriter) number() {
	if w.zeros > 0 && !w.digits {
		w.dst = append(w.dst, '0')
	}
	w.ended = w.ended || w.zeros > 0 || w.digits
	w.zeros, w.digits = 0, false
}

func (w *twinWriter) rune(r rune) {
	switch {
	case r >= '0' && r <= '9':
		if w.ended && w.zeros == 0 && !w.digits {
			w.dst, w.ended = append(w.dst, '-'), false
		}
		if r == '0' && !w.digits {
			w.zeros++
			return
		}
		w.digits = true
		w.dst = append(w.dst, byte(r))
	case r == '|' || r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)):
		w.number()
		w.ended = false
		w.dst = utf8.AppendRune(w.dst, r)
	default:
		w.number()
	}
}
