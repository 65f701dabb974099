package rule

import (
	"errors"
	"fmt"

	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// Lookup says where the names of a lookup come from: a file, the ledger, a list of the service, or the mapping itself.
type Lookup struct {
	Name       string
	File       string // as written, relative to the mapping file
	Sheet      string
	NameColumn string // "" to find it by its header
	IDColumn   string // "" to find it by its header
	Ledger     string // the scope of the records whose ids are wanted
	Service    string // the name of a list of the service
	Inline     *lookup.Table
	Place      Place
}

// idColumns are the folded headers that mark the id column of a lookup file if the mapping names none.
var idColumns = []string{"id", "guid", "uuid", "identifier", "identificador", "identifiant", "kennung"}

// nameColumns are the same for the name column.
var nameColumns = []string{"name", "nombre", "nom", "nome", "label", "value", "text"}

// Columns finds the name and id columns of a lookup file: as the mapping says, otherwise by their headers, otherwise by
// position if the file has two columns.
func (s Lookup) Columns(h table.Header) (name, id int, err error) {
	c := NewColumns(h)
	id, err = c.lookupColumn(s.IDColumn, idColumns, "id")
	if errors.Is(err, errNoColumn) && len(h.Names) == 2 {
		id, err = 1, nil
	}
	if err != nil {
		return 0, 0, err
	}
	name, err = c.lookupColumn(s.NameColumn, nameColumns, "name")
	if errors.Is(err, errNoColumn) && len(h.Names) >= 2 {
		name, err = 0, nil
		if id == 0 {
			name = 1
		}
	}
	if err == nil && name == id {
		err = errors.New("one column cannot hold both the names and the ids")
	}
	return name, id, err
}

// errNoColumn means that no column has one of the usual names.
var errNoColumn = errors.New("not found")

func (c *Columns) lookupColumn(given string, usual []string, what string) (int, error) {
	if given == "" {
		for _, word := range usual {
			if at := c.Alike(word); len(at) == 1 {
				return at[0], nil
			} else if len(at) > 1 {
				return 0, fmt.Errorf("%q is the name of several columns, %s; set %s: to the one with the %ss by its letter, as %q", word, letters(at), what, what, "@"+table.ColumnLetter(at[0]))
			}
		}
		return 0, fmt.Errorf("column %q %w; set %s: to the column with the %ss", what, errNoColumn, what, what)
	}
	switch at := c.Find(given); len(at) {
	case 1:
		return at[0], nil
	case 0:
		return 0, fmt.Errorf("column %q not found; %s", given, c.Suggest(given))
	default:
		return 0, fmt.Errorf("%q is the name of several columns, %s", given, letters(at))
	}
}
