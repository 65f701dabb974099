package page

import (
	"encoding/json"

	"docketsync/apiclient/payload"
)

// fields are the values of a payload beside those of the one accepted before it: [path, new] of a value that is the same,
// [path, new, old] of one that changes, with null for none, and after them true where it stays in the service all the same.
func fields(operation string, now, before json.RawMessage) ([][]any, error) {
	changes, err := payload.Compare(payload.Operation(operation), before, now)
	list := make([][]any, len(changes))
	for n, c := range changes {
		list[n] = []any{c.Field, shown(c.New)}
		if !c.Same() {
			list[n] = append(list[n], shown(c.Old))
		}
		if c.Stays {
			list[n] = append(list[n], true)
		}
	}
	return list, err
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
