package payload

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
