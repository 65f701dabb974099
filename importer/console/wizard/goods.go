package wizard

import (
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/mapping/edit"
)

// goodsView is the layout of goods and services as the form has it.
type goodsView struct {
	edit.Goods
	OK                  bool     // a form can show it
	Places              []string // columns, and the names of counted columns with # in the place of the number
	Entries, Separators []separator
}

// separator is what may stand between entries, or between a class and its goods.
type separator struct{ Text, Words string }

var (
	entrySeparators = []separator{{"", "as usual"}, {";", ";"}, {",", ","}, {"|", "|"}, {"/", "/"}, {"\n", "a line break"}}
	classSeparators = []separator{{"", "as usual"}, {":", ":"}, {".", "."}, {"-", "-"}}
)

// describeGoods shows the layout, or the one that somebody has only begun to choose.
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

// goodsOf is what the form says about the layout; false where it says nothing.
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

// whole tells that a layout says where its classes are: counted columns for pairs and flags, one for the others.
func whole(g edit.Goods) bool {
	counts := g.Layout == edit.Pairs || g.Layout == edit.Flags
	return g.Layout == "" || g.Class != "" && strings.Contains(g.Class, "#") == counts && (g.Text == "" || g.Layout != edit.Pairs || strings.Contains(g.Text, "#")) &&
		slices.Contains([]string{edit.Split, edit.Pairs, edit.Flags, edit.Rows}, g.Layout)
}

// chooseGoods takes the layout. Where it has changed, what the form says of the fields of an entry was said of the one before.
func chooseGoods(r *web.Request, d *edit.File) (_ *edit.File, anew bool, err error) {
	g, said := goodsOf(r)
	if now, ok := d.Goods(); !said || !whole(g) || !ok || now == g {
		return d, false, nil
	}
	d, err = d.ChooseGoods(g)
	return d, true, err
}

// IsGoods tells whether the field is that of goods and services.
func (f fieldView) IsGoods() bool { return f.Path == payload.Goods }
