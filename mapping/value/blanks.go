package value

import "docketsync/mapping/table"

// Blanks are texts that mean an empty cell.
type Blanks struct {
	folded  map[string]bool
	longest int
}

// NewBlanks makes one of a list; nil of an empty one.
func NewBlanks(list []string) *Blanks {
	if len(list) == 0 {
		return nil
	}
	set := &Blanks{folded: map[string]bool{}}
	for _, text := range list {
		folded := table.Fold(text)
		set.folded[folded] = true
		set.longest = max(set.longest, len(folded))
	}
	return set
}

// Has tells whether a text means an empty cell. Folding shortens a text, to a quarter at the most.
func (b *Blanks) Has(text string) bool {
	return b != nil && len(text) <= 4*b.longest+8 && b.folded[table.Fold(text)]
}
