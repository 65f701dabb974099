package payload

import (
	"bytes"
	"slices"

	"docketsync/apiclient/jsontext"
)

// UpdateTrademark sets the fields that it names of a trademark (interface.md part 4.3).
const UpdateTrademark Operation = "update_trademark"

var updateTrademark = About{
	Operation: UpdateTrademark, Answer: PromiseSuccessful,
	Title: "mark_text", Shows: "trademarks", One: "mark", Many: "marks",
	Axes: []Axis{{"client", "client_agent_id"}, {"office", "registry_id"}, {"status", "status"}, {"class", Goods + ".search_class_id"}}, Fields: updateTrademarkFields, Makes: markMakes,
}

// markMakes says what an update of a mark may create: entries without an id, and a case unless do_not_create_file is
// true.
func markMakes(body []byte) Creation {
	entries, err := Entries(body)
	// Encode writes it as the last member.
	told := bytes.HasSuffix(body, []byte(`,"do_not_create_file":true}`)) || string(jsontext.Value(body, "do_not_create_file")) == "true"
	return Creation{Case: !told, Entries: err != nil || slices.ContainsFunc(entries, Entry.New)}
}

func updateTrademarkFields(s Switches) []Field {
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
		{Name: Goods, Type: TypeItems, Doc: "goods and services entries", Identity: []string{"language_id", "search_class_id", "text"}, Items: []Field{
			{Name: "id", Type: TypeGUID, Nullable: true, Always: true, Doc: "entry to update; null creates a new one"},
			{Name: "language_id", Type: TypeGUID, Required: true, Doc: "language of the entry"},
			{Name: "text", Type: TypeText, Required: true, Doc: "text of the entry"},
			{Name: "search_class_id", Type: TypeGUID, Required: true, Doc: "search class of the entry"},
		}},
		{Name: "image_url", Type: TypeURL, Doc: "web address of the image"},
		{Name: "notes", Type: TypeText, Doc: "notes"},
		{Name: "do_not_create_file", Type: TypeBool, Order: true, unsent: s.OmitDoNotCreateFile, Doc: "true: no case is created for the trademark"},
	}
}
