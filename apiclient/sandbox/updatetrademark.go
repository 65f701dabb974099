package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// UpdateTrademark is the operation of interface.md part 4.3, whose path is not shown.
const UpdateTrademark Operation = "update_trademark"

var updateTrademark = operation{name: UpdateTrademark, method: http.MethodPut, path: "/v1/firms/trademark", read: (*Server).readUpdateTrademark,
	list: "trademarks", page: func(s *Server, l *list, query url.Values) error {
		return stored(s, l, "trademarks", "number", query.Get("number"), listedMarks)
	}}

const goodsMember = "good_and_services"

// trademarkChange is the payload as read. members holds everything that is stored as received.
type trademarkChange struct {
	mark    Mark
	agent   string
	members map[string]json.RawMessage
	noFile  bool
}

// readUpdateTrademark reads a payload whose members keep their value if they are left out.
func (s *Server) readUpdateTrademark(q *request, f *fields) work {
	c := trademarkChange{mark: Mark{ID: q.target(f)}, members: map[string]json.RawMessage{}}
	for _, m := range f.left {
		if m.name != goodsMember && m.name != "do_not_create_file" {
			c.members[m.name] = m.value.raw()
		}
	}
	c.mark.Registry = f.reference("registry_id", required, aRegistry)
	c.mark.MarkText, _ = f.text("mark_text", required, 0)
	c.mark.Number, _ = f.text("application_number", required, 0)
	if !s.options.Switches.RegistrationNumberAsInteger {
		f.text("registration_number", optional, 0)
	} else if v, ok := f.typed("registration_number", optional, aNumber); ok && !isInteger(v.text) {
		f.fault("registration_number", "must be an integer, not %s", v.text)
	}
	c.agent = f.reference("client_agent_id", optional, anAgent)
	for _, name := range []string{"application_date", "registration_date", "status_date", "expiry_date", "publication_date",
		"declaration_date", "office_action_date", "final_office_action_date", "grant_date"} {
		f.date(name)
	}
	for _, name := range []string{"mark_feature", "status", "publication_notes", "notes"} {
		f.text(name, optional, 0)
	}
	f.reference("registration_type_id", optional, aRegistrationType)
	f.reference("trademark_type_id", optional, aTrademarkType)
	f.link("image_url")
	c.mark.Goods = goods(f)
	c.noFile = f.boolean("do_not_create_file", optional)
	return func(t tx) (*answer, error) { return s.changeTrademark(t, q, c) }
}

// goods reads the entries of goods and services, which all have four members.
func goods(f *fields) (rows []Goods) {
	list, _ := f.typed(goodsMember, optional, anArray)
	for i, v := range list.inner {
		g, ok := f.inside(goodsMember, i, v.value)
		if !ok {
			continue
		}
		row := Goods{at: g.path, ID: g.guidOrNull("id")}
		row.Language = g.reference("language_id", required, aLanguage)
		row.Text, _ = g.text("text", required, 0)
		row.Class = g.reference("search_class_id", required, aSearchClass)
		g.done()
		rows = append(rows, row)
	}
	return rows
}

func (s *Server) changeTrademark(t tx, q *request, c trademarkChange) (*answer, error) {
	m := c.mark
	var stored []byte
	known, err := found(t.QueryRow(`select members from trademarks where id = ?`, m.ID), &stored)
	if err != nil {
		return nil, err
	}
	if !known && !s.options.AnyReference {
		return &answer{status: http.StatusOK, body: trademarkAnswer{ID: m.ID, Message: fmt.Sprintf("there is no trademark %s", m.ID)}}, nil
	}
	if wrong, err := s.goodsFaults(t, m); err != nil || len(wrong) > 0 {
		return invalid(wrong), err
	}
	if m.Members, err = merged(stored, c.members); err != nil {
		return nil, err
	}
	if err := t.saveTrademark(m, q.user, s.now()); err != nil {
		return nil, err
	}
	for _, g := range m.Goods {
		if err := t.saveGoods(m.ID, g); err != nil {
			return nil, err
		}
	}
	if !c.noFile { // an update creates a case unless it is told not to
		row := s.newCase(q, UpdateTrademark)
		row.Name, row.Number, row.Trademark, row.Client, row.Owner = m.MarkText, m.Number, m.ID, c.agent, q.user
		row.Template, row.Status = idOf(s.index.filing), idOf(s.index.status)
		if _, err := t.saveCase(row); err != nil {
			return nil, err
		}
	}
	return &answer{status: http.StatusOK, acted: true, target: m.ID, body: trademarkAnswer{ID: m.ID, Message: "the trademark has been updated", Successful: true}}, nil
}

// goodsFaults reports entries that are to be updated but that the trademark does not have.
func (s *Server) goodsFaults(t tx, m Mark) ([]Reason, error) {
	var r reasons
	for _, g := range m.Goods {
		if g.ID == "" || s.options.AnyReference {
			continue
		}
		var owner string
		if _, err := found(t.QueryRow(`select trademark from goods where id = ?`, g.ID), &owner); err != nil {
			return nil, err
		}
		if owner != m.ID {
			r.add(g.at+".id", "%s is not the id of an entry of this trademark", g.ID)
		}
	}
	return r.list, nil
}

// merged adds new members to stored ones, replacing those of the same name.
func merged(stored []byte, changed map[string]json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &all); err != nil {
			return nil, err
		}
	}
	maps.Copy(all, changed)
	return json.Marshal(all)
}

// Mark is the current state of a trademark of the directory. Members are all that were ever sent, with their last
// values.
type Mark struct {
	ID       string          `json:"id"`
	MarkText string          `json:"mark_text"`
	Registry string          `json:"registry_id"`
	Number   string          `json:"application_number"`
	Members  json.RawMessage `json:"members"`
	Updates  int             `json:"updates"`
	Goods    []Goods         `json:"good_and_services"`

	updatedBy string
	updatedAt time.Time
}

// listedMark is a trademark in the list of the sandbox, which says when and by whom it was last changed. interface.md
// shows these two members only for a case, and no list: here they are an addition.
type listedMark struct {
	Mark
	UpdatedAt string `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}

func listedMarks(q querier, rest string, args ...any) (list []listedMark, err error) {
	rows, err := marks(q, rest, args...)
	for _, m := range rows {
		list = append(list, listedMark{m, stamp(m.updatedAt), m.updatedBy})
	}
	return list, err
}

// Goods is an entry of a trademark's goods and services.
type Goods struct {
	ID       string `json:"id"`
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	Text     string `json:"text"`
	at       string // the path of a new entry in its request
}

// marks reads trademarks with their goods and services; rest is what follows the from clause.
func marks(q querier, rest string, args ...any) ([]Mark, error) {
	list, err := query(q, `select id, mark_text, registry, number, members, updates, updated_by, updated_at from trademarks `+rest, func(scan func(...any) error) (m Mark, err error) {
		var updated int64
		err = scan(&m.ID, &m.MarkText, &m.Registry, &m.Number, (*[]byte)(&m.Members), &m.Updates, &m.updatedBy, &updated)
		m.updatedAt = time.UnixMicro(updated).UTC()
		return m, err
	}, args...)
	goods := map[string][]Goods{}
	_, reading := query(q, `select trademark, id, language, search_class, body from goods where trademark in (select id from trademarks `+rest+`) order by seq`,
		func(scan func(...any) error) (g Goods, err error) {
			var trademark string
			err = scan(&trademark, &g.ID, &g.Language, &g.Class, &g.Text)
			goods[trademark] = append(goods[trademark], g)
			return g, err
		}, args...)
	for n := range list {
		list[n].Goods = append([]Goods{}, goods[list[n].ID]...)
	}
	return list, errors.Join(err, reading)
}

func (t tx) saveTrademark(m Mark, by string, now time.Time) error {
	return t.exec(`insert into trademarks (id, mark_text, registry, number, members, updates, updated_at, updated_by)
		values (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)
		on conflict (id) do update set mark_text = ?2, registry = ?3, number = ?4, members = ?5, updates = updates + 1, updated_at = ?6, updated_by = ?7`,
		m.ID, m.MarkText, m.Registry, m.Number, string(m.Members), now.UnixMicro(), by)
}

// saveGoods updates an entry, or creates one if it has no id.
func (t tx) saveGoods(trademark string, g Goods) error {
	return t.exec(`insert into goods (id, trademark, language, search_class, body) values (?1, ?2, ?3, ?4, ?5)
		on conflict (id) do update set language = ?3, search_class = ?4, body = ?5`,
		cmp.Or(g.ID, newID()), trademark, g.Language, g.Class, g.Text)
}
