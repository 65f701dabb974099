package edit

import (
	"slices"
	"strings"

	"docketsync/config/document"
)

// undeclare removes a lookup that nothing names any more, if it is written as init writes it. A declaration that a
// person has changed stays.
func (d *File) undeclare(name string) (*File, error) {
	n := at(d.root, "lookups", name)
	if name == "" || n == nil || n.Value != "lookups/"+name+".csv" || names(at(d.root, "fields"), name) || names(at(d.root, "rows"), name) || names(at(d.root, "key"), name) {
		return d, nil
	}
	return d.prune([]string{"lookups", name})
}

// names reports whether a lookup is named anywhere below a node, including in expressions.
func names(n *document.Node, lookup string) bool {
	if n == nil {
		return false
	}
	l := at(n, "lookup")
	return l != nil && l.Value == lookup ||
		n.Kind == document.Scalar && (strings.Contains(n.Value, `"`+lookup+`"`) || strings.Contains(n.Value, "'"+lookup+"'")) ||
		slices.ContainsFunc(n.Content, func(c *document.Node) bool { return names(c, lookup) })
}

// notUsed and isSample occur in the proposal's list of columns that no field uses.
const (
	notUsed  = "# Not used:"
	isSample = " rows, such as "
)

// noteUsed removes columns from the proposal's list of unused columns.
func (d *File) noteUsed(columns []string) *File {
	lines := newLines(d.text)
	start := slices.Index(lines.all, notUsed)
	if start < 0 || !d.proposed[notUsed] {
		return d
	}
	var kept []string
	n, dropping, left := start+1, false, 0
	for ; n < len(lines.all) && strings.HasPrefix(lines.all[n], "#   ") && d.proposed[lines.all[n]]; n++ {
		line := lines.all[n]
		if strings.Contains(line, isSample) || strings.Contains(line, ": all rows, such as ") {
			dropping = slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(line, "#   "+c+": ") })
		}
		if !dropping {
			kept = append(kept, line)
			left++
		}
	}
	if n-start-1 == left {
		return d
	}
	if left > 0 {
		kept = append([]string{notUsed}, kept...)
	}
	next := *d
	next.text = lines.replaced(span{start, n}, kept...)
	return &next
}
