package mapping

import "encoding/json"

// Record is one payload for one operation, made of one row or several. Payload is canonical JSON: members in the order
// of the interface document, no white space, numbers with the digits of the source, so that equal payloads are equal
// bytes.
type Record struct {
	Key     string
	Payload json.RawMessage
	// Notes are doubts that do not keep the record from being sent.
	Notes []Reason
	// Traits are what other records are compared by; a rejected record has them too.
	Traits []Trait
}

// Reason says why a row or record did not become a payload, or (as a note) what is odd about it. Code is a stable word
// for grouping, such as "lookup_unknown" or "date_ambiguous"; Field is the target field ("good_and_services.text");
// Column is the header's name and Cell its address ("C17"), both empty when no single cell is to blame; Value quotes
// what was found; Message says what is wrong in a sentence; Hint says what to do next. Source tells rows of one number apart
// where those of a record are of several sources: it is the row's, counted from 1, and 0 elsewhere.
type Reason struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Column  string `json:"column,omitempty"`
	Cell    string `json:"cell,omitempty"`
	Row     int    `json:"row,omitempty"`
	Source  int    `json:"source_number,omitempty"`
	Value   string `json:"value,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}
