package numfmt

import (
	"cmp"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Styles are the cell styles of a workbook, as far as they say what its numbers are.
type Styles struct {
	formats []numberFormat // by the style's number
	Dates   DateSystem
}

// NewStyles returns the styles whose formats have these ids. codes holds the codes that the workbook spells out.
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
			f.partial = &table.Shown{Format: cmp.Or(f.code, builtinCodes[id])}
			compiled[id] = f
		}
		s.formats = append(s.formats, compiled[id])
	}
	return s
}

// Code returns the format of a style as the workbook spells it, or "" for a built-in format.
func (s *Styles) Code(style int) string {
	if style >= len(s.formats) {
		return ""
	}
	return s.formats[style].code
}

// HasDecimals reports whether a style shows decimals for whole numbers as well.
func (s *Styles) HasDecimals(style int) bool {
	if style < 0 || style >= len(s.formats) {
		return false
	}
	first := s.formats[style].sections[0]
	return first.decimals > 0 && first.class == formatNumber && !first.percent && !first.scaled && !first.inexact
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
			cell := s.Dates.cell(value, section.class)
			if section.partial && cell.Kind == table.Date {
				cell.Shown = shown.partial
			}
			return cell
		}
	}
	return shownCell(numberCell(n, section), n, section, shown.code)
}

// plainDigits reports whether the number is written as a person would see it: up to fifteen digits without a leading
// zero.
func plainDigits(raw []byte) bool {
	return len(raw) > 0 && len(raw) <= visibleDigits && (raw[0] != '0' || len(raw) == 1) && format.AllDigits(raw)
}

// builtinFormat returns the format that an id below 164 stands for if the workbook does not spell it out (ECMA-376 part
// 1, 18.8.30). Ids 27–36 and 50–58 differ between Chinese, Japanese and Korean: a day in one is a time in another, so
// the cell's value decides. Unknown ids are General, as in the programs that wrote them.
func builtinFormat(id int) numberFormat {
	switch {
	case id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return numberFormat{sections: []formatSection{{class: formatDate}}}
	case id == 32, id == 33:
		return numberFormat{sections: []formatSection{{class: formatTime}}}
	case id == 34, id == 35, id == 55, id == 56:
		return numberFormat{sections: []formatSection{{class: formatEither}}}
	}
	if code, ok := builtinCodes[id]; ok {
		return parseNumberFormat(code)
	}
	return general
}

// builtinCodes are the format codes that mean the same in every language, and the Thai ones (59–81), which no other
// language uses.
var builtinCodes = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"$"#,##0_);("$"#,##0)`, 6: `"$"#,##0_);[Red]("$"#,##0)`,
	7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);[Red]("$"#,##0.00)`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
	18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
	37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0", 49: "@",
	67: "0%", 68: "0.00%", 69: "# ?/?", 70: "# ??/??",
	71: "d/m/yyyy", 72: "d-mmm-yy", 73: "d-mmm", 74: "mmm-yy", 75: "h:mm", 76: "h:mm:ss",
	77: "d/m/yyyy h:mm", 78: "mm:ss", 79: "[h]:mm:ss", 80: "mm:ss.0", 81: "d/m/yy",
}
