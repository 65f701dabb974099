package edit

import (
	"slices"
	"strings"

	"docketsync/config/document"
)

// undeclare takes a lookup away that nothing names any more, if it is written as init writes it: what somebody thought about
// stays.
func (d *File) undeclare(name string) (*File, error) {
	n := at(d.root, "lookups", name)
	if name == "" || n == nil || n.Value != "lookups/"+name+".csv" || names(at(d.root, "fields"), name) || names(at(d.root, "rows"), name) || names(at(d.root, "key"), name) {
		return d, nil
	}
	return d.prune([]string{"lookups", name})
}

// names tells whether a lookup is named anywhere beneath a node, in an expression too.
func names(n *document.Node, lookup string) bool {
	if n == nil {
		return false
	}
	l := at(n, "lookup")
	return l != nil && l.Value == lookup ||
		n.Kind == document.Scalar && (strings.Contains(n.Value, `"`+lookup+`"`) || strings.Contains(n.Value, "'"+lookup+"'")) ||
		slices.ContainsFunc(n.Content, func(c *document.Node) bool { return names(c, lookup) })
}

// notUsed and isSample are how the proposal lists the columns that no field took.
const (
	notUsed  = "# Not used:"
	isSample = " rows, such as "
)

// noteUsed takes columns out of the proposal's list of those that no field took.
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
