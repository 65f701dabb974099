package value

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// CheckDamage refuses a text that shows it was damaged before it came here: the original cannot be recovered from it.
func CheckDamage(text string) *reason.Problem {
	if !table.ASCII(text) {
		if at := strings.Index(text, "\ufffd"); at >= 0 {
			return reason.New(reason.Damaged, around(text, at))
		}
		if at := encodedTwice(text); at >= 0 {
			return reason.New(reason.DamagedTwice, around(text, at))
		}
		if at := firstC1(text); at >= 0 {
			return reason.New(reason.DamagedC1, around(text, at))
		}
	}
	if strings.IndexByte(text, '?') >= 0 {
		if at := lostLetter(text); at >= 0 {
			return reason.New(reason.DamagedLost, around(text, at))
		}
	}
	if strings.HasPrefix(text, "###") && strings.Trim(text, "#") == "" {
		return reason.New(reason.DamagedNarrow, reason.Clip(text, 40))
	}
	if at := sheetError(text); at >= 0 {
		return reason.New(reason.DamagedError, around(text, at))
	}
	if isPlaceholder(text) {
		return reason.New(reason.DamagedMissing, text)
	}
	if text != "" && strings.IndexByte("='", text[0]) >= 0 && typed.MatchString(text) {
		return reason.New(reason.DamagedTyped, reason.Clip(text, 40))
	}
	if strings.IndexByte(text, '&') >= 0 {
		for _, entity := range entityOf.FindAllString(text, -1) {
			if is := html.UnescapeString(entity); is != entity && !strings.HasSuffix(is, ";") { // &notit; is not &not; followed by letters
				return reason.New(reason.DamagedHTML, around(text, strings.Index(text, entity)), entity)
			}
		}
	}
	return nil
}

// lostLetter returns the position of a question mark that stands for a letter: between two letters, as in Kr?g, or in a
// text of several question marks and nothing else that is said. An address with a query is not meant, nor are letters
// of which only the first or the last was lost: a name may begin or end with a question mark. It returns -1 if there is
// none.
func lostLetter(text string) int {
	if strings.Count(text, "?") > 1 && strings.Trim(text, "? ") == "" {
		return 0
	}
	before := rune(0)
	for at, r := range text {
		if r == '?' && unicode.IsLetter(before) {
			if after, _ := utf8.DecodeRuneInString(text[at+1:]); unicode.IsLetter(after) {
				word := text[strings.LastIndexAny(text[:at], " \t\n")+1:]
				if word, _, _ = strings.Cut(word, " "); !strings.ContainsAny(word, "/=@") {
					return at
				}
			}
		}
		before = r
	}
	return -1
}

// invisible are invisible characters that are picked up when text is copied from a page, a mail or a properties window.
// Joiners are left out: they are part of the spelling of Persian and of languages of India.
const invisible = "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"

// CheckInvisible refuses a reference with an invisible character. To the eye it is the same reference, but nothing
// finds its record by it, and the record would be created again once the character is gone.
func CheckInvisible(text string) *reason.Problem {
	if table.ASCII(text) {
		return nil // as nearly every reference is
	}
	at := strings.IndexAny(text, invisible)
	if at < 0 {
		return nil
	}
	c, size := utf8.DecodeRuneInString(text[at:])
	return reason.New(reason.DamagedInvisible, text[:at]+"…"+text[at+size:], fmt.Sprintf("U+%04X", c))
}

// isPlaceholder reports whether a text is what databases and programs write for a missing value. Case counts: Null is a
// name, and None a word.
func isPlaceholder(text string) bool {
	switch text {
	case "NULL", "null", `\N`, "(null)", "(NULL)", "<null>", "<NULL>", "[NULL]", "undefined", "NaN", "nan", "NaT", "<NA>", "[object Object]", "System.DBNull":
		return true
	}
	return strings.HasPrefix(text, "System.") && strings.HasSuffix(text, "[]")
}

var (
	// typed matches what people type into a spreadsheet to enter a value: =HYPERLINK("http://x","018") and '00123.
	typed = regexp.MustCompile(`(?s)^(?:=\s*[\pL_][\pL\d._]*\(.*\)|'\d[\d./ -]+\d)\s*$`)
	// entityOf matches what may be an HTML entity.
	entityOf = regexp.MustCompile(`&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,5}|[A-Za-z][A-Za-z0-9]{1,7});`)
	// calcError matches the numbered errors of Calc.
	calcError = regexp.MustCompile(`^Err:\d{3}$`)
)

// sheetErrors are the errors that spreadsheet programs show, in the languages of Europe. Other words between # and ! do
// not count: #YES! may be a trademark. A workbook marks a cell as an error; a text file saved from it has only the
// text.
var sheetErrors = map[string]bool{
	"#N/A": true, "#REF!": true, "#DIV/0!": true, "#VALUE!": true, "#NAME?": true, "#NUM!": true, "#NULL!": true, "#SPILL!": true, "#CALC!": true,
	"#NV": true, "#BEZUG!": true, "#WERT!": true, "#ZAHL!": true,
	"#VALEUR!": true, "#NOM?": true, "#NOMBRE!": true, "#NOMBRE?": true, "#ÜBERLAUF!": true, "#NUL!": true,
	"#¡REF!": true, "#¡DIV/0!": true, "#¡VALOR!": true, "#¿NOMBRE?": true, "#¡NUM!": true, "#¡NULO!": true,
	"#N/D": true, "#RIF!": true, "#VALORE!": true, "#NOME?": true, "#VALOR!": true, "#NÚM!": true, "#NULO!": true,
	"#VERW!": true, "#WAARDE!": true, "#NAAM?": true, "#DEEL/0!": true, "#GETAL!": true, "#LEEG!": true, "#N/B": true,
	"#ARG!": true, "#ADR!": true, "#NAZWA?": true, "#DZIEL/0!": true, "#LICZBA!": true, "#ZERO!": true, "#N/D!": true,
	"#REFERENS!": true, "#VÄRDEFEL!": true, "#NAMN?": true, "#DIVISION/0!": true, "#OGILTIGT!": true, "#SAKNAS!": true, "#SKÄRNING!": true,
	"#REFERENCE!": true, "#VÆRDI!": true, "#VERDI!": true, "#NAVN?": true, "#I/T": true,
	"#ARVO!": true, "#VIITTAUS!": true, "#NIMI?": true, "#JAKO/0!": true, "#LUKU!": true, "#TYHJÄ!": true,
	"#HODNOTA!": true, "#NÁZEV?": true, "#ODKAZ!": true, "#ČÍSLO!": true, "#ÉRTÉK!": true, "#HIV!": true, "#NÉV?": true, "#SZÁM!": true,
	"#ЗНАЧ!": true, "#ССЫЛКА!": true, "#ИМЯ?": true, "#ЧИСЛО!": true, "#ДЕЛ/0!": true, "#Н/Д": true, "#ПУСТО!": true,
	"#DEĞER!": true, "#BAŞV!": true, "#AD?": true, "#SAYI!": true, "#SAYI/0!": true, "#BOŞ!": true,
}

// sheetError returns the position of a spreadsheet error among the words of a text, which may come from several
// columns, or -1.
func sheetError(text string) int {
	if strings.HasPrefix(text, "Err:") && calcError.MatchString(text) {
		return 0
	}
	if strings.IndexByte(text, '#') < 0 {
		return -1 // the usual case
	}
	for word := range strings.FieldsFuncSeq(text, parts) {
		if word[0] == '#' && sheetErrors[strings.ToUpper(word)] {
			return strings.Index(text, word)
		}
	}
	return -1
}

func parts(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|", r) }

// around returns the text near a position, starting a few letters before it.
func around(text string, at int) string {
	begin := max(at-20, 0)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	return reason.Clip(text[begin:], 40)
}

// What the two bytes of a UTF-8 character become if they are read as Windows-1252 and encoded again: a letter for the
// first byte; for the second a character from U+0080 to U+00BF, or what Windows-1252 has in the lower of these places.
const (
	twiceFirst  = "ÂÃÄÅÎÏÐÑØÙ"
	twiceSecond = "€‚ƒ„†‡ˆ‰Š‹ŒŽ˜šœžŸ" // without those that follow a letter in ordinary text: quotes, dashes, ™ and ›
	twiceBehind = "\u00a0«»®©°º·"     // these too occur in ordinary text after Â, Ã and Ð, but not after the others
)

// encodedTwice returns the position where the text shows that it was encoded twice, or -1. In no language does a letter
// of twiceFirst stand only before spaces and signs.
func encodedTwice(text string) int {
	var first rune
	at := 0 // of first
	for next, second := range text {
		if first >= utf8.RuneSelf && second >= utf8.RuneSelf {
			behind := strings.ContainsRune(twiceBehind, second)
			switch {
			case first == 'â' && (second == '€' || second == '\u0080'), behind && (first == 'Â' || first == 'Ã' || first == 'Ð'),
				!behind && strings.ContainsRune(twiceFirst, first) && (second <= 0xbf || strings.ContainsRune(twiceSecond, second)):
				return at
			}
		}
		first, at = second, next
	}
	return -1
}

// firstC1 returns the position of the first character from U+0080 to U+009F, or -1. Nobody writes these: they are what
// the quotes and dashes of Windows-1252 become if they are read as ISO-8859-1. U+0085 is allowed, because some systems
// end lines with it.
func firstC1(text string) int {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 && r < 0xa0 && r != 0x85 })
}
