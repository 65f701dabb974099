package table

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReplaceWord replaces a word wherever it stands by itself, that is, not as part of a longer word or number.
func ReplaceWord(text, word, with string) string {
	var b strings.Builder
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	done := 0
	for end := 0; word != ""; {
		at := strings.Index(text[end:], word)
		if at < 0 {
			break
		}
		start := end + at
		end = start + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		if partOfWord(before) && partOfWord(first) || partOfWord(last) && partOfWord(behind) { // the match is part of a longer word
			continue
		}
		b.WriteString(text[done:start] + with)
		done = end
	}
	return b.String() + text[done:]
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
