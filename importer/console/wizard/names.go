package wizard

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/mapping/infer"
	"docketsync/mapping/lookup"
)

// namesShown is the maximum number of names of a lookup that a page shows. Names without an id come first.
const namesShown = 300

// itemsOffered is the maximum number of list entries that a page offers.
const itemsOffered = 5000

type namesView struct {
	stepsView
	Seen    string
	Lookups []lookupView
	Lists   []string // of the service
	Offered []offer  // the lists from which ids are picked
	Faults  diagnostic.Faults
	Open    int
	Trouble bool // a lookup is not available, so its missing names are unknown
	Given   given
}

// offer is a list of the service from which ids can be picked.
type offer struct {
	Name  string
	Items []ListItem // at most itemsOffered
	Why   string     // why the list is not available

	table *lookup.Table
}

type lookupView struct {
	upload.Names
	Found  string   // where people find its ids
	Fields []string // that use it
	Shown  []nameLine
	Hidden int
	From   string // the list from which ids are picked, "" for none
	Match  int    // names without an id that the list has
	Table  tableGiven
}

type nameLine struct {
	upload.Line
	Wrong string // why the entered text is not accepted
	Said  string
	Near  []ListItem // the most similar entries of the list
}

func (p *Pages) names(r *web.Request, up *upload.Upload) error { return p.showNames(r, up, given{}) }

func (p *Pages) showNames(r *web.Request, up *upload.Upload, was given) error {
	view := namesView{stepsView: viewOf(up, "/names"), Given: was}
	text, err := up.Text()
	if err != nil {
		return err
	}
	view.Seen = upload.DigestOf(text)
	names, err := up.Names(r.Context(), text, p.Work.Tables)
	if errors.As(err, &view.Faults) {
		return r.Show("importnames", up.Name, view)
	}
	if err != nil {
		return unreadable(err)
	}
	if view.Lists, err = p.Work.Lists(); err != nil {
		return err
	}
	d, err := p.read(up, text)
	if err != nil {
		return err
	}
	for _, n := range names {
		l := lookupView{Names: n, Table: was.tables[n.Lookup], Found: infer.WhereFound(n.Lookup)}
		for _, f := range d.Fields() {
			if f.Choice.Lookup == n.Lookup {
				l.Fields = append(l.Fields, f.Path)
				l.Found = cmp.Or(l.Found, infer.WhereFound(infer.LookupFor(d.Operation(), f.Path)))
			}
		}
		l.show(was.faults)
		if l.From = chosenList(up, n.Lookup, view.Lists); l.From != "" && n.Service == "" && n.Ledger == "" {
			l.offer(p.offer(r, &view, l.From))
		}
		view.Open += n.Open()
		view.Trouble = view.Trouble || n.Trouble != ""
		view.Lookups = append(view.Lookups, l)
	}
	return r.Show("importnames", up.Name, view)
}

// show selects the names to show: first those with errors, then those without an id.
func (l *lookupView) show(faults []upload.IDFault) {
	for _, line := range l.Lines {
		shown := nameLine{Line: line}
		for _, f := range faults {
			if f.Lookup == l.Lookup && f.Name == line.Name {
				shown.Said, shown.Wrong = f.ID, f.Message
			}
		}
		l.Shown = append(l.Shown, shown)
	}
	rank := func(n nameLine) int {
		switch {
		case n.Wrong != "":
			return 0
		case n.ID == "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(l.Shown, func(a, b nameLine) int { return rank(a) - rank(b) })
	if l.Hidden = len(l.Shown) - namesShown; l.Hidden > 0 {
		l.Shown = l.Shown[:namesShown]
	}
}

// chosenList returns the list of the service from which the ids of a lookup are picked. It is the list that the user
// selected, or by default the list with the same name.
func chosenList(up *upload.Upload, lookup string, lists []string) string {
	if list, said := up.Lists[lookup]; said {
		if slices.Contains(lists, list) {
			return list
		}
		return ""
	}
	return infer.ListFor(lookup, lists)
}

// offer returns a list to pick ids from. It fetches each list once.
func (p *Pages) offer(r *web.Request, view *namesView, name string) offer {
	if n := slices.IndexFunc(view.Offered, func(o offer) bool { return o.Name == name }); n >= 0 {
		return view.Offered[n]
	}
	o := offer{Name: name}
	items, err := p.Work.List(r.Context(), name)
	if err != nil {
		o.Why, _, _ = strings.Cut(err.Error(), "\n")
	} else {
		o.Items, o.table = items[:min(len(items), itemsOffered)], tableOf(name, items)
	}
	view.Offered = append(view.Offered, o)
	return o
}

// tableOf returns a list as a lookup table. It skips entries without a name or an id.
func tableOf(name string, items []ListItem) *lookup.Table {
	t := lookup.OfService(name, name)
	for _, item := range items {
		_ = t.Offer(item.Name, item.ID)
	}
	return t
}

// offer finds the entries of the list that match names without an id.
func (l *lookupView) offer(o offer) {
	if o.table == nil {
		return
	}
	for _, line := range l.Lines {
		if _, fail := o.table.Find(line.Name); line.ID == "" && fail == nil {
			l.Match++
		}
	}
	for n := range l.Shown {
		line := &l.Shown[n]
		if line.ID != "" && line.Wrong == "" {
			continue
		}
		if id, fail := o.table.Find(line.Name); fail == nil {
			line.Near = []ListItem{{ID: id, Name: o.table.NameOf(line.Name, false)}}
			continue
		}
		for _, name := range o.table.Near(line.Name) {
			if id, ok := o.table.ID(name); ok {
				line.Near = append(line.Near, ListItem{ID: id, Name: name})
			}
		}
	}
}
