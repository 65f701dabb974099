package wizard

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/report/wording"
	"docketsync/mapping/edit"
)

// namesShown is how many names of a lookup a page shows, those without an id first.
const namesShown = 300

// itemsOffered is how many entries of a list of the service a page offers to choose from.
const itemsOffered = 5000

type namesView struct {
	stepsView
	Seen    string
	Lookups []lookupView
	Lists   []string // of the service
	Faults  diagnostic.Faults
	Open    int
	Trouble bool // with a lookup, so that what is missing is not known
}

type lookupView struct {
	upload.Names
	Fields []string // that go through it
	Shown  []nameLine
	Hidden int
	Items  []ListItem // to choose from
	NoList string     // why they cannot be had
}

type nameLine struct {
	upload.Line
	Wrong string // what was written and is no id
	Said  string
}

func (p *Pages) names(r *web.Request, up *upload.Upload) error { return p.showNames(r, up, nil) }

func (p *Pages) showNames(r *web.Request, up *upload.Upload, faults []upload.IDFault) error {
	view := namesView{stepsView: viewOf(up, "/names")}
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
		l := lookupView{Names: n}
		for _, f := range d.Fields() {
			if f.Choice.Lookup == n.Lookup {
				l.Fields = append(l.Fields, f.Path)
			}
		}
		l.show(faults)
		if len(l.Lines) > 0 && slices.Contains(view.Lists, l.Lookup) {
			p.offer(r, &l)
		}
		view.Open += n.Open()
		view.Trouble = view.Trouble || n.Trouble != ""
		view.Lookups = append(view.Lookups, l)
	}
	return r.Show("importnames", up.Name, view)
}

// show puts names without an id first, and of them all as many as a page bears.
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

// offer adds the entries of the service's list of the lookup's name, to choose ids from.
func (p *Pages) offer(r *web.Request, l *lookupView) {
	items, err := p.Work.List(r.Context(), l.Lookup)
	if err != nil {
		l.NoList, _, _ = strings.Cut(err.Error(), "\n")
		return
	}
	l.Items = items[:min(len(items), itemsOffered)]
}

// fillIn takes the ids beside the names of one lookup, or where a lookup is to be found.
func (p *Pages) fillIn(r *web.Request, up *upload.Upload) error {
	lookup := r.PostFormValue("lookup")
	if r.PostForm.Has("place") {
		return p.placeLookup(r, up, lookup, r.PostFormValue("place"))
	}
	text, err := up.Text()
	if err != nil {
		return err
	}
	ids, names := map[string]string{}, r.PostForm["name"]
	for n, id := range r.PostForm["id"] {
		if n < len(names) {
			ids[names[n]] = id
		}
	}
	faults, err := up.FillIn(text, lookup, ids)
	if err != nil {
		return err
	}
	r.Remark(fmt.Sprintf("%s: %s", lookup, wording.Counted(len(ids)-len(faults), "name")))
	if len(faults) > 0 {
		return p.showNames(r, up, faults)
	}
	return r.SeeOther("/import/"+up.ID+"/names", "Ids for "+lookup+" saved.")
}

// placeLookup takes a lookup from a list of the service, or from its file again.
func (p *Pages) placeLookup(r *web.Request, up *upload.Upload, lookup, list string) error {
	lists, err := p.Work.Lists()
	if err != nil {
		return err
	}
	if list != "" && !slices.Contains(lists, list) {
		return web.Refuse(http.StatusBadRequest, "The service has no such list.", "Lists are configured under service.lists.")
	}
	err = p.edit(r, up, func(d *edit.File) (*edit.File, error) {
		if !slices.Contains(d.Lookups(), lookup) {
			return nil, web.Refuse(http.StatusBadRequest, "The mapping has no such lookup.", "Reload the page.")
		}
		return d.DeclareLookup(lookup, list)
	})
	if err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/names", "")
}
