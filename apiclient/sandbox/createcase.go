package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
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

// newCase is a case that a request makes, with nothing in it yet.
func (s *Server) newCase(q *request, origin Operation) Case {
	now := s.now()
	return Case{Origin: origin, Active: true, createdBy: q.user, updatedBy: q.user, createdAt: now, updatedAt: now}
}

// listedFile is a case in a list: the record with the id of its folder instead of the folder.
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

// variantFields reads the members in which the variants differ. Where either variant will do, a body must fit one of
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
