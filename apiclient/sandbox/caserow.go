package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// caseRow is a case as it is stored.
type caseRow struct {
	Seq                     int64
	ID, Number, Name        string
	Active                  bool
	Template, Owner, Status string
	Client                  string // empty: none
	Supervisors, Tags       []string
	Components              []componentValue // nil before the first update
	Folder, Trademark       string
	Origin                  Operation
	CreatedBy, UpdatedBy    string
	CreatedAt, UpdatedAt    time.Time
}

// folderRow is a folder as it is stored.
type folderRow struct {
	Seq              int64
	ID, Name, Client string
	CreatedBy        string
	CreatedAt        time.Time
}

// caseChange is the payload of update case; nil members were left out.
type caseChange struct {
	ID, Name, Status, Client, Owner string
	Number                          *string
	Tags, Supervisors               *[]string
	Active                          bool
	By                              string
	At                              time.Time
}

func (c caseChange) apply(row caseRow, components []componentValue) caseRow {
	row.Name, row.Status, row.Client, row.Owner, row.Active = c.Name, c.Status, c.Client, c.Owner, c.Active
	row.UpdatedBy, row.UpdatedAt, row.Components = c.By, c.At, components
	if c.Number != nil {
		row.Number = *c.Number
	}
	if c.Tags != nil {
		row.Tags = *c.Tags
	}
	if c.Supervisors != nil {
		row.Supervisors = *c.Supervisors
	}
	return row
}

const caseColumns = `seq, id, number, name, active, template, owner, status, client, supervisors, tags, components, folder,
	trademark, origin, created_by, created_at, updated_by, updated_at`

// insertCase stores a case under a new id and gives it back with that id.
func (t *tx) insertCase(row caseRow) (caseRow, error) {
	var err error
	if row.ID, err = newGUID(); err != nil {
		return row, err
	}
	return row, t.storeCase(row)
}

// storeCase stores a case under the id that it has.
func (t *tx) storeCase(row caseRow) error {
	return t.exec(`insert into cases (id, number, first_number, name, active, template, owner, status, client, supervisors, tags, components,
		folder, trademark, origin, created_by, created_at, updated_by, updated_at)
		values (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)`,
		row.ID, row.Number, row.Name, row.Active, row.Template, row.Owner, row.Status, row.Client, asJSON(row.Supervisors), asJSON(row.Tags),
		asJSON(row.Components), row.Folder, row.Trademark, string(row.Origin), row.CreatedBy, row.CreatedAt.UnixMicro(),
		row.UpdatedBy, row.UpdatedAt.UnixMicro())
}

func (t *tx) updateCase(row caseRow) error {
	return t.exec(`update cases set number = ?, name = ?, active = ?, owner = ?, status = ?, client = ?, supervisors = ?, tags = ?,
		components = ?, updated_by = ?, updated_at = ? where id = ?`,
		row.Number, row.Name, row.Active, row.Owner, row.Status, row.Client, asJSON(row.Supervisors), asJSON(row.Tags),
		asJSON(row.Components), row.UpdatedBy, row.UpdatedAt.UnixMicro(), row.ID)
}

func (t *tx) caseByID(id string) (caseRow, bool, error) {
	rows, err := cases(t.conn, `where id = ?`, id)
	if err != nil || len(rows) == 0 {
		return caseRow{}, false, err
	}
	return rows[0], true, nil
}

func (t *tx) casesInFolder(folder string) ([]caseRow, error) {
	return cases(t.conn, `where folder = ? order by seq`, folder)
}

// cases reads cases; rest is what follows the from clause.
func cases(q querier, rest string, args ...any) ([]caseRow, error) {
	rows, err := q.QueryContext(context.Background(), `select `+caseColumns+` from cases `+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []caseRow
	for rows.Next() {
		row, err := scanCase(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

func scanCase(rows *sql.Rows) (caseRow, error) {
	var r caseRow
	var supervisors, tags, components []byte
	var created, updated int64
	err := rows.Scan(&r.Seq, &r.ID, &r.Number, &r.Name, &r.Active, &r.Template, &r.Owner, &r.Status, &r.Client, &supervisors, &tags,
		&components, &r.Folder, &r.Trademark, &r.Origin, &r.CreatedBy, &created, &r.UpdatedBy, &updated)
	if err != nil {
		return r, err
	}
	r.CreatedAt, r.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return r, errors.Join(json.Unmarshal(supervisors, &r.Supervisors), json.Unmarshal(tags, &r.Tags), json.Unmarshal(components, &r.Components))
}

// asJSON writes a list of strings or of component values, which cannot fail.
func asJSON(list any) string {
	text, _ := json.Marshal(list)
	return string(text)
}
