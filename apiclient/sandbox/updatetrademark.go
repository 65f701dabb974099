package sandbox

import (
	"encoding/json"
	"fmt"
)

// trademarkChange is the payload of interface.md part 4.3 once it is read. Members holds all that is stored as it came.
type trademarkChange struct {
	ID, Registry, MarkText, ApplicationNumber, Agent string
	Members                                          map[string]json.RawMessage
	Goods                                            []goodsRow
	NoFile                                           bool
}

// goodsRow is an entry of good_and_services; ID is empty for a new one.
type goodsRow struct {
	ID          string `json:"id"`
	Language    string `json:"language_id"`
	Text        string `json:"text"`
	SearchClass string `json:"search_class_id"`
	at          string
}

// updateTrademark reads the payload of interface.md part 4.3. Members that are left out keep their value.
func (s *Server) updateTrademark(q *request) work {
	f, ok := q.open(s)
	if !ok {
		return nil
	}
	c := trademarkChange{ID: q.target(f), Members: map[string]json.RawMessage{}}
	for _, m := range f.left {
		c.Members[m.name] = m.value.raw()
	}
	delete(c.Members, "good_and_services")
	delete(c.Members, "do_not_create_file")
	c.Registry = f.reference("registry_id", required, aRegistry)
	c.MarkText, _ = f.text("mark_text", required, 0)
	c.ApplicationNumber, _ = f.text("application_number", required, 0)
	s.registrationNumber(f)
	c.Agent = f.reference("client_agent_id", optional, anAgent)
	s.trademarkDetails(f)
	c.Goods = s.goods(f)
	if byList, _ := allowed(s.options.Switches.DoNotCreateFile); byList {
		c.NoFile = f.boolean("do_not_create_file", optional)
	}
	f.done()
	q.key = c.ID
	user := q.user
	return func(t *tx) (answer, error) { return s.storeTrademarkChange(t, c, user) }
}

func (s *Server) trademarkDetails(f *fields) {
	for _, name := range []string{"application_date", "registration_date", "status_date", "expiry_date", "publication_date",
		"declaration_date", "office_action_date", "final_office_action_date", "grant_date"} {
		f.date(name, optional)
	}
	for _, name := range []string{"mark_feature", "status", "publication_notes", "notes"} {
		f.text(name, optional, 0)
	}
	f.reference("registration_type_id", optional, aRegistrationType)
	f.reference("trademark_type_id", optional, aTrademarkType)
	f.link("image_url", optional)
}

// registrationNumber takes a string by the field list, an integer by the schema.
func (s *Server) registrationNumber(f *fields) {
	v, there := f.take("registration_number", optional)
	text, integer := allowed(s.options.Switches.RegistrationNumber)
	switch {
	case !there, text && v.form == aString, integer && v.form == aNumber && isInteger(v.text):
	case integer && v.form == aNumber:
		f.fault("registration_number", "must be an integer, not %s", v.text)
	default:
		f.fault("registration_number", "must be %s, not %s", either(text, aString, integer, "an integer"), v.form)
	}
}

// goods reads good_and_services, whose elements have all four members.
func (s *Server) goods(f *fields) []goodsRow {
	list, _ := f.typed("good_and_services", optional, anArray)
	var rows []goodsRow
	for i, v := range list.items {
		g, ok := f.inside("good_and_services", i, v)
		if !ok {
			continue
		}
		row := goodsRow{at: g.path}
		if id, there := g.take("id", required); there && id.form == aString {
			row.ID = g.asGUID("id", id.text)
		} else if there && id.form != aNull {
			g.fault("id", "must be a string or null, not %s", id.form)
		}
		row.Language = g.reference("language_id", required, aLanguage)
		row.Text, _ = g.text("text", required, 0)
		row.SearchClass = g.reference("search_class_id", required, aSearchClass)
		g.done()
		rows = append(rows, row)
	}
	return rows
}

func (s *Server) storeTrademarkChange(t *tx, c trademarkChange, user string) (answer, error) {
	stored, found, err := t.trademark(c.ID)
	if err != nil {
		return answer{}, err
	}
	if !found && !s.options.AnyReference {
		return s.unknownTrademark(c.ID), nil
	}
	if wrong, err := s.goodsFaults(t, c); err != nil || len(wrong) > 0 {
		return s.invalidTrademark(c.ID, wrong), err
	}
	members := mergeMembers(stored, c.Members)
	if err := t.saveTrademark(c, members, s.options.Now().UTC()); err != nil {
		return answer{}, err
	}
	for _, g := range c.Goods {
		if err := t.saveGoods(c.ID, g); err != nil {
			return answer{}, err
		}
	}
	if err := s.trademarkCase(t, c, user); err != nil {
		return answer{}, err
	}
	return answer{status: 200, acted: true, target: c.ID,
		body: trademarkAnswer{ID: c.ID, Message: "the trademark has been updated", Successful: true}}, nil
}

// goodsFaults reports entries that are to be updated and that the trademark does not have.
func (s *Server) goodsFaults(t *tx, c trademarkChange) ([]Reason, error) {
	var r reasons
	for _, g := range c.Goods {
		if g.ID == "" || s.options.AnyReference {
			continue
		}
		owner, err := t.goodsOwner(g.ID)
		if err != nil {
			return nil, err
		}
		if owner != c.ID {
			r.add(g.at+".id", "%s is not the id of an entry of this trademark", g.ID)
		}
	}
	return r.list, nil
}

// trademarkCase makes the case that an update makes unless it is told not to.
func (s *Server) trademarkCase(t *tx, c trademarkChange, user string) error {
	if c.NoFile {
		return nil
	}
	now := s.options.Now().UTC()
	_, err := t.insertCase(caseRow{
		Origin: UpdateTrademark, Name: c.MarkText, Number: c.ApplicationNumber, Active: true, Trademark: c.ID,
		Template: s.index.filingTemplate(), Status: s.index.firstStatus(), Owner: user, Client: c.Agent,
		CreatedBy: user, UpdatedBy: user, CreatedAt: now, UpdatedAt: now,
	})
	return err
}

// trademarkAnswer is the answer of interface.md part 4.3.
type trademarkAnswer struct {
	ID         string `json:"id"`
	Message    string `json:"message"`
	Successful bool   `json:"successful"`
}

func (s *Server) unknownTrademark(id string) answer {
	message := fmt.Sprintf("there is no trademark %s", id)
	if status := s.options.Answers.UnknownTrademark; status != 200 {
		return answer{status: status, body: failure{Message: message, Errors: []Reason{{Field: "id", Message: "is not the id of a trademark"}}}}
	}
	return answer{status: 200, body: trademarkAnswer{ID: id, Message: message}}
}

// invalidTrademark refuses invalid data with 400, or with successful false where that is how the service does it.
func (s *Server) invalidTrademark(id string, wrong []Reason) answer {
	if s.options.Answers.InvalidTrademark != 200 {
		return invalid(wrong)
	}
	return answer{status: 200, body: trademarkAnswer{ID: or(id, nilGUID), Message: summary(wrong)}}
}

// mergeMembers puts new values over stored ones.
func mergeMembers(stored, changed map[string]json.RawMessage) map[string]json.RawMessage {
	merged := map[string]json.RawMessage{}
	for name, v := range stored {
		merged[name] = v
	}
	for name, v := range changed {
		merged[name] = v
	}
	return merged
}
