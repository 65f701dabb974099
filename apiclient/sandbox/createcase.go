package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// CreateCase is the operation of interface.md part 4.1.
const CreateCase Operation = "create_case"

var createCase = operation{name: CreateCase, method: http.MethodPost, path: "/v1/firms/file", read: (*Server).readCreateCase,
	list: "files", page: (*Server).filesPage}

func (s *Server) readCreateCase(q *request, f *fields) work {
	row := s.newCase(q, CreateCase)
	row.Name, _ = f.text("name", required, 0)
	row.Name = q.kept(row.Name)
	row.Number, _ = f.text("number", required, 0)
	row.Active = f.boolean("active", required)
	row.Template = f.reference("file_template_id", required, aTemplate)
	s.variantFields(f, q, &row)
	row.Status = idOf(s.index.status)
	q.entry.Key = row.Number
	return func(t tx) (*answer, error) {
		stored, err := t.saveCase(row)
		return &answer{status: http.StatusCreated, acted: true, target: stored.ID, body: s.caseRecord(stored, nil)}, err
	}
}

// newCase returns a new case for a request, with nothing in it yet.
func (s *Server) newCase(q *request, origin Operation) Case {
	now := s.now()
	return Case{Origin: origin, Active: true, createdBy: q.user, updatedBy: q.user, createdAt: now, updatedAt: now}
}

// listedFile is a case in a list: the record, with the id of its folder instead of the folder.
type listedFile struct {
	caseRecord
	Folder string `json:"folder_id"`
}

func (s *Server) filesPage(l *list, query url.Values) error {
	return stored(s, l, "cases", "number", query.Get("number"), func(q querier, rest string, args ...any) ([]listedFile, error) {
		rows, err := cases(q, rest, args...)
		files := make([]listedFile, len(rows))
		for n, row := range rows {
			files[n] = listedFile{s.caseRecord(row, nil), row.Folder}
		}
		return files, err
	})
}

// variantFields reads the members in which the variants differ. If either variant is allowed, a body must fit one of
// them as a whole: a client without an owner fits neither.
func (s *Server) variantFields(f *fields, q *request, row *Case) {
	variant := s.options.Switches.Variant
	if variant == "" {
		variant = VariantB
		if f.has("user_id") || f.has("client_id") || f.has("other_supervisors") {
			variant = VariantA
		}
	}
	if variant == VariantB {
		row.Owner = cmp.Or(f.reference("user_id", optional, aUser), q.user)
		return
	}
	row.Owner = f.reference("user_id", required, aUser)
	row.Client = f.reference("client_id", optional, anAgent)
	row.Supervisors = f.references("other_supervisors", aUser)
}

// Case is the current state of a case.
type Case struct {
	ID          string           `json:"id"`
	Origin      Operation        `json:"origin"`       // the operation that created it
	FirstNumber string           `json:"first_number"` // the number it was created with
	Number      string           `json:"number"`
	Name        string           `json:"name"`
	Active      bool             `json:"active"`
	Template    string           `json:"template"`
	Owner       string           `json:"owner"`
	Status      string           `json:"status"`
	Client      string           `json:"client"` // empty: none
	Supervisors []string         `json:"supervisors"`
	Tags        []string         `json:"tags"`
	Components  []componentValue `json:"components"` // nil before the first update
	Folder      string           `json:"folder"`     // its id
	Trademark   string           `json:"trademark"`  // the id of the trademark whose update created the case

	createdBy, updatedBy string
	createdAt, updatedAt time.Time
}

// saveCase stores a case. It gives a new case an id if it has none.
func (t tx) saveCase(c Case) (Case, error) {
	c.ID = cmp.Or(c.ID, newID())
	err := t.exec(`insert into cases (id, number, first_number, name, active, template, owner, status, client, supervisors, tags, components,
		folder, trademark, origin, created_by, created_at, updated_by, updated_at)
		values (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
		on conflict (id) do update set number = ?2, name = ?3, active = ?4, owner = ?6, status = ?7, client = ?8, supervisors = ?9, tags = ?10,
		components = ?11, updated_by = ?17, updated_at = ?18`,
		c.ID, c.Number, c.Name, c.Active, c.Template, c.Owner, c.Status, c.Client, asJSON(c.Supervisors), asJSON(c.Tags),
		asJSON(c.Components), c.Folder, c.Trademark, string(c.Origin), c.createdBy, c.createdAt.UnixMicro(),
		c.updatedBy, c.updatedAt.UnixMicro())
	return c, err
}

// cases reads cases; rest is what follows the from clause.
func cases(q querier, rest string, args ...any) ([]Case, error) {
	return query(q, `select id, number, first_number, name, active, template, owner, status, client, supervisors, tags, components, folder,
		trademark, origin, created_by, created_at, updated_by, updated_at from cases `+rest, func(scan func(...any) error) (c Case, err error) {
		var supervisors, tags, components []byte
		var created, updated int64
		if err := scan(&c.ID, &c.Number, &c.FirstNumber, &c.Name, &c.Active, &c.Template, &c.Owner, &c.Status, &c.Client, &supervisors, &tags,
			&components, &c.Folder, &c.Trademark, &c.Origin, &c.createdBy, &created, &c.updatedBy, &updated); err != nil {
			return c, err
		}
		c.createdAt, c.updatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
		err = errors.Join(json.Unmarshal(supervisors, &c.Supervisors), json.Unmarshal(tags, &c.Tags), json.Unmarshal(components, &c.Components))
		return c, err
	}, args...)
}

// asJSON encodes a list of strings or of component values, which cannot fail.
func asJSON(list any) string {
	text, _ := json.Marshal(list)
	return string(text)
}
