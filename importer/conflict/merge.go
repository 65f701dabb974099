package conflict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// Takeable returns the fields of a payload that may each be left theirs: those that the list shows, or that an update
// need not name.
func Takeable(op payload.Operation, sent, told json.RawMessage, s payload.Switches) (fields []string) {
	for _, f := range payload.Fields(op, s) {
		if _, err := Take(op, sent, told, s, f.Name); err == nil {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// Take returns what to send if some fields are to stay as they are in the service. An update that replaces the whole
// record sends back what the list says of them; any other update leaves them out if it may. The error names the field
// that cannot stay theirs, and why.
func Take(op payload.Operation, sent, told json.RawMessage, s payload.Switches, fields ...string) (json.RawMessage, error) {
	theirs, _ := jsontext.SplitObject(told)
	known := payload.Fields(op, s)
	for _, name := range fields {
		n := slices.IndexFunc(known, func(f payload.Field) bool { return f.Name == name })
		if n < 0 || name == "id" || known[n].Order || known[n].Type == payload.TypeItems {
			return nil, fmt.Errorf("%s cannot be decided by itself", name)
		}
		f := known[n]
		if !op.About().Replaces && !f.Required {
			sent = without(sent, name)
			continue
		}
		value, there := theirs.Find(name)
		if !there {
			return nil, fmt.Errorf("%s cannot be left as it is in the service: the update has to name it, and the list does not tell it", name)
		}
		taken, ok := valueOf(f, value)
		if !ok {
			return nil, fmt.Errorf("%s cannot be left as it is in the service: the list has it as %.60s, which cannot be sent", name, value)
		}
		sent = with(sent, name, taken)
	}
	out, err := payload.Encode(op, sent, s)
	if err != nil {
		return nil, err
	}
	return out.Body, nil
}

// Apply leaves theirs what a person has decided to leave, as long as our side still says what it said then: a field
// that now has another value in the export is sent. left are the fields that stay theirs.
func Apply(op payload.Operation, record ledger.Record, c ledger.Conflict, s payload.Switches) (body json.RawMessage, left []string, err error) {
	for _, name := range c.Fields {
		if bytes.Equal(jsontext.Value(record.Payload, name), jsontext.Value(c.Ours, name)) {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return nil, nil, nil
	}
	body, err = Take(op, record.Sent(), c.Theirs, s, left...)
	return body, left, err
}

// with returns an object with a member changed, or added at its end.
func with(object []byte, name string, value []byte) []byte {
	members, _ := jsontext.SplitObject(object)
	n := slices.IndexFunc(members, func(m jsontext.Member) bool { return string(m.Name) == name })
	if n < 0 {
		n, members = len(members), append(members, jsontext.Member{Name: []byte(name)})
	}
	members[n].Value = value
	return members.Join()
}

func without(object []byte, name string) []byte {
	members, _ := jsontext.SplitObject(object)
	return slices.DeleteFunc(members, func(m jsontext.Member) bool { return string(m.Name) == name }).Join()
}

// valueOf returns a value of a list as a payload has it. Lists may show a record instead of its id.
func valueOf(f payload.Field, value []byte) (is []byte, ok bool) {
	switch {
	case jsontext.IsNull(value):
		return []byte("null"), f.Nullable || !f.Required
	case f.Type == payload.TypeGUID:
		return idOf(value)
	case f.Type == payload.TypeGUIDs:
		return listOf(value, idOf)
	case f.Type == payload.TypeComponents:
		return listOf(value, component)
	case f.Type == payload.TypeBool && value[0] == '"':
		return []byte(jsontext.Text(value)), true
	}
	return value, value[0] != '{' && value[0] != '['
}

func idOf(value []byte) ([]byte, bool) {
	if value[0] != '{' {
		return value, value[0] == '"'
	}
	id := jsontext.Value(value, "id")
	return id, len(id) > 0 && id[0] == '"'
}

func listOf(value []byte, one func([]byte) ([]byte, bool)) ([]byte, bool) {
	items, ok := jsontext.SplitList(value)
	if value[0] != '[' || !ok {
		return nil, false
	}
	out := []byte{'['}
	for n, item := range items {
		is, ok := one(item)
		if !ok {
			return nil, false
		}
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, is...)
	}
	return append(out, ']'), true
}

// component returns an element of components with the members that an update takes.
func component(value []byte) ([]byte, bool) {
	members, ok := jsontext.SplitObject(value)
	if value[0] != '{' || !ok {
		return nil, false
	}
	taken := []string{"file_template_component_id", "entity_id", "value"}
	return slices.DeleteFunc(members, func(m jsontext.Member) bool {
		return !slices.Contains(taken, string(m.Name)) || jsontext.IsNull(m.Value)
	}).Join(), true
}
