package date

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"docketsync/mapping/table"
)

// Pattern is a date format, in the notation of mapping files: "DD/MM/YYYY", "D MMM YY", "YYYY-MM-DD hh:mm".
type Pattern struct {
	text  string
	parts []part
	// yearDigits is 2 if the mapping must state the century.
	yearDigits int
	hasTime    bool
	ordered    byte // the separator, if day and month are numbers whose order others write the other way round
	halves     bool // the hour counts to 12
}

type part struct {
	kind    partKind
	literal string // for a literal: in lower case
	written string // for a literal: as the pattern has it
	digits  int    // exact number of digits, 0 for one or two
	short   bool   // when writing: without leading zeros, or with an abbreviated name
}

type partKind uint8

const (
	partLiteral partKind = iota
	partSpace
	partDay
	partMonth
	partMonthName
	partYear
	partWeekday
	partHour
	partMinute
	partSecond
	partHalf // am or pm
	partZone
)

// String returns the pattern in the mapping's spelling.
func (p *Pattern) String() string { return p.text }

// TwoDigitYear reports whether the pattern leaves the century open, so that a mapping must state it.
func (p *Pattern) TwoDigitYear() bool { return p.yearDigits == 2 }

// Fits reports whether a text is a possible date in this pattern, whatever the century.
func (p *Pattern) Fits(text string) bool {
	_, fit := p.match(table.Trim(text), 50)
	return fit == fits
}

// ParsePattern reads a pattern. D and M match one or two digits (exactly two if no separator follows or precedes), MMM
// and MMMM a month's name in any form, YYYY four digits and YY two, h m s the time, a "am" or "pm", Z a zone. ddd is a
// weekday, which may not contradict the day. Other letters, and anything in single quotes, stand for themselves.
func ParsePattern(text string) (*Pattern, error) {
	p := &Pattern{text: text}
	for rest := table.Trim(text); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\'':
			word, after, closed := strings.Cut(rest[1:], "'")
			if !closed {
				return nil, fmt.Errorf("the date pattern %q has an unclosed quote", text)
			}
			p.literal(word)
			rest = after
		case unicode.IsLetter(r):
			end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
			if end < 0 {
				end = len(rest)
			}
			p.letters(rest[:end])
			rest = rest[end:]
		case unicode.IsSpace(r):
			p.parts = append(p.parts, part{kind: partSpace})
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		default:
			p.literal(rest[:size])
			rest = rest[size:]
		}
	}
	p.fixWidths()
	return p, p.check()
}

func (p *Pattern) literal(text string) {
	p.parts = append(p.parts, part{kind: partLiteral, literal: strings.ToLower(text), written: text})
}

// letters reads a run of letters: parts of a date if all of it is made of them, otherwise a word that stands for
// itself, such as "de".
func (p *Pattern) letters(run string) {
	before := len(p.parts)
	for rest := run; rest != ""; {
		end := 1
		for end < len(rest) && rest[end]|0x20 == rest[0]|0x20 {
			end++
		}
		if half := strings.ToLower(rest); half == "am" || half == "pm" {
			end = 2
		}
		if !p.part(rest[:end]) {
			p.parts = p.parts[:before]
			p.literal(run)
			return
		}
		rest = rest[end:]
	}
}

// part adds what a letter, or a repeated letter, stands for.
func (p *Pattern) part(run string) bool {
	kinds := map[string]part{
		"d": {kind: partDay}, "dd": {kind: partDay}, "ddd": {kind: partWeekday}, "dddd": {kind: partWeekday},
		"m": {kind: partMonth}, "mm": {kind: partMonth}, "mmm": {kind: partMonthName}, "mmmm": {kind: partMonthName},
		"yy": {kind: partYear, digits: 2}, "yyyy": {kind: partYear, digits: 4},
		"h": {kind: partHour}, "hh": {kind: partHour}, "s": {kind: partSecond}, "ss": {kind: partSecond},
		"a": {kind: partHalf}, "am": {kind: partHalf}, "pm": {kind: partHalf}, "z": {kind: partZone},
		"t": {kind: partLiteral, literal: "t", written: "T"},
	}
	part, ok := kinds[strings.ToLower(run)]
	part.short = len(run) == 1 || len(run) == 3
	if part.kind == partMonth && p.last() == partHour {
		part.kind = partMinute
	}
	if ok {
		p.parts = append(p.parts, part)
	}
	return ok
}

// last returns the kind of the last part that is not a literal or space.
func (p *Pattern) last() partKind {
	for i := len(p.parts) - 1; i >= 0; i-- {
		if kind := p.parts[i].kind; kind != partLiteral && kind != partSpace {
			return kind
		}
	}
	return partLiteral
}

// fixWidths requires exactly two digits where nothing else shows where a number ends.
func (p *Pattern) fixWidths() {
	for i := range p.parts {
		neighbour := i > 0 && p.parts[i-1].numeric() || i+1 < len(p.parts) && p.parts[i+1].numeric()
		if part := &p.parts[i]; part.numeric() && part.digits == 0 && neighbour {
			part.digits = 2
		}
	}
}

func (p part) numeric() bool {
	switch p.kind {
	case partDay, partMonth, partYear, partHour, partMinute, partSecond:
		return true
	}
	return false
}

func (p *Pattern) check() error {
	var count [partZone + 1]int
	for _, part := range p.parts {
		count[part.kind]++
		if part.kind == partYear {
			p.yearDigits = part.digits
		}
	}
	if count[partMonth] > 0 && p.parts[0].kind != partYear { // after a year the month comes first everywhere
		p.ordered = p.separator()
	}
	count[partMonth] += count[partMonthName]
	p.hasTime, p.halves = count[partHour] > 0, count[partHalf] > 0
	switch {
	case count[partDay] != 1 || count[partMonth] != 1 || count[partYear] != 1:
		return fmt.Errorf("the date pattern %q requires a day (D or DD), a month (M, MM, MMM or MMMM) and a year (YY or YYYY), each once", p.text)
	case count[partHour] > 1 || count[partMinute] > 1 || count[partSecond] > 1 || count[partZone] > 1 || count[partHalf] > 1:
		return fmt.Errorf("the date pattern %q repeats a part of the time", p.text)
	case !p.hasTime && count[partMinute]+count[partSecond]+count[partHalf] > 0:
		return fmt.Errorf("the date pattern %q has a time without an hour (hh)", p.text)
	}
	return nil
}

// separator returns the character after the first of day and month, or a space if that is a space, a digit or several.
func (p *Pattern) separator() byte {
	for i, part := range p.parts {
		if part.kind == partDay || part.kind == partMonth {
			if i+1 < len(p.parts) && len(p.parts[i+1].literal) > 0 && strings.Contains("/.-", p.parts[i+1].literal[:1]) {
				return p.parts[i+1].literal[0]
			}
			return ' '
		}
	}
	return ' '
}

// CommonPatterns are the patterns that exports use most, for proposals.
var CommonPatterns = []string{
	"YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD",
	"DD/MM/YY", "MM/DD/YY", "DD.MM.YY", "DD-MM-YY", "MM-DD-YY", "DD-MMM-YYYY", "DD-MMM-YY", "D MMM YYYY", "D MMM YY",
	"D. MMM YYYY", "MMM D, YYYY", "MMM D YYYY", "D de MMM de YYYY", "DD MMM, YYYY", "DD/MMM/YYYY",
	"YYYY-MM-DD hh:mm:ss", "YYYY-MM-DD hh:mm", "DD/MM/YYYY hh:mm:ss", "DD/MM/YYYY hh:mm", "MM/DD/YYYY hh:mm:ss", "MM/DD/YYYY hh:mm",
	"MM/DD/YYYY hh:mm a", "MM/DD/YYYY hh:mm:ss a", "DD.MM.YYYY hh:mm:ss", "DD.MM.YYYY hh:mm", "YYYY-MM-DDThh:mm:ss", "YYYY-MM-DDThh:mm:ssZ",
}

// layouts are the parts as package time has them, the second one without leading zeros, or short.
var layouts = map[partKind][2]string{
	partSpace: {" ", " "}, partDay: {"02", "2"}, partMonth: {"01", "1"}, partMonthName: {"January", "Jan"}, partYear: {"2006", "06"}, partWeekday: {"Monday", "Monday"},
	partHour: {"15", "15"}, partMinute: {"04", "4"}, partSecond: {"05", "5"}, partHalf: {"pm", "pm"}, partZone: {"Z", "Z"},
}

// Format writes a day or a moment in the pattern. A single letter writes a number without leading zeros.
func (p *Pattern) Format(m Moment) string {
	at := time.Date(m.Year, time.Month(m.Month), m.Day, m.hour, m.minute, m.second, 0, time.UTC)
	var text []byte
	for _, part := range p.parts {
		short := part.short && part.digits == 0 || part.kind == partYear && part.digits == 2
		forms := layouts[part.kind]
		if p.halves && part.kind == partHour {
			forms = [2]string{"03", "3"}
		}
		switch {
		case part.kind == partLiteral:
			text = append(text, part.written...)
		case short && forms[1] == "15": // there is no such layout
			text = strconv.AppendInt(text, int64(m.hour), 10)
		case short:
			text = at.AppendFormat(text, forms[1])
		default:
			text = at.AppendFormat(text, forms[0])
		}
	}
	return string(text)
}
