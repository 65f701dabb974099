package reading

import (
	"encoding/json"
	"fmt"
)

// ListUsed is a list of the service whose names a run went by.
type ListUsed struct {
	Name    string `json:"list"`
	Items   int    `json:"items"`
	Fetched string `json:"fetched"` // RFC 3339
	Age     string `json:"age"`     // when the run began, in words
}

// String says which list it was and how old.
func (l ListUsed) String() string {
	return fmt.Sprintf("list %s: %d items, fetched %s (%s before)", l.Name, l.Items, l.Fetched, l.Age)
}

// Lists are the lists among the notes of a run.
func Lists(notes json.RawMessage) []ListUsed {
	var all []ListUsed
	if json.Unmarshal(notes, &all) != nil {
		return nil
	}
	var used []ListUsed
	for _, l := range all {
		if l.Name != "" {
			used = append(used, l)
		}
	}
	return used
}
