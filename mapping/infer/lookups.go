package infer

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// lookupNames are the lookups that fields of GUIDs go through.
var lookupNames = map[string]string{
	"registry_id": "registries", "registration_type_id": "registration_types", "trademark_type_id": "trademark_types", "client_agent_id": "agents",
	"client_id": "clients", "file_client_id": "clients", "user_id": "users", "other_supervisors": "users", "tags": "tags",
	"file_status_id": "statuses", "file_template_id": "templates", "language_id": "languages",
}

// LookupFor is the lookup that a field of ids usually goes through, by the field's path; "" for a field that has none.
func LookupFor(op payload.Operation, path string) string {
	switch {
	case path == "id" && op == payload.UpdateCase:
		return "cases"
	case path == "id":
		return "trademarks"
	case lastOf(path) == "search_class_id":
		return "classes"
	}
	return lookupNames[lastOf(path)]
}

// ids writes a column of GUIDs, or of names that a lookup turns into them.
func (d *draft) ids(target payload.Field, c *column) string {
	var options []string
	separator := ""
	if target.Type == payload.TypeGUIDs {
		if separator = c.separator(); separator != "" {
			options = append(options, fmt.Sprintf("split: %q", separator))
		}
	}
	if c.share(c.looks[payload.TypeGUID]) < .9 {
		name := lookupNames[lastOf(target.Name)]
		options = append(options, "lookup: "+name)
		d.lookupOf(name, c, separator)
	}
	return columnText(c, options...)
}

// separator is what stands between the names of a list in one cell.
func (c *column) separator() string {
	for _, s := range []string{";", "|", "\n", ","} {
		for _, v := range c.values {
			if strings.Contains(v.text, s) {
				return s
			}
		}
	}
	return ""
}

// lookupOf puts the values of a column into a lookup, or their parts between separators.
func (d *draft) lookupOf(name string, c *column, separator string) {
	d.lookup(name)
	for _, v := range c.ordered() {
		parts := []string{v.text}
		if separator != "" {
			parts = strings.Split(v.text, separator)
		}
		for _, part := range parts {
			if part = bare(part); part != "" {
				d.lookup(name, Name{part, v.count})
			}
		}
	}
	i := slices.IndexFunc(d.lookups, func(l Lookup) bool { return l.Name == name })
	d.lookups[i].More = d.lookups[i].More || c.more
}

// lookup adds names to a lookup, and the lookup if it is new. What is there in another spelling is counted with it.
func (d *draft) lookup(name string, added ...Name) {
	i := slices.IndexFunc(d.lookups, func(l Lookup) bool { return l.Name == name })
	if i < 0 {
		i = len(d.lookups)
		d.lookups = append(d.lookups, Lookup{Name: name, Names: []Name{}})
	}
	l := &d.lookups[i]
	if d.spelled[name] == nil {
		d.spelled[name] = map[string]int{}
	}
	for _, one := range added {
		key := table.Fold(one.Text)
		if at, known := d.spelled[name][key]; known {
			if name != constants {
				l.Names[at].Count += one.Count
			}
			continue
		}
		d.spelled[name][key] = len(l.Names)
		l.Names = append(l.Names, one)
	}
}
