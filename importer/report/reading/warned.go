package reading

import (
	"encoding/json"
	"fmt"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// Warned is one kind of thing that the reader warns of, over all files of a run: how often, and the first of it.
type Warned struct {
	Code    string `json:"code"`
	File    string `json:"file,omitempty"` // the first that it was seen in
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Row     int    `json:"row,omitempty"`   // the first one
	Count   int    `json:"count,omitempty"` // rows, in all files
	Files   int    `json:"files"`
}

// Warnings reads the warnings among the notes of a run.
func Warnings(run ledger.Run) []Warned {
	var notes []struct {
		List     string `json:"list"`
		Lookup   string `json:"lookup"`
		Warnings []struct {
			Warned
			Rows []int `json:"rows"`
		} `json:"warnings"`
	}
	if json.Unmarshal(run.Notes, &notes) != nil {
		return nil
	}
	sources := 0
	for _, note := range notes {
		if note.List+note.Lookup == "" {
			sources++
		}
	}
	var list []Warned
	at := map[string]int{}
	for n, note := range notes {
		for _, w := range note.Warnings {
			if w.Message == "" {
				continue
			}
			if known, ok := at[w.Code]; ok {
				list[known].Count += w.Count
				list[known].Files++
				continue
			}
			if w.File, w.Files = "", 1; sources == len(run.Sources) && n < sources {
				w.File = wording.BaseName(run.Sources[n].File)
			}
			if len(w.Rows) > 0 {
				w.Row = w.Rows[0]
			}
			at[w.Code] = len(list)
			list = append(list, w.Warned)
		}
	}
	return list
}

// String is the warning in a line.
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
		more = append(more, wording.Counted(w.Files, "file"))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}
