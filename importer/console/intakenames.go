package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docketsync/config/document"
	"docketsync/importer/intake"
	"docketsync/mapping/draft"

	"docketsync/importer/report"
)

// namesShown is how many names of a lookup a page shows, those without an id first.
const namesShown = 300

// itemsOffered is how many entries of a list of the service a page offers to choose from.
const itemsOffered = 5000

type intakeNamesView struct {
	intakeView
	Seen    string
	Lookups []lookupView
	Lists   []string // of the service
	Faults  document.Faults
	Open    int
	Trouble bool // with a lookup, so that what is missing is not known
}

type lookupView struct {
	intake.Names
	Fields []string // that go through it
	Shown  []nameLine
	Hidden int
	Items  []ListItem // to choose from
	From   string     // the list that they are of
	NoList string     // why it cannot be had
}

type nameLine struct {
	intake.Line
	Wrong string // what was written and is no id
	Said  string
}

func (s *Server) intakeNames(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	return s.showNames(v, i, nil)
}

func (s *Server) showNames(v *visit, i *intake.Intake, faults []intake.IDFault) error {
	view := intakeNamesView{intakeView: viewOf(i, "/names")}
	text, err := i.Text()
	if err != nil {
		return err
	}
	view.Seen = seenOf(text)
	names, err := i.Names(v.ctx(), text, s.Work.Intake.Tables)
	if errors.As(err, &view.Faults) {
		return v.show("intakenames", i.Name, view)
	}
	if err != nil {
		return s.unreadable(err)
	}
	if view.Lists, err = s.Work.Intake.Lists(); err != nil {
		return err
	}
	d, err := s.read(i, text)
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
		s.offer(v, &l, view.Lists)
		view.Open += n.Open()
		view.Trouble = view.Trouble || n.Trouble != ""
		view.Lookups = append(view.Lookups, l)
	}
	return v.show("intakenames", i.Name, view)
}

// show puts names without an id first, and of them all as many as a page bears.
func (l *lookupView) show(faults []intake.IDFault) {
	for _, line := range l.Lines {
		shown := nameLine{Line: line}
		for _, f := range faults {
			if f.Lookup == l.Lookup && f.Name == line.Name {
				shown.Said, shown.Wrong = f.ID, f.Message
			}
		}
		l.Shown = append(l.Shown, shown)
	}
	slices.SortStableFunc(l.Shown, func(a, b nameLine) int { return rankOf(a) - rankOf(b) })
	if l.Hidden = len(l.Shown) - namesShown; l.Hidden > 0 {
		l.Shown = l.Shown[:namesShown]
	}
}

func rankOf(n nameLine) int {
	switch {
	case n.Wrong != "":
		return 0
	case n.ID == "":
		return 1
	}
	return 2
}

// offer adds the entries of the service's list that has the lookup's name, to choose ids from.
func (s *Server) offer(v *visit, l *lookupView, lists []string) {
	if len(l.Lines) == 0 || !slices.Contains(lists, l.Lookup) {
		return
	}
	items, err := s.Work.Intake.List(v.ctx(), l.Lookup)
	if err != nil {
		l.NoList = strings.SplitN(err.Error(), "\n", 2)[0]
		return
	}
	l.From, l.Items = l.Lookup, items[:min(len(items), itemsOffered)]
}

// fillIn takes the ids beside the names of one lookup, or where a lookup is to be found.
func (s *Server) fillIn(v *visit) error {
	i, err := s.intakeOf(v)
	if err != nil {
		return err
	}
	lookup := v.r.PostFormValue("lookup")
	if v.r.PostForm.Has("place") {
		return s.placeLookup(v, i, lookup, v.r.PostFormValue("place"))
	}
	text, err := i.Text()
	if err != nil {
		return err
	}
	ids, names := map[string]string{}, v.r.PostForm["name"]
	for n, id := range v.r.PostForm["id"] {
		if n < len(names) {
			ids[names[n]] = id
		}
	}
	faults, err := i.FillIn(text, lookup, ids)
	if err != nil {
		return err
	}
	v.remark(fmt.Sprintf("%s: %s", lookup, report.Counted(len(ids)-len(faults), "name")))
	if len(faults) > 0 {
		return s.showNames(v, i, faults)
	}
	return v.seeOther("/import/"+i.ID+"/names", "The ids of "+lookup+" were kept.")
}

// placeLookup takes a lookup from a list of the service, or from its file again.
func (s *Server) placeLookup(v *visit, i *intake.Intake, lookup, list string) error {
	lists, err := s.Work.Intake.Lists()
	if err != nil {
		return err
	}
	if list != "" && !slices.Contains(lists, list) {
		return refuse(http.StatusBadRequest, "The service has no such list.", "The lists are those under service.lists in the configuration.")
	}
	err = s.change(v, i, func(d *draft.Draft) (*draft.Draft, error) {
		if !slices.Contains(d.Lookups(), lookup) {
			return nil, refuse(http.StatusBadRequest, "The mapping has no such lookup.", "Open the page again.")
		}
		if list == "" {
			return d.DeclareFile(lookup)
		}
		return d.DeclareList(lookup, list)
	})
	if err != nil {
		return err
	}
	return v.seeOther("/import/"+i.ID+"/names", "")
}
