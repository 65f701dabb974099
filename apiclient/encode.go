package apiclient

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxNameLength is the most characters (not bytes) that the name of a folder or of a file in it may have (interface.md
// part 8).
const MaxNameLength = 254

// PayloadError lists everything that keeps a payload from being read or sent.
type PayloadError struct {
	Operation Operation
	Fields    []FieldError
}

// Error names the operation and all problems.
func (e *PayloadError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, field := range e.Fields {
		parts[i] = field.Error()
	}
	return string(e.Operation) + " payload: " + strings.Join(parts, "; ")
}

// Encode writes the body as it goes out under the switches: members in the order of interface.md part 4, no white
// space, absent members absent, file_client_id and components always there. Members that a switch says are not sent
// (client_id and other_supervisors in variant B, do_not_create_file when omitted) are left out; any other value that
// the asked spelling cannot express is a *PayloadError, and so is a folder or file name over MaxNameLength.
func Encode(p Payload, s Switches) ([]byte, error) {
	o := &object{text: make([]byte, 0, 512)}
	o.begin()
	p.encode(o, s)
	o.end()
	if len(o.problems) > 0 {
		return nil, &PayloadError{Operation: p.Operation(), Fields: o.problems}
	}
	return o.text, nil
}

func (p *CreateCase) encode(o *object, s Switches) {
	o.string("name", p.Name)
	o.string("number", p.Number)
	o.bool("active", p.Active)
	o.string("file_template_id", p.FileTemplateID)
	if s.Variant == VariantB {
		o.optional("user_id", p.UserID)
		return
	}
	if !p.UserID.Present || p.UserID.Null {
		o.fail("user_id", "is missing: variant A of create case requires it")
	}
	o.optional("user_id", p.UserID)
	o.optional("client_id", p.ClientID)
	o.optionalList("other_supervisors", p.OtherSupervisors)
}

func (p *CreateFolder) encode(o *object, s Switches) {
	o.limited("name", p.Name)
	o.string("client_id", p.ClientID)
	o.objects("files", len(p.Files), func(i int) {
		file := &p.Files[i]
		o.limited("name", file.Name)
		if s.FolderFileNumberAsText {
			o.string("number", string(file.Number))
		} else {
			o.number("number", file.Number)
		}
		o.optional("user_id", file.UserID)
		o.optional("file_status_id", file.FileStatusID)
		o.optional("file_template_id", file.FileTemplateID)
	})
}

func (p *UpdateCase) encode(o *object, s Switches) {
	o.id(p.ID)
	o.string("name", p.Name)
	o.string("file_status_id", p.FileStatusID)
	o.nullable("file_client_id", p.FileClientID)
	o.optionalList("tags", p.Tags)
	o.optionalList("other_supervisors", p.OtherSupervisors)
	o.string("user_id", p.UserID)
	o.optional("number", p.Number)
	o.objects("components", len(p.Components), func(i int) { p.Components[i].encode(o, s) })
	if s.ActiveAsText {
		o.string("active", strconv.FormatBool(p.Active))
	} else {
		o.bool("active", p.Active)
	}
}

func (c *Component) encode(o *object, s Switches) {
	switch s.ComponentID {
	case ComponentIDSame:
		o.string("id", c.FileTemplateComponentID)
	case ComponentIDNull:
		o.null("id")
	}
	o.string("file_template_component_id", c.FileTemplateComponentID)
	o.optional("entity_id", c.EntityID)
	o.optional("value", c.Value)
}

func (p *UpdateTrademark) encode(o *object, s Switches) {
	o.id(p.ID)
	o.string("registry_id", p.RegistryID)
	o.string("mark_text", p.MarkText)
	o.string("application_number", p.ApplicationNumber)
	o.optional("application_date", p.ApplicationDate)
	o.registrationNumber(p.RegistrationNumber, s)
	o.optional("registration_date", p.RegistrationDate)
	o.optional("status_date", p.StatusDate)
	o.optional("mark_feature", p.MarkFeature)
	o.optional("status", p.Status)
	o.optional("registration_type_id", p.RegistrationTypeID)
	o.optional("trademark_type_id", p.TrademarkTypeID)
	o.optional("expiry_date", p.ExpiryDate)
	o.optional("publication_date", p.PublicationDate)
	o.optional("declaration_date", p.DeclarationDate)
	o.optional("office_action_date", p.OfficeActionDate)
	o.optional("final_office_action_date", p.FinalOfficeActionDate)
	o.optional("grant_date", p.GrantDate)
	o.optional("client_agent_id", p.ClientAgentID)
	o.optional("publication_notes", p.PublicationNotes)
	o.entries(p.GoodAndServices)
	o.optional("image_url", p.ImageURL)
	o.optional("notes", p.Notes)
	if do := p.DoNotCreateFile; do.Present && !s.OmitDoNotCreateFile {
		if do.Null {
			o.null("do_not_create_file")
		} else {
			o.bool("do_not_create_file", do.Value)
		}
	}
}

func (o *object) entries(entries Optional[[]GoodsAndServices]) {
	switch {
	case !entries.Present:
	case entries.Null:
		o.null("good_and_services")
	default:
		o.objects("good_and_services", len(entries.Value), func(i int) {
			entry := &entries.Value[i]
			o.nullable("id", entry.ID)
			o.string("language_id", entry.LanguageID)
			o.string("text", entry.Text)
			o.string("search_class_id", entry.SearchClassID)
		})
	}
}

// id writes the id of the record to update. An empty one would address the whole collection where {id} stands in the path.
func (o *object) id(id string) {
	if id == "" || id == "." || id == ".." {
		o.fail("id", "%q names no record", id)
	}
	o.string("id", id)
}

func (o *object) limited(name, value string) {
	if n := utf8.RuneCountInString(value); n > MaxNameLength {
		o.fail(name, "has %d characters: the service takes at most %d", n, MaxNameLength)
	}
	o.string(name, value)
}

func (o *object) number(name string, value Number) {
	if !numeral(string(value)) {
		o.fail(name, "%q cannot be sent as a number without changing it; send it as text (switch folder_file_number) or correct it", value)
	}
	o.literal(name, string(value))
}

func (o *object) registrationNumber(value Optional[Number], s Switches) {
	const name = "registration_number"
	switch {
	case !value.Present:
	case value.Null:
		o.null(name)
	case !s.RegistrationNumberAsInteger:
		o.string(name, string(value.Value))
	default:
		if !numeral(string(value.Value)) || strings.Contains(string(value.Value), ".") {
			o.fail(name, "%q cannot be sent as an integer without changing it; send it as text (switch registration_number) or correct it", value.Value)
		}
		o.literal(name, string(value.Value))
	}
}

// numeral tells whether the text is a JSON number as it stands. Exponents are none: "1E5" in a docket is a reference, not
// a hundred thousand.
func numeral(text string) bool {
	text = strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || !digits(whole) || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	return !point || fraction != "" && digits(fraction)
}

func digits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
