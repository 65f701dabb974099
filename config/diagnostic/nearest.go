package diagnostic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Nearest returns the word in among that was probably meant by word, or "" if none is near. Case, accents, spaces,
// punctuation and the order of the words are ignored ("Date Filing" is "Filing Date"). Beyond that, one letter in three
// may be wrong, missing, extra or swapped with its neighbour, but never all of them. Of equally near words the first is
// returned.
func Nearest(word string, among []string) string {
	words := tokens(word)
	letters := []rune(strings.Join(words, ""))
	slices.Sort(words)
	reordered := []rune(strings.Join(words, ""))
	nearest, least := "", min(max(1, len(letters)/3)+1, max(1, len(letters)))
	for _, candidate := range among {
		parts := tokens(candidate)
		d := distance(letters, []rune(strings.Join(parts, "")), least)
		slices.Sort(parts)
		d = min(d, distance(reordered, []rune(strings.Join(parts, "")), least))
		if d < least && candidate != "" {
			nearest, least = candidate, d
		}
	}
	return nearest
}

// tokens splits a text into words of lower-case letters and digits without accents.
func tokens(text string) []string {
	folded := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFKD.String(text))
	return strings.Fields(folded)
}

// distance counts the letters to change, drop, add or swap with their neighbour to turn a into b. It stops at limit,
// and returns limit if the distance is that or more.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range a {
		current[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			current[j+1] = min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				current[j+1] = min(current[j+1], before[j-1]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return min(previous[len(b)], limit)
}

// Suggest returns a hint with the nearest of the known names, or with all of them if none is near.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return ""
	}
	return "expected one of: " + strings.Join(known, ", ")
}
