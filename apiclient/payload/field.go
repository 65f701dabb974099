package payload

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Type is the type of a field.
type Type string

// The types, by the words that messages use.
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
	Nullable bool // null is a value the interface allows
	Always   bool // written even when empty: null, or an empty list
	Max      int  // characters, 0 for no limit
	// Reference marks a number people file things under, where spreadsheets do harm.
	Reference bool
	Items     []Field // of TypeItems: the fields of an entry
	// Identity are the fields by which an element of a list is found among others, whatever their order.
	Identity []string
	// Order marks what is carried out and not stored, so that no answer shows it.
	Order bool
	Doc   string

	// What the switches make of it, where the interface says two things.
	digits  bool // a number in one place, text in another: either is taken
	asText  bool // a yes or no that goes out as text
	unsent  bool // is left out of what goes out
	foreign bool // no field of this variant: mappings do not have it, and a payload of the other may
}

// Fields lists the fields of an operation in the order in which payloads carry them, as the switches make them; none of an unknown
// operation. The list is everybody's: whoever wants it otherwise makes a copy.
func Fields(op Operation, s Switches) []Field {
	return fieldsFor(op, s).fields
}

// fieldsFor are the fields of an operation, made once.
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

// fieldList is the fields of an operation, and those that a payload of it may have.
type fieldList struct{ fields, taken []Field }

// fieldsOf is what the lists of fields are kept by: they are asked for with every record.
type fieldsOf struct {
	operation Operation
	switches  Switches
}

var fieldLists sync.Map

// Variant is which of the two field lists of create case the service goes by (interface.md part 4.1).
type Variant string

// The variants of create case. The empty Variant is A.
const (
	VariantA Variant = "A" // user_id required; client_id and other_supervisors allowed
	VariantB Variant = "B" // user_id may be left out; client_id and other_supervisors are not sent
)

// ComponentID is what stands in the member id of a component, which the schema of update case requires and the field list does not know.
type ComponentID string

// The choices. The empty ComponentID is ComponentIDOmit.
const (
	ComponentIDOmit ComponentID = "omit" // no member id, as in the field list
	ComponentIDSame ComponentID = "same" // the value of file_template_component_id
	ComponentIDNull ComponentID = "null" // null
)

// Switches settle the places where interface.md contradicts itself. The zero value goes by the field lists, variant A.
type Switches struct {
	Variant                     Variant     // field list of create case
	ActiveAsText                bool        // update case: "active" goes out as "true" or "false", as the schema has it
	RegistrationNumberAsInteger bool        // update trademark: "registration_number" goes out as an integer, as the schema has it
	FolderFileNumberAsText      bool        // create folder: a file's "number" goes out as text, so that it may be "TM-7/2024"
	OmitDoNotCreateFile         bool        // update trademark: "do_not_create_file" is never sent, since the schema lacks it
	ComponentID                 ComponentID // update case: "id" of a component
}

// labels are the words for fields whose names do not say it themselves.
var labels = map[string]string{
	"id": "id in the service", "file_template_id": "case template", "user_id": "responsible person", "client_id": "client", "file_client_id": "client",
	"file_status_id": "status", "files": "cases", "client_agent_id": "agent", Goods: "goods and services", "search_class_id": "class",
	"mark_text": "mark", "application_date": "filing date", "do_not_create_file": "create no case", "image_url": "address of the image",
	"file_template_component_id": "component",
}

// Label says in the words of the trade what a field is, by its name or by the path of a value: "files[0].number" is "cases 1, number".
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
