package value

import (
	"fmt"
	"regexp"
	"strings"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// exactDigits is how many digits of a number spreadsheets keep; what is longer they round.
const exactDigits = 15

// Rounded says that a spreadsheet cut off digits of a text; nil where the text may be what somebody wrote. It knows the two forms
// that programs give long numbers when a workbook is saved as text, 7.9E+07 and 7.9E7: a reference such as 1E5 is neither. A
// number cell of more digits than spreadsheets keep is rounded as well, and nothing in it shows it.
func Rounded(text string, kind table.Kind) *reason.Problem {
	switch {
	case kind == table.Number && wholeDigits(text) > exactDigits:
		return reason.New(reason.Rounded, fmt.Sprintf("the cell holds the number %s, and spreadsheets keep only the first %d digits of a number", text, exactDigits),
			"Have the column exported as text, or format it as text and enter the value again; if every digit is correct, set rounded: keep for the field.")

	case kind == table.Text && isScientific(text):
		return reason.New(reason.Rounded, fmt.Sprintf("%s is a number that a spreadsheet shortened when the export was saved; its other digits are lost", reason.Quote(text)),
			"Have the column exported as text, or enter the whole number; if the export is right and this is the whole value, set rounded: keep for the field.")

	}
	return nil
}

func wholeDigits(text string) int {
	whole, _, _ := strings.Cut(strings.TrimLeft(text, "-0"), ".")
	return len(whole)
}

// scientific matches 7.9E+07, 7,9E+07, 1E+15 and 79.0E+6, as spreadsheets write them, and 7.9E7, as Java does. A reference 2E-10 is none:
// a spreadsheet that had taken it for a number would have made it 2.00E-10.
var scientific = regexp.MustCompile(`(?i)^-?(\dE\+\d{2,3}|\d{1,3}[.,]\d+E[+-]?\d{1,3})$`)

func isScientific(text string) bool {
	return len(text) > 4 && strings.ContainsAny(text, "eE") && scientific.MatchString(text)
}
