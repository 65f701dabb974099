package infer

import (
	"fmt"
	"html"
	"iter"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// Propose drafts a mapping for the rows under a header. It reads the rows once, in memory that does not grow with them.
// It returns the first error that the rows yield.
func Propose(o Options, header table.Header, rows iter.Seq2[table.Row, error]) (Proposal, error) {
	t, err := surveyRows(header, rows, o.KeepTotals)
	if err != nil {
		return Proposal{}, err
	}
	t.context()
	proposed := Proposal{Operation: o.Operation, Why: "it was asked for", Rows: t.rows}
	if o.Operation == "" {
		proposed.Operation, proposed.Why = t.likeliest(o.Mapping)
	}
	for _, s := range t.skips {
		proposed.Skipped += s.count
	}
	d := &draft{survey: t, plan: t.fitColumns(proposed.Operation, o.Mapping), used: map[int]bool{}, spelled: map[string]map[string]int{}}
	d.dates = d.dateForms()
	d.compose()
	proposed.Mapping = d.text(o.File, proposed)
	proposed.Lookups, proposed.Unused, proposed.Decide = d.lookups, d.unused(), d.decide
	return proposed, nil
}

// plan says which column goes to which field.
type plan struct {
	operation payload.Operation
	targets   []payload.Field // the fields of entries have their list's name in front
	chosen    map[string]*column
	goods     *goods
	key       *column
}

// draft is the mapping before it is written as text.
type draft struct {
	*survey
	*plan
	header  []line // the lines above the fields
	fields  []line
	lookups []Lookup
	decide  []string
	spelled map[string]map[string]int // the position of each name in its lookup, by the folded name
	dates   dateForms
	used    map[int]bool // positions of columns
}

// line is a line of YAML and the reason for it.
type line struct {
	text string
	why  string
}

// constants is the lookup for ids that are the same for all rows.
const constants = "constants"

// Undecided is the column of a required field that nothing in the file fits. check reports that there is no such
// column.
const Undecided = "? which column"

// compose writes the parts of the mapping. The fields come first, because the lines above them depend on the columns
// that they use.
func (d *draft) compose() {
	if d.key != nil {
		d.use(d.key)
	}
	for _, target := range d.targets {
		if !strings.Contains(target.Name, ".") {
			d.field(target, 1, target.Name)
		}
	}
	asked := d.decide
	d.decide = nil
	d.composeKey()
	d.composeBlanks()
	d.composeRows()
	d.composeDates()
	d.decide = append(d.decide, asked...)
	for i := range d.survey.header.Names { // HTML entities would be sent as they are
		if c := d.columns[i]; d.used[i] && c.coded.count > 0 {
			found := entity.FindString(c.coded.text)
			d.ask("%s: %s written as HTML, such as %s in row %d, and will be sent as is. Correct the export, or set the field to {expr: %s}.", c.ref,
				table.Count(c.coded.count, "cell is", "cells are"), c.coded.text, c.coded.row,
				Scalar(fmt.Sprintf("replace(row[%s], %s, %s)", quoted(c.ref), quoted(found), quoted(html.UnescapeString(found)))))
		}
	}
	for _, l := range d.lookups { // several columns may have added to a lookup; classes keep their order
		if l.Name != "classes" && l.Name != "components" {
			slices.SortStableFunc(l.Names, func(a, b Name) int { return b.Count - a.Count })
		}
	}
}

// use records that a field uses a column.
func (d *draft) use(c *column) *column {
	for _, at := range c.at {
		d.used[at] = true
	}
	return c
}

func (d *draft) ask(format string, args ...any) {
	d.decide = append(d.decide, fmt.Sprintf(format, args...))
}

// add adds a field at its depth.
func (d *draft) add(depth int, name, text, why string) {
	text = strings.Repeat("  ", depth) + name + ": " + text
	d.fields = append(d.fields, line{strings.TrimRight(text, " "), why})
}

func (d *draft) composeKey() {
	if d.key == nil {
		d.header = append(d.header, line{"key: " + Scalar(Undecided), "set the column that identifies a record"})
		d.ask("No column identifies a record: set key: to one that does.")
		return
	}
	if c := d.besideKey(); c != nil {
		d.header = append(d.header, line{"key: " + Scalar(Undecided), fmt.Sprintf("CHECK: %s occurs in several rows, with another %s in each", d.key.ref, c.ref)})
		d.ask("%s, which may be the key, occurs in several rows that %s tells apart. Where these are different cases, as those of several clients with numbers of their own, set key: [%s, %s]; where they are one, key: %s. "+
			"Until then check stops.", d.key.ref, c.ref, Scalar(c.ref), Scalar(d.key.ref), Scalar(d.key.ref))
		return
	}
	why := "filled in " + d.rowsOf(d.key) + ", all different"
	if missing := d.survey.rows - d.key.filled; missing > 0 {
		d.ask("%s, the key: %s, which will be rejected.", d.key.ref, table.Count(missing, "row has none", "rows have none"))
	}
	switch repeated := d.key.repeated(); {
	case d.key.more && repeated == 0:
		why = fmt.Sprintf("filled in %s, and the first %d are different", d.rowsOf(d.key), len(d.key.values))
	case repeated > 0:
		several := table.Count(repeated, "value occurs", "values occur") + " in several rows"
		why = fmt.Sprintf("filled in %s; %s", d.rowsOf(d.key), several)
		if !d.grouped() {
			d.ask("%s, the key: %s, such as %s. Rows that say the same become one record; rows that differ are rejected, all of them.", d.key.ref, several, shown(d.key.ordered()[0].text))
		}
	}
	d.header = append(d.header, line{"key: " + Scalar(d.key.ref), why})
	if len(d.key.points) > 1 {
		d.ask("%s holds numbers such as %s with different numbers of digits after the decimal point: a spreadsheet may have dropped zeros, which cannot be seen here.",
			d.key.ref, d.key.first)
	}
}

// besideKey returns a column that tells apart rows with the same key and that no field of a case uses: the one with the
// fewest values, or nil. Without it the cases of one key would silently become one.
func (d *draft) besideKey() (best *column) {
	if d.operation != payload.CreateCase || 10*d.key.repeated() < 3*len(d.key.values) {
		return nil
	}
	for i := range d.survey.header.Names {
		c := d.columns[i]
		if !d.used[i] && c.filled == d.survey.rows && (best == nil || len(c.values) < len(best.values)) && d.tellsApart(d.key.at[0], i) {
			best = c
		}
	}
	return best
}

// grouped reports whether all rows with the same key make one record.
func (d *draft) grouped() bool {
	if d.key != nil && d.besideKey() != nil {
		return false
	}
	if d.operation == payload.CreateFolder || d.goods != nil && d.goods.form == "rows" {
		return true
	}
	return d.key != nil && 10*d.key.repeated() >= 3*len(d.key.values)
}

func (d *draft) composeRows() {
	var inner []line
	names := map[string]int{}
	for _, s := range d.skips {
		why := table.Count(s.count, "row", "rows")
		if s.why != "" {
			why += ", " + s.why
		}
		if names[s.name]++; names[s.name] > 1 {
			s.name += fmt.Sprintf(" %d", names[s.name])
		}
		inner = append(inner, line{s.name + ": " + Scalar(s.expr), why})
	}
	grouping := d.grouped() && d.operation != payload.CreateFolder && (d.goods == nil || d.goods.form != "rows")
	if len(inner) == 0 && !grouping {
		return
	}
	d.header = append(d.header, line{text: "rows:"})
	switch {
	case len(inner) == 1:
		d.header = append(d.header, line{"  skip: {" + inner[0].text + "}", inner[0].why})
	case len(inner) > 1:
		d.header = append(d.header, line{text: "  skip:"})
		for _, l := range inner {
			d.header = append(d.header, line{"    " + l.text, l.why})
		}
	}
	if grouping {
		d.header = append(d.header, line{"  group: true", fmt.Sprintf("most records have several rows of one %s", d.key.ref)})
		d.ask("Several rows of one %s make one record. Rows that disagree are rejected.", d.key.ref)
	}
}

// field writes one field, with its inner fields.
func (d *draft) field(target payload.Field, depth int, path string) {
	name := lastOf(path)
	c := d.chosen[path]
	switch {
	case target.Name == "do_not_create_file":
		d.add(depth, name, "{value: true}", "no case is created beside the mark")
	case target.Name == payload.Goods:
		d.composeGoods(depth)
	case target.Type == payload.TypeItems:
		d.add(depth, name, "", "")
		d.add(depth+1, "item", "", "")
		for _, inner := range target.Items {
			d.field(inner, depth+2, name+"."+inner.Name)
		}
	case target.Type == payload.TypeComponents:
		d.components(depth)
	case c != nil:
		d.mapped(target, depth, path, d.use(c))
	case target.Required:
		d.missing(target, depth, name)
	}
}

// lastOf returns the name of a field without the list it belongs to.
func lastOf(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// mapped writes a field that has a column.
func (d *draft) mapped(target payload.Field, depth int, path string, c *column) {
	why, name := d.reason(c), lastOf(path)
	if fit := c.meaning.fit(names[d.operation][path]); fit <= .5 {
		why = "by its values: " + why
	}
	for _, q := range questions {
		if q.field == path && c.means(q.concept) {
			why = "CHECK: " + why
			d.ask(q.ask, c.ref)
		}
	}
	if one := map[bool]string{target.Type == payload.TypeDate: "date", target.Reference: "number"}[true]; one != "" && !c.meaning.exactly(names[d.operation][path]) {
		why = "CHECK: " + why
		d.ask("%s is taken as %s: check that it is that %s and not another one; else write the right column or remove the line.", c.ref, name, one)
	}
	switch target.Type {
	case payload.TypeDate:
		options, doubt := d.dateOptions(c)
		d.add(depth, name, columnText(c, options...), joinWhy(why, doubt))
	case payload.TypeGUID, payload.TypeGUIDs:
		d.add(depth, name, d.ids(target, c), why)
	case payload.TypeBool:
		if !c.meaning.exactly(activeNames) {
			why = "CHECK: " + why
			d.ask("%s is taken as %s: check that it says which cases are active, or not; else write the right column, or {value: true} where all are.", c.ref, name)
		}
		d.add(depth, name, d.activeText(c), why)
	default:
		var options []string
		if zeros := c.zeroTexts(); len(zeros) > 0 && target.Reference {
			options = append(options, fmt.Sprintf("blanks: [%s]", strings.Join(zeros, ", ")))
			why = joinWhy(why, "zeros alone mean no value")
		}
		if c.lines > 0 && name == "name" {
			why = joinWhy(why, fmt.Sprintf("line breaks in %s", table.Count(c.lines, "cell", "cells")))
		}
		d.add(depth, name, columnText(c, options...), why)
	}
	if missing := d.survey.rows - c.filled; missing > 0 && target.Required && !target.Nullable && c != d.key {
		d.ask("%s: %s, which will be rejected. Fill them in, or set a default in the mapping: {column: %s, default: …}.", c.ref,
			table.Count(missing, "row has none", "rows have none"), Scalar(c.ref))
	}
}

// zeroTexts returns the values that consist of zeros and occur in several rows, as YAML.
func (c *column) zeroTexts() []string {
	var list []string
	for _, v := range c.ordered() {
		if v.count > 1 && strings.Trim(v.text, "0") == "" {
			list = append(list, "'"+v.text+"'")
		}
	}
	return list
}

// columnText writes a column as the value of a field: its name alone, or with options.
func columnText(c *column, options ...string) string {
	from := "column: " + Scalar(c.ref)
	if len(c.at) > 1 {
		refs := make([]string, len(c.parts))
		for i, part := range c.parts {
			refs[i] = Scalar(part)
		}
		from = fmt.Sprintf("columns: [%s]", strings.Join(refs, ", "))
	}
	if len(options) == 0 && len(c.at) == 1 {
		return Scalar(c.ref)
	}
	return "{" + strings.Join(append([]string{from}, options...), ", ") + "}"
}

// reason shows what a column holds.
func (d *draft) reason(c *column) string {
	return joinWhy(c.context, d.rowsOf(c)+", such as "+c.first)
}

func (d *draft) rowsOf(c *column) string {
	if d.survey.rows == 1 {
		return "the only row"
	}
	if c.filled == d.survey.rows {
		return fmt.Sprintf("all %d rows", d.survey.rows)
	}
	return fmt.Sprintf("%d of %d rows", c.filled, d.survey.rows)
}

func joinWhy(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// unused returns the columns that nothing uses.
func (d *draft) unused() []unused {
	list := []unused{}
	for i := range d.survey.header.Names {
		if c := d.columns[i]; !d.used[i] {
			u := unused{Column: c.ref, Filled: c.filled}
			if c.filled > 0 {
				u.Example = c.first
			}
			list = append(list, u)
		}
	}
	return list
}
