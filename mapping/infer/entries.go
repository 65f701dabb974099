package infer

import (
	"fmt"
	"strings"

	"docketsync/apiclient/payload"
)

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
			d.ask("%s: %s cannot be taken apart into classes and goods and will be rejected.", g.class, count(g.split.tried-g.split.fit, "cell", "cells"))
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

// goodsText writes the goods where the entry does not bring them along.
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
