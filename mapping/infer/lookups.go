package infer

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// lookupNames are the lookups for fields of GUIDs.
var lookupNames = map[string]string{
	"registry_id": "registries", "registration_type_id": "registration_types", "trademark_type_id": "trademark_types", "client_agent_id": "agents",
	"client_id": "clients", "file_client_id": "clients", "user_id": "users", "other_supervisors": "users", "tags": "tags",
	"file_status_id": "statuses", "file_template_id": "templates", "language_id": "languages",
}

// LookupFor returns the usual lookup of an id field, by the field's path, or "" if it has none.
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

// found says for each usual lookup what its ids identify, and where a person finds them.
var found = map[string]string{
	"templates":          "Case templates. Whoever sets up templates in the service can tell their ids; there are few of them.",
	"users":              "People with an account in the service. Whoever manages its accounts can export them with their ids.",
	"clients":            "Companies that the service has as Agent. An export of its companies has their ids; a company that is not there yet has to be created there first.",
	"agents":             "Companies of the type Agent. An export of the service’s companies has their ids; a company that is not there yet has to be created there first.",
	"statuses":           "Case statuses. Whoever sets up statuses in the service can tell their ids; there are few of them.",
	"tags":               "Tags of cases. Whoever manages tags in the service can tell their ids.",
	"registries":         "Registries (offices) as the service has them. Its administrator can tell their ids; there is one for each office.",
	"registration_types": "Types of registration as the service has them. Its administrator can tell their ids.",
	"trademark_types":    "Types of marks as the service has them, such as word or figurative. Its administrator can tell their ids.",
	"languages":          "Languages as the service has them. Its administrator can tell their ids.",
	"classes":            "Search classes: the Nice classes, each with an id of the service. Its administrator can tell all 45 at once.",
	"cases":              "The cases to be updated. An export of cases from the service has their ids beside their references; the ledger knows those that docketsync has created.",
	"trademarks":         "The marks to be updated. An export of the portfolio from the service has their ids beside their references.",
	"constants":          "One value for all rows, which the file does not say. The name of each line says what it is.",
}

// WhereFound says for a usual lookup what its ids identify and where a person finds them. It returns "" for another
// lookup.
func WhereFound(lookup string) string { return found[lookup] }

// listNames are the usual names of the service's lists that differ from the name of the lookup.
var listNames = map[string]string{"clients": "companies", "agents": "companies", "classes": "search_classes"}

// ListFor returns which of the configured lists of the service a usual lookup needs, or "".
func ListFor(lookup string, lists []string) string {
	for _, name := range []string{lookup, listNames[lookup]} {
		if name != "" && slices.Contains(lists, name) {
			return name
		}
	}
	return ""
}

// ids writes a column of GUIDs, or of names that a lookup turns into GUIDs.
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

// separator returns what separates the names of a list in one cell.
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

// lookupOf adds the values of a column to a lookup, or their parts between separators.
func (d *draft) lookupOf(name string, c *column, separator string) {
	for _, v := range c.ordered() {
		parts := []string{v.text}
		if separator != "" {
			parts = strings.Split(v.text, separator)
		}
		for _, part := range parts {
			if part = table.Trim(part); part != "" {
				d.lookup(name, Name{part, v.count})
			}
		}
	}
	l := d.lookup(name)
	l.More = l.More || c.more
}

// lookup adds names to a lookup, and creates the lookup if it is new. A name that is there in another spelling is
// counted under that spelling.
func (d *draft) lookup(name string, added ...Name) *Lookup {
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
	return l
}
