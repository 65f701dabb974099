package sheet

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// For a formula whose result the writing program did not store: reading the cell as empty would lose what a person
// sees.
const (
	notCalculated        = "(not calculated)"
	notCalculatedMessage = "formulas without a stored result; these cells cannot be read"
	notCalculatedHint    = "Open the workbook in a spreadsheet program and save it as .xlsx, which calculates them."
)

// UnnamedError is the text of an error cell that does not say which error it is.
const UnnamedError = "(error)"

// Uncalculated returns the cell of a formula without a stored result.
func Uncalculated() table.Cell {
	return table.Cell{Kind: table.Error, Text: notCalculated, Note: notCalculatedMessage}
}

// UncalculatedFormula returns Uncalculated or, if the formula is itself an error, that error: NA() and #REF! need no
// calculation. The rejects that docketsync writes contain their errors in this form.
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

// Struck returns the cell of a text of which a part is struck through: people do that to an old value beside the new one,
// and the text of the two is neither.
func Struck(text string) table.Cell {
	return table.Cell{Kind: table.Error, Text: text, Note: "a part of it is struck through"}
}

// Text returns a cell with a text; an empty text means no content.
func Text(text string) table.Cell {
	if text == "" {
		return table.Cell{}
	}
	return table.Cell{Kind: table.Text, Text: text}
}

// Bool returns a cell with a truth value.
func Bool(value bool) table.Cell {
	return table.Cell{Kind: table.Bool, Text: strings.ToUpper(strconv.FormatBool(value))}
}

// A sheet may have few stored cells stand for very many: by a cell in the last column of every row, by merged ranges
// that must be filled, by repetitions in an .ods. Each of them takes time, so a file of some megabytes could take
// hours; no table of a firm comes near these limits. The same holds for text: one stored text can be shown by a million
// cells.
const (
	spreadFloor = 10_000_000 // cells that any sheet may have
	spreadShare = 100        // beyond that, as many for each stored one
	textFloor   = 64 << 20   // bytes of text that any sheet may have
	textShare   = 100        // beyond that, as many for each byte of the file
)

// spread counts the cells of a sheet and their text while it is read.
type spread struct {
	cells, stored int
	text, size    int // bytes of all cells, and of the file
}

// count counts the cells of a row, those of them that the file stores, and the bytes of their text.
func (s *spread) count(cells, stored, text int) error {
	s.cells += cells
	s.stored += stored
	s.text += text
	if s.cells > spreadFloor && s.cells/spreadShare > s.stored {
		return &format.Error{What: fmt.Sprintf("the sheet makes more than %d million cells of the %d that it stores", spreadFloor/1_000_000, s.stored),
			Hint: "Look for cells far to the right of the table, and for merged ranges over whole columns, and delete them; or copy the table into a new workbook."}
	}
	if s.text > textFloor && s.text/textShare > s.size {
		return &format.Error{What: fmt.Sprintf("the sheet makes more than %s of text of a file of %s", format.ByteSize(uint64(s.text)), format.ByteSize(uint64(s.size))), Hint: format.HintHostile}
	}
	return nil
}

// limited replaces a text that is too long for a cell with an error that quotes its beginning. Spreadsheets truncate
// such a text, and a truncated text must not be sent.
func limited(cell table.Cell) table.Cell {
	if len(cell.Text) <= format.LongestText {
		return cell
	}
	if len(cell.Text) <= format.LongestBytes {
		units := 0
		for _, c := range cell.Text {
			units += utf16.RuneLen(c)
		}
		if units <= format.LongestText {
			return cell
		}
	}
	return table.Cell{Kind: table.Error, Text: "(more than 32,767 characters: " + format.FirstLine(cell.Text[:format.LongestText]) + ")"}
}
