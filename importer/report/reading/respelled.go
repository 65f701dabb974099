package reading

import (
	"encoding/json"
	"fmt"

	"docketsync/importer/report/wording"
)

// Respelled are the names of one lookup that rows spell otherwise than the lookup does, and which were found nevertheless
// because capitals, accents and the number of blanks do not count.
type Respelled struct {
	Lookup string       `json:"lookup"`
	Names  []Respelling `json:"respelled"` // those of the most rows first, at most a thousand
	Total  int          `json:"names"`     // how many there are
}

// Respelling is one such name.
type Respelling struct {
	Written string `json:"written"` // as the rows have it
	Found   string `json:"found"`   // as the lookup has it
	Rows    int    `json:"rows"`
}

// respelledShown is how many such names of a lookup a page or a terminal shows.
const respelledShown = 10

// Said is a sentence of each name that is shown, and one of how many there are besides.
func (r Respelled) Said() []string {
	var said []string
	for _, name := range r.Names[:min(len(r.Names), respelledShown)] {
		said = append(said, name.String())
	}
	if more := r.Total - len(said); more > 0 {
		said = append(said, fmt.Sprintf("… and %s more", wording.Thousands(more)))
	}
	return said
}

func (r Respelled) detection() Detection {
	d := Detection{Lookup: r.Lookup}
	for _, said := range r.Said() {
		d.Facts = append(d.Facts, fact{"found by another spelling", said})
	}
	return d
}

// String is the name in both spellings.
func (r Respelling) String() string {
	return fmt.Sprintf("%q is %q in the lookup (%s)", r.Written, r.Found, wording.Counted(r.Rows, "row"))
}

// Respellings are such names among the notes of a run.
func Respellings(notes json.RawMessage) []Respelled {
	var all, found []Respelled
	if json.Unmarshal(notes, &all) != nil {
		return nil
	}
	for _, r := range all {
		if r.Lookup != "" {
			found = append(found, r)
		}
	}
	return found
}
