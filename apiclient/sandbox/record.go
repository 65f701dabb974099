package sandbox

import (
	"cmp"
	"time"
)

// caseRecord is the case of interface.md part 2.1. All its members are always present.
type caseRecord struct {
	Enable           bool           `json:"enable"`
	ID               string         `json:"id"`
	Name             string         `json:"name"`
	Number           string         `json:"number"`
	Folder           *folderRecord  `json:"folder"`
	Tags             []string       `json:"tags"`
	OtherSupervisors []string       `json:"other_supervisors"`
	Client           *Named         `json:"client"` // the sandbox's choice for the untyped client
	User             userRecord     `json:"user"`
	FileStatus       statusRecord   `json:"file_status"`
	FileTemplate     templateRecord `json:"file_template"`
	Components       any            `json:"components"`
	CreatedBy        string         `json:"created_by"`
	UpdatedAt        string         `json:"updated_at"`
	UpdatedBy        string         `json:"updated_by"`
	FirmPortfolio    any            `json:"firm_portfolio"`
	Active           bool           `json:"active"`
}

// folderRecord is the folder of part 2.2. The cases inside it have a null folder; otherwise the record would be
// infinite.
type folderRecord struct {
	Enable bool         `json:"enable"`
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	Files  []caseRecord `json:"files"`
}

// userRecord is the user of part 2.3.
type userRecord struct {
	Enable        bool     `json:"enable"`
	ID            string   `json:"id"`
	FirstName     string   `json:"first_name"`
	LastName      string   `json:"last_name"`
	UserName      string   `json:"user_name"`
	Email         string   `json:"email"`
	PhoneNumber   string   `json:"phone_number"`
	LanguageID    string   `json:"language_id"`
	LanguageName  string   `json:"language_name"`
	CountryID     string   `json:"country_id"`
	CountryName   string   `json:"country_name"`
	UserRole      string   `json:"user_role"`
	LastLoginDate string   `json:"last_login_date"`
	IsYoti        bool     `json:"is_yoti"`
	IsLockedOut   bool     `json:"is_locked_out"`
	YotiID        any      `json:"yoti_id"`
	UserSettings  any      `json:"user_settings"`
	Claims        []string `json:"claims"`
	UserTypeID    string   `json:"user_type_id"`
	UserTypeName  any      `json:"user_type_name"`
}

// statusRecord is the case status of part 2.4.
type statusRecord struct {
	Enable bool `json:"enable"`
	Status
}

// templateRecord is the case template of part 2.5.
type templateRecord struct {
	Enable                       bool              `json:"enable"`
	ID                           string            `json:"id"`
	Name                         string            `json:"name"`
	FileTemplateComponents       []componentRecord `json:"file_template_components"`
	IsBase                       bool              `json:"is_base"`
	IsTemplateForTrademarkFiling bool              `json:"is_template_for_trademark_filing"`
	BaseID                       string            `json:"base_id"`
}

// componentRecord is the template component of part 2.5, with all thirteen members.
type componentRecord struct {
	Enable bool `json:"enable"`
	Component
	Definition      any      `json:"definition"`
	DefinitionType  any      `json:"definition_type"`
	Permissions     []string `json:"permissions"`
	RegexToValidate any      `json:"regex_to_validate"`
	ValueType       any      `json:"value_type"` // replaces the component's own, which is never null
}

// stamp writes a time as in the sandbox's answers.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func (s *Server) caseRecord(row Case, folder *folderRecord) caseRecord {
	r := caseRecord{
		Enable: true, ID: row.ID, Name: row.Name, Number: row.Number, Active: row.Active, Folder: folder,
		Tags: orNone(row.Tags), OtherSupervisors: orNone(row.Supervisors),
		User: s.index.userRecord(row.Owner), FileStatus: s.index.statusRecord(row.Status), FileTemplate: s.index.templateRecord(row.Template),
		CreatedBy: row.createdBy, UpdatedAt: stamp(row.updatedAt), UpdatedBy: row.updatedBy,
	}
	if row.Components != nil {
		r.Components = row.Components
	}
	if row.Client != "" {
		r.Client = &Named{ID: row.Client}
		if c := find[Company](s.index, aCompany, row.Client); c != nil {
			r.Client.Name = c.Name
		}
	}
	return r
}

func (s *Server) folderRecord(folder Folder, rows []Case) folderRecord {
	r := folderRecord{Enable: true, ID: folder.ID, Name: folder.Name, Files: make([]caseRecord, 0, len(rows))}
	for _, row := range rows {
		r.Files = append(r.Files, s.caseRecord(row, nil))
	}
	return r
}

// caseWithFolder returns a case with its folder and all its files.
func (s *Server) caseWithFolder(t tx, row Case) (caseRecord, error) {
	if row.Folder == "" {
		return s.caseRecord(row, nil), nil
	}
	list, err := folders(t, `where id = ?`, row.Folder)
	if err != nil {
		return caseRecord{}, err
	}
	rows, err := cases(t, `where folder = ? order by seq`, row.Folder)
	record := s.folderRecord(list[0], rows)
	return s.caseRecord(row, &record), err
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (x *index) userRecord(id string) userRecord {
	r := userRecord{Enable: true, ID: cmp.Or(id, nilGUID), Claims: []string{}, LanguageID: nilGUID, CountryID: nilGUID,
		UserTypeID: nilGUID, LastLoginDate: "2024-01-01T00:00:00Z"}
	if u := find[User](x, aUser, id); u != nil {
		r.FirstName, r.LastName, r.UserName, r.Email, r.UserRole = u.FirstName, u.LastName, u.UserName, u.Email, u.UserRole
	}
	return r
}

func (x *index) statusRecord(id string) statusRecord {
	if status := find[Status](x, aStatus, id); status != nil {
		return statusRecord{true, *status}
	}
	return statusRecord{true, Status{ID: cmp.Or(id, nilGUID), InitialState: true}}
}

func (x *index) templateRecord(id string) templateRecord {
	r := templateRecord{Enable: true, ID: cmp.Or(id, nilGUID), BaseID: cmp.Or(id, nilGUID), FileTemplateComponents: []componentRecord{}}
	t := find[Template](x, aTemplate, id)
	if t == nil {
		return r
	}
	r.Name, r.IsBase, r.IsTemplateForTrademarkFiling = t.Name, t.IsBase, t.IsTemplateForTrademarkFiling
	for _, c := range t.Components {
		component := componentRecord{Enable: true, Component: c, Permissions: []string{}}
		if c.ValueType != "" {
			component.ValueType = c.ValueType
		}
		r.FileTemplateComponents = append(r.FileTemplateComponents, component)
	}
	return r
}
