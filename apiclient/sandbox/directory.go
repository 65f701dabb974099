package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Directory is what a firm has before the first request: the records that payloads refer to. Ids are GUIDs;
// ReadDirectory converts them to lower case.
type Directory struct {
	Templates         []Template  `json:"templates"`
	Statuses          []Status    `json:"statuses"`
	Users             []User      `json:"users"`
	Companies         []Company   `json:"companies"`
	Tags              []Named     `json:"tags"`
	Registries        []Named     `json:"registries"`
	RegistrationTypes []Named     `json:"registration_types"`
	TrademarkTypes    []Named     `json:"trademark_types"`
	Languages         []Named     `json:"languages"`
	SearchClasses     []Named     `json:"search_classes"`
	Trademarks        []Trademark `json:"trademarks"`
}

// Template is a case template (interface.md part 2.5). Default marks the one for files of create folder that name none;
// if no template is marked, it is the first.
type Template struct {
	ID                           string      `json:"id"`
	Name                         string      `json:"name"`
	Default                      bool        `json:"default"`
	IsBase                       bool        `json:"is_base"`
	IsTemplateForTrademarkFiling bool        `json:"is_template_for_trademark_filing"`
	Components                   []Component `json:"components"`
}

// Component is a component of a template. EntityType names what it is linked to ("user", "company", "registry",
// "search_class" …). If it is empty or a plain type ("string", "date-time", "integer" …), the component holds a value.
// ValueType is the type of that value if EntityType is empty.
type Component struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Description    string `json:"description"`
	EntityType     string `json:"entity_type"`
	Required       bool   `json:"required"`
	MultipleValues bool   `json:"multiple_values"`
	DisplayOrder   int    `json:"display_order"`
	ValueType      string `json:"value_type"`
}

// Status is a case status (interface.md part 2.4). New cases get the first one with InitialState.
type Status struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	InitialState bool   `json:"initial_state"`
}

// User is somebody who can own cases. A user with a password can also sign in.
type User struct {
	ID        string `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	UserName  string `json:"user_name"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	UserRole  string `json:"user_role"`
}

// Company is a legal entity. Agent marks those that may be the client of a case or the agent of a trademark.
type Company struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent bool   `json:"agent"`
}

// Named is a record that has only a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Trademark is a mark that can be updated. No operation creates one.
type Trademark struct {
	ID         string `json:"id"`
	MarkText   string `json:"mark_text"`
	RegistryID string `json:"registry_id"`
}

// ReadDirectory reads a directory from JSON. It reports all faults in one error: unknown members of the JSON, ids that
// are not GUIDs or occur twice in their list, and trademarks of an unknown registry.
func ReadDirectory(r io.Reader) (Directory, error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var d Directory
	if err := decoder.Decode(&d); err != nil {
		return Directory{}, fmt.Errorf("read directory: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Directory{}, errors.New("read directory: something follows the JSON object; remove it")
	}
	if err := d.normalise(); err != nil {
		return Directory{}, fmt.Errorf("read directory: %w", err)
	}
	return d, nil
}

// record is anything with an id.
type record[T any] interface {
	*T
	id() *string
}

func (t *Template) id() *string  { return &t.ID }
func (c *Component) id() *string { return &c.ID }
func (s *Status) id() *string    { return &s.ID }
func (u *User) id() *string      { return &u.ID }
func (c *Company) id() *string   { return &c.ID }
func (n *Named) id() *string     { return &n.ID }
func (t *Trademark) id() *string { return &t.ID }

// idOf returns the id of a record, or "" for nil.
func idOf[T any, P record[T]](r P) string {
	if r == nil {
		return ""
	}
	return *r.id()
}

// normalise converts all ids to lower case, in slices of its own, and reports those that are wrong.
func (d *Directory) normalise() error {
	faults := []error{
		fixIDs("templates", &d.Templates), fixIDs("statuses", &d.Statuses), fixIDs("users", &d.Users),
		fixIDs("companies", &d.Companies), fixIDs("trademarks", &d.Trademarks),
	}
	for i := range d.Templates {
		faults = append(faults, fixIDs(fmt.Sprintf("templates[%d].components", i), &d.Templates[i].Components))
	}
	for name, list := range d.named() {
		faults = append(faults, fixIDs(name, list))
	}
	for i := range d.Trademarks {
		t := &d.Trademarks[i]
		id, ok := parseGUID(t.RegistryID)
		if !ok || !slices.ContainsFunc(d.Registries, func(r Named) bool { return r.ID == id }) {
			faults = append(faults, fmt.Errorf("trademarks[%d].registry_id: %q is not the id of a registry of this directory", i, t.RegistryID))
		}
		t.RegistryID = id
	}
	return errors.Join(faults...)
}

func (d *Directory) named() map[string]*[]Named {
	return map[string]*[]Named{
		"tags": &d.Tags, "registries": &d.Registries, "registration_types": &d.RegistrationTypes,
		"trademark_types": &d.TrademarkTypes, "languages": &d.Languages, "search_classes": &d.SearchClasses,
	}
}

func fixIDs[T any, P record[T]](list string, records *[]T) error {
	var faults []error
	*records = slices.Clone(*records)
	seen := make(map[string]int, len(*records))
	for i := range *records {
		id := P(&(*records)[i]).id()
		guid, ok := parseGUID(*id)
		if !ok {
			faults = append(faults, fmt.Errorf("%s[%d].id: %q is not a GUID", list, i, *id))
			continue
		}
		if first, twice := seen[guid]; twice {
			faults = append(faults, fmt.Errorf("%s[%d].id: %s is already the id of %s[%d]", list, i, guid, list, first))
		}
		seen[guid], *id = i, guid
	}
	return errors.Join(faults...)
}

// nilGUID is used if interface.md requires an identifier and the sandbox has none.
const nilGUID = "00000000-0000-0000-0000-000000000000"

// parseGUID returns a GUID in lower case. It accepts only the form with 36 characters: google/uuid also accepts braces,
// urn: and 32 digits, which a strict service would not.
func parseGUID(text string) (string, bool) {
	if len(text) != 36 || uuid.Validate(text) != nil {
		return "", false
	}
	return strings.ToLower(text), true
}
