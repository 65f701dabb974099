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
	d.add(depth, "good_and_services", "", "")
	class := "{lookup: classes}"
	switch g.form {
	case "pairs":
		d.add(depth+1, "pairs", pairText("class", g.class, "text", g.text), fmt.Sprintf("counted columns, %d of each", len(g.columns)/max(1, parts(g))))
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
			d.ask("%s: %s cannot be taken apart into classes and goods and will be rejected.", g.class, times(g.split.tried-g.split.fit, "cell"))
		}
	case "rows":
		class = fmt.Sprintf("{column: %s, lookup: classes}", Scalar(g.class))
	}
	d.add(depth+1, "item", "", "")
	d.add(depth+2, "search_class_id", class, "")
	d.goodsLanguage(depth + 2)
	d.goodsText(depth + 2)
	d.classNames()
}

func parts(g *goods) int {
	if g.text != "" {
		return 2
	}
	return 1
}

func pairText(parts ...string) string {
	var list []string
	for i := 0; i+1 < len(parts); i += 2 {
		if parts[i+1] != "" {
			list = append(list, parts[i]+": "+Scalar(parts[i+1]))
		}
	}
	return "{" + strings.Join(list, ", ") + "}"
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
	case g.text != "" && g.form != "pairs":
		d.add(depth, "text", Scalar(g.text), "")
	case g.text == "" && (g.form != "split" || g.split.texts == 0):
		d.add(depth, "text", "{value: all goods of the class}", "the file has classes alone")
		d.ask("The file has classes without goods; the mapping sends %q as the text of each.", "all goods of the class")
	}
}

// classNames puts the classes into their lookup, in their order.
func (d *draft) classNames() {
	for n := 1; n <= 45; n++ {
		if count := d.goods.classes[n]; count > 0 {
			d.lookup("classes", Name{fmt.Sprintf("Class %d", n), count})
		}
	}
}
