package date

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// longestDate is more bytes than any date takes; a longer text is not a date.
const longestDate = 80

// dateWords are the words in dates other than names of months and weekdays: ordinal endings, the words that join the
// parts in Romance languages, and parts of a time.
var dateWords = table.Words("de del of a p m am pm t z utc gmt feira " + strings.Join(ordinals, " "))

// Every month and weekday stands in a signature as one of these.
const (
	anyMonth   = "may"
	anyWeekday = "day" // not the name of a weekday, so it contradicts no date
)

// signatureOf reduces a text that may be a date to how it is written: every digit becomes 1, every month May, every
// weekday anyWeekday, and white space one space. A signature is itself a possible date, and fits exactly those patterns
// that texts of its kind can fit. It is appended to dst.
func signatureOf(dst []byte, text string) (_ []byte, ok bool) {
	if len(text) > longestDate {
		return dst, false
	}
	digits, months, first := 0, 0, -1 // first: where the first word is that may be a month or a weekday
	for rest := text; rest != ""; {
		c := rest[0]
		switch {
		case '0' <= c && c <= '9':
			dst, rest, digits = append(dst, '1'), rest[1:], digits+1
			continue
		case strings.IndexByte("/.-,:+'", c) >= 0:
			dst, rest = append(dst, c), rest[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
			dst = append(dst, ' ')
		case r == '°':
			dst, rest = append(dst, rest[:size]...), rest[size:]
		case unicode.IsLetter(r):
			after, _ := cutWord(rest)
			word := rest[:len(rest)-len(after)]
			rest = after
			weekday := digits == 0 && months == 0 && numberOf(weekdays, word) > 0
			switch month := monthOf(word) > 0; {
			case month && months == 1 && first >= 0:
				copy(dst[first:], anyWeekday)
				dst, first = append(dst, anyMonth...), -1
			case month && months > 0:
				return dst, false
			case month:
				if months++; weekday {
					first = len(dst)
				}
				dst = append(dst, anyMonth...)
			case weekday:
				dst = append(dst, anyWeekday...)
			case len(word) <= 16 && dateWords[table.Fold(word)]:
				dst = append(dst, strings.ToLower(word)...)
			default:
				return dst, false
			}
		default:
			return dst, false
		}
	}
	return dst, digits >= 3
}

// monthNames maps a folded name or abbreviation to its month, in English, Spanish, French, German, Italian and
// Portuguese. No word means different months in different languages.
var monthNames = numbersOf([][]string{
	{"january", "jan", "enero", "ene", "janvier", "janv", "januar", "jaenner", "janner", "gennaio", "gen", "genn", "janeiro"},
	{"february", "feb", "febr", "febrero", "fevrier", "fevr", "fev", "februar", "feber", "febbraio", "febb", "fevereiro"},
	{"march", "mar", "marzo", "mzo", "mars", "marz", "maerz", "mrz", "marco"},
	{"april", "apr", "abril", "abr", "avril", "avr", "aprile"},
	{"may", "mayo", "mai", "maggio", "mag", "magg", "maio"},
	{"june", "jun", "junio", "juin", "juni", "giugno", "giu", "junho"},
	{"july", "jul", "julio", "juillet", "juil", "juli", "luglio", "lug", "julho"},
	{"august", "aug", "agosto", "ago", "aout", "aou", "agos"},
	{"september", "sep", "sept", "septiembre", "setiembre", "septembre", "settembre", "sett", "set", "setembro"},
	{"october", "oct", "octubre", "octobre", "oktober", "okt", "ottobre", "ott", "outubro", "out"},
	{"november", "nov", "noviembre", "novembre", "novembro"},
	{"december", "dec", "diciembre", "dic", "decembre", "dezember", "dez", "dicembre", "dezembro"},
})

func numbersOf(names [][]string) map[string]int {
	table := map[string]int{}
	for n, words := range names {
		for _, word := range words {
			table[word] = n + 1
		}
	}
	return table
}

// monthOf returns the month that a word names, or 0.
func monthOf(word string) int { return numberOf(monthNames, word) }

func numberOf(names map[string]int, word string) int {
	if n, ok := names[word]; ok {
		return n
	}
	if len(word) > 16 {
		return 0
	}
	return names[table.Fold(word)]
}

// weekdays maps folded names and abbreviations to the day of the week, with Sunday as 1, in the languages of
// monthNames. "mar" may also be a month; the other words of a date show which it is. The words of the last line are
// Sunday in one language and another day in another, so they contradict no date.
var weekdays = numbersOf([][]string{
	{"sunday", "sun", "domingo", "dom", "dimanche", "dim", "sonntag", "domenica"},
	{"monday", "mon", "lunes", "lun", "lundi", "montag", "mo", "lunedi", "segunda", "seg"},
	{"tuesday", "tue", "tues", "martes", "mar", "mardi", "dienstag", "martedi", "terca", "ter"},
	{"wednesday", "wed", "miercoles", "mie", "mier", "mercredi", "mer", "mittwoch", "mi", "mercoledi", "quarta", "qua"},
	{"thursday", "thu", "thur", "thurs", "jueves", "jue", "jeudi", "jeu", "donnerstag", "giovedi", "gio", "quinta", "qui"},
	{"friday", "fri", "viernes", "vie", "vendredi", "ven", "freitag", "fr", "venerdi", "sexta", "sex"},
	{"saturday", "sat", "sabado", "sab", "samedi", "sam", "samstag", "sa", "sonnabend"},
	{"do", "di", "so"},
})
