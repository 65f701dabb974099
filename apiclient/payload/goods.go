package payload

import (
	"bytes"

	"docketsync/apiclient/jsontext"
)

// Goods is the field of a trademark's goods and services entries (interface.md part 4.3).
const Goods = "good_and_services"

// Entry is an entry of goods and services.
type Entry struct {
	ID                    string // "" for null
	Language, Class, Text string

	json []byte
}

// New reports whether sending the entry creates a new one, each time.
func (e Entry) New() bool { return e.ID == "" }

// Entries returns the goods and services entries of a payload, if any.
func Entries(payload []byte) ([]Entry, error) {
	elements, err := elements(payload, Goods)
	list := make([]Entry, len(elements))
	for n, e := range elements {
		list[n] = Entry{json: e.text, Language: jsontext.Text(e.Value("language_id")),
			Class: jsontext.Text(e.Value("search_class_id")), Text: jsontext.Text(e.Value("text"))}
		if id := e.Value("id"); !jsontext.IsNull(id) {
			list[n].ID = jsontext.Text(id)
		}
	}
	return list, err
}

// WithEntries returns a payload with only the given entries and every other byte unchanged. Without any, the field is
// left out.
func WithEntries(payload []byte, entries []Entry) ([]byte, error) {
	object, err := jsontext.Parse(payload)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(payload)), '{')
	for _, m := range object {
		goods := string(m.Name) == Goods
		if goods && len(entries) == 0 {
			continue
		}
		out = jsontext.AppendName(out, string(m.Name))
		if !goods {
			out = append(out, m.Value...)
			continue
		}
		list := make([][]byte, len(entries))
		for n, e := range entries {
			list[n] = e.json
		}
		out = append(append(append(out, '['), bytes.Join(list, []byte(","))...), ']')
	}
	return append(out, '}'), nil
}

// Creation says what the service may create each time a payload is sent. A payload that creates nothing can be sent
// twice without harm.
type Creation struct {
	Record  bool // a case or a folder
	Entries bool // goods and services entries
	Case    bool // a case for a trademark, unless an earlier accepted update of it has already created one
}

// Creates says what the service may create each time the payload is sent as it is.
func (p Payload) Creates() Creation {
	about := p.Operation.about()
	switch {
	case about == nil:
		return Creation{}
	case about.Makes != nil:
		return about.Makes(p.Body)
	}
	return Creation{Record: about.Creates}
}
