package diagnostic

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// excerptRunes is how much of a long line is shown around the caret.
const excerptRunes = 120

// Excerpt shows a line of a file and beneath it a caret under the character in the column (from 1). Tabs before the
// caret are repeated in the second line, and wide characters count as two, so that the caret stands right whatever the
// terminal makes of a tab. Of a very long line only the part around the caret is shown; characters that would steer a
// terminal are shown as a dot.
func Excerpt(line string, column int) string {
	runes := []rune(strings.TrimRight(line, "\r\n"))
	caret := min(max(column-1, 0), len(runes))
	from, to := 0, len(runes)
	if len(runes) > excerptRunes {
		from = max(0, min(caret-excerptRunes/2, len(runes)-excerptRunes))
		to = from + excerptRunes
	}
	var text, pad strings.Builder
	if from > 0 {
		text.WriteString("…")
		pad.WriteByte(' ')
	}
	for i, r := range runes[from:to] {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) {
			r = '·'
		}
		text.WriteRune(r)
		if from+i < caret {
			pad.WriteString(blank(r))
		}
	}
	if to < len(runes) {
		text.WriteString("…")
	}
	return text.String() + "\n" + pad.String() + "^"
}

// blank returns white space as wide as the character.
func blank(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case unicode.In(r, unicode.Mn, unicode.Me):
		return ""
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return "  "
	}
	return " "
}
