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
