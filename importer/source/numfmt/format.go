package numfmt

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// formatClass says what a number is if a cell shows it through a number format.
type formatClass uint8

const (
	formatNumber   formatClass = iota // a number, including percentages and amounts of money
	formatDate                        // a calendar day
	formatDateTime                    // a calendar day and a time of day
	formatTime                        // only a time of day
	formatDuration                    // elapsed time, "[h]:mm"
	formatEither                      // day or time, depending on its size: built-in formats that differ between China and Japan
	formatHidden                      // nothing is shown: an empty section, ";;;"
)

// formatSection is one of the up to four parts of a format code that semicolons separate.
type formatSection struct {
	class     formatClass
	percent   bool
	scaled    bool   // a comma after the last digit divides by a thousand
	inexact   bool   // an exponent or a fraction: the digits shown are not the number's own
	fraction  bool   // a fraction: 3/4
	masked    bool   // signs stand between the digits before the point: 000-00-0000
	partial   bool   // a date is shown without its day or its year: mmm-yy, d-mmm
	zeros     int    // minimum number of digits before the point
	decimals  int    // minimum number of digits after the point
	template  string // if signs are shown beside the digits: the signs, with placeholders for digits; see shown.go
	condition string // "", "<", ">", "=", "<=", ">=" or "<>"
	operand   float64
}

// numberFormat is a compiled format code (ECMA-376 part 1, 18.8.31).
type numberFormat struct {
	sections []formatSection
	code     string       // as the workbook spells it; "" for a built-in format
	partial  *table.Shown // stored with a date of which only a part is shown
}

// general is the format of a cell without one.
var general = numberFormat{sections: []formatSection{{}}}

// parseNumberFormat compiles a format code. It never fails: a code that no spreadsheet would accept is taken for a
// number format.
func parseNumberFormat(code string) numberFormat {
	var f numberFormat
	for rest, more := code, true; more && len(f.sections) < 4; {
		var part string
		part, rest, more = cutSection(rest)
		f.sections = append(f.sections, parseSection(part))
	}
	return f
}

// section returns the section that shows the value, by the sections' conditions or, without any, by the value's sign.
func (f numberFormat) section(value float64) formatSection {
	s := f.sections
	if len(s) == 1 {
		return s[0]
	}
	if s[0].condition != "" || s[1].condition != "" {
		for _, c := range s[:min(len(s), 3)] {
			if c.condition == "" || c.meets(value) {
				return c
			}
		}
		return s[len(s)-1]
	}
	switch {
	case value < 0:
		return s[1]
	case value == 0 && len(s) > 2:
		return s[2]
	}
	return s[0]
}

func (s formatSection) meets(value float64) bool {
	return strings.Contains(s.condition, [...]string{"<", "=", ">"}[cmp.Compare(value, s.operand)+1])
}

// cutSection splits a format code at the first semicolon that is neither quoted, escaped nor in brackets.
func cutSection(code string) (section, rest string, more bool) {
	for i := 0; i < len(code); {
		n := literalLength(code[i:])
		switch {
		case n > 0:
			i += n
		case code[i] == '[':
			i += bracketLength(code[i:])
		case code[i] == ';':
			return code[:i], code[i+1:], true
		default:
			i++
		}
	}
	return code, "", false
}

// literalLength returns how many bytes at the start of the code are shown as they are or as a space: a quoted text, an
// escaped character, a space of a character's width, or a fill character. It returns 0 for anything else.
func literalLength(code string) int {
	switch code[0] {
	case '"':
		if end := strings.IndexByte(code[1:], '"'); end >= 0 {
			return end + 2
		}
		return len(code)
	case '\\', '_', '*':
		_, size := utf8.DecodeRuneInString(code[1:])
		return 1 + size
	}
	return 0
}

func bracketLength(code string) int {
	if end := strings.IndexByte(code, ']'); end >= 0 {
		return end + 1
	}
	return len(code)
}

// dated reports whether a number in this format is a day, a time or both.
func (c formatClass) dated() bool { return c != formatNumber && c != formatHidden }
