package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// readLookups compiles the lookups: block. Those written in the mapping itself are filled, so that their faults have a
// line.
func (c *compiler) readLookups() {
	n := c.form.Lookups
	if n == nil || document.IsNull(n) {
		return
	}
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, "a block of lookups by name"))
		return
	}
	for key, value := range document.Pairs(n) {
		if slices.Contains(c.names, key.Value) {
			continue
		}
		c.names = append(c.names, key.Value)
		c.lookups = append(c.lookups, c.lookup(key.Value, value))
	}
}

func (c *compiler) lookup(name string, n *document.Node) LookupSpec {
	spec := LookupSpec{Name: name, place: c.place(n)}
	if n.Kind == document.Scalar && !document.IsNull(n) {
		spec.File = n.Value
		return spec
	}
	var form lookupForm
	if document.IsNull(n) {
		c.fault(n, fmt.Sprintf("the lookup %q has no source", name), "set its file: "+name+": lookups/"+name+".csv")
		return spec
	}
	if !c.decode(n, &form) {
		return spec
	}
	spec.File, spec.Sheet, spec.NameColumn, spec.IDColumn, spec.Ledger, spec.Service =
		form.File.text, form.Sheet.text, form.Name.text, form.ID.text, form.Ledger.text, form.Service.text
	var given []string
	for key, is := range map[string]bool{"file": spec.File != "", "ledger": spec.Ledger != "", "inline": form.Inline != nil, "service": spec.Service != ""} {
		if is {
			given = append(given, key)
		}
	}
	slices.Sort(given)
	hint := diagnostic.Suggest(spec.Service, c.options.Lists)
	if len(c.options.Lists) == 0 {
		hint = "add it there, such as " + spec.Service + ": {path: /v1/lists/" + spec.Service + "}"
	}
	switch {
	case len(given) == 0:
		c.fault(n, fmt.Sprintf("the lookup %q has no source", name), "add file:, inline:, ledger: or service:")
	case len(given) > 1:
		c.fault(n, fmt.Sprintf("the lookup %q has both %s", name, strings.Join(given, " and ")), "keep one of them")
	case form.Inline != nil:
		spec.Inline = c.inline(name, form.Inline)
	case spec.Service != "" && c.options.Lists != nil && !slices.Contains(c.options.Lists, spec.Service):
		c.fault(form.Service.node, fmt.Sprintf("the configuration has no list %q under service.lists", spec.Service), hint)
	}
	if spec.File == "" {
		for _, w := range []word{form.Sheet, form.Name, form.ID} {
			if w.given() {
				c.fault(w.node, "this requires file:", "remove it, or add file:")
			}
		}
	}
	return spec
}

func (c *compiler) inline(name string, n *document.Node) *lookup.Table {
	l := lookup.New(name)
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, "a block of names and their ids"))
		return l
	}
	for key, value := range document.Pairs(n) {
		if key.Kind != document.Scalar || value.Kind != document.Scalar || document.IsNull(value) {
			c.faults = append(c.faults, c.file.Expected(value, "an id for each name"))
		} else if err := l.Add(key.Value, value.Value); err != nil {
			c.fault(value, err.Error(), "")
		}
	}
	return l
}

// idColumns are the headers, folded, that a lookup file may have over its ids without the mapping naming them.
var idColumns = []string{"id", "guid", "uuid", "identifier", "identificador", "identifiant", "kennung"}

// nameColumns are those over its names.
var nameColumns = []string{"name", "nombre", "nom", "nome", "label", "value", "text"}

// Columns finds the columns of a lookup file that hold the names and the ids: as the mapping says, else by their headers,
// else the two columns there are.
func (s LookupSpec) Columns(h table.Header) (name, id int, err error) {
	c := newColumns(h)
	id, err = c.lookupColumn(s.IDColumn, idColumns, "id")
	if err != nil && s.IDColumn == "" && len(h.Names) == 2 {
		id, err = 1, nil
	}
	if err != nil {
		return 0, 0, err
	}
	name, err = c.lookupColumn(s.NameColumn, nameColumns, "name")
	if err != nil && s.NameColumn == "" && len(h.Names) >= 2 {
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

func (c *columns) lookupColumn(given string, usual []string, what string) (int, error) {
	if given == "" {
		for _, word := range usual {
			if at := c.Alike(word); len(at) == 1 {
				return at[0], nil
			}
		}
		return 0, fmt.Errorf("column %q not found; set %s: to the column with the %ss", what, what, what)
	}
	switch at := c.Find(given); len(at) {
	case 1:
		return at[0], nil
	case 0:
		return 0, fmt.Errorf("column %q not found; %s", given, c.suggest(given))
	default:
		return 0, fmt.Errorf("%q is the name of several columns, %s", given, letters(at))
	}
}
