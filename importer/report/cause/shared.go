package cause

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mark stands in a message for what differs between records.
const mark = "…"

// Shared is what two messages have in common, with "…" for the words in which they differ, and “"…"” for quoted texts that do; the
// first one when that would leave too little to be understood. It stays the sentence that both are.
func Shared(a, b string) string {
	if a == b || b == "" {
		return a
	}
	if before, after, ok := strings.Cut(a, mark); ok && len(b) >= len(before)+len(after) && strings.HasPrefix(b, before) && strings.HasSuffix(b, after) {
		return a
	}
	ofA, ofB := wordsOf(a), wordsOf(b)
	common := alike(ofA, ofB)
	if letters := lettersOf(common); letters < fewestLetters || 2*letters < min(lettersOf(ofA), lettersOf(ofB)) {
		return a
	}
	var out strings.Builder
	for _, w := range common {
		if w.spaced {
			out.WriteByte(' ')
		}
		out.WriteString(w.text)
	}
	return out.String()
}

// lettersOf counts what stands outside of quotes.
func lettersOf(words []messageWord) (letters int) {
	for _, w := range words {
		if !w.quoted && w.text != mark {
			letters += len(strings.Trim(w.text, "\"'.,:;()"))
		}
	}
	return letters
}

const (
	// fewestLetters is how many letters two messages must have in common outside of quotes, beside half of the shorter one.
	fewestLetters = 10
	// mostWords bounds the words that are compared with each other; what is longer counts as different.
	mostWords = 100
)

// messageWord is a word of a message, a quoted text as a whole, or a sign that ends or encloses words.
type messageWord struct {
	text           string
	quoted, spaced bool // spaced has a blank before it
}

func wordsOf(message string) []messageWord {
	var words []messageWord
	for at := 0; at < len(message); {
		if message[at] == ' ' || message[at] == '\n' {
			at++
			continue
		}
		length, quoted := wordLength(message[at:])
		words = append(words, messageWord{message[at : at+length], quoted, at > 0 && message[at-1] <= ' '})
		at += length
	}
	return words
}

// wordLength is how long the word is with which a text begins.
func wordLength(text string) (length int, quoted bool) {
	const signs = ",;()"
	switch {
	case text[0] == '"':
		for n := 1; n < len(text); n++ {
			if text[n] == '\\' {
				n++
			} else if text[n] == '"' {
				return n + 1, true
			}
		}
	case strings.HasPrefix(text, "“"):
		if end := strings.Index(text, "”"); end > 0 {
			return end + len("”"), true
		}
	case strings.IndexByte(signs, text[0]) >= 0:
		return 1, false
	case strings.HasPrefix(text, mark):
		return len(mark), false
	}
	end := strings.IndexAny(text[1:], " \n\""+mark+signs)
	if end++; end == 0 {
		end = len(text)
	}
	word := strings.TrimRight(text[:end], ".:")
	if word == "" {
		_, size := utf8.DecodeRuneInString(text)
		return size, false
	}
	return len(word), false
}

// alike is the words that both messages have in one order, with a mark wherever either has others.
func alike(a, b []messageWord) []messageWord {
	var head, tail []messageWord
	for len(a) > 0 && len(b) > 0 && a[0].text == b[0].text {
		head, a, b = append(head, a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].text == b[len(b)-1].text {
		tail, a, b = append(tail, a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	if len(a) > mostWords || len(b) > mostWords {
		return append(marked(head, a, b), tail...)
	}
	return append(aligned(head, a, b), tail...)
}

// marked adds the mark for words that differ, unless there are none or one stands there already.
func marked(words, a, b []messageWord) []messageWord {
	if len(a) == 0 && len(b) == 0 || len(words) > 0 && words[len(words)-1].text == mark {
		return words
	}
	first := append(slices.Clip(a), b...)[0]
	return append(words, messageWord{text: mark, spaced: first.spaced})
}

// aligned adds the longest run of words that both have in one order. Two quoted texts are one word that differs.
func aligned(words, a, b []messageWord) []messageWord {
	best := make([][]int, len(a)+1) // of what is left from a word of each on
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+likeness(a[i], b[j]))
		}
	}
	i, j, fromA, fromB := 0, 0, 0, 0
	for i < len(a) && j < len(b) {
		score := likeness(a[i], b[j])
		switch {
		case score > 0 && best[i][j] == best[i+1][j+1]+score:
			word := a[i]
			if a[i].text != b[j].text {
				word.text = `"` + mark + `"`
			}
			words = append(marked(words, a[fromA:i], b[fromB:j]), word)
			i, j = i+1, j+1
			fromA, fromB = i, j
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return marked(words, a[fromA:], b[fromB:])
}

// likeness is how much two words speak for being the same place of a sentence.
func likeness(a, b messageWord) int {
	switch {
	case a.text == b.text:
		return 2
	case a.quoted && b.quoted:
		return 1
	}
	return 0
}
