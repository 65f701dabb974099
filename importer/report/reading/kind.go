package reading

import (
	"fmt"
	"strings"

	"docketsync/importer/report/wording"
)

// ListUsed is a list of the service whose names a run used.
type ListUsed struct {
	Name    string `json:"list"`
	Items   int    `json:"items"`
	Fetched string `json:"fetched"` // RFC 3339
	Age     string `json:"age"`     // when the run began, in words
}

// String names the list and says how old it was.
func (l ListUsed) String() string {
	return fmt.Sprintf("list %s: %s, fetched %s (%s before)", l.Name, wording.Counted(l.Items, "item"), l.Fetched, l.Age)
}

// Respelled are the names of one lookup that rows spell differently but that were found all the same, because capitals,
// accents and the number of spaces do not count; or the words of a field that its values do not have and that became
// its default.
type Respelled struct {
	Lookup    string       `json:"lookup"` // or the path of the field
	Defaulted bool         `json:"defaulted,omitempty"`
	Names     []Respelling `json:"respelled"` // those of the most rows first, at most a thousand
	Total     int          `json:"names"`     // how many there are
}

// Respelling is one such name.
type Respelling struct {
	Written string `json:"written"` // as the rows have it
	Found   string `json:"found"`   // as the lookup has it, or the default
	Rows    int    `json:"rows"`
}

// respelledShown is how many such names of a lookup a page or a terminal shows.
const respelledShown = 10

// Said returns a sentence for each name that is shown, and one with the number of the others.
func (r Respelled) Said() []string {
	var said []string
	for _, name := range r.Names[:min(len(r.Names), respelledShown)] {
		is := "%q is %q in the lookup (%s)"
		if r.Defaulted {
			is = "%q becomes %q (%s)"
		}
		said = append(said, fmt.Sprintf(is, name.Written, name.Found, wording.Counted(name.Rows, "row")))
	}
	if more := r.Total - len(said); more > 0 {
		said = append(said, fmt.Sprintf("… and %s more", wording.Thousands(more)))
	}
	return said
}

func (r Respelled) detection() Detection {
	d, what := Detection{Of: "Lookup " + r.Lookup}, "found by another spelling"
	if r.Defaulted {
		d, what = Detection{Of: "Field " + r.Lookup}, "not under values:"
	}
	for _, said := range r.Said() {
		d.Facts = append(d.Facts, fact{what, said})
	}
	return d
}

// Warned is one kind of warning of the reader, over all files of a run: how often it occurred, and where first.
type Warned struct {
	Code    string `json:"code"`
	File    string `json:"file,omitempty"` // the first file, if it is known which
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Row     int    `json:"row,omitempty"`   // the first row
	Count   int    `json:"count,omitempty"` // rows in all files
	Files   int    `json:"files"`           // or sheets of workbooks
}

// String is the warning in one line.
func (w Warned) String() string {
	text := w.Message
	if w.File != "" {
		text = w.File + ": " + text
	}
	var more []string
	if w.Row > 0 {
		more = append(more, fmt.Sprintf("as in row %d", w.Row))
	}
	if w.Count > 1 {
		more = append(more, wording.Counted(w.Count, "row")+" in all")
	}
	if w.Files > 1 {
		read := "file"
		if w.Sheet != "" {
			read = "sheet"
		}
		more = append(more, wording.Counted(w.Files, read))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}
