package mapping

import (
	"strings"
	"unicode"
)

// TwinKey is equal for keys that people are likely to mean as one: it drops capitals, accents, blanks and punctuation, and
// the zeros in front of numbers. Two different keys of one file with one TwinKey deserve a look.
func TwinKey(key string) string {
	var b strings.Builder
	zeros, digits, parted := 0, false, false
	number := func() { // zeros that no digit followed are the number 0
		if zeros > 0 && !digits {
			b.WriteByte('0')
		}
		parted = parted || zeros > 0 || digits
		zeros, digits = 0, false
	}
	for _, r := range fold(key) {
		switch {
		case r == '0' && !digits:
			if zeros++; zeros == 1 && parted {
				b.WriteByte('-')
				parted = false
			}
		case r >= '0' && r <= '9':
			if parted && zeros == 0 && !digits {
				b.WriteByte('-')
				parted = false
			}
			digits = true
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			number()
			parted = false
			b.WriteRune(r)
		default:
			number()
		}
	}
	number()
	return b.String()
}
