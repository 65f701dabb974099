package mapping

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"docketsync/config/document"
)

// nearIndex finds the names that an unknown one was probably meant to be. A lookup may hold tens of thousands of names
// and a file may miss thousands of them, so names are sieved by the pairs of letters they share before they are compared
// letter by letter, and answers are kept.
type nearIndex struct {
	mu    sync.Mutex
	pairs []pairSet // of the names, in their order
	known map[string][]string
}

// pairSet is the set of a text's letter pairs, each hashed to one of 128 bits.
type pairSet [2]uint64

const (
	maxNear     = 3     // names offered
	maxCompared = 24    // names compared letter by letter
	maxRecalled = 5_000 // answers kept
)

func pairsOf(text string) (set pairSet) {
	letters := []rune(FoldName(text))
	for i := 0; i+1 < len(letters); i++ {
		h := uint32(letters[i])*31 + uint32(letters[i+1])
		h = h * 2654435761 >> 25
		set[h>>6] |= 1 << (h & 63)
	}
	return set
}

func (s pairSet) shared(o pairSet) int {
	return bits.OnesCount64(s[0]&o[0]) + bits.OnesCount64(s[1]&o[1])
}

// names returns the nearest names, the nearest first.
func (n *nearIndex) names(text string, among []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if near, ok := n.known[text]; ok {
		return near
	}
	for i := len(n.pairs); i < len(among); i++ {
		n.pairs = append(n.pairs, pairsOf(among[i]))
	}
	if n.known == nil || len(n.known) >= maxRecalled {
		n.known = map[string][]string{}
	}
	near := n.nearest(text, among)
	n.known[text] = near
	return near
}

func (n *nearIndex) nearest(text string, among []string) []string {
	type candidate struct {
		name   string
		shared int
	}
	wanted := pairsOf(text)
	var sieve []candidate
	for i, name := range among {
		if shared := wanted.shared(n.pairs[i]); shared > 0 || len(text) <= 3 && len(name) <= 4 {
			sieve = append(sieve, candidate{name, shared})
		}
	}
	slices.SortStableFunc(sieve, func(a, b candidate) int { return cmp.Compare(b.shared, a.shared) })
	var left []string
	for _, c := range sieve[:min(len(sieve), maxCompared)] {
		left = append(left, c.name)
	}
	var near []string
	for len(near) < maxNear {
		name := document.Nearest(text, left)
		if name == "" {
			break
		}
		near = append(near, name)
		left = slices.DeleteFunc(left, func(other string) bool { return other == name })
	}
	return append(near, beginning(text, left, maxNear-len(near))...)
}

// beginning finds names that begin with the same word: "Acme Ltd" and "ACME Limited".
func beginning(text string, among []string, most int) []string {
	word, _, _ := strings.Cut(fold(text), " ")
	var found []string
	for _, name := range among {
		first, _, _ := strings.Cut(fold(name), " ")
		if len(found) < most && utf8.RuneCountInString(word) >= 3 && first == word {
			found = append(found, name)
		}
	}
	return found
}
