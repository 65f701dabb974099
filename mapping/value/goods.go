package value

import (
	"fmt"
	"strings"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// classedText is one entry of a cell.
type classedText struct{ Class, Text string }

// SplitGoods takes a cell of classes and goods apart. An entry begins where a class stands; whatever stands between two
// separators without one belongs to the text before, so that semicolons within the goods stay.
func SplitGoods(text, entries, class string) ([]classedText, *reason.Problem) {
	var found []classedText
	for i, piece := range strings.Split(text, entries) {
		before, after, parted := strings.Cut(piece, class)
		name := table.Trim(before)
		_, isClass := ClassNumber(name)
		isClass = isClass || name == "A" || name == "B"
		switch {
		case table.Trim(piece) == "":
		case parted && (isClass || i == 0 && name != ""):
			found = append(found, classedText{name, table.Trim(after)})
		case isClass && !parted:
			found = append(found, classedText{Class: name})
		case len(found) > 0 && found[len(found)-1].Text != "":
			found[len(found)-1].Text += entries + strings.TrimRight(piece, " \t\r\n")
		default:
			return nil, reason.New(reason.Goods, fmt.Sprintf("%s does not begin with a class", reason.Quote(table.Trim(piece))),
				fmt.Sprintf("Write it as 9%s software%s 35%s advertising, or state the separators with split: {entries: …, class: …}.", class, entries, class))

		}
	}
	return found, bareClass(found, class)
}

// bareClass reports a class without a text among others that have one: a number within the goods looks the same.
func bareClass(found []classedText, class string) *reason.Problem {
	bare, full := "", false
	for _, e := range found {
		if e.Text == "" {
			bare = e.Class
		}
		full = full || e.Text != ""
	}
	if bare == "" || !full {
		return nil
	}
	return reason.New(reason.Goods, fmt.Sprintf("%q stands alone: it may be a class without goods or a number within the goods before", bare),
		fmt.Sprintf("Write %s%s and its goods, or take the number out.", bare, class))

}
