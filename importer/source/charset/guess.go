package charset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"docketsync/importer/source/format"
)

// plausible is the minimum share of words beyond ASCII that must look like words for Windows-1252 to be assumed.
const plausible = 0.75

// alternatives are the encodings that a refusal may suggest, the more frequent first.
var alternatives = []string{"windows-1250", "windows-1251", "windows-1253", "macintosh", "shift_jis", "gbk", "big5", "euc-kr",
	"euc-jp", "windows-1254", "windows-1257", "windows-1255", "windows-1256", "koi8-r", "ibm866"}

// guessCharset judges lines of a file that is not UTF-8. Only Windows-1252 is ever assumed, and only if the words look
// like words, and like words of its languages. Text in any other single-byte encoding would read just as smoothly in
// another one, so a person must choose, and the error shows the possible readings.
func guessCharset(lines []byte) (Charset, error) {
	share, example := rate(charmap.Windows1252, lines)
	if share < plausible {
		offers, err := readings(alternatives, lines)
		return Charset{}, cmp.Or(err, undecided(example, offers))
	}
	if word, likeliest := doubtful(lines); word != "" {
		bytes, err := charmap.Windows1252.NewEncoder().String(word)
		if err != nil {
			return Charset{}, err
		}
		offers, err := readings(append(likeliest, "windows-1254", "windows-1250", "windows-1257"), []byte(bytes))
		return Charset{}, cmp.Or(err, undecided(word, offers))
	}
	found := windows1252
	found.Why, found.Example = "not UTF-8, and plausible as Windows-1252", example
	return found, nil
}

// readings returns the encodings in which the lines read well, each with a word that shows it.
func readings(names []string, lines []byte) (offers []string, err error) {
	for _, name := range names {
		table, err := htmlindex.Get(name)
		if err != nil {
			return nil, err
		}
		if share, text := rate(table, lines); share >= plausible {
			offer := fmt.Sprintf("%s reads %q", name, text)
			if !slices.Contains(offers, offer) {
				offers = append(offers, offer)
			}
		}
	}
	return offers, nil
}

func undecided(example string, offers []string) error {
	hint := "Set the encoding, or export the file again as UTF-8."
	if len(offers) > 0 {
		hint = "Set the encoding to the one that reads correctly, as source: {encoding: …}: " + strings.Join(offers[:min(len(offers), 5)], ", ") + "; or export the file again as UTF-8."
	}
	return &format.Error{What: fmt.Sprintf("the encoding could not be determined: the file is not UTF-8, and as Windows-1252 it would read %q", example), Hint: hint}
}

// rate decodes the lines. It returns the share of words beyond ASCII that look like words, and one of the first that is
// long enough to recognize.
func rate(table encoding.Encoding, lines []byte) (share float64, example string) {
	text, err := table.NewDecoder().String(string(lines))
	if err != nil {
		return 0, ""
	}
	words, good := 0, 0
	for _, word := range strings.FieldsFunc(text, isBreak) {
		if isASCII([]byte(word)) {
			continue
		}
		words++
		if plausibleWord(word) {
			good++
		}
		if utf8.RuneCountInString(word) > utf8.RuneCountInString(example) && utf8.RuneCountInString(example) < 4 {
			example = word
		}
	}
	if words == 0 {
		return 0, ""
	}
	return float64(good) / float64(words), example
}

// isBreak reports whether a character separates words: ASCII other than letters, spaces and dashes beyond ASCII, and
// their East Asian counterparts, including wide Latin letters.
func isBreak(c rune) bool {
	if c < utf8.RuneSelf {
		return !unicode.IsLetter(c)
	}
	if c >= '\u3000' {
		return c >= '！' && c <= '～' || unicode.IsPunct(c) || unicode.IsSpace(c) || unicode.IsSymbol(c)
	}
	return strings.ContainsRune("\u00a0–—’‘…·", c)
}

// The characters that may stand alone, before a word and after a word. Accented letters at the end of a word in a DOS
// code page become, in Windows-1252, signs that only begin a quotation or a question, or currency signs beside letters
// instead of digits: "Caf‚", "Mart¡", "Per£".
const (
	behind = "®™©°ªº§«»“”‘’–—…•€¹²³½¼¾×"
	before = behind + "„‚¿¡"
	around = before + "£¥"
)

// scripts are the scripts of words. Letters of two of them in one word are a sign of the wrong encoding.
var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic, unicode.Han,
	unicode.Hangul, unicode.Katakana, unicode.Hiragana}

// plausibleWord reports whether the characters could be a word of some language.
func plausibleWord(word string) bool {
	if strings.Trim(word, around) == "" {
		return true
	}
	letters := []rune(strings.TrimLeft(strings.TrimRight(word, behind), before))
	script := scriptOf(letters[0])
	row := 0 // consecutive letters beyond ASCII
	for i, c := range letters {
		at := scriptOf(c)
		japanese := at >= 5 && script >= 5
		if at < 0 || at != script && !japanese || unevenCase(letters, i) {
			return false
		}
		if row++; c < utf8.RuneSelf {
			row = 0
		}
		if script == 0 && row > 2 {
			return false
		}
	}
	return true
}

func scriptOf(c rune) int {
	if !unicode.IsLetter(c) && c != 'ー' && c != '々' {
		return -1
	}
	return slices.IndexFunc(scripts, func(table *unicode.RangeTable) bool { return unicode.Is(table, c) })
}

// unevenCase reports whether the letter beyond ASCII at i is a capital after a small letter, or a small one between
// capitals.
func unevenCase(letters []rune, i int) bool {
	c := letters[i]
	if c < utf8.RuneSelf || i == 0 {
		return false
	}
	if unicode.IsUpper(c) {
		return unicode.IsLower(letters[i-1])
	}
	return unicode.IsLower(c) && i+1 < len(letters) && unicode.IsUpper(letters[i-1]) && unicode.IsUpper(letters[i+1])
}
