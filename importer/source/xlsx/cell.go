package xlsx

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
	"docketsync/mapping/table"
)

// cellTag is what the start tag of a cell says.
type cellTag struct {
	column int
	style  int
	kind   [10]byte
	length int
}

func (t *cellTag) is(kind string) bool { return string(t.kind[:t.length]) == kind }

// readCell reads the cell whose start tag was just read. It returns the column after it.
func (r *sheetReader) readCell(column int) (int, error) {
	tag, err := r.cellTag(column)
	if err != nil {
		return 0, err
	}
	formula, stored, err := r.readContent()
	if err != nil {
		return 0, err
	}
	// Programs that write formulas without calculating them leave the value blank, or write 0 and ask for the
	// calculation. A formula that returns an empty text declares its type as text.
	blank := len(r.value)+len(r.rich) == 0 && (tag.length == 0 || tag.is("n") || tag.is("b") || tag.is("d"))
	placeholder := r.stale && string(r.value) == "0" && (tag.length == 0 || tag.is("n"))
	if formula && (!stored || blank || placeholder) {
		return tag.column + 1, r.Put(tag.column, 1, sheet.UncalculatedFormula(string(r.formula)))
	}
	return tag.column + 1, r.putCell(&tag)
}

// readContent reads the content of a cell into value and rich. It reports whether there is a formula and whether a
// value is stored.
func (r *sheetReader) readContent() (formula, stored bool, err error) {
	r.value, r.rich, r.formula, r.partly = r.value[:0], r.rich[:0], r.formula[:0], false
	err = r.xml.Children(func() (err error) {
		switch string(r.xml.Name) {
		case "v":
			stored = true
			r.value, err = appendContent(r.value, r.xml)
		case "is":
			stored = true
			r.rich, r.partly, err = appendRichText(r.rich, r.xml)
		case "f":
			formula = true
			r.formula, err = appendContent(r.formula, r.xml)
		default:
			return r.xml.Skip()
		}
		return err
	})
	return formula, stored, err
}

func (r *sheetReader) cellTag(column int) (cellTag, error) {
	tag := cellTag{column: column}
	err := r.xml.Attributes(func(name, value []byte) error {
		switch string(name) {
		case "r":
			if tag.column = columnOf(value); tag.column < 0 {
				return &format.Error{What: fmt.Sprintf("a cell has the address %.20q", value), Hint: format.HintRepair}
			}
			if rowOf(value) != r.Number {
				return &format.Error{What: fmt.Sprintf("a cell has the address %.20q, of another row", value), Row: r.Number, Hint: format.HintRepair}
			}
		case "s":
			tag.style = sheetxml.Digits(value)
		case "t":
			tag.length = copy(tag.kind[:], value)
		}
		return nil
	})
	return tag, err
}

// columnOf returns the column of a cell's address, 0 for "A1", or -1 if it is not an address.
func columnOf(address []byte) int {
	column := 0
	for i, c := range address {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c < 'A' || c > 'Z' || i > 3 {
			if i == 0 || i > 3 || c < '0' || c > '9' {
				return -1
			}
			return column - 1
		}
		column = column*26 + int(c-'A') + 1
	}
	return -1
}

// putCell adds what was stored.
func (r *sheetReader) putCell(tag *cellTag) (err error) {
	var cell table.Cell
	switch {
	case tag.is("s"):
		cell, err = r.sharedText()
	case tag.is("inlineStr"), tag.is("str"):
		if cell = sheet.Text(string(r.rich)); len(r.rich) == 0 {
			cell = sheet.Text(string(unescapeControl(r.value, 0)))
		}
	case tag.is("e"):
		cell = table.Cell{Kind: table.Error, Text: cmp.Or(string(r.value), sheet.UnnamedError)}
	case len(r.value) == 0:
		cell = sheet.Text(string(r.rich))
	case tag.is("b"):
		cell = sheet.Bool(isTrue(r.value))
	case tag.is("d"):
		cell = numfmt.ISOCell(strings.TrimSpace(string(r.value)))
	default:
		return r.PutNumber(tag.column, r.value, tag.style)
	}
	if err != nil {
		return err
	}
	if r.partly {
		cell = sheet.Struck(cell.Text)
	}
	return r.Put(tag.column, 1, cell)
}

func (r *sheetReader) sharedText() (table.Cell, error) {
	if len(r.value) == 0 {
		return table.Cell{}, nil
	}
	index := sheetxml.Digits(r.value)
	if index == 0 && string(r.value) != "0" {
		index = -1
	}
	text, err := r.strings.At(index)
	if errors.Is(err, sheet.ErrNoText) {
		return table.Cell{}, &format.Error{What: fmt.Sprintf("a cell refers to the shared string %.20q, which the workbook does not have", r.value), Hint: format.HintRepair, Err: err}
	}
	r.partly = r.strings.Struck(index)
	return sheet.Text(text), err
}
