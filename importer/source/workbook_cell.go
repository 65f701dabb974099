package source

import (
	"cmp"
	"errors"
	"fmt"
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

// unnamedError is the text of an error cell that does not say which error it is.
const unnamedError = "(error)"

// cellTag is what the start tag of a cell says.
type cellTag struct {
	column int
	style  int
	kind   [10]byte
	length int
}

func (t *cellTag) is(kind string) bool { return string(t.kind[:t.length]) == kind }

// lacksValue tells if a value element holds none. Programs that write formulas without calculating them leave it blank;
// a formula that gives an empty text says that it is text.
func (t *cellTag) lacksValue(value, rich []byte) bool {
	return len(value)+len(rich) == 0 && (t.length == 0 || t.is("n") || t.is("b") || t.is("d"))
}

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
	if formula && (!stored || tag.lacksValue(r.value, r.rich)) {
		return tag.column + 1, r.put(tag.column, table.Cell{Kind: table.Error, Text: notCalculated, Note: notCalculatedMessage})
	}
	cell, err := r.cell(&tag)
	if err != nil || cell.Kind == table.Empty && cell.Note == "" {
		return tag.column + 1, err
	}
	return tag.column + 1, r.put(tag.column, cell)
}

// readContent reads what is in a cell into value and rich, and tells if there is a formula and if a value is stored.
func (r *sheetReader) readContent() (formula, stored bool, err error) {
	r.value, r.rich = r.value[:0], r.rich[:0]
	for depth := len(r.xml.openLength); ; {
		token, err := r.xml.next()
		if err != nil || token == xmlEnd && len(r.xml.openLength) < depth {
			return formula, stored, err
		}
		if token != xmlStart {
			continue
		}
		switch string(r.xml.name) {
		case "v":
			stored = true
			r.value, err = appendContent(r.value, r.xml)
		case "is":
			stored = true
			r.rich, err = appendRichText(r.rich, r.xml)
		case "f":
			formula = true
			err = r.xml.skip()
		default:
			err = r.xml.skip()
		}
		if err != nil {
			return formula, stored, err
		}
	}
}

func (r *sheetReader) cellTag(column int) (cellTag, error) {
	tag := cellTag{column: column}
	for attrs := r.xml.attrs; ; {
		name, value, rest, err := nextAttribute(attrs)
		if err != nil {
			return tag, err
		}
		if name == nil {
			break
		}
		switch string(name) {
		case "r":
			if tag.column = columnOf(value); tag.column < 0 {
				return tag, &Error{What: fmt.Sprintf("a cell has the address %.20q", value), Hint: hintRepair}
			}
			if rowOf(value) != r.number {
				return tag, &Error{What: fmt.Sprintf("a cell has the address %.20q, of another row", value), Row: r.number, Hint: hintRepair}
			}
		case "s":
			tag.style = digitsValue(value)
		case "t":
			tag.length = copy(tag.kind[:], value)
		}
		attrs = rest
	}
	if tag.column >= min(maxSheetColumns, r.sheet.limits.Columns) {
		return tag, &Error{What: fmt.Sprintf("the row has more than %d columns", min(maxSheetColumns, r.sheet.limits.Columns)), Hint: hintHostile}
	}
	return tag, nil
}

// columnOf returns the column of a cell's address, 0 for "A1"; -1 when it is none.
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

// cell makes a cell of what was stored.
func (r *sheetReader) cell(tag *cellTag) (table.Cell, error) {
	switch {
	case tag.is("s"):
		return r.sharedText()
	case tag.is("inlineStr"), tag.is("str"):
		if len(r.rich) > 0 {
			return textCell(string(r.rich)), nil
		}
		return textCell(string(unescapeControl(r.value, 0))), nil
	case tag.is("e"):
		return table.Cell{Kind: table.Error, Text: cmp.Or(string(r.value), unnamedError)}, nil
	case len(r.value) == 0 && len(r.rich) > 0:
		return textCell(string(r.rich)), nil
	case len(r.value) == 0:
		return table.Cell{}, nil
	case tag.is("b"):
		if isTrue(r.value) {
			return table.Cell{Kind: table.Bool, Text: "TRUE"}, nil
		}
		return table.Cell{Kind: table.Bool, Text: "FALSE"}, nil
	case tag.is("d"):
		return isoCell(strings.TrimSpace(string(r.value))), nil
	}
	return r.sheet.number(tag.column, r.value, tag.style), nil
}

// number reads a stored number and takes note of how the column shows its dates.
func (s *sheet) number(column int, raw []byte, style int) table.Cell {
	cell := s.book.cover.number(raw, style)
	if cell.Kind == table.Date && style < len(s.book.cover.formats) {
		s.notes.date(column, s.book.cover.formats[style])
	}
	return cell
}

func textCell(text string) table.Cell {
	if text == "" {
		return table.Cell{}
	}
	return table.Cell{Kind: table.Text, Text: text}
}

func (r *sheetReader) sharedText() (table.Cell, error) {
	if len(r.value) == 0 {
		return table.Cell{}, nil
	}
	index := digitsValue(r.value)
	if index == 0 && string(r.value) != "0" {
		index = -1
	}
	text, err := r.sheet.book.strings.at(index)
	if errors.Is(err, errNoSuchString) {
		return table.Cell{}, &Error{What: fmt.Sprintf("a cell refers to the shared text %.20q, which the workbook does not have", r.value), Hint: hintRepair, Err: err}
	}
	return textCell(text), err
}

// number reads a stored number by the format of its style.
func (c *cover) number(raw []byte, style int) table.Cell {
	format := general
	if style >= 0 && style < len(c.formats) {
		format = c.formats[style]
	}
	section := format.sections[0]
	if len(format.sections) == 1 && section == (formatSection{}) && plainDigits(raw) {
		return table.Cell{Kind: table.Number, Text: string(raw)}
	}
	text := strings.TrimSpace(string(raw))
	if text == "" {
		return table.Cell{}
	}
	n, ok := parseNumeral(text)
	if !ok {
		return table.Cell{Kind: table.Error, Text: text, Note: noteUnreadable}
	}
	if len(format.sections) > 1 || section.class != formatNumber {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return table.Cell{Kind: table.Error, Text: text, Note: noteUnreadable}
		}
		section = format.section(value)
		switch {
		case section.class == formatHidden && value == 0 && format.sections[0].class.dated():
			return table.Cell{Note: noteHidden}
		case section.class.dated():
			return c.dates.cell(value, section.class)
		}
	}
	return shownCell(numberCell(n, section), n, section, format.code)
}

// dated tells if a number in this format is a day, a time or both.
func (c formatClass) dated() bool { return c != formatNumber && c != formatHidden }

// plainDigits tells if the number is written as a person would see it: up to fifteen digits without a leading zero.
func plainDigits(raw []byte) bool {
	if len(raw) == 0 || len(raw) > visibleDigits || raw[0] == '0' && len(raw) > 1 {
		return false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
