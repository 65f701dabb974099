package report

import (
	"strconv"
	"strings"
)

// Counted is a number with its noun: "1 row", "58,201 rows". The plural has an s unless it is given.
func Counted(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return Thousands(n) + " " + many[0]
	}
	return Thousands(n) + " " + one + "s"
}

// Plural is the word for so many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Thousands is a number with commas: 58,201.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// UpperFirst begins a text with a capital, unless its first word is a name that is spelled as it is (client_id:, a.csv).
func UpperFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(strings.TrimRight(first, ".,;"), "_.:/=@") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
