package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// goodsForm is a way to write classes and goods in one cell, with counts of the cells of a column that are written so.
type goodsForm struct {
	entries, class string // separators, as in split:
	tried, fit     int
	found          int // all classes found
	texts          int // cells with goods beside their classes
	classes        map[int]int
}

func newGoodsForms() []goodsForm {
	var forms []goodsForm
	for _, f := range [][2]string{{";", ":"}, {"\n", ":"}, {"\n", "."}, {"\n", "-"}, {"|", ":"}, {",", ":"}, {";", "."}, {"/", ":"}} {
		forms = append(forms, goodsForm{entries: f[0], class: f[1], classes: map[int]int{}})
	}
	return forms
}

// add tries a cell. It soon gives up on a column that has nothing of this form.
func (g *goodsForm) add(text string) {
	if g.tried > 50 && 4*g.fit < g.tried {
		return
	}
	g.tried++
	classes, texts := looksGoods(text, g.entries, g.class)
	if len(classes) == 0 {
		return
	}
	g.fit++
	g.found += len(classes)
	if texts {
		g.texts++
	}
	for _, class := range classes {
		if n, ok := looksClass(class); ok {
			g.classes[n]++
		}
	}
}

// bestGoods returns the form that finds the most classes in the column, or nil if no form fits most cells.
func (c *column) bestGoods() *goodsForm {
	var best *goodsForm
	for i := range c.goods {
		g := &c.goods[i]
		if c.filled > 0 && 5*g.fit >= 4*g.tried && (best == nil || g.found > best.found) {
			best = g
		}
	}
	return best
}

// goods says where a table has its classes and goods.
type goods struct {
	form    string // split, pairs, flags or rows
	class   string // column, or template of columns
	text    string // the same for the goods; "" if the file has none
	split   *goodsForm
	numbers []int     // of numbered columns
	columns []*column // the columns that it uses
	classes map[int]int
}

// number finds the number in a header: "Class 1", "1st Class".
var number = regexp.MustCompile(`\d+(st|nd|rd|th)?`)

// series is the numbered columns of a template, which is their name with # for the number.
type series struct {
	template string
	numbers  []int
	columns  []*column
	repeated bool // some have the name without a number
}

func (t *survey) series() []series {
	var list []series
	header := table.NewColumns(t.header)
	for _, name := range t.header.Names {
		name = table.Trim(name)
		if strings.ContainsAny(name, "#@") || strings.IndexFunc(name, unseen) >= 0 {
			continue // # stands for the number in a template
		}
		s := series{template: number.ReplaceAllString(name, "#")}
		if count := strings.Count(s.template, "#"); count == 0 && len(header.Find(name)) > 1 {
			s.template = name + " #"
		} else if count != 1 {
			continue
		}
		if slices.ContainsFunc(list, func(other series) bool { return other.template == s.template }) {
			continue
		}
		counted := header.Series(s.template)
		all := header.Repeated(s.template, counted)
		s.repeated = len(all) > len(counted)
		for _, c := range all {
			s.numbers, s.columns = append(s.numbers, c.Number), append(s.columns, t.columns[c.Column])
		}
		if len(s.numbers) > 1 && len(slices.Compact(slices.Clone(s.numbers))) == len(s.numbers) {
			list = append(list, s)
		}
	}
	return list
}

func (t *survey) countedGoods() *goods {
	var g *goods
	all := t.series()
	for _, s := range all {
		if !s.columns[0].means("class") {
			continue
		}
		form, classes := s.holds()
		if form == "" {
			continue
		}
		g = &goods{form: form, class: s.template, numbers: s.numbers, columns: s.columns, classes: classes}
		break
	}
	if g == nil || g.form == "flags" {
		return g
	}
	for _, s := range all {
		if s.template != g.class && slices.Equal(s.numbers, g.numbers) && (s.columns[0].means("goods") || s.columns[0].means("text") || s.columns[0].means("description")) {
			g.text = s.template
			g.columns = append(slices.Clone(g.columns), s.columns...)
			break
		}
	}
	return g
}

// holds reports whether numbered columns hold classes, or marks where a class applies.
func (s series) holds() (form string, classes map[int]int) {
	filled, isClass, isMark := 0, 0, 0
	words := map[string]bool{}
	pairs, flags := map[int]int{}, map[int]int{}
	for i, c := range s.columns {
		filled, isClass, isMark = filled+c.filled, isClass+c.class, isMark+c.looks[payload.TypeBool]
		for key, v := range c.values {
			words[key] = true
			if n, ok := looksClass(v.text); ok {
				pairs[n] += v.count
			}
			flags[s.numbers[i]] += v.count
		}
	}
	switch {
	case filled == 0:
	case isMark == filled && len(words) <= 2 && !s.repeated:
		return "flags", flags
	case 10*isClass >= 9*filled:
		return "pairs", pairs
	}
	return "", nil
}

func (t *survey) splitGoods() *goods {
	var best *column
	var form *goodsForm
	for _, c := range t.columns {
		f := c.bestGoods()
		if f == nil || len(c.at) > 1 || !(c.means("class") || c.means("goods") || t.lettered && f.texts > 0) {
			continue
		}
		if f.texts == 0 && f.found == f.fit {
			continue // one class in each cell
		}
		if form == nil || f.texts > form.texts {
			best, form = c, f
		}
	}
	if best == nil {
		return nil
	}
	g := &goods{form: "split", class: best.ref, split: form, columns: []*column{best}, classes: form.classes}
	if form.texts == 0 {
		g.takeText(t)
	}
	return g
}

func (t *survey) rowGoods() *goods {
	for _, c := range t.columns {
		if len(c.at) == 1 && c.means("class") && c.filled > 0 && 10*c.class >= 9*c.filled {
			g := &goods{form: "rows", class: c.ref, columns: []*column{c}, classes: map[int]int{}}
			for _, v := range c.values {
				if n, ok := looksClass(v.text); ok {
					g.classes[n] += v.count
				}
			}
			g.takeText(t)
			return g
		}
	}
	return nil
}

// takeText finds the column with the goods for a column of classes.
func (g *goods) takeText(t *survey) {
	for _, c := range t.columns {
		if len(c.at) == 1 && c.means("goods") && !slices.Contains(g.columns, c) && c.share(c.texts) > .5 {
			g.text, g.columns = c.ref, append(g.columns, c)
			return
		}
	}
}

func (c *column) means(concept string) bool {
	return slices.Contains(c.meaning.concepts, concept) && !c.meaning.other
}

// composeGoods writes the goods and services.
func (d *draft) composeGoods(depth int) {
	g := d.goods
	if g == nil {
		return
	}
	for _, c := range g.columns {
		d.use(c)
	}
	d.add(depth, payload.Goods, "", "")
	class := "{lookup: classes}"
	switch g.form {
	case "pairs":
		text, each := "{class: "+Scalar(g.class)+"}", len(g.columns)
		if g.text != "" {
			text, each = fmt.Sprintf("{class: %s, text: %s}", Scalar(g.class), Scalar(g.text)), each/2
		}
		d.add(depth+1, "pairs", text, fmt.Sprintf("counted columns, %d of each", each))
	case "flags":
		d.add(depth+1, "flags", Scalar(g.class), fmt.Sprintf("%d columns that mark the classes", len(g.columns)))
	case "split":
		var options []string
		if g.split.entries != ";" {
			options = append(options, fmt.Sprintf("entries: %q", g.split.entries))
		}
		if g.split.class != ":" && g.split.texts > 0 {
			options = append(options, fmt.Sprintf("class: %q", g.split.class))
		}
		text := "{" + strings.Join(append([]string{"column: " + Scalar(g.class)}, options...), ", ") + "}"
		d.add(depth+1, "split", text, d.reason(g.columns[0]))
		if g.split.fit < g.split.tried {
			d.ask("%s: %s cannot be taken apart into classes and goods and will be rejected.", g.class, table.Count(g.split.tried-g.split.fit, "cell", "cells"))
		}
	case "rows":
		class = fmt.Sprintf("{column: %s, lookup: classes}", Scalar(g.class))
	}
	d.add(depth+1, "item", "", "")
	d.add(depth+2, "search_class_id", class, "")
	d.goodsLanguage(depth + 2)
	d.goodsText(depth + 2)
	for n := 1; n <= 45; n++ { // in their order
		if cells := g.classes[n]; cells > 0 {
			d.lookup("classes", Name{fmt.Sprintf("Class %d", n), cells})
		}
	}
}

func (d *draft) goodsLanguage(depth int) {
	if c := d.chosen[languageField]; c != nil {
		d.add(depth, "language_id", d.ids(payload.Field{Name: "language_id", Type: payload.TypeGUID}, d.use(c)), d.reason(c))
		return
	}
	d.constant(depth, "language_id")
}

// goodsText writes the goods if the entry does not contain them.
func (d *draft) goodsText(depth int) {
	g := d.goods
	switch {
	case g.text != "" && g.form == "split":
		d.add(depth, "text", Scalar(Undecided), fmt.Sprintf("CHECK: %s holds the goods of all classes of a mark", g.text))
		d.ask("%s has several classes in a cell, and %s the goods of all of them, which would go out under each. Have the export write the classes with their goods "+
			"(9: software; 35: advertising) or a row for each class, or set text: {value: all goods of the class} in the mapping.", g.class, g.text)
	case g.text != "" && g.form != "pairs":
		d.add(depth, "text", Scalar(g.text), "")
	case g.text == "" && (g.form != "split" || g.split.texts == 0):
		d.add(depth, "text", "{value: all goods of the class}", "the file has classes alone")
		d.ask("The file has classes without goods; the mapping sends %q as the text of each.", "all goods of the class")
	}
}
