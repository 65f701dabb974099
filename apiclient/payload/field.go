package payload

import (
	"slices"
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
		sealed.Store(true)
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
