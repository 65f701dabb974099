package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// Configured is the reason for something that was set and not detected.
const Configured = "configured"

// Invisible reports whether a character leaves no mark: white space; the byte order mark, which occurs in the middle of
// files that were put together; and the end-of-file mark of DOS.
func Invisible(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' || c == '\x1a' }

// BlankText reports whether a text has nothing visible.
func BlankText(text string) bool {
	if text != "" && text[0] > ' ' && text[0] < utf8.RuneSelf {
		return false // the usual case
	}
	return strings.TrimFunc(text, Invisible) == ""
}

// Trim returns a text without the invisible characters around it.
func Trim(text string) string {
	visible := func(c byte) bool { return c > ' ' && c < utf8.RuneSelf }
	if text == "" || visible(text[0]) && visible(text[len(text)-1]) {
		return text // as most texts are
	}
	return strings.TrimFunc(text, Invisible)
}

// FirstLine returns the beginning of a text for display.
func FirstLine(text string) string {
	const shown = 40
	line, _, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > shown {
		line = string(runes[:shown]) + "…"
	}
	return strings.TrimFunc(line, Invisible)
}

// Tail returns at most n characters from the end of the text.
func Tail(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}

// CellCount writes a number of cells.
func CellCount(n int) string { return table.Count(n, "cell", "cells") }

// ByteSize writes a number of bytes in a suitable unit.
func ByteSize(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KiB", (n+1<<10-1)>>10)
}

// IsDigit reports whether a byte is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// AllDigits reports whether a text contains only ASCII digits.
func AllDigits[T string | []byte](s T) bool {
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return false
		}
	}
	return true
}

// Fit counts the wanted columns that the header has.
func Fit(names, wanted []string) int {
	have := map[string]bool{}
	for _, name := range names {
		have[table.FoldName(name)] = true
	}
	fit := 0
	for _, name := range wanted {
		if have[table.FoldName(name)] {
			fit++
		}
	}
	return fit
}
