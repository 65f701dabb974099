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
