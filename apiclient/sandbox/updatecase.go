package sandbox

import (
	"fmt"
	"net/http"
	"time"
)

// UpdateCase is the operation of interface.md part 4.2, whose path is not shown.
const UpdateCase Operation = "update_case"

var updateCase = operation{name: UpdateCase, method: http.MethodPut, path: "/v1/firms/file", read: (*Server).readUpdateCase}

// readUpdateCase reads a payload that replaces what it lists. Tags, other supervisors and number keep their value if
// they are left out.
func (s *Server) readUpdateCase(q *request, f *fields) work {
	now := s.now()
	id := q.target(f)
	name, _ := f.text("name", required, 0)
	name = q.kept(name)
	status := f.reference("file_status_id", required, aStatus)
	client := f.guidOrNull("file_client_id")
	if client != "" {
		client = f.checked("file_client_id", client, anAgent)
	}
	newTags, newSupervisors := f.has("tags"), f.has("other_supervisors")
	tags, supervisors := f.references("tags", aTag), f.references("other_supervisors", aUser)
	owner := f.reference("user_id", required, aUser)
	number, newNumber := f.text("number", optional, 0)
	components := s.components(f)
	active := s.activeFlag(f)
	return func(t tx) (*answer, error) {
		return s.changeCase(t, q, id, now, components, func(c *Case) {
			c.Name, c.Status, c.Client, c.Owner, c.Active, c.Components = name, status, client, owner, active, components
			c.updatedBy, c.updatedAt = q.user, now
			if newNumber {
				c.Number = number
			}
			if newTags {
				c.Tags = tags
			}
			if newSupervisors {
				c.Supervisors = supervisors
			}
		})
	}
}

// activeFlag takes active, a boolean in the field list and a string in the schema.
func (s *Server) activeFlag(f *fields) bool {
	if !s.options.Switches.ActiveAsText {
		return f.boolean("active", required)
	}
	text, there := f.text("active", required, 0)
	if there && text != "true" && text != "false" {
		f.fault("active", `must be "true" or "false", not %s`, quoted(text))
	}
	return text == "true"
}

// changeCase stores a change of a case if its template allows it.
func (s *Server) changeCase(t tx, q *request, id string, now time.Time, components []componentValue, change func(*Case)) (*answer, error) {
	rows, err := cases(t, `where id = ?`, id)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 && s.options.AnyRecord {
		rows = []Case{{ID: id, Origin: UpdateCase, createdBy: q.user, createdAt: now}}
	}
	if len(rows) == 0 {
		return &answer{status: http.StatusNotFound, body: failure{Message: fmt.Sprintf("there is no case %s", id),
			Errors: []Reason{{Field: "id", Message: "is not the id of a case"}}}}, nil
	}
	row := rows[0]
	if wrong := s.index.componentFaults(row.Template, components); len(wrong) > 0 {
		return invalid(wrong), nil
	}
	change(&row)
	if _, err := t.saveCase(row); err != nil {
		return nil, err
	}
	a := &answer{status: http.StatusOK, acted: true, target: row.ID}
	switch s.options.Answers.UpdateCase {
	case BodyID: // the sandbox's choice for "details of the update", whose shape interface.md does not show
		a.body = map[string]string{"id": row.ID, "updated_at": stamp(row.updatedAt), "updated_by": row.updatedBy}
	case BodyText:
		a.body = plainText("OK")
	case BodyRecord:
		a.body, err = s.caseWithFolder(t, row)
	}
	return a, err
}

// components reads the array. Whether its elements fit the template is checked later, when the case is known.
func (s *Server) components(f *fields) []componentValue {
	list, _ := f.typed("components", required, anArray)
	values := make([]componentValue, 0, len(list.inner))
	for i, item := range list.inner {
		c, ok := f.inside("components", i, item.value)
		if !ok {
			continue
		}
		v := componentValue{at: c.path, Component: c.guid("file_template_component_id", required)}
		if s.options.Switches.ComponentID { // the member that only the schema has
			c.guidOrNull("id")
		}
		if c.has("entity_id") {
			id := c.guid("entity_id", optional)
			v.Entity = &id
		}
		if c.has("value") {
			text, _ := c.text("value", optional, 0)
			v.Value = &text
		}
		if v.Entity != nil && v.Value != nil {
			c.reasons.add(c.path, "has entity_id and value; a component is either bound to an entity or holds a value")
		}
		c.done()
		values = append(values, v)
	}
	return values
}
