package apiclient

// Payload is the body of one operation, before the switches decide how it is spelled.
type Payload interface {
	// Operation is the operation that the payload belongs to.
	Operation() Operation
	// target is the id that stands for {id} in the operation's path, "" for creates.
	target() string
	// encode writes the members in the order of interface.md part 4.
	encode(o *object, s Switches)
}

// Optional is a member that may be left out: absent, null, or a value. The zero Optional is absent.
type Optional[T any] struct {
	Present bool
	Null    bool // only with Present
	Value   T
}

// Some is a member that is there with the value.
func Some[T any](value T) Optional[T] { return Optional[T]{Present: true, Value: value} }

// Null is a member that is there and null.
func Null[T any]() Optional[T] { return Optional[T]{Present: true, Null: true} }

// Number is a value that one place of interface.md types as a number and another as text. It holds the characters
// exactly as the source has them ("0012", "12.50", "TM-7/2024"), never through a float.
type Number string

// CreateCase is the body of create case (interface.md part 4.1).
type CreateCase struct {
	Name             string             // "name": name of the case
	Number           string             // "number": case reference, may be the caller's own identifier
	Active           bool               // "active": whether the case is active
	FileTemplateID   string             // "file_template_id": GUID of the case template to use
	UserID           Optional[string]   // "user_id": GUID of the supervisor; required in variant A, in B the signed-in user when absent
	ClientID         Optional[string]   // "client_id": GUID of the Agent related to the case; variant A only
	OtherSupervisors Optional[[]string] // "other_supervisors": GUIDs of further supervisors; variant A only
}

// CreateFolder is the body of create folder (interface.md part 4.4).
type CreateFolder struct {
	Name     string       // "name": name of the folder, at most 254 characters
	ClientID string       // "client_id": GUID of an existing client; a folder holds only files of this one
	Files    []FolderFile // "files": files to create in the folder; sent as [] when there are none
}

// FolderFile is one file of a folder (interface.md part 4.4).
type FolderFile struct {
	Name           string           // "name": name of the file, at most 254 characters
	Number         Number           // "number": number of the file, a JSON number unless Switches.FolderFileNumberAsText
	UserID         Optional[string] // "user_id": GUID of the owner; the signed-in user when absent
	FileStatusID   Optional[string] // "file_status_id": GUID of the status; a default of the service when absent
	FileTemplateID Optional[string] // "file_template_id": GUID of the template; a default of the service when absent
}

// UpdateCase is the body of update case (interface.md part 4.2). It replaces the whole case.
type UpdateCase struct {
	ID               string             // "id": GUID of the case to modify
	Name             string             // "name": name of the case
	FileStatusID     string             // "file_status_id": GUID of the status of the case
	FileClientID     *string            // "file_client_id": GUID of the company used as Agent; always sent, null when nil
	Tags             Optional[[]string] // "tags": GUIDs of tags
	OtherSupervisors Optional[[]string] // "other_supervisors": GUIDs of users
	UserID           string             // "user_id": GUID of the owner, the responsible user
	Number           Optional[string]   // "number": code of the case
	Components       []Component        // "components": one value per component of the template; always sent, [] when there are none
	Active           bool               // "active": whether the case is active; text with Switches.ActiveAsText
}

// Component is the value of one component of a case (interface.md part 4.2). Switches.ComponentID decides whether it also carries
// an "id", which the schema requires and the field list does not know.
type Component struct {
	FileTemplateComponentID string           // "file_template_component_id": GUID of the template component
	EntityID                Optional[string] // "entity_id": GUID, when the component is bound to an entity
	Value                   Optional[string] // "value": text, when it is not; a structured value as JSON in the text
}

// UpdateTrademark is the body of update trademark (interface.md part 4.3). Dates are ISO 8601 in UTC,
// "2024-03-01T00:00:00Z".
type UpdateTrademark struct {
	ID                    string                       // "id": GUID of the trademark
	RegistryID            string                       // "registry_id": GUID of the registry of the trademark
	MarkText              string                       // "mark_text": text of the mark
	ApplicationNumber     string                       // "application_number": may contain any character
	ApplicationDate       Optional[string]             // "application_date": filing date
	RegistrationNumber    Optional[Number]             // "registration_number": text, or an integer with Switches.RegistrationNumberAsInteger
	RegistrationDate      Optional[string]             // "registration_date": date of registration
	StatusDate            Optional[string]             // "status_date": date of the current status
	MarkFeature           Optional[string]             // "mark_feature": feature text
	Status                Optional[string]             // "status": current status, free text
	RegistrationTypeID    Optional[string]             // "registration_type_id": GUID of the registration type
	TrademarkTypeID       Optional[string]             // "trademark_type_id": GUID of the trademark type
	ExpiryDate            Optional[string]             // "expiry_date": date of expiry
	PublicationDate       Optional[string]             // "publication_date": date of publication
	DeclarationDate       Optional[string]             // "declaration_date": date of the declaration
	OfficeActionDate      Optional[string]             // "office_action_date": date of the office action
	FinalOfficeActionDate Optional[string]             // "final_office_action_date": appears only in the payload schema
	GrantDate             Optional[string]             // "grant_date": date of grant
	ClientAgentID         Optional[string]             // "client_agent_id": GUID of the legal entity of type Agent to assign
	PublicationNotes      Optional[string]             // "publication_notes": notes on the publication
	GoodAndServices       Optional[[]GoodsAndServices] // "good_and_services": entries to update or create
	ImageURL              Optional[string]             // "image_url": URL of the image
	Notes                 Optional[string]             // "notes": notes
	DoNotCreateFile       Optional[bool]               // "do_not_create_file": when true, no case is created; not in the schema, see Switches.OmitDoNotCreateFile
}

// GoodsAndServices is one entry of good_and_services (interface.md part 4.3).
type GoodsAndServices struct {
	ID            *string // "id": GUID of the entry to update; always sent, null creates a new entry each time
	LanguageID    string  // "language_id": GUID of the language
	Text          string  // "text": text of the entry
	SearchClassID string  // "search_class_id": GUID of the search class
}

// Operation is OpCreateCase.
func (*CreateCase) Operation() Operation { return OpCreateCase }

// Operation is OpCreateFolder.
func (*CreateFolder) Operation() Operation { return OpCreateFolder }

// Operation is OpUpdateCase.
func (*UpdateCase) Operation() Operation { return OpUpdateCase }

// Operation is OpUpdateTrademark.
func (*UpdateTrademark) Operation() Operation { return OpUpdateTrademark }

func (*CreateCase) target() string        { return "" }
func (*CreateFolder) target() string      { return "" }
func (p *UpdateCase) target() string      { return p.ID }
func (p *UpdateTrademark) target() string { return p.ID }

// AddsEntries tells whether sending the update makes new goods and services entries, each time it is sent.
func (p *UpdateTrademark) AddsEntries() bool {
	for _, entry := range p.GoodAndServices.Value {
		if entry.ID == nil {
			return true
		}
	}
	return false
}

// MayCreateCase tells whether the update, as it goes out under the switches, leaves the service free to create a case.
func (p *UpdateTrademark) MayCreateCase(s Switches) bool {
	return s.OmitDoNotCreateFile || !p.DoNotCreateFile.Value
}

// Repeatable tells whether the payload, as it goes out under the switches, creates nothing and so may be sent twice
// without harm. What is known of earlier answers (a mark that was updated before creates no second case) is for the
// caller to add.
func Repeatable(p Payload, s Switches) bool {
	switch p := p.(type) {
	case *UpdateCase:
		return true
	case *UpdateTrademark:
		return !p.AddsEntries() && !p.MayCreateCase(s)
	}
	return false
}
