// Package reading shows what the readers noted about the files of a run: what they detected in each, what they warn of,
// which lists of the service were used, which names rows spell differently from the lookup, and when the run was
// expected to end.
//
// Notes are JSON that the run keeps. They are shown as they are, whatever their members, so a reader may learn to say
// more without a change of the report.
package reading

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// Notes is what the readers noted, in their order.
type Notes struct {
	Detections []Detection
	Lists      []ListUsed
	Respelled  []Respelled
	Warnings   []Warned       // each kind once, over all files
	Forecast   *forecast.Made // when the run was expected to end; nil if that was not forecast
}

// Read reads the notes of a run. What is not JSON becomes a warning.
func Read(run ledger.Run) (n Notes) {
	notes := bytes.TrimSpace(run.Notes)
	if len(notes) == 0 || string(notes) == "null" {
		return n
	}
	var list []json.RawMessage
	if json.Unmarshal(notes, &list) != nil {
		list = []json.RawMessage{notes}
	}
	var first, last []int // by warning: the indexes of the first and the last note that has it
	others := 0           // notes that are not about a source, which come last
	for at, item := range list {
		var known struct {
			ListUsed
			Respelled
			Warnings []struct {
				Warned
				Rows []int `json:"rows"`
			} `json:"warnings"`
		}
		if made := forecast.Kept(item); made != nil {
			n.Forecast = made
			others++
			continue
		}
		_ = json.Unmarshal(item, &known) // a note of any other kind is only shown
		switch {
		case known.Lookup != "":
			n.Respelled = append(n.Respelled, known.Respelled)
			n.Detections = append(n.Detections, known.Respelled.detection())
			continue
		case known.Name != "":
			n.Lists = append(n.Lists, known.ListUsed)
		}
		n.Detections = append(n.Detections, newDetection(item))
		for _, w := range known.Warnings {
			same := slices.IndexFunc(n.Warnings, func(known Warned) bool { return known.Code == w.Code })
			switch {
			case w.Message == "":
			case same >= 0:
				n.Warnings[same].Count += w.Count
				if last[same] != at {
					n.Warnings[same].Files++
				}
				last[same] = at
			default:
				w.File, w.Files = "", 1
				if len(w.Rows) > 0 {
					w.Row = w.Rows[0]
				}
				n.Warnings, first, last = append(n.Warnings, w.Warned), append(first, at), append(last, at)
			}
		}
	}
	if sources := len(list) - others - len(n.Lists) - len(n.Respelled); sources == len(run.Sources) {
		for w, at := range first {
			if at < sources { // notes about sources are the first
				n.Warnings[w].File = wording.BaseName(run.Sources[at].File)
			}
		}
	}
	return n
}

// Detection is what the reader found out about one source, in the order in which it reports it.
type Detection struct {
	List     string // a list of the service; "" if this is about a source
	Of       string // the lookup or field whose names this is about; "" if it is about a source
	Facts    []fact
	Warnings []string
}

type fact struct{ Name, Value string }

func newDetection(item json.RawMessage) (d Detection) {
	object, err := jsontext.Parse(item)
	if err != nil {
		return Detection{Warnings: []string{text(item)}}
	}
	for _, member := range object {
		name := member.Text()
		what, explains := strings.CutSuffix(name, "_why")
		shown := text(member.Value)
		switch {
		case name == "list":
			d.List = shown
		case name == "warnings":
			d.Warnings = append(d.Warnings, warnings(member.Value)...)
		case shown == "", explains && len(object.Value(what)) > 0: // shown beside what it explains
		default:
			if why := text(object.Value(name + "_why")); why != "" {
				shown += " (" + why + ")"
			}
			d.Facts = append(d.Facts, fact{strings.ReplaceAll(what, "_", " "), shown})
		}
	}
	return d
}

// warnings returns the messages of a list of warnings, each a text or an object with a message.
func warnings(value json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return []string{text(value)}
	}
	var found []string
	for _, item := range list {
		var w struct{ Message, Hint string }
		if json.Unmarshal(item, &w) != nil || w.Message == "" {
			w.Message = text(item)
		}
		found = append(found, strings.TrimSpace(wording.Sentence(w.Message)+" "+w.Hint))
	}
	return found
}

// text returns a JSON value as a person reads it. Values that say nothing (null, false, 0, empty) are "". What is not
// JSON stays as it is.
func text(value []byte) string {
	value = bytes.TrimSpace(value)
	if jsontext.Check(value) != nil {
		return string(value)
	}
	var parts []string
	if list, ok := jsontext.SplitList(value); ok {
		for _, item := range list {
			parts = append(parts, text(item))
		}
		return strings.Join(parts, ", ")
	}
	if object, ok := jsontext.SplitObject(value); ok {
		for _, member := range object {
			parts = append(parts, strings.ReplaceAll(member.Text(), "_", " ")+": "+text(member.Value))
		}
		return strings.Join(parts, ", ")
	}
	if s := string(value); s == "null" || s == "false" || s == "0" {
		return ""
	}
	return jsontext.Text(value)
}

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
