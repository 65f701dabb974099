package payload

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Type is the type of a field.
type Type string

// The types, in the words of messages.
const (
	TypeGUID       Type = "GUID"
	TypeGUIDs      Type = "list of GUIDs"
	TypeText       Type = "text"
	TypeURL        Type = "web address"
	TypeDate       Type = "date" // ISO 8601 in UTC, "2024-03-01T00:00:00Z"
	TypeBool       Type = "yes or no"
	TypeNumber     Type = "number"
	TypeInteger    Type = "whole number"
	TypeItems      Type = "list of entries"
	TypeComponents Type = "components"
)

// Field is one field of an operation's payload (interface.md part 4).
type Field struct {
	Name     string
	Type     Type
	Required bool
	Nullable bool // the interface allows null
	Always   bool // written even if empty: as null, or as an empty list
	Max      int  // characters, 0 for no limit
	// Reference marks a number that people file things under, and that spreadsheets tend to damage.
	Reference bool
	Items     []Field // for TypeItems: the fields of an entry
	// Identity are the fields that identify an element of a list among others, whatever their order.
	Identity []string
	// Order marks an instruction, which is carried out and not stored, so no answer shows it.
	Order bool
	Doc   string

	// Set by the switches, where the interface contradicts itself.
	digits  bool // a number in one place, text in another: either is accepted
	asText  bool // a yes or no that is sent as text
	unsent  bool // is left out when sending
	foreign bool // not a field of this variant: mappings cannot set it, but a payload of the other variant may have it
}

// Fields returns the fields of an operation as the switches make them, in the order in which payloads have them. It
// returns none for an unknown operation. The list is shared: copy it before changing it.
func Fields(op Operation, s Switches) []Field {
	return fieldsFor(op, s).fields
}

// fieldsFor returns the fields of an operation, made once.
func fieldsFor(op Operation, s Switches) *fieldList {
	list, made := fieldLists.Load(fieldsOf{op, s})
	if !made {
		all := &fieldList{}
		if about := op.about(); about != nil {
			all.taken = slices.Clip(about.Fields(s))
			all.fields = slices.Clip(slices.DeleteFunc(slices.Clone(all.taken), func(f Field) bool { return f.foreign }))
		}
		list, _ = fieldLists.LoadOrStore(fieldsOf{op, s}, all)
	}
	return list.(*fieldList)
}

// fieldList is the fields of an operation, and those that its payloads may have.
type fieldList struct{ fields, taken []Field }

// fieldsOf is the key under which lists of fields are cached: every record needs them.
type fieldsOf struct {
	operation Operation
	switches  Switches
}

var fieldLists sync.Map

// Variant says which of the two field lists of create case the service follows (interface.md part 4.1).
type Variant string

// The variants of create case. The empty Variant means A.
const (
	VariantA Variant = "A" // user_id required; client_id and other_supervisors allowed
	VariantB Variant = "B" // user_id may be left out; client_id and other_supervisors are not sent
)

// ComponentID says what the member id of a component contains. The schema of update case requires it, but the field
// list does not have it.
type ComponentID string

// The choices. The empty ComponentID means ComponentIDOmit.
const (
	ComponentIDOmit ComponentID = "omit" // no member id, as in the field list
	ComponentIDSame ComponentID = "same" // the value of file_template_component_id
	ComponentIDNull ComponentID = "null" // null
)

// Switches decide where interface.md contradicts itself. The zero value follows the field lists, with variant A.
type Switches struct {
	Variant                     Variant     // field list of create case
	ActiveAsText                bool        // update case: "active" is sent as "true" or "false", as in the schema
	RegistrationNumberAsInteger bool        // update trademark: "registration_number" is sent as an integer, as in the schema
	FolderFileNumberAsText      bool        // create folder: a file's "number" is sent as text, so that it may be "TM-7/2024"
	OmitDoNotCreateFile         bool        // update trademark: "do_not_create_file" is never sent, because the schema lacks it
	ComponentID                 ComponentID // update case: "id" of a component
}

// labels are the words for fields whose names do not speak for themselves.
var labels = map[string]string{
	"id": "id in the service", "file_template_id": "case template", "user_id": "responsible person", "client_id": "client", "file_client_id": "client",
	"file_status_id": "status", "files": "cases", "client_agent_id": "agent", Goods: "goods and services", "search_class_id": "class",
	"mark_text": "mark", "application_date": "filing date", "do_not_create_file": "create no case", "image_url": "address of the image",
	"file_template_component_id": "component",
}

// Label names a field in the words of the trade, given its name or the path of a value: "files[0].number" is "cases 1,
// number".
func Label(path string) string {
	parts := strings.Split(path, ".")
	for n, part := range parts {
		name, at, _ := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		entry, err := strconv.Atoi(at)
		if err != nil {
			name = part
		}
		label, known := labels[name]
		if !known {
			label = strings.ReplaceAll(strings.TrimSuffix(name, "_id"), "_", " ")
		}
		if err == nil {
			label += " " + strconv.Itoa(entry+1)
		}
		parts[n] = label
	}
	return strings.Join(parts, ", ")
}
