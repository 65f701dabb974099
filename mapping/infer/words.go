package infer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// conceptOf maps a folded word to its concept.
var conceptOf = func() map[string]string {
	found := map[string]string{}
	for concept, list := range concepts {
		for word := range table.Words(list) {
			found[word] = concept
		}
	}
	return found
}()

// meaning is what a header says: the concepts in it, the words that are no concepts, and whether one of these changes
// the meaning.
type meaning struct {
	concepts []string
	unknown  []string
	due      bool // has one of the dueWords
	other    bool // has a qualifier
}

// meaningOf reads a header word by word.
func meaningOf(header string) meaning {
	var m meaning
	words, negated := append(headerWords(header), ""), false
	for i, word := range words[:len(words)-1] {
		next, _ := concept(words[i+1])
		switch {
		case word == "fee" && words[i+1] == "earner":
		case negations[word], (word == "no" || word == "in") && next == "active":
			negated = true
		default:
			m.add(word)
		}
	}
	if i := slices.Index(m.concepts, "active"); negated && i >= 0 {
		m.concepts[i] = "inactive"
	} else {
		m.other = m.other || negated
	}
	m.other = m.other || m.due && !slices.Contains(m.concepts, "renewal")
	return m
}

func (m *meaning) add(word string) {
	concept, known := concept(word)
	switch {
	case qualifiers[word]:
		m.other = true
	case dueWords[word]:
		m.due = true
	case known:
		if !slices.Contains(m.concepts, concept) {
			m.concepts = append(m.concepts, concept)
		}
	case stopWords[word]:
	case unspaced(word):
		m.addUnspaced(word)
	default:
		if before, after, ok := compound(word); ok {
			m.add(before)
			m.add(after)
			return
		}
		m.unknown = append(m.unknown, word)
	}
}

// unspaced reports whether a word is in a script that puts no spaces between words.
func unspaced(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}) >= 0
}

// addUnspaced splits a Chinese, Japanese or Korean header, the longest word first: 出願番号 is 出願 and 番号.
func (m *meaning) addUnspaced(text string) {
	rest := ""
	for text != "" {
		known := ""
		for end := range text + " " {
			if _, ok := conceptOf[text[:end]]; ok || qualifiers[text[:end]] || dueWords[text[:end]] {
				known = text[:end]
			}
		}
		if known == "" {
			_, size := utf8.DecodeRuneInString(text)
			rest, text = rest+text[:size], text[size:]
			continue
		}
		m.addRest(rest)
		m.add(known)
		rest, text = "", text[len(known):]
	}
	m.addRest(rest)
}

// addRest adds what stands between the known words of a header without spaces.
func (m *meaning) addRest(rest string) {
	if rest != "" && !stopWords[rest] {
		m.unknown = append(m.unknown, rest)
	}
}

// concept returns the concept of a word, with or without a plural s.
func concept(word string) (string, bool) {
	for _, form := range []string{word, strings.TrimSuffix(word, "s")} {
		if c, ok := conceptOf[form]; ok {
			return c, true
		}
	}
	return "", false
}

// compound splits a word that ends in one of the compounds: "anmeldetag", "caseref".
func compound(word string) (before, after string, ok bool) {
	for _, end := range compounds {
		if rest := strings.TrimSuffix(word, end); rest != word && len(rest) >= 3 {
			if _, known := concept(rest); known {
				return rest, end, true
			}
		}
	}
	return "", "", false
}

// headerWords returns the folded words of a header; filing_dt, FilingDate and "Filing date" are split into words in the
// same way.
func headerWords(header string) []string {
	var spaced strings.Builder
	var last rune
	for _, r := range header {
		if unicode.IsUpper(r) && unicode.IsLower(last) || unicode.IsDigit(r) != unicode.IsDigit(last) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		last = r
	}
	return strings.FieldsFunc(table.Fold(spaced.String()), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// fit says how well a header matches one of the names, from 0 to the greatest weight. Every word beyond the name lowers
// the fit, a word for another concept more so, and a qualifier sets it to 0.
func (m meaning) fit(list []named) float64 {
	if m.other {
		return 0
	}
	best := 0.0
	for _, name := range list {
		wanted := strings.Fields(name.concepts)
		if slices.ContainsFunc(wanted, func(concept string) bool { return !slices.Contains(m.concepts, concept) }) {
			continue
		}
		score := name.weight - .15*float64(len(m.unknown)) - .3*float64(len(m.concepts)-len(wanted))
		best = max(best, score)
	}
	return best
}

// exactly reports whether a header says nothing beyond one of the names, except that it belongs to a mark.
func (m meaning) exactly(list []named) bool {
	said := slices.DeleteFunc(slices.Clone(m.concepts), func(concept string) bool { return concept == "mark" })
	return len(m.unknown) == 0 && slices.ContainsFunc(list, func(name named) bool {
		wanted := strings.Fields(name.concepts)
		return !slices.ContainsFunc(said, func(concept string) bool { return !slices.Contains(wanted, concept) }) && m.fit([]named{name}) > 0
	})
}
