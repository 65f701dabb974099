package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// sameForAll holds the names in the lookup "constants" for ids that are the same for all rows.
var sameForAll = map[string]string{
	"registry_id":      "registry of the marks",
	"file_template_id": "template of the cases",
	"user_id":          "responsible user",
	"file_status_id":   "status of the cases",
	"client_id":        "client",
	"language_id":      "language of the goods",
}

// missing writes a required field that no column holds.
func (d *draft) missing(target payload.Field, depth int, name string) {
	switch {
	case name == "id":
		d.recordID(depth)
	case target.Nullable:
		d.add(depth, name, Scalar(Undecided), "an update replaces the whole case: set its column, or null if no case has one")
		d.ask("No column holds %s. An update replaces the whole case, so set its column, or null to take it from every case.", name)
	case target.Type == payload.TypeGUID:
		d.constant(depth, name)
	case target.Type == payload.TypeBool:
		d.activity(depth, name)
	case name == "name" && d.nameFromOthers(depth, name):
	default:
		d.add(depth, name, Scalar(Undecided), "required, and no column looks like it")
		d.ask("No column looks like %s (%s), which is required: set its column.", name, target.Doc)
	}
}

// constant writes a GUID that is the same for all rows as a name in a lookup, so that all ids are filled in at the same
// kind of place.
func (d *draft) constant(depth int, name string) {
	word := sameForAll[name]
	d.lookup(constants, Name{word, d.survey.rows})
	d.add(depth, name, fmt.Sprintf("{value: %s, lookup: %s}", word, constants), "not in the file: fill in lookups/"+constants+".csv")
	d.ask("The file does not say the %s: write its id into lookups/%s.csv.", word, constants)
}

// recordID writes the id of the record to update, found by the key.
func (d *draft) recordID(depth int) {
	key := Undecided
	if d.key != nil {
		key = d.key.ref
	}
	name, why := "trademarks", "the id that the service has for each mark"
	if d.operation == payload.UpdateCase {
		name, why = "cases", "the id that an earlier job of create_case was given for each case"
		d.lookups = append(d.lookups, Lookup{Name: name, Names: []Name{}, Ledger: true})
	} else if d.lookup(name); d.key != nil {
		d.lookupOf(name, d.key, "")
	}
	d.add(depth, "id", fmt.Sprintf("{column: %s, lookup: %s}", Scalar(key), name), why)
}

// nameFromOthers builds the name of a case from its client and number.
func (d *draft) nameFromOthers(depth int, name string) bool {
	client, number := d.chosen["client_id"], d.chosen["number"]
	if client == nil || number == nil || len(client.at) > 1 {
		return false
	}
	refs := []string{Scalar(client.ref), Scalar(number.ref)}
	d.use(client)
	d.add(depth, name, fmt.Sprintf("{columns: [%s]}", strings.Join(refs, ", ")), "no column holds a name: the client and the number stand for it")
	d.ask("No column holds the names of the cases; the mapping puts %s and %s together.", client.ref, number.ref)
	return true
}

// components writes the remaining columns of a case as its components, named by their headers. An update replaces all
// components.
func (d *draft) components(depth int) {
	later := map[*column]bool{}
	for _, c := range d.chosen {
		later[c] = true
	}
	var items []*column
	for i := range d.survey.header.Names {
		if c := d.columns[i]; c.filled > 0 && !d.used[i] && !later[c] {
			items = append(items, c)
		}
	}
	if len(items) == 0 {
		d.add(depth, "components", "[]", "an update replaces the whole case: this takes the components from every case")
		d.ask("No column is left for the components. An update replaces the whole case: components: [] takes them from every case.")
		return
	}
	d.add(depth, "components", "", "what no other field took; remove what is not a component")
	d.add(depth+1, "lookup", "components", "")
	d.add(depth+1, "items", "", "")
	for _, c := range items {
		var options []string
		doubt := ""
		if c.isDate() {
			options, doubt = d.dateOptions(c)
			options = append([]string{"type: date"}, options...)
		}
		if c.signs > 0 && c.kinds[table.Number] == c.filled { // as text its cells would be rejected
			options, doubt = []string{"type: number"}, "numbers without the signs of their number format, such as a currency's"
		}
		d.lookup("components", Name{c.ref, c.filled})
		d.add(depth+2, Scalar(c.ref), columnText(c, options...), joinWhy(d.reason(d.use(c)), doubt))
	}
	d.ask("An update replaces all components of a case: remove from the mapping what is not a component, and fill in lookups/components.csv.")
}

// activity counts the cells whose word says whether a case is active.
func (c *column) activity() int {
	n := 0
	for key, v := range c.values {
		if _, known := activeWord(key); known {
			n += v.count
		}
	}
	return n
}

func activeWord(folded string) (active, known bool) {
	word := strings.Trim(folded, " .")
	return activeWords[true][word], activeWords[true][word] || activeWords[false][word]
}

// isNegative reports whether a yes in the column means that the case is not active.
func (c *column) isNegative() bool { return c.means("inactive") || c.means("closed") }

// activeText writes a column whose words say whether a case is active. If a yes means that it is not, the usual words
// that occur are exchanged, and any other is rejected, because it would be read the wrong way.
func (d *draft) activeText(c *column) string {
	var yes, no, unknown, values []string
	for _, v := range c.ordered() {
		active, known := activeWord(table.Fold(v.text))
		marked, usual := value.Booleans(nil).Read(v.text)
		switch {
		case usual && c.isNegative():
			values = append(values, fmt.Sprintf("%s: %t", Scalar(v.text), !marked))
		case known && c.isNegative():
			values = append(values, fmt.Sprintf("%s: %t", Scalar(v.text), active))
		case usual:
		case known && active:
			yes = append(yes, Scalar(v.text))
		case known:
			no = append(no, Scalar(v.text))
		default:
			unknown = append(unknown, shown(v.text))
		}
	}
	var options []string
	if c.isNegative() {
		options = append(options, "values: {"+strings.Join(values, ", ")+"}", "unknown: reject")
	}
	if len(yes) > 0 {
		options = append(options, "yes: ["+strings.Join(yes, ", ")+"]")
	}
	if len(no) > 0 {
		options = append(options, "no: ["+strings.Join(no, ", ")+"]")
	}
	if len(unknown) > 0 {
		where := "yes: or no:"
		if c.isNegative() {
			where = "values:"
		}
		d.ask("%s: set whether a case is active that is %s, under %s in the mapping; until then its rows are rejected.", c.ref, reason.QuoteAll(unknown), where)
	}
	return columnText(c, options...)
}

// activity writes whether a case is active if no column says it in words: a case is active unless it has a closing
// date, or if no column has one, all are.
func (d *draft) activity(depth int, name string) {
	for _, c := range d.columns {
		if c.means("closed") && len(c.at) == 1 && len(c.meaning.unknown) == 0 && !slices.ContainsFunc(people, c.means) && c.isDate() && c.filled < d.survey.rows {
			d.use(c)
			expr := fmt.Sprintf(`row[%s] == ""`, quoted(c.ref))
			if blanks := slices.Sorted(maps.Keys(c.blanks)); len(blanks) > 0 {
				for i, text := range blanks {
					blanks[i] = quoted(text)
				}
				expr = fmt.Sprintf(`fold(row[%s]) in ["", %s]`, quoted(c.ref), strings.Join(blanks, ", "))
			}
			d.add(depth, name, fmt.Sprintf("{expr: %s}", Scalar(expr)), fmt.Sprintf("CHECK: active while there is no date in %s", c.ref))
			d.ask("%s is taken as the day on which a case was closed: check that it is, and no day to come; else write {value: true}, or the column that says which cases are active.", c.ref)
			return
		}
	}
	d.add(depth, name, "{value: true}", "no column says which cases are closed")
	d.ask("No column says whether a case is active; the mapping takes all as active.")
}
