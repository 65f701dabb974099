package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Case is a case as it stands.
type Case struct {
	ID          string           `json:"id"`
	Origin      Operation        `json:"origin"`       // the operation that made it
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
	Components  []ComponentValue `json:"components"` // nil before the first update
	Folder      string           `json:"folder"`     // its id
	Trademark   string           `json:"trademark"`  // the id of the one whose update made the case

	createdBy, updatedBy string
	createdAt, updatedAt time.Time
}

// insertCase stores a new case, under a new id where it has none.
func (t tx) insertCase(c Case) (Case, error) {
	var err error
	if c.ID == "" {
		if c.ID, err = newID(); err != nil {
			return c, err
		}
	}
	_, err = t.Exec(`insert into cases (id, number, first_number, name, active, template, owner, status, client, supervisors, tags, components,
		folder, trademark, origin, created_by, created_at, updated_by, updated_at)
		values (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)`,
		c.ID, c.Number, c.Name, c.Active, c.Template, c.Owner, c.Status, c.Client, asJSON(c.Supervisors), asJSON(c.Tags),
		asJSON(c.Components), c.Folder, c.Trademark, string(c.Origin), c.createdBy, c.createdAt.UnixMicro(),
		c.updatedBy, c.updatedAt.UnixMicro())
	return c, err
}

func (t tx) updateCase(c Case) (Case, error) {
	_, err := t.Exec(`update cases set number = ?, name = ?, active = ?, owner = ?, status = ?, client = ?, supervisors = ?, tags = ?,
		components = ?, updated_by = ?, updated_at = ? where id = ?`,
		c.Number, c.Name, c.Active, c.Owner, c.Status, c.Client, asJSON(c.Supervisors), asJSON(c.Tags),
		asJSON(c.Components), c.updatedBy, c.updatedAt.UnixMicro(), c.ID)
	return c, err
}

// cases reads cases; rest is what follows the from clause.
func cases(q querier, rest string, args ...any) ([]Case, error) {
	list := []Case{}
	err := each(q, `select id, number, first_number, name, active, template, owner, status, client, supervisors, tags, components, folder,
		trademark, origin, created_by, created_at, updated_by, updated_at from cases `+rest, func(scan func(...any) error) error {
		var c Case
		var supervisors, tags, components []byte
		var created, updated int64
		if err := scan(&c.ID, &c.Number, &c.FirstNumber, &c.Name, &c.Active, &c.Template, &c.Owner, &c.Status, &c.Client, &supervisors, &tags,
			&components, &c.Folder, &c.Trademark, &c.Origin, &c.createdBy, &created, &c.updatedBy, &updated); err != nil {
			return err
		}
		c.createdAt, c.updatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
		err := errors.Join(json.Unmarshal(supervisors, &c.Supervisors), json.Unmarshal(tags, &c.Tags), json.Unmarshal(components, &c.Components))
		list = append(list, c)
		return err
	}, args...)
	return list, err
}

// asJSON writes a list of strings or of component values, which cannot fail.
func asJSON(list any) string {
	text, _ := json.Marshal(list)
	return string(text)
}

// Folder is a folder with the number of its files, which are among the cases.
type Folder struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Client string `json:"client_id"`
	Files  int64  `json:"file_count"`
}

func (t tx) insertFolder(f Folder, by string, at time.Time) (Folder, error) {
	var err error
	if f.ID, err = newID(); err != nil {
		return f, err
	}
	_, err = t.Exec(`insert into folders (id, name, client, created_by, created_at) values (?, ?, ?, ?, ?)`, f.ID, f.Name, f.Client, by, at.UnixMicro())
	return f, err
}

// folders reads folders; rest is what follows the from clause.
func folders(q querier, rest string, args ...any) ([]Folder, error) {
	list := []Folder{}
	err := each(q, `select id, name, client, (select count(*) from cases where folder = folders.id and folder <> '') from folders `+rest,
		func(scan func(...any) error) error {
			var f Folder
			err := scan(&f.ID, &f.Name, &f.Client, &f.Files)
			list = append(list, f)
			return err
		}, args...)
	return list, err
}

// Mark is a trademark of the directory as it stands. Members are those that were ever sent, as they were last sent.
type Mark struct {
	ID       string          `json:"id"`
	MarkText string          `json:"mark_text"`
	Registry string          `json:"registry_id"`
	Number   string          `json:"application_number"`
	Members  json.RawMessage `json:"members"`
	Updates  int             `json:"updates"`
	Goods    []Goods         `json:"good_and_services"`
}

// Goods is an entry of a trademark's goods and services.
type Goods struct {
	ID       string `json:"id"`
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	Text     string `json:"text"`
	at       string // the path of a new one in its request
}

// marks reads trademarks with their goods and services; rest is what follows the from clause.
func marks(q querier, rest string, args ...any) ([]Mark, error) {
	list := []Mark{}
	err := each(q, `select id, mark_text, registry, number, members, updates from trademarks `+rest, func(scan func(...any) error) error {
		m := Mark{Goods: []Goods{}}
		err := scan(&m.ID, &m.MarkText, &m.Registry, &m.Number, (*[]byte)(&m.Members), &m.Updates)
		list = append(list, m)
		return err
	}, args...)
	for n := range list {
		m := &list[n]
		err = errors.Join(err, each(q, `select id, language, search_class, body from goods where trademark = ? order by seq`, func(scan func(...any) error) error {
			var g Goods
			err := scan(&g.ID, &g.Language, &g.Class, &g.Text)
			m.Goods = append(m.Goods, g)
			return err
		}, m.ID))
	}
	return list, err
}

func (t tx) saveTrademark(m Mark, now time.Time) error {
	_, err := t.Exec(`insert into trademarks (id, mark_text, registry, number, members, updates, updated_at)
		values (?1, ?2, ?3, ?4, ?5, 1, ?6)
		on conflict (id) do update set mark_text = ?2, registry = ?3, number = ?4, members = ?5, updates = updates + 1, updated_at = ?6`,
		m.ID, m.MarkText, m.Registry, m.Number, string(m.Members), now.UnixMicro())
	return err
}

// saveGoods updates an entry, or makes a new one where it has no id.
func (t tx) saveGoods(trademark string, g Goods) (err error) {
	if g.ID == "" {
		if g.ID, err = newID(); err != nil {
			return err
		}
	}
	_, err = t.Exec(`insert into goods (id, trademark, language, search_class, body) values (?1, ?2, ?3, ?4, ?5)
		on conflict (id) do update set language = ?3, search_class = ?4, body = ?5`,
		g.ID, trademark, g.Language, g.Class, g.Text)
	return err
}

func (t tx) insertRequest(r Request) error {
	_, err := t.Exec(`insert into requests (seq, at, operation, key, target, acted, status, fault, message, session)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Seq, r.At.UnixMicro(), string(r.Operation), r.Key, r.Target, r.Acted, r.Status, r.Fault, r.Message, r.session)
	if err != nil {
		return fmt.Errorf("log request %d: %w", r.Seq, err)
	}
	return nil
}
