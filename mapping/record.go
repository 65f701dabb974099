package mapping

import (
	"encoding/json"

	"docketsync/mapping/reason"
)

// Record is one payload for one operation, made of one row or several. Payload is canonical JSON: members in the order
// of the interface document, no white space, numbers with the digits of the source, so that equal payloads are equal
// bytes.
type Record struct {
	Key     string
	Payload json.RawMessage
	// Notes are doubts that do not keep the record from being sent.
	Notes []reason.Reason
	// Traits are what other records are compared by; a rejected record has them too.
	Traits []Trait
}
