package certificate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// dimension counts records, or the entries of a list, by the value of one field.
type dimension struct {
	axis    payload.Axis // a field of the operation: only marks have an office, for instance
	list    bool
	groups  map[pair]*Group
	unknown int
	names   map[string]string // name by id, as far as the mapping's lookup has one
	used    bool
}

// pair is what the source says and what was sent for it. Either may be missing.
type pair struct {
	text, sent string
	known      bool // text was found
}

func newDimensions(operation string, runs []ledger.Run) []*dimension {
	var list []*dimension
	for _, a := range payload.Operation(operation).About().Axes {
		list = append(list, &dimension{axis: a, list: strings.Contains(a.Field, "."), groups: map[pair]*Group{}, names: map[string]string{}})
	}
	for _, run := range runs {
		for _, source := range run.Sources {
			for _, o := range source.Origins {
				at := slices.IndexFunc(list, func(d *dimension) bool { return run.Operation == operation && d.axis.Field == o.Field })
				if at >= 0 {
					list[at].used = true
					maps.Copy(list[at].names, o.Names)
				}
			}
		}
	}
	return list
}

// add adds a record.
func (d *dimension) add(f *fed) {
	values := f.of(d.axis.Field)
	d.used = d.used || len(values) > 0
	cells := f.filledCells(d.axis.Field)
	if d.list {
		d.addEntries(f, cells, values)
		return
	}
	p := pair{known: len(cells) > 0}
	if p.known {
		p.text = strings.TrimSpace(cells[0].Text)
	}
	switch {
	case len(values) > 0:
		p.sent = values[0].text
	case !p.known && !f.payload:
		p.sent = unknown
	}
	d.count(p, f)
}

// addEntries counts the entries of a list. If the payload of a record is missing, its entries are unknown.
func (d *dimension) addEntries(f *fed, cells []filled, values []value) {
	if !f.payload {
		d.unknown++
		return
	}
	one := f.beside(cells, values)
	for n, v := range values {
		p := pair{sent: v.text}
		switch {
		case d.names[v.text] != "":
			p.text, p.known = d.names[v.text], true
		case one != nil && one[n] != nil:
			p.text, p.known = strings.TrimSpace(one[n].Text), true
		}
		d.count(p, f)
	}
}

func (d *dimension) count(p pair, f *fed) {
	g := d.groups[p]
	if g == nil {
		g = &Group{example: -1}
		d.groups[p] = g
	}
	g.Source++
	if f.in() {
		g.In++
		if g.example < 0 && f.cells && f.payload {
			g.example = f.id
		}
	}
}

// blank names the group of records without a value; unknown, the group of those with neither a filled cell nor a
// payload.
const (
	blank   = "(empty)"
	unknown = "(not known)"
)

// close merges the groups that belong under one name. A value whose cell is unknown joins the text for which other
// records sent the same value, if there is only one such text.
func (d *dimension) close() Dimension {
	texts := map[string]map[string]bool{} // by what was sent
	for p := range d.groups {
		if p.known && p.sent != "" {
			if texts[p.sent] == nil {
				texts[p.sent] = map[string]bool{}
			}
			texts[p.sent][p.text] = true
		}
	}
	merged := map[pair]*Group{}
	for p, g := range d.groups {
		at := pair{text: p.text, known: p.known}
		if !p.known {
			at.text = p.sent
			if len(texts[p.sent]) == 1 {
				at = pair{text: slices.Collect(maps.Keys(texts[p.sent]))[0], known: true}
			}
		}
		into := merged[at]
		if into == nil {
			into = &Group{Text: cmp.Or(at.text, blank), Known: at.known, example: -1}
			merged[at] = into
		}
		into.Source, into.In = into.Source+g.Source, into.In+g.In
		if p.sent != "" && !slices.Contains(into.Sent, p.sent) && (p.sent != into.Text || into.Known) {
			into.Sent = append(into.Sent, p.sent)
		}
		if g.example >= 0 && (into.example < 0 || g.example < into.example) {
			into.example = g.example
		}
	}
	whole := Dimension{Name: d.axis.Name, Field: d.axis.Field, List: d.list, Unknown: d.unknown, Groups: make([]Group, 0, len(merged))}
	for _, g := range merged {
		slices.Sort(g.Sent)
		whole.Source, whole.In = whole.Source+g.Source, whole.In+g.In
		whole.Groups = append(whole.Groups, *g)
	}
	slices.SortFunc(whole.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Missing(), a.Missing()), cmp.Compare(b.Source, a.Source), cmp.Compare(a.Text, b.Text), cmp.Compare(fmt.Sprint(b.Known), fmt.Sprint(a.Known)))
	})
	return whole
}
