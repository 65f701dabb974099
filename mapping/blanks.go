package mapping

import "docketsync/mapping/table"

// blankWords are texts that mean an empty cell.
type blankWords struct {
	folded  map[string]bool
	longest int
}

// blankSet makes one of a list; nil of an empty one.
func blankSet(list []string) *blankWords {
	if len(list) == 0 {
		return nil
	}
	set := &blankWords{folded: map[string]bool{}}
	for _, text := range list {
		folded := table.Fold(text)
		set.folded[folded] = true
		set.longest = max(set.longest, len(folded))
	}
	return set
}

// has tells whether a text means an empty cell. Folding shortens a text, to a quarter at the most.
func (b *blankWords) has(text string) bool {
	return b != nil && len(text) <= 4*b.longest+8 && b.folded[table.Fold(text)]
}
