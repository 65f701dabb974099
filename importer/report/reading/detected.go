package reading

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"docketsync/importer/report/wording"
)

// Detection is what the reader found out about one source, in the order in which it says so.
type Detection struct {
	List     string // name of a list of the service, "" where it is about a source
	Lookup   string // name of a lookup whose names rows spell otherwise, "" for others
	Facts    []fact
	Warnings []string
}

type fact struct{ Name, Value string }

// Detections reads the reader's notes. They are shown as they are, whatever their members, so that the reader may learn
// to say more without the report having to know; notes that are no JSON are shown as a warning.
func Detections(notes json.RawMessage) []Detection {
	if len(bytes.TrimSpace(notes)) == 0 || string(notes) == "null" {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(notes, &list) != nil {
		list = []json.RawMessage{notes}
	}
	found := make([]Detection, 0, len(list))
	for _, item := range list {
		found = append(found, newDetection(item))
	}
	return found
}

func newDetection(item json.RawMessage) Detection {
	var d Detection
	var respelled Respelled
	if json.Unmarshal(item, &respelled) == nil && respelled.Lookup != "" {
		return respelled.detection()
	}
	names, values, ok := members(item)
	if !ok {
		return Detection{Warnings: []string{text(item)}}
	}
	for _, name := range names {
		value := values[name]
		if name == "list" {
			d.List = text(value)
			continue
		}
		if why, explained := strings.CutSuffix(name, "_why"); explained && len(values[why]) > 0 {
			continue
		}
		if name == "warnings" {
			d.Warnings = append(d.Warnings, warnings(value)...)
			continue
		}
		shown := text(value)
		if shown == "" {
			continue
		}
		if why := text(values[name+"_why"]); why != "" {
			shown += " (" + why + ")"
		}
		d.Facts = append(d.Facts, fact{strings.ReplaceAll(strings.TrimSuffix(name, "_why"), "_", " "), shown})
	}
	return d
}

// warnings are the messages of a list of warnings, each a text or an object with a message.
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

// members splits a JSON object into its members in order.
func members(object json.RawMessage) (names []string, values map[string]json.RawMessage, ok bool) {
	if json.Unmarshal(object, &values) != nil || values == nil {
		return nil, nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, _ = decoder.Token()
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, nil, false
		}
		name, _ := token.(string)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		var skipped json.RawMessage
		if decoder.Decode(&skipped) != nil {
			return nil, nil, false
		}
	}
	return names, values, true
}

// text is a JSON value as a person reads it; what says nothing (null, false, 0, empty) is "".
func text(value json.RawMessage) string {
	trimmed := bytes.TrimSpace(value)
	if len(trimmed) == 0 {
		return ""
	}
	switch trimmed[0] {
	case '"':
		var s string
		_ = json.Unmarshal(trimmed, &s)
		return s
	case '[':
		var list []json.RawMessage
		_ = json.Unmarshal(trimmed, &list)
		parts := make([]string, 0, len(list))
		for _, item := range list {
			parts = append(parts, text(item))
		}
		return strings.Join(parts, ", ")
	case '{':
		names, values, _ := members(trimmed)
		parts := make([]string, 0, len(names))
		for _, name := range names {
			parts = append(parts, strings.ReplaceAll(name, "_", " ")+": "+text(values[name]))
		}
		return strings.Join(parts, ", ")
	}
	if s := string(trimmed); s != "null" && s != "false" && s != "0" {
		return s
	}
	return ""
}
