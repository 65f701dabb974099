package table

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// SameKey spells a key in one way: accents composed, and every run of white space one blank. Exports of one system differ in
// such things from one night to the next, and a key that looks the same must be the same, or its record is created again.
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
