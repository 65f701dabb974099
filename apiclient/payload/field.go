package payload

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

// MaxNameLength is the most characters (not bytes) that the name of a folder or of a file in it may have (interface.md part 8).
const MaxNameLength = 254

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
	Doc       string

	digits bool // one place of the interface has it as a number, another as text
}

// Fields lists the fields of an operation in the order in which payloads carry them, as the switches make them; none of an unknown
// operation.
func Fields(op Operation, s Switches) []Field {
	switch op {
	case CreateCase:
		return createCase(s)
	case CreateFolder:
		return createFolder(s)
	case UpdateCase:
		return updateCase()
	case UpdateTrademark:
		return updateTrademark(s)
	}
	return nil
}

func createCase(s Switches) []Field {
	fields := []Field{
		{Name: "name", Type: TypeText, Required: true, Doc: "name of the case"},
		{Name: "number", Type: TypeText, Required: true, Reference: true, Doc: "reference of the case; the firm's own is allowed"},
		{Name: "active", Type: TypeBool, Required: true, Doc: "whether the case is active"},
		{Name: "file_template_id", Type: TypeGUID, Required: true, Doc: "case template to use"},
		{Name: "user_id", Type: TypeGUID, Required: s.Variant != VariantB, Doc: "supervisor responsible for the case"},
		{Name: "client_id", Type: TypeGUID, Doc: "Agent related to the case"},
		{Name: "other_supervisors", Type: TypeGUIDs, Doc: "other supervisors of the case"},
	}
	if s.Variant == VariantB {
		return fields[:5]
	}
	return fields
}

func createFolder(s Switches) []Field {
	number := Field{Name: "number", Type: TypeNumber, Required: true, Reference: true, Doc: "number of the file", digits: true}
	if s.FolderFileNumberAsText {
		number.Type = TypeText
	}
	return []Field{
		{Name: "name", Type: TypeText, Required: true, Max: MaxNameLength, Doc: "name of the folder"},
		{Name: "client_id", Type: TypeGUID, Required: true, Doc: "existing client; a folder holds only files of one client"},
		{Name: "files", Type: TypeItems, Required: true, Always: true, Doc: "files to create in the folder", Items: []Field{
			{Name: "name", Type: TypeText, Required: true, Max: MaxNameLength, Doc: "name of the file"},
			number,
			{Name: "user_id", Type: TypeGUID, Doc: "owner of the file; the signed-in user when left out"},
			{Name: "file_status_id", Type: TypeGUID, Doc: "status; a default of the service when left out"},
			{Name: "file_template_id", Type: TypeGUID, Doc: "template; a default of the service when left out"},
		}},
	}
}

func updateCase() []Field {
	return []Field{
		{Name: "id", Type: TypeGUID, Required: true, Doc: "case to modify"},
		{Name: "name", Type: TypeText, Required: true, Doc: "name of the case"},
		{Name: "file_status_id", Type: TypeGUID, Required: true, Doc: "status of the case"},
		{Name: "file_client_id", Type: TypeGUID, Required: true, Nullable: true, Always: true, Doc: "company used as Agent; null removes it"},
		{Name: "tags", Type: TypeGUIDs, Doc: "tags"},
		{Name: "other_supervisors", Type: TypeGUIDs, Doc: "users who supervise the case too"},
		{Name: "user_id", Type: TypeGUID, Required: true, Doc: "owner, the responsible user"},
		{Name: "number", Type: TypeText, Reference: true, Doc: "code of the case"},
		{Name: "components", Type: TypeComponents, Required: true, Always: true, Doc: "one value per component of the case template"},
		{Name: "active", Type: TypeBool, Required: true, Doc: "whether the case is active"},
	}
}

// componentFields are the fields of an element of components, without the id that only the schema knows.
var componentFields = []Field{
	{Name: "file_template_component_id", Type: TypeGUID, Required: true, Doc: "template component"},
	{Name: "entity_id", Type: TypeGUID, Doc: "value of a component that is bound to an entity"},
	{Name: "value", Type: TypeText, Doc: "value of any other component; a structured one as JSON in the text"},
}

func updateTrademark(s Switches) []Field {
	registration := Field{Name: "registration_number", Type: TypeText, Reference: true, Doc: "registration number", digits: true}
	if s.RegistrationNumberAsInteger {
		registration.Type = TypeInteger
	}
	return []Field{
		{Name: "id", Type: TypeGUID, Required: true, Doc: "trademark to update"},
		{Name: "registry_id", Type: TypeGUID, Required: true, Doc: "registry of the trademark"},
		{Name: "mark_text", Type: TypeText, Required: true, Doc: "text of the mark"},
		{Name: "application_number", Type: TypeText, Required: true, Reference: true, Doc: "application number; any character"},
		{Name: "application_date", Type: TypeDate, Doc: "filing date"},
		registration,
		{Name: "registration_date", Type: TypeDate, Doc: "date of registration"},
		{Name: "status_date", Type: TypeDate, Doc: "date of the current status"},
		{Name: "mark_feature", Type: TypeText, Doc: "feature text"},
		{Name: "status", Type: TypeText, Doc: "current status"},
		{Name: "registration_type_id", Type: TypeGUID, Doc: "registration type"},
		{Name: "trademark_type_id", Type: TypeGUID, Doc: "trademark type"},
		{Name: "expiry_date", Type: TypeDate, Doc: "date of expiry"},
		{Name: "publication_date", Type: TypeDate, Doc: "date of publication"},
		{Name: "declaration_date", Type: TypeDate, Doc: "date of the declaration"},
		{Name: "office_action_date", Type: TypeDate, Doc: "date of the office action"},
		{Name: "final_office_action_date", Type: TypeDate, Doc: "date of the final office action"},
		{Name: "grant_date", Type: TypeDate, Doc: "date of grant"},
		{Name: "client_agent_id", Type: TypeGUID, Doc: "legal entity of type Agent"},
		{Name: "publication_notes", Type: TypeText, Doc: "notes on the publication"},
		{Name: Goods, Type: TypeItems, Doc: "goods and services entries", Items: []Field{
			{Name: "id", Type: TypeGUID, Nullable: true, Always: true, Doc: "entry to update; null creates a new one"},
			{Name: "language_id", Type: TypeGUID, Required: true, Doc: "language of the entry"},
			{Name: "text", Type: TypeText, Required: true, Doc: "text of the entry"},
			{Name: "search_class_id", Type: TypeGUID, Required: true, Doc: "search class of the entry"},
		}},
		{Name: "image_url", Type: TypeURL, Doc: "web address of the image"},
		{Name: "notes", Type: TypeText, Doc: "notes"},
		{Name: "do_not_create_file", Type: TypeBool, Doc: "true: no case is created for the trademark"},
	}
}
