package charset

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Turkish, Central European and Baltic encodings have other letters in a few of the positions of Windows-1252. A file
// in one of them reads well as Windows-1252, but with the wrong letters: Þirketi instead of Şirketi. The words with a
// letter in one of these positions show which it is. Each is spelled as the languages of Windows-1252 are, or as none
// of them is, or is unclear.

// rival is an encoding of files that may read well as Windows-1252.
type rival struct {
	name      string
	contested string // the letters of Windows-1252 for which the rival has another letter
}

var rivals = []rival{newRival("windows-1254", charmap.Windows1254), newRival("windows-1250", charmap.Windows1250), newRival("windows-1257", charmap.Windows1257)}

func newRival(name string, table *charmap.Charmap) rival {
	r := rival{name: name}
	for b := utf8.RuneSelf; b <= 0xff; b++ {
		here, there := charmap.Windows1252.DecodeByte(byte(b)), table.DecodeByte(byte(b))
		if here != there && unicode.IsLetter(there) {
			r.contested += string(here)
		}
	}
	return r
}

// alphabets are the letters beyond ASCII that words of one language have in Windows-1252.
var alphabets = []string{
	"àâæçéèêëîïôœùûüÿ", // French
	"áéíóúñüç",         // Spanish
	"àèéíïòóúüç",       // Catalan
	"áàâãçéêíóôõúü",    // Portuguese
	"àèéìîòóù",         // Italian
	"åäöéüàšž",         // Swedish, Finnish
	"åæøéèêòôäöü",      // Danish, Norwegian
	"äöüßéèëïêáó",      // German, Dutch
	"áéíóúýþðæö",       // Icelandic
	"áíóúýðæø",         // Faroese
	"äöõüšž",           // Estonian
}

// strange matches letter positions that no language of Windows-1252 has, but that those of Turkey, Central Europe and
// the Baltic have.
var strange = regexp.MustCompile(`è[aeiouy]|[ìù].|ò[aeiouy]|(^|[^fgjlmnrs])ø([ao]|u([^r]|$))|ñ([^aeiouáéíóúü]|$)|[aeiou]æ$|ã[b-df-np-rt-y]|[aeiou]œ|œ[bklmprw]|ê[dkwz]|ç[b-df-hj-np-tv-z]` +
	`|^ð|.þ|^þ[^aeiouyáéíóúýæörjv]|[cqwz].*[ðþý]|[ðþý].*[cqwz]|ý.*ý|[aeiouyö]ý|û.*[kwyz]|[kwyz].*û`)

// ownTilde and own match letter positions of the languages of Windows-1252: õ of Portuguese and Estonian, the others of
// Icelandic and French.
var (
	ownTilde = regexp.MustCompile(`õe|^[bdghjklmnprstv]{0,3}õ[^cfqwxyz]*$`)
	own      = regexp.MustCompile(`[áéíóúæ]|[fglmnr]ð|e[iy]ð|ð[bgjv]|^ný|^þ(or|r|v|j|ei|ing)|(nd|ld|st)ur$|son$|[eo]û|[bdfjlmqrs]û([clnrt]|$)`)
)

// testimony is what a word says about Windows-1252.
type testimony int

const (
	native  testimony = iota // spelled as in a language of Windows-1252
	unclear                  // possible in one, and in another encoding too
	odd                      // spelled as in none of them
)

// testify judges a word that has a contested letter.
func testify(word string) testimony {
	lower := strings.ToLower(word)
	if strings.Contains(lower, "û") {
		lower = strings.TrimSuffix(lower, "ez") // as French verbs end: a z elsewhere is Hungarian
	}
	switch {
	case !plausibleWord(word), strange.MatchString(lower) && !icelandic(lower), !hasAlphabet(lower), strings.Contains(lower, "õ") && !ownTilde.MatchString(lower):
		return odd
	case strings.ContainsAny(lower, "þðýû") && !own.MatchString(lower) && !laterThorn.MatchString(lower):
		return unclear
	}
	return native
}

// laterThorn matches words with þ inside that only Icelandic has: Kaupþing, Eyþór.
var laterThorn = regexp.MustCompile(`.þ(ing|j|ór|ýð)`)

// icelandic reports whether þ begins a later part of a word, as in Alþýða: Turkish and Romanian have none of its other
// letters.
func icelandic(lower string) bool {
	return strings.ContainsAny(lower, "þð") && (strings.ContainsAny(lower, "áéíóúæ") || laterThorn.MatchString(lower)) && !strings.ContainsAny(lower, "cqwzüçîâ")
}

func hasAlphabet(lower string) bool {
	return slices.ContainsFunc(alphabets, func(letters string) bool {
		return strings.IndexFunc(lower, func(c rune) bool { return c >= utf8.RuneSelf && !strings.ContainsRune(letters, c) }) < 0
	})
}

// doubtful returns the word that speaks against Windows-1252 and the most likely encodings, the likeliest first. It
// returns "" if there is not enough evidence.
func doubtful(lines []byte) (word string, names []string) {
	text, err := charmap.Windows1252.NewDecoder().String(string(lines))
	if err != nil {
		return "", nil
	}
	words, most := strings.FieldsFunc(text, isBreak), 0
	for _, r := range rivals {
		if h := r.hear(words); h.count[odd] > most || h.count[odd] == most && names == nil {
			if said := h.against(); said != "" {
				word, names, most = said, []string{r.name, "windows-1252"}, h.count[odd]
			}
		}
	}
	if most == 0 {
		slices.Reverse(names) // no word is odd
	}
	return word, names
}

// hearing counts what the words with a contested letter say. For each kind it keeps the first word that is long enough
// to recognize.
type hearing struct {
	words   int // all words beyond ASCII
	count   [odd + 1]int
	telling [odd + 1]string
}

func (r rival) hear(words []string) hearing {
	var h hearing
	for _, word := range words {
		if !isASCII([]byte(word)) {
			h.words++
		}
		if word = strings.Trim(word, around); !strings.ContainsAny(word, r.contested) {
			continue
		}
		said := testify(word)
		h.count[said]++
		if utf8.RuneCountInString(h.telling[said]) < 4 && !strings.ContainsRune(word, utf8.RuneError) {
			h.telling[said] = word
		}
	}
	return h
}

// against returns the word that speaks against Windows-1252, if enough words do. Any file may contain a foreign name or
// a typo. So one word in five must be odd, or the unclear words must clearly outnumber the native ones and not be rare:
// a single Icelander among a thousand Danes does not count, and a text in Turkish has more such words.
func (h hearing) against() string {
	switch {
	case 5*h.count[odd] > h.count[odd]+h.count[unclear]+h.count[native]:
		return h.telling[odd]
	case h.count[unclear] > 2*h.count[native] && 100*h.count[unclear] > h.words:
		return h.telling[unclear]
	}
	return ""
}
