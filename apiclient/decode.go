package apiclient

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Decode reads a payload of the operation. It is strict: a member that interface.md does not list for the operation
// (letter by letter), a member twice, a required one missing or null, a value of another type, text that is not valid UTF-8 and anything after
// the object are a *PayloadError, all of them at once where the JSON can be read. Numbers keep their digits.
func Decode(op Operation, payload []byte) (Payload, error) {
	if !op.known() {
		return nil, fmt.Errorf("operation %q is none of %v", op, Operations)
	}
	if !utf8.Valid(payload) {
		return nil, &PayloadError{Operation: op, Fields: []FieldError{{Message: "is not valid UTF-8"}}}
	}
	var problems []FieldError
	var syntax json.RawMessage
	if err := json.Unmarshal(payload, &syntax); err != nil {
		return nil, &PayloadError{Operation: op, Fields: []FieldError{{Message: "is not JSON: " + err.Error()}}}
	}
	m := readMembers("", payload, &problems)
	var p Payload
	switch op {
	case OpCreateCase:
		p = decodeCreateCase(m)
	case OpCreateFolder:
		p = decodeCreateFolder(m)
	case OpUpdateCase:
		p = decodeUpdateCase(m)
	case OpUpdateTrademark:
		p = decodeUpdateTrademark(m)
	}
	m.finish()
	if len(problems) > 0 {
		return nil, &PayloadError{Operation: op, Fields: problems}
	}
	return p, nil
}

func decodeCreateCase(m *members) *CreateCase {
	return &CreateCase{
		Name:             m.text("name"),
		Number:           m.text("number"),
		Active:           m.bool("active"),
		FileTemplateID:   m.text("file_template_id"),
		UserID:           optional(m, "user_id", readText),
		ClientID:         optional(m, "client_id", readText),
		OtherSupervisors: optional(m, "other_supervisors", readTexts),
	}
}

func decodeCreateFolder(m *members) *CreateFolder {
	return &CreateFolder{
		Name:     m.text("name"),
		ClientID: m.text("client_id"),
		Files: required(m, "files", objectsOf(m, "files", func(m *members) FolderFile {
			return FolderFile{
				Name:           m.text("name"),
				Number:         required(m, "number", readNumber),
				UserID:         optional(m, "user_id", readText),
				FileStatusID:   optional(m, "file_status_id", readText),
				FileTemplateID: optional(m, "file_template_id", readText),
			}
		})),
	}
}

func decodeUpdateCase(m *members) *UpdateCase {
	return &UpdateCase{
		ID:               m.text("id"),
		Name:             m.text("name"),
		FileStatusID:     m.text("file_status_id"),
		FileClientID:     m.nullable("file_client_id"),
		Tags:             optional(m, "tags", readTexts),
		OtherSupervisors: optional(m, "other_supervisors", readTexts),
		UserID:           m.text("user_id"),
		Number:           optional(m, "number", readText),
		Components: required(m, "components", objectsOf(m, "components", func(m *members) Component {
			return Component{
				FileTemplateComponentID: m.text("file_template_component_id"),
				EntityID:                optional(m, "entity_id", readText),
				Value:                   optional(m, "value", readText),
			}
		})),
		Active: m.bool("active"),
	}
}

func decodeUpdateTrademark(m *members) *UpdateTrademark {
	return &UpdateTrademark{
		ID:                    m.text("id"),
		RegistryID:            m.text("registry_id"),
		MarkText:              m.text("mark_text"),
		ApplicationNumber:     m.text("application_number"),
		ApplicationDate:       optional(m, "application_date", readText),
		RegistrationNumber:    optional(m, "registration_number", readNumber),
		RegistrationDate:      optional(m, "registration_date", readText),
		StatusDate:            optional(m, "status_date", readText),
		MarkFeature:           optional(m, "mark_feature", readText),
		Status:                optional(m, "status", readText),
		RegistrationTypeID:    optional(m, "registration_type_id", readText),
		TrademarkTypeID:       optional(m, "trademark_type_id", readText),
		ExpiryDate:            optional(m, "expiry_date", readText),
		PublicationDate:       optional(m, "publication_date", readText),
		DeclarationDate:       optional(m, "declaration_date", readText),
		OfficeActionDate:      optional(m, "office_action_date", readText),
		FinalOfficeActionDate: optional(m, "final_office_action_date", readText),
		GrantDate:             optional(m, "grant_date", readText),
		ClientAgentID:         optional(m, "client_agent_id", readText),
		PublicationNotes:      optional(m, "publication_notes", readText),
		GoodAndServices:       optional(m, "good_and_services", objectsOf(m, "good_and_services", decodeEntry)),
		ImageURL:              optional(m, "image_url", readText),
		Notes:                 optional(m, "notes", readText),
		DoNotCreateFile:       optional(m, "do_not_create_file", readBool),
	}
}

func decodeEntry(m *members) GoodsAndServices {
	return GoodsAndServices{
		ID:            m.nullable("id"),
		LanguageID:    m.text("language_id"),
		Text:          m.text("text"),
		SearchClassID: m.text("search_class_id"),
	}
}
