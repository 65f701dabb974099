package date

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

type fit uint8

const (
	noFit      fit = iota
	impossible     // in this format, but not a valid date or time
	fits
)

// anyCentury is the pivot for comparing days within one century without knowing it: the one whose year 00 has a 29
// February.
const anyCentury = 100

// match reads a text by the pattern. pivot settles two-digit years: those below it are 20xx, the others 19xx.
func (p *Pattern) match(text string, pivot int) (m Moment, f fit) {
	half, weekday := byte(0), 0
	for i := range p.parts {
		part := &p.parts[i]
		ok := true
		switch part.kind {
		case partLiteral:
			text, ok = cutLiteral(text, part.literal)
		case partSpace:
			rest := strings.TrimLeftFunc(text, unicode.IsSpace)
			ok, text = len(rest) < len(text), rest
		case partDay:
			m.Day, text, ok = cutNumber(text, part.digits)
			text = p.cutOrdinal(text, i)
		case partMonth:
			m.Month, text, ok = cutNumber(text, part.digits)
		case partMonthName:
			m.Month, text, ok = p.cutMonth(text, i)
		case partYear:
			m.Year, text, ok = cutNumber(text, part.digits)
			if part.digits == 2 && m.Year < pivot {
				m.Year += 2000
			} else if part.digits == 2 {
				m.Year += 1900
			}
		case partWeekday:
			rest, isWord := cutWord(text)
			weekday, ok = numberOf(weekdays, text[:len(text)-len(rest)]), isWord
			text = strings.TrimPrefix(strings.TrimPrefix(rest, "-feira"), ".")
		case partHour:
			m.hour, text, ok = cutNumber(text, part.digits)
			m.timed = true
		case partMinute:
			m.minute, text, ok = cutNumber(text, part.digits)
		case partSecond:
			m.second, text, ok = cutNumber(text, part.digits)
			text = m.cutFraction(text)
		case partHalf:
			half, text, ok = cutHalf(text)
		case partZone:
			text, ok = m.cutZone(text)
		}
		if !ok {
			return m, noFit
		}
	}
	if text != "" {
		return m, noFit
	}
	m, f = m.settle(half)
	century := p.yearDigits > 2 || pivot < anyCentury
	named := weekday >= 1 && weekday <= 7 // any other word stands for different days in different languages
	if f == fits && named && century && time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Weekday() != time.Weekday(weekday-1) {
		f = impossible // either the day or the weekday is wrong
	}
	return m, f
}

// settle applies am and pm and says whether the date exists.
func (m Moment) settle(half byte) (Moment, fit) {
	if half != 0 {
		if m.hour < 1 || m.hour > 12 {
			return m, impossible
		}
		m.hour %= 12
		if half == 'p' {
			m.hour += 12
		}
	}
	if !m.possible() {
		return m, impossible
	}
	return m, fits
}

// cutNumber cuts exactly digits digits from the front, or one or two if digits is 0.
func cutNumber(text string, digits int) (n int, rest string, ok bool) {
	limit := digits
	if limit == 0 {
		limit = 2
	}
	i := 0
	for i < len(text) && i < limit && '0' <= text[i] && text[i] <= '9' {
		n = n*10 + int(text[i]-'0')
		i++
	}
	return n, text[i:], i > 0 && (digits == 0 || i == digits)
}

func cutLiteral(text, literal string) (string, bool) {
	if strings.HasPrefix(text, literal) {
		return text[len(literal):], true
	}
	if len(text) >= len(literal) && strings.EqualFold(text[:len(literal)], literal) {
		return text[len(literal):], true
	}
	return text, false
}

func cutWord(text string) (string, bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) })
	if end < 0 {
		end = len(text)
	}
	return text[end:], end > 0
}

var ordinals = []string{"st", "nd", "rd", "th", "ème", "er", "ere", "re", "e", "º", "°", "ª", "o"}

// cutOrdinal skips the ending of an ordinal day such as 1st, 1er or 1º, unless the pattern continues directly with
// letters or digits.
func (p *Pattern) cutOrdinal(text string, at int) string {
	if rest, ok := strings.CutPrefix(text, "."); ok && (strings.HasPrefix(rest, "º") || strings.HasPrefix(rest, "ª")) {
		text = rest // the 1.º of Spanish
	}
	if text == "" || (text[0] < utf8.RuneSelf && !unicode.IsLetter(rune(text[0]))) {
		return text
	}
	if at+1 < len(p.parts) && p.parts[at+1].kind != partSpace && p.parts[at+1].kind != partLiteral {
		return text
	}
	for _, suffix := range ordinals {
		rest, ok := cutLiteral(text, suffix)
		next, _ := utf8.DecodeRuneInString(rest)
		if ok && (rest == "" || !unicode.IsLetter(next)) {
			return rest
		}
	}
	return text
}

// cutMonth cuts the name of a month, including the full stop of an abbreviation unless the pattern has a full stop
// there itself.
func (p *Pattern) cutMonth(text string, at int) (month int, rest string, ok bool) {
	rest, _ = cutWord(text)
	month = monthOf(text[:len(text)-len(rest)])
	stop := at+1 < len(p.parts) && strings.HasPrefix(p.parts[at+1].literal, ".")
	if !stop || strings.HasPrefix(rest, "..") {
		rest = strings.TrimPrefix(rest, ".")
	}
	return month, rest, month > 0
}

func (m *Moment) cutFraction(text string) string {
	if len(text) < 2 || (text[0] != '.' && text[0] != ',') || text[1] < '0' || text[1] > '9' {
		return text
	}
	rest := strings.TrimLeft(text[1:], "0123456789")
	m.Fraction = strings.Trim(text[1:len(text)-len(rest)], "0") != ""
	return rest
}

// cutHalf cuts am or pm, also written a.m. and p. m.
func cutHalf(text string) (half byte, rest string, ok bool) {
	if text == "" {
		return 0, text, false
	}
	half = text[0] | 0x20
	rest = strings.TrimLeft(text[1:], ". ")
	if (half != 'a' && half != 'p') || rest == "" || rest[0]|0x20 != 'm' {
		return 0, text, false
	}
	return half, strings.TrimPrefix(rest[1:], "."), true
}

// cutZone cuts Z, UTC, GMT or an offset from UTC: +01:00, +0100, +01.
func (m *Moment) cutZone(text string) (string, bool) {
	m.zoned = true
	for _, name := range []string{"Z", "UTC", "GMT"} {
		if rest, ok := cutLiteral(text, name); ok {
			return rest, true
		}
	}
	if text == "" || (text[0] != '+' && text[0] != '-') {
		return text, false
	}
	hours, rest, ok := cutNumber(text[1:], 2)
	if !ok {
		return text, false
	}
	minutes := 0
	if after, _ := strings.CutPrefix(rest, ":"); after != "" && after[0] >= '0' && after[0] <= '9' {
		if minutes, rest, ok = cutNumber(after, 2); !ok || minutes > 59 {
			return text, false
		}
	}
	m.offset = hours*3600 + minutes*60
	if text[0] == '-' {
		m.offset = -m.offset
	}
	return rest, true
}
