package lookup

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"docketsync/config/diagnostic"
	"docketsync/mapping/table"
)

// nearIndex finds the names that an unknown name was probably meant to be. A lookup may hold tens of thousands of
// names, and a file may have thousands of unknown ones. So nearIndex compares letter by letter only the names that
// share the most pairs of letters, and keeps its answers. It answers only for the first unknown names: a file with more
// of them than anyone would look at mostly has the wrong column or lookup.
type nearIndex struct {
	mu    sync.Mutex
	pairs []pairSet // of the names, in their order
	known map[string][]string
}

// pairSet is the set of a text's letter pairs, each hashed to one of 128 bits.
type pairSet [2]uint64

const (
	maxNear     = 3     // names suggested
	maxCompared = 24    // names compared letter by letter
	maxAnswered = 1_000 // unknown names that get an answer
)

func pairsOf(text string) (set pairSet) {
	letters := []rune(table.FoldName(text))
	for i := 0; i+1 < len(letters); i++ {
		h := uint32(letters[i])*31 + uint32(letters[i+1])
		h = h * 2654435761 >> 25
		set[h>>6] |= 1 << (h & 63)
	}
	return set
}

// names returns the nearest names, the nearest first, or none for an unknown name beyond the first maxAnswered.
func (n *nearIndex) names(text string, among []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if near, ok := n.known[text]; ok || len(n.known) >= maxAnswered {
		return near
	}
	for i := len(n.pairs); i < len(among); i++ {
		n.pairs = append(n.pairs, pairsOf(among[i]))
	}
	if n.known == nil {
		n.known = map[string][]string{}
	}
	near := n.nearest(text, among)
	n.known[text] = near
	return near
}

// mostShared returns the names that share the most pairs with a text, at most maxCompared.
func (n *nearIndex) mostShared(text string, among []string) (left []string) {
	wanted, shares := pairsOf(text), make([]int, len(among))
	var counts [len(wanted)*64 + 1]int // of names, by how many pairs they share
	for i, name := range among {
		if shares[i] = bits.OnesCount64(wanted[0]&n.pairs[i][0]) + bits.OnesCount64(wanted[1]&n.pairs[i][1]); shares[i] > 0 || len(text) <= 3 && len(name) <= 4 {
			counts[shares[i]]++
		} else {
			shares[i] = -1
		}
	}
	for share := len(counts) - 1; share >= 0; share-- {
		for i := 0; counts[share] > 0 && len(left) < maxCompared; i++ {
			if shares[i] == share {
				left = append(left, among[i])
				counts[share]--
			}
		}
	}
	return left
}

func (n *nearIndex) nearest(text string, among []string) []string {
	left := n.mostShared(text, among)
	var near []string
	for len(near) < maxNear {
		name := diagnostic.Nearest(text, left)
		if name == "" {
			break
		}
		near = append(near, name)
		left = slices.DeleteFunc(left, func(other string) bool { return other == name })
	}
	// Then the names that begin with the same word: "Acme Ltd" and "ACME Limited".
	word, _, _ := strings.Cut(table.Fold(text), " ")
	for _, name := range left {
		first, _, _ := strings.Cut(table.Fold(name), " ")
		if len(near) < maxNear && utf8.RuneCountInString(word) >= 3 && first == word {
			near = append(near, name)
		}
	}
	return near
}

// Suggest is the hint for a lookup that is not declared.
func Suggest(name string, known []string) string {
	if len(known) == 0 {
		return "add it under lookups: with its file"
	}
	return diagnostic.Suggest(name, known)
}
