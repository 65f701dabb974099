package mapping

import "time"

// Type is the type of a target field. It decides how a cell is read.
type Type string

// The types, by the words that messages use.
const (
	TypeGUID       Type = "GUID"
	TypeGUIDs      Type = "list of GUIDs"
	TypeText       Type = "text"
	TypeURL        Type = "web address"
	TypeDate       Type = "date"
	TypeBool       Type = "yes or no"
	TypeNumber     Type = "number"
	TypeInteger    Type = "whole number"
	TypeItems      Type = "list of entries"
	TypeComponents Type = "components"
)

// Target is one field of an operation's payload (interface.md part 4).
type Target struct {
	Name     string
	Type     Type
	Required bool
	Nullable bool // null is a value the interface allows
	Always   bool // written even when empty: null, or an empty list
	Max      int  // characters, 0 for no limit
	// Reference marks a number people file things under, where spreadsheets do harm.
	Reference bool
	Items     []Target // of TypeItems: the fields of an entry
	Doc       string
}

// Targets lists the fields of an operation in the order in which payloads carry them, as the options make them.
func Targets(op Operation, o Options) []Target {
	switch op {
	case CreateCase:
		return createCase(o)
	case CreateFolder:
		return createFolder(o)
	case UpdateCase:
		return updateCase()
	case UpdateTrademark:
		return updateTrademark(o)
	}
	return nil
}

func createCase(o Options) []Target {
	fields := []Target{
		{Name: "name", Type: TypeText, Required: true, Doc: "name of the case"},
		{Name: "number", Type: TypeText, Required: true, Reference: true, Doc: "reference of the case; the firm's own is allowed"},
		{Name: "active", Type: TypeBool, Required: true, Doc: "whether the case is active"},
		{Name: "file_template_id", Type: TypeGUID, Required: true, Doc: "case template to use"},
		{Name: "user_id", Type: TypeGUID, Required: !o.VariantB, Doc: "supervisor responsible for the case"},
	}
	if o.VariantB {
		return fields
	}
	return append(fields,
		Target{Name: "client_id", Type: TypeGUID, Doc: "Agent related to the case"},
		Target{Name: "other_supervisors", Type: TypeGUIDs, Doc: "other supervisors of the case"})
}

// maxFolderName is the limit on the names of folders and of files in create folder (interface.md part 8).
const maxFolderName = 254

func createFolder(o Options) []Target {
	number := Target{Name: "number", Type: TypeNumber, Required: true, Reference: true, Doc: "number of the file"}
	if o.FolderNumberAsText {
		number.Type = TypeText
	}
	return []Target{
		{Name: "name", Type: TypeText, Required: true, Max: maxFolderName, Doc: "name of the folder"},
		{Name: "client_id", Type: TypeGUID, Required: true, Doc: "existing client; a folder holds only files of one client"},
		{Name: "files", Type: TypeItems, Required: true, Always: true, Doc: "files to create in the folder", Items: []Target{
			{Name: "name", Type: TypeText, Required: true, Max: maxFolderName, Doc: "name of the file"},
			number,
			{Name: "user_id", Type: TypeGUID, Doc: "owner of the file; the signed-in user when left out"},
			{Name: "file_status_id", Type: TypeGUID, Doc: "status; a default of the service when left out"},
			{Name: "file_template_id", Type: TypeGUID, Doc: "template; a default of the service when left out"},
		}},
	}
}

func updateCase() []Target {
	return []Target{
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

func updateTrademark(o Options) []Target {
	registration := Target{Name: "registration_number", Type: TypeText, Reference: true, Doc: "registration number"}
	if o.RegistrationNumberAsInteger {
		registration.Type = TypeInteger
	}
	return []Target{
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
		{Name: "good_and_services", Type: TypeItems, Doc: "goods and services entries", Items: []Target{
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

// Options are the switches of an installation that change what a payload may carry, and the date of the run.
type Options struct {
	VariantB                    bool // create case without client_id and other_supervisors, user_id optional
	FolderNumberAsText          bool // numbers of a folder's files as JSON text
	RegistrationNumberAsInteger bool // registration numbers as JSON integers
	// Today is the calendar day that checks and expressions go by; zero leaves out the checks that need it.
	Today time.Time
	// Lists are the names of the service's lists that the configuration has; nil where nobody knows.
	Lists []string
}
