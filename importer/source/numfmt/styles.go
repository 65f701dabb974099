package numfmt

import (
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Styles are the cell styles of a workbook as far as they say what its numbers are.
type Styles struct {
	formats []numberFormat // by the style's number
	Dates   DateSystem
}

// NewStyles are the styles whose formats have these ids. Codes are those that the workbook spells.
func NewStyles(ids []int, codes map[int]string, dates DateSystem) Styles {
	s := Styles{formats: make([]numberFormat, 0, len(ids)), Dates: dates}
	compiled := map[int]numberFormat{}
	for _, id := range ids {
		if _, done := compiled[id]; !done {
			f := builtinFormat(id)
			if code := codes[id]; code != "" {
				f = parseNumberFormat(code)
				f.code = code
			}
			compiled[id] = f
		}
		s.formats = append(s.formats, compiled[id])
	}
	return s
}

// Code is the format of a style as the workbook spells it; "" of a format that every program has.
func (s *Styles) Code(style int) string {
	if style >= len(s.formats) {
		return ""
	}
	return s.formats[style].code
}

// Cell reads a stored number by the format of its style.
func (s *Styles) Cell(raw []byte, style int) table.Cell {
	shown := general
	if style >= 0 && style < len(s.formats) {
		shown = s.formats[style]
	}
	section := shown.sections[0]
	if len(shown.sections) == 1 && section == (formatSection{}) && plainDigits(raw) {
		return table.Cell{Kind: table.Number, Text: string(raw)}
	}
	text := strings.TrimSpace(string(raw))
	if text == "" {
		return table.Cell{}
	}
	n, ok := ParseNumeral(text)
	if !ok {
		return table.Cell{Kind: table.Error, Text: text, Note: NoteUnreadable}
	}
	if len(shown.sections) > 1 || section.class != formatNumber {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return table.Cell{Kind: table.Error, Text: text, Note: NoteUnreadable}
		}
		section = shown.section(value)
		switch {
		case section.class == formatHidden && value == 0 && shown.sections[0].class.dated():
			return table.Cell{Note: noteHidden}
		case section.class.dated():
			return s.Dates.cell(value, section.class)
		}
	}
	return shownCell(numberCell(n, section), n, section, shown.code)
}

// plainDigits tells if the number is written as a person would see it: up to fifteen digits without a leading zero.
func plainDigits(raw []byte) bool {
	return len(raw) > 0 && len(raw) <= visibleDigits && (raw[0] != '0' || len(raw) == 1) && format.AllDigits(raw)
}
