package file

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/rule"
)

// readLookups compiles the lookups: block. It also fills inline lookups, so that their faults have a line.
func (c *compiler) readLookups() {
	n := c.form.Lookups
	if n == nil || document.IsNull(n) {
		return
	}
	for key, value := range c.pairs(n, "a block of lookups by name") {
		if slices.Contains(c.names, key.Value) {
			continue
		}
		c.names = append(c.names, key.Value)
		c.lookups = append(c.lookups, c.lookup(key.Value, value))
	}
}

func (c *compiler) lookup(name string, n *document.Node) rule.Lookup {
	spec := rule.Lookup{Name: name, Place: c.place(n)}
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
		form.File.Text, form.Sheet.Text, form.Name.Text, form.ID.Text, form.Ledger.Text, form.Service.Text
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
		c.fault(form.Service.Node, fmt.Sprintf("the configuration has no list %q under service.lists", spec.Service), hint)
	}
	if spec.File == "" {
		for _, w := range []rule.Word{form.Sheet, form.Name, form.ID} {
			if w.Given() {
				c.fault(w.Node, "this requires file:", "remove it, or add file:")
			}
		}
	}
	return spec
}

func (c *compiler) inline(name string, n *document.Node) *lookup.Table {
	l := lookup.New(name)
	for key, value := range c.pairs(n, "a block of names and their ids") {
		if key.Kind != document.Scalar || value.Kind != document.Scalar || document.IsNull(value) {
			c.faults = append(c.faults, c.file.Expected(value, "an id for each name"))
		} else if err := l.Add(key.Value, value.Value); err != nil {
			c.fault(value, err.Error(), "")
		}
	}
	return l
}
