package sheet

import (
	"strconv"
	"strings"

	"docketsync/mapping/table"
)

// A formula whose result the writing program did not store: reading the cell as empty would lose what a person sees.
const (
	notCalculated        = "(not calculated)"
	notCalculatedMessage = "formulas without a stored result; these cells cannot be read"
	notCalculatedHint    = "Open the workbook in a spreadsheet program and save it as .xlsx, which calculates them."
)

// UnnamedError is the text of an error cell that does not say which error it is.
const UnnamedError = "(error)"

// Uncalculated is the cell of a formula without a stored result.
func Uncalculated() table.Cell {
	return table.Cell{Kind: table.Error, Text: notCalculated, Note: notCalculatedMessage}
}

// UncalculatedFormula is Uncalculated, or the error that a formula gives which is one: NA() and #REF! need no calculation. The rejects
// that docketsync writes have their errors so.
func UncalculatedFormula(formula string) table.Cell {
	switch formula {
	case "NA()":
		formula = "#N/A"
	case "#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!":
	default:
		return Uncalculated()
	}
	return table.Cell{Kind: table.Error, Text: formula}
}

// Text is a cell of a text; an empty one is no content.
func Text(text string) table.Cell {
	if text == "" {
		return table.Cell{}
	}
	return table.Cell{Kind: table.Text, Text: text}
}

// Bool is a cell of a truth value.
func Bool(value bool) table.Cell {
	return table.Cell{Kind: table.Bool, Text: strings.ToUpper(strconv.FormatBool(value))}
}
