package page

import (
	"encoding/json"

	"docketsync/apiclient/payload"
)

// field is one value of a payload, beside the one it replaces.
type field payload.Change

// fields are the values of a payload beside those of the one accepted before it.
func fields(operation string, now, before json.RawMessage) ([]field, error) {
	changes, err := payload.Compare(payload.Operation(operation), before, now)
	list := make([]field, len(changes))
	for n, c := range changes {
		list[n] = field(c)
	}
	return list, err
}

// MarshalJSON writes [path, new] for a value that is the same, [path, new, old] for one that changes, with null for none, and after
// them true where it stays in the service all the same.
func (f field) MarshalJSON() ([]byte, error) {
	parts := []any{f.Field, shown(f.New)}
	if !payload.Change(f).Same() {
		parts = append(parts, shown(f.Old))
		if f.Stays {
			parts = append(parts, true)
		}
	}
	return json.Marshal(parts)
}

// shown is a text as a string and a literal as a list of one string, so that no reader turns a number into a float on the way to a
// person; nil for no value.
func shown(v *payload.Value) any {
	switch {
	case v == nil:
		return nil
	case v.Literal:
		return []string{v.Text}
	}
	return v.Text
}
