package wizard

import (
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/report/wording"
	"docketsync/mapping/edit"
)

// goodsView is the layout of goods and services in the form.
type goodsView struct {
	edit.Goods
	OK                  bool     // a form can show it
	Places              []string // columns, and counted columns with # in place of the number
	Entries, Separators []separator
}

// separator separates entries, or a class from its goods.
type separator struct{ Text, Words string }

var (
	entrySeparators = []separator{{"", "as usual"}, {";", ";"}, {",", ","}, {"|", "|"}, {"/", "/"}, {"\n", "a line break"}}
	classSeparators = []separator{{"", "as usual"}, {":", ":"}, {".", "."}, {"-", "-"}}
)

// describeGoods adds the layout to the view, or an incomplete one from the form.
func (view *mappingView) describeGoods(r *web.Request, d *edit.File, columns []string) {
	g := &view.Goods
	g.Goods, g.OK = d.Goods()
	if begun, said := goodsOf(r); said && !whole(begun) {
		g.Goods = begun
	}
	g.Places = slices.Clone(columns)
	counted := map[string]int{}
	for _, name := range columns {
		if template := digits.ReplaceAllString(name, "#"); template != name {
			if counted[template]++; counted[template] == 2 {
				g.Places = append(g.Places, template)
			}
		}
	}
	for _, place := range []string{g.Class, g.Text} {
		if place != "" && !slices.Contains(g.Places, place) {
			g.Places = append(g.Places, place)
		}
	}
	with := func(list []separator, text string) []separator {
		if slices.ContainsFunc(list, func(s separator) bool { return s.Text == text }) {
			return list
		}
		return append(slices.Clone(list), separator{text, text})
	}
	g.Entries, g.Separators = with(entrySeparators, g.Goods.Entries), with(classSeparators, g.Separator)
}

// goodsOf returns the layout in a form. said is false if the form has none.
func goodsOf(r *web.Request) (g edit.Goods, said bool) {
	value := func(name string) string { return strings.ReplaceAll(r.PostFormValue("goods/"+name), "\r\n", "\n") }
	g = edit.Goods{Layout: value("layout"), Class: value("class"), Text: value("text")}
	switch g.Layout {
	case "":
		g = edit.Goods{}
	case edit.Split:
		g.Entries, g.Separator = value("entries"), value("separator")
	case edit.Flags:
		g.Text = strings.ReplaceAll(g.Text, "#", "") // one column for all classes, if any
	}
	return g, r.PostForm.Has("goods/layout")
}

// whole reports whether a layout is complete. It must name the columns of the classes: counted columns for pairs and
// flags, one column otherwise.
func whole(g edit.Goods) bool {
	counts := g.Layout == edit.Pairs || g.Layout == edit.Flags
	return g.Layout == "" || g.Class != "" && strings.Contains(g.Class, "#") == counts && (g.Text == "" || g.Layout != edit.Pairs || strings.Contains(g.Text, "#")) &&
		slices.Contains([]string{edit.Split, edit.Pairs, edit.Flags, edit.Rows}, g.Layout)
}

// chooseGoods applies the layout to the draft. anew is true if the layout has changed: then the fields of entries in
// the form belong to the previous layout.
func chooseGoods(r *web.Request, d *edit.File) (_ *edit.File, anew bool, err error) {
	g, said := goodsOf(r)
	if now, ok := d.Goods(); !said || !whole(g) || !ok || now == g {
		return d, false, nil
	}
	d, err = d.ChooseGoods(g)
	return d, true, err
}

// IsGoods reports whether the field is the one of goods and services.
func (f fieldView) IsGoods() bool { return f.Path == payload.Goods }

// checkView is a check in the form.
type checkView struct {
	edit.Check
	Words string
}

// checkWords describes the checks, by their names.
var checkWords = map[string]string{
	"filing_after_registration":    "filed after it was registered",
	"expiry_before_registration":   "expires before it was registered",
	"expiry_before_filing":         "expires before it was filed",
	"publication_before_filing":    "published before it was filed",
	"filing_in_future":             "filed in the future",
	"registration_in_future":       "registered in the future",
	"status_date_in_future":        "status dated in the future",
	"registered_without_number":    "registered, but without a number",
	"registered_without_date":      "registered, but without a date",
	"date_far_off":                 "a date is implausibly early or late",
	"date_partial":                 "a sheet shows only a part of a date",
	"nice_class":                   "a class that does not exist",
	"text_damaged":                 "letters were lost before the file was written",
	"file_number_repeated":         "one file number twice in a folder",
	"twin_key":                     "two keys differ only in spelling",
	"number_repeated":              "two cases with one number",
	"id_repeated":                  "two records update the same case or trademark",
	"application_number_repeated":  "two marks with one application number",
	"registration_number_repeated": "two marks with one registration number",
	"file_number_in_two_folders":   "one file number in two folders of a client",
}

// describeChecks adds the checks that are made before a record is sent to the view.
func (view *mappingView) describeChecks(d *edit.File) {
	checks, ok := d.Checks()
	view.ChecksOK = ok
	for _, check := range checks {
		words := check.Name
		if said := checkWords[check.Name]; said != "" && check.Rule == "" {
			words = said
		}
		view.Checks = append(view.Checks, checkView{check, wording.UpperFirst(words)})
	}
}

// chooseChecks applies the levels of checks in the form to the draft.
func chooseChecks(r *web.Request, d *edit.File) (_ *edit.File, err error) {
	checks, _ := d.Checks()
	for _, check := range checks {
		if level := r.PostFormValue("check/" + check.Name); level != "" && check.Rule == "" {
			if d, err = d.ChooseCheck(check.Name, level); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// dateForm is a date format, with an example.
type dateForm struct{ Pattern, Example string }

// dateForms lists the formats that the form offers. Others can be set in the mapping file, and are then offered for
// that field.
var dateForms = []dateForm{
	{"DD.MM.YYYY", "31.12.2024"}, {"D.M.YYYY", "5.3.2024"}, {"DD/MM/YYYY", "31/12/2024"}, {"MM/DD/YYYY", "12/31/2024"}, {"D/M/YYYY", "5/3/2024, the day first"},
	{"M/D/YYYY", "3/5/2024, the month first"}, {"YYYY-MM-DD", "2024-12-31"}, {"DD-MM-YYYY", "31-12-2024"}, {"YYYY/MM/DD", "2024/12/31"}, {"YYYYMMDD", "20241231"},
	{"D MMM YYYY", "5 Mar 2024"}, {"D-MMM-YYYY", "5-Mar-2024"}, {"MMM D, YYYY", "Mar 5, 2024"}, {"D. MMMM YYYY", "5. März 2024"}, {"D de MMMM de YYYY", "5 de marzo de 2024"},
	{"YYYY-MM-DD hh:mm:ss", "2024-12-31 18:00:00"},
}

// DateForms returns the formats to choose from, including the current one.
func (mappingView) DateForms(now string) []dateForm {
	if now == "" || now == "proven" || slices.ContainsFunc(dateForms, func(f dateForm) bool { return f.Pattern == now }) {
		return dateForms
	}
	return append(slices.Clone(dateForms), dateForm{now, "set in the mapping file"})
}

// patternsIn returns the date patterns in a field of a form, each once.
func patternsIn(r *web.Request, name string) (patterns []string) {
	for _, pattern := range r.PostForm[name] {
		if pattern != "" && !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}
