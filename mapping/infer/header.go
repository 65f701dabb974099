package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// ColumnNames returns a mapping's names for the columns of a header: Name#2 for the second column of a name, @C for a
// column without a name.
func ColumnNames(h table.Header) []string {
	names := make([]string, len(h.Names))
	for i, c := range columnsOf(h)[:len(h.Names)] {
		names[i] = c.ref
	}
	return names
}

// columnsOf makes a column for each column of the header, and one for each name that a header spreads over several
// columns.
func columnsOf(h table.Header) []*column {
	counts, nth, alike := map[string]int{}, map[string]int{}, map[string]int{}
	for _, name := range h.Names {
		counts[table.Trim(name)]++
		alike[table.FoldName(name)]++
	}
	var list []*column
	for i, name := range h.Names {
		name = table.Trim(name)
		if line := strings.Join(strings.Fields(name), " "); line != name && alike[table.FoldName(name)] == 1 {
			name = line // its words are on several lines; the column is found anyway, because white space in headers is ignored
			counts[name]++
		}
		nth[name]++
		ref := name
		if counts[name] > 1 {
			ref = fmt.Sprintf("%s#%d", name, nth[name])
		}
		unclear := ref != name && counts[ref] > 0
		if name == "" || unclear || strings.IndexFunc(name, unseen) >= 0 {
			if ref = h.Letters(i); counts[ref] > 0 {
				ref = strings.ToLower(ref) // another column has this name
			}
		}
		list = append(list, newColumn(ref, name, i))
	}
	return append(list, spreadNames(list)...)
}

// unseen reports characters that nobody could type into a mapping.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

// nameParts are the columns that hold one name, in the order in which they are joined.
type nameParts struct {
	whose string // the concept beside the parts, or ""
	by    map[string]*column
}

// partsOfNames are the concepts of parts of a name, in the order of a name.
var partsOfNames = []string{"company", "first", "middle", "last"}

// spreadNames finds names in several columns: the company's, or a person's first and last name. Each becomes one name,
// whose columns are joined with a space. A person whose role no header states is taken for the client, unless another
// column holds the client.
func spreadNames(list []*column) []*column {
	var found []*nameParts
	client := false
	for _, c := range list {
		client = client || c.means("client")
		part, whose, ok := c.partOfName()
		if !ok {
			continue
		}
		i := slices.IndexFunc(found, func(p *nameParts) bool { return p.whose == whose })
		if i < 0 {
			i = len(found)
			found = append(found, &nameParts{whose, map[string]*column{}})
		}
		found[i].by[part] = c
	}
	var spread []*column
	for _, p := range found {
		if p.by["first"] != nil && p.by["last"] != nil && (p.whose != "" || !client) {
			spread = append(spread, p.joined())
		}
	}
	return spread
}

// partOfName says which part of whose name a column holds.
func (c *column) partOfName() (part, whose string, ok bool) {
	for _, concept := range c.meaning.concepts {
		switch {
		case slices.Contains(partsOfNames, concept):
			part = concept
		case concept == "name":
		case whose != "":
			return "", "", false
		default:
			whose = concept
		}
	}
	return part, whose, part != "" && !c.meaning.other && len(c.meaning.unknown) == 0
}

func (p *nameParts) joined() *column {
	joined := newColumn("", cmp.Or(p.whose, "client person")+" name")
	for _, part := range partsOfNames {
		if c := p.by[part]; c != nil {
			joined.at, joined.parts = append(joined.at, c.at...), append(joined.parts, c.ref)
		}
	}
	joined.ref = strings.Join(joined.parts, " + ")
	return joined
}
