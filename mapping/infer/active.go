package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

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

// activeText writes a column whose words say whether a case is active.
func (d *draft) activeText(c *column) string {
	var yes, no, unknown []string
	for _, v := range c.ordered() {
		active, known := activeWord(table.Fold(v.text))
		switch {
		case Looks(payload.TypeBool, v.text):
		case known && active:
			yes = append(yes, Scalar(v.text))
		case known:
			no = append(no, Scalar(v.text))
		default:
			unknown = append(unknown, v.text)
		}
	}
	var options []string
	if len(yes) > 0 {
		options = append(options, "yes: ["+strings.Join(yes, ", ")+"]")
	}
	if len(no) > 0 {
		options = append(options, "no: ["+strings.Join(no, ", ")+"]")
	}
	if len(unknown) > 0 {
		d.ask("%s: say whether a case is active that is %s, by yes: or no: in the mapping; until then its rows are rejected.", c.ref, quoteFew(unknown))
	}
	return columnText(c, options...)
}

func quoteFew(list []string) string {
	var quotes []string
	for i, text := range list {
		if i == 5 {
			return strings.Join(quotes, ", ") + fmt.Sprintf(" and %d more", len(list)-i)
		}
		quotes = append(quotes, fmt.Sprintf("%q", shown(text)))
	}
	return strings.Join(quotes, ", ")
}

// activity writes whether a case is active where no column says it in words: by the day it was closed, else all are.
func (d *draft) activity(depth int, name string) {
	for _, c := range d.columns {
		if slices.Contains(c.meaning.concepts, "closed") && len(c.at) == 1 && !c.meaning.other && c.isDate() && c.filled < d.survey.rows {
			d.use(c)
			expr := fmt.Sprintf(`row[%s] == ""`, quoted(c.ref))
			if blanks := slices.Sorted(maps.Keys(c.blanks)); len(blanks) > 0 {
				for i, text := range blanks {
					blanks[i] = quoted(text)
				}
				expr = fmt.Sprintf(`fold(row[%s]) in ["", %s]`, quoted(c.ref), strings.Join(blanks, ", "))
			}
			d.add(depth, name, fmt.Sprintf("{expr: %s}", Scalar(expr)), fmt.Sprintf("active while there is no date in %s", c.ref))
			return
		}
	}
	d.add(depth, name, "{value: true}", "no column says which cases are closed")
	d.ask("No column says whether a case is active; the mapping takes all as active.")
}
