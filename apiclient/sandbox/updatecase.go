package sandbox

import "fmt"

// updateCase reads the payload of interface.md part 4.2. It replaces what it lists; tags, other supervisors and number
// that are left out keep their value.
func (s *Server) updateCase(q *request) work {
	f, ok := q.open(s)
	if !ok {
		return nil
	}
	change := caseChange{By: q.user, At: s.options.Now().UTC()}
	change.ID = q.target(f)
	change.Name, _ = f.text("name", required, 0)
	change.Name = q.kept(change.Name)
	change.Status = f.reference("file_status_id", required, aStatus)
	change.Client = s.caseClient(f)
	change.Tags = f.lists("tags", aTag)
	change.Supervisors = f.lists("other_supervisors", aUser)
	change.Owner = f.reference("user_id", required, aUser)
	if number, there := f.text("number", optional, 0); there {
		change.Number = &number
	}
	components := s.components(f)
	change.Active = s.activeFlag(f)
	f.done()
	q.key = change.ID
	return func(t *tx) (answer, error) { return s.storeCaseChange(t, change, components) }
}

// caseClient takes file_client_id, which is required and may be null.
func (s *Server) caseClient(f *fields) string {
	v, there := f.take("file_client_id", required)
	switch {
	case !there, v.form == aNull:
		return ""
	case v.form != aString:
		f.fault("file_client_id", "must be a string or null, not %s", v.form)
		return ""
	}
	id := f.asGUID("file_client_id", v.text)
	if id == "" {
		return ""
	}
	return f.checked("file_client_id", id, anAgent)
}

// lists takes an optional array; nil means that it was left out.
func (f *fields) lists(name string, k kind) *[]string {
	if !f.has(name) {
		return nil
	}
	ids := f.references(name, optional, k)
	return &ids
}

// activeFlag takes active, a boolean in the field list and a string in the schema.
func (s *Server) activeFlag(f *fields) bool {
	v, there := f.take("active", required)
	if !there {
		return false
	}
	boolean, text := allowed(s.options.Switches.Active)
	switch {
	case boolean && v.form == aBoolean:
		return v.truth
	case text && v.form == aString && (v.text == "true" || v.text == "false"):
		return v.text == "true"
	case text && v.form == aString:
		f.fault("active", `must be "true" or "false", not %s`, quoted(v.text))
	default:
		f.fault("active", "must be %s, not %s", either(boolean, aBoolean, text, aString), v.form)
	}
	return false
}

func (s *Server) storeCaseChange(t *tx, change caseChange, components []componentValue) (answer, error) {
	row, found, err := t.caseByID(change.ID)
	if err != nil {
		return answer{}, err
	}
	save := t.updateCase
	if !found && s.options.AnyRecord {
		found, save = true, t.storeCase
		row = caseRow{ID: change.ID, Origin: UpdateCase, CreatedBy: change.By, CreatedAt: change.At}
	}
	if !found {
		return answer{status: 404, body: failure{Message: fmt.Sprintf("there is no case %s", change.ID),
			Errors: []Reason{{Field: "id", Message: "is not the id of a case"}}}}, nil
	}
	if wrong := s.index.componentFaults(row.Template, components); len(wrong) > 0 {
		return invalid(wrong), nil
	}
	row = change.apply(row, components)
	if err := save(row); err != nil {
		return answer{}, err
	}
	a := answer{status: 200, acted: true, target: row.ID}
	switch s.options.Answers.UpdateCase {
	case BodyID:
		a.body = updated{ID: row.ID, UpdatedAt: stamp(row.UpdatedAt), UpdatedBy: row.UpdatedBy}
	case BodyText:
		a.body = plainText("OK")
	case BodyRecord:
		a.body, err = s.caseWithFolder(t, row)
	}
	return a, err
}

// updated is the sandbox's choice of "details of the update", whose shape interface.md does not show.
type updated struct {
	ID        string `json:"id"`
	UpdatedAt string `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}
