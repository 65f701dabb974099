package apiclient

import (
	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
)

// Told is what an item of a list tells of a record, as an object with the names of the payload of an operation. A field is told by the
// member that places names for it (a dot leads into an object), or by the one that an answer of the service would show it in: under its
// own name, or for the id of a record under the record's.
func Told(op payload.Operation, item []byte, places map[string]string) []byte {
	members, _ := jsontext.SplitObject(item)
	told := []byte{'{'}
	for _, f := range payload.Fields(op, payload.Switches{}) {
		value, there := shown(members, f.Name)
		if place, named := places[f.Name]; named {
			value = valueAt(members, place)
			there = value != nil
		}
		if !there || f.Order || f.Name == "id" {
			continue
		}
		told = append(jsontext.AppendName(told, f.Name), value...)
	}
	return append(told, '}')
}

// Compare compares a payload, as it is or would be sent, with what is told of its record, as answers are compared with what was sent.
func Compare(op payload.Operation, sent, told []byte) ReadBack {
	members, _ := jsontext.SplitObject(sent)
	stored, _ := jsontext.SplitObject(told)
	c := comparison{fields: payload.Fields(op, payload.Switches{}), replaces: op.About().Replaces}
	c.object("", members, stored)
	return c.found
}
