package wizard

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
	"docketsync/mapping/edit"
	"docketsync/mapping/lookup"
	"docketsync/mapping/value"
)

// given is the input of a names form that could not be saved. The page shows it again, so that nothing is lost.
type given struct {
	Said   []string // what was saved, one sentence for each lookup
	faults []upload.IDFault
	tables map[string]tableGiven // by lookup
}

// Wrong counts the errors.
func (g given) Wrong() int {
	n := len(g.faults)
	for _, t := range g.tables {
		n += max(len(t.Faults), min(len(t.Why), 1))
	}
	return n
}

// tableGiven is a pasted or uploaded table with errors.
type tableGiven struct {
	Why    string // why none of it could be read; "" if it could
	Faults []upload.LineFault
	Text   string // the rejected lines, to correct and send again
}

// filling is a names form that is being saved.
type filling struct {
	*Pages
	r     *web.Request
	up    *upload.Upload
	text  string
	names []upload.Names // before the change
	lists []string       // of the service
	was   given
}

// fillIn saves the whole page at once: entered ids, tables, and the list that each lookup uses. It saves what is valid,
// and shows the rest again with its errors.
func (p *Pages) fillIn(r *web.Request, up *upload.Upload) error {
	f := filling{Pages: p, r: r, up: up, was: given{tables: map[string]tableGiven{}}}
	var err error
	if f.text, err = up.Text(); err != nil {
		return err
	}
	if f.lists, err = p.Work.Lists(); err != nil {
		return err
	}
	if f.names, err = up.Names(r.Context(), f.text, p.Work.Tables); err != nil {
		return p.showNames(r, up, f.was) // the page shows the errors of the mapping
	}
	for _, names := range f.names {
		if names.Service == "" && names.Ledger == "" {
			if err := f.one(names); err != nil {
				return err
			}
		}
	}
	if err := f.places(); err != nil {
		return err
	}
	r.Remark(strings.Join(f.was.Said, " "))
	if f.was.Wrong() > 0 {
		return p.showNames(r, up, f.was)
	}
	to := "/names"
	if r.PostFormValue("then") == "job" {
		to = "/job"
	}
	return r.SeeOther("/import/"+up.ID+to, strings.Join(f.was.Said, " "))
}

// one saves the input for one lookup: first the entered ids, including those picked from a list, then the tables.
func (f *filling) one(names upload.Names) error {
	ids, was, boxes, shown := map[string]string{}, map[string]string{}, f.r.PostForm["name/"+names.Lookup], f.r.PostForm["was/"+names.Lookup]
	for n, id := range f.r.PostForm["id/"+names.Lookup] {
		if n >= len(boxes) {
			break
		}
		if ids[boxes[n]] = id; n < len(shown) {
			if was[boxes[n]] = shown[n]; strings.TrimSpace(id) == shown[n] {
				delete(ids, boxes[n]) // an unchanged field does not overwrite the change of another user
			}
		}
	}
	// A button beside a name picks an entry of the list.
	if id, name, ok := strings.Cut(f.r.PostFormValue("take/"+names.Lookup), " "); ok {
		ids[name] = id
	}
	f.byName(names.Lookup, ids)
	if n := changed(names, ids); n > 0 {
		faults, err := f.up.FillIn(f.text, names.Lookup, ids, was)
		if err != nil {
			return err
		}
		f.was.faults = append(f.was.faults, faults...)
		if n -= len(faults); n > 0 {
			f.was.Said = append(f.was.Said, fmt.Sprintf("%s: %s saved.", names.Lookup, wording.Counted(n, "id")))
		}
	}
	if f.r.PostFormValue("matches") == names.Lookup {
		if err := f.takeMatches(names); err != nil {
			return err
		}
	}
	tables, err := f.tables(names.Lookup)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := f.take(names.Lookup, table); err != nil {
			return err
		}
	}
	return nil
}

// byName replaces entered names by their ids. It looks the names up in the list that ids are chosen from.
func (f *filling) byName(of string, ids map[string]string) {
	list := chosenList(f.up, of, f.lists)
	var table *lookup.Table
	for name, said := range ids {
		if _, valid := value.GUID(strings.TrimSpace(said)); valid || said == "" || list == "" {
			continue
		}
		if table == nil {
			items, err := f.Work.List(f.r.Context(), list)
			if err != nil {
				return // the page shows this error, and that the text is not an id
			}
			table = tableOf(list, items)
		}
		if id, fail := table.Find(strings.TrimSpace(said)); fail == nil {
			ids[name] = id
		}
	}
}

// changed counts the names whose id has changed.
func changed(names upload.Names, ids map[string]string) (n int) {
	for _, line := range names.Lines {
		if id, said := ids[line.Name]; said && strings.TrimSpace(id) != line.ID {
			n++
		}
	}
	return n
}

// tables reads the pasted and uploaded tables of a lookup. It records a table that cannot be read as an error of the
// form.
func (f *filling) tables(lookup string) (tables []upload.IDTable, err error) {
	text := f.r.PostFormValue("paste/" + lookup)
	add := func(table upload.IDTable, err error) error {
		if unusable, ok := errors.AsType[*format.Error](err); ok {
			f.was.tables[lookup] = tableGiven{Why: wording.Sentence(unusable.Error() + " " + unusable.Hint), Text: text}
			return nil
		}
		tables = append(tables, table)
		return err
	}
	if strings.TrimSpace(text) != "" {
		if err := add(upload.PastedIDs(f.r.Context(), text)); err != nil {
			return nil, err
		}
	}
	if f.r.MultipartForm == nil {
		return tables, nil
	}
	for _, head := range f.r.MultipartForm.File["file/"+lookup] {
		if head.Filename == "" {
			continue // no file was selected
		}
		file, err := head.Open()
		if err != nil {
			return nil, err
		}
		table, err := upload.UploadedIDs(f.r.Context(), filepath.Base(head.Filename), file)
		if err := errors.Join(add(table, err), file.Close()); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// take saves the ids of a table in a lookup, and records the result.
func (f *filling) take(lookup string, table upload.IDTable) error {
	if len(table.Pairs) > 0 {
		taken, err := f.up.TakeIDs(f.text, lookup, table.Pairs)
		if err != nil {
			return err
		}
		said := fmt.Sprintf("%s: %s read, %s filled in", lookup, wording.Counted(len(table.Pairs), "id"), wording.Thousands(taken.Filled))
		if taken.Replaced > 0 {
			said += ", " + wording.Thousands(taken.Replaced) + " replaced"
		}
		if taken.Added > 0 {
			said += fmt.Sprintf(", %s added for names that this file does not use", wording.Thousands(taken.Added))
		}
		f.was.Said = append(f.was.Said, said+".")
	}
	if len(table.Faults) > 0 {
		g := f.was.tables[lookup]
		for _, fault := range table.Faults {
			g.Faults = append(g.Faults, fault)
			g.Text += fault.Text + "\n"
		}
		f.was.tables[lookup] = g
	}
	return nil
}

// takeMatches fills in the ids of names that the selected list contains.
func (f *filling) takeMatches(names upload.Names) error {
	list := chosenList(f.up, names.Lookup, f.lists)
	if list == "" {
		return nil
	}
	items, err := f.Work.List(f.r.Context(), list)
	if err != nil {
		return err
	}
	var found upload.IDTable
	table := tableOf(list, items)
	for _, line := range names.Lines {
		if id, fail := table.Find(line.Name); line.ID == "" && fail == nil {
			found.Pairs = append(found.Pairs, upload.Pair{Name: line.Name, ID: id})
		}
	}
	return f.take(names.Lookup, found)
}

// choosing is the prefix of a choice that keeps the table and picks its ids from a list.
const choosing = "choose:"

// places saves where each lookup gets its ids: from a list of the service, or from its file. It also saves the lists
// from which ids of files are picked.
func (f *filling) places() error {
	moved := map[string]string{}
	for _, names := range f.names {
		place := f.r.PostFormValue("place/" + names.Lookup)
		if names.Ledger != "" || !f.r.PostForm.Has("place/"+names.Lookup) {
			continue
		}
		list, choose := strings.CutPrefix(place, choosing)
		if list != "" && !slices.Contains(f.lists, list) {
			return web.Refuse(http.StatusBadRequest, "The service has no such list.", "Lists are configured under service.lists.")
		}
		if (choose || place == "") && list != chosenList(f.up, names.Lookup, f.lists) {
			if err := f.up.ChooseFrom(names.Lookup, list); err != nil {
				return err
			}
		}
		if choose {
			list = ""
		}
		if list != names.Service {
			moved[names.Lookup] = list
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return f.edit(f.r, f.up, func(d *edit.File) (_ *edit.File, err error) {
		for _, lookup := range slices.Sorted(maps.Keys(moved)) {
			if d, err = d.DeclareLookup(lookup, moved[lookup]); err != nil {
				return nil, err
			}
		}
		return d, nil
	})
}

// downloadNames answers with the names of a lookup as a file to fill in and upload again: all names, or those without
// an id.
func (p *Pages) downloadNames(r *web.Request, up *upload.Upload) error {
	text, err := up.Text()
	if err != nil {
		return err
	}
	list, err := up.Names(r.Context(), text, p.Work.Tables)
	if err != nil {
		return unreadable(err)
	}
	query := r.URL.Query()
	lookup, missing := query.Get("lookup"), query.Get("only") == "missing"
	n := slices.IndexFunc(list, func(n upload.Names) bool { return n.Lookup == lookup })
	if n < 0 {
		return web.Nowhere(r)
	}
	lines := append(slices.Clone(list[n].Lines), list[n].Missing...)
	name := upload.JobName(lookup)
	if missing {
		lines = slices.DeleteFunc(lines, func(l upload.Line) bool { return l.ID != "" })
		name += "-missing"
	}
	var data []byte
	kind := "text/csv; charset=utf-8"
	if query.Get("as") == "xlsx" {
		kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
		name += ".xlsx"
		data, err = upload.Workbook("Ids of "+lookup, lines)
	} else {
		name += ".csv"
		data, err = upload.CSV(lines)
	}
	if err != nil {
		return err
	}
	h := r.Response.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, err = r.Response.Write(data)
	return err
}
