package mapping

import (
	"fmt"
	"strings"

	"docketsync/mapping/table"
)

// classedText is one entry of a cell.
type classedText struct{ class, text string }

// splitGoods takes a cell of classes and goods apart. An entry begins where a class stands; whatever stands between two
// separators without one belongs to the text before, so that semicolons within the goods stay.
func splitGoods(text, entries, class string) ([]classedText, *problem) {
	var found []classedText
	for i, piece := range strings.Split(text, entries) {
		before, after, parted := strings.Cut(piece, class)
		name := table.Trim(before)
		_, isClass := classNumber(name)
		isClass = isClass || name == "A" || name == "B"
		switch {
		case table.Trim(piece) == "":
		case parted && (isClass || i == 0 && name != ""):
			found = append(found, classedText{name, table.Trim(after)})
		case isClass && !parted:
			found = append(found, classedText{class: name})
		case len(found) > 0 && found[len(found)-1].text != "":
			found[len(found)-1].text += entries + strings.TrimRight(piece, " \t\r\n")
		default:
			return nil, newProblem(codeGoods, fmt.Sprintf("%s does not begin with a class", quote(table.Trim(piece))),
				fmt.Sprintf("Write it as 9%s software%s 35%s advertising, or state the separators with split: {entries: …, class: …}.", class, entries, class))

		}
	}
	return found, bareClass(found, class)
}

// bareClass reports a class without a text among others that have one: a number within the goods looks the same.
func bareClass(found []classedText, class string) *problem {
	bare, full := "", false
	for _, e := range found {
		if e.text == "" {
			bare = e.class
		}
		full = full || e.text != ""
	}
	if bare == "" || !full {
		return nil
	}
	return newProblem(codeGoods, fmt.Sprintf("%q stands alone: it may be a class without goods or a number within the goods before", bare),
		fmt.Sprintf("Write %s%s and its goods, or take the number out.", bare, class))

}
