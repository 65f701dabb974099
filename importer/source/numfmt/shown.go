package numfmt

import (
	"cmp"
	"strings"

	"docketsync/mapping/table"
)

// The placeholders of a template; everything else in it is signs.
const (
	shownDigit   = 0x00 // a digit, or a zero if the number has none there
	shownExtra   = 0x01 // a digit, or nothing
	shownGroups  = 0x02 // thousands separators, in the style of the viewer's country
	shownVaguely = 0x03 // decimals, exponents, fractions and spaces for digits: not reproduced here
)

// literal takes signs that the format shows as they are. Spaces, plus and minus signs and brackets may surround any
// number.
func (s *sectionScan) literal(text string) {
	s.template = append(s.template, strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, text)...)
	s.signs = s.signs || strings.Trim(text, " \u00a0-+()") != ""
}

// currency takes what follows the dollar sign in brackets: a currency, and after a hyphen the code of a country.
// Programs disagree on whether a hyphen without a country is shown.
func (s *sectionScan) currency(text string) {
	sign, country, hyphen := strings.Cut(text, "-")
	s.literal(sign)
	if hyphen && country == "" && sign != "" {
		s.template = append(s.template, shownVaguely)
	}
}

// shown takes a placeholder, or a sign that needs no quotes.
func (s *sectionScan) shown(c byte) {
	switch c {
	case '0', '@':
		s.template = append(s.template, shownDigit)
	case '#':
		s.template = append(s.template, shownExtra)
	case ',':
		s.template = append(s.template, shownGroups)
	case '.', '?', '%':
		s.template = append(s.template, shownVaguely)
	case '/':
		s.template = append(s.template, '/')
	default:
		if c >= ' ' {
			s.template = append(s.template, c)
			s.signs = s.signs || strings.IndexByte(" -+()", c) < 0
		}
	}
}

// shownCell adds to the cell what its sheet shows besides the digits. Built-in formats show the viewer's currency, so
// only the digits of those are used, except for fractions: 5/8 for 0.625 is just as likely a reference.
func shownCell(cell table.Cell, n numeral, section formatSection, code string) table.Cell {
	if section.fraction && !n.whole() {
		cell.Shown = &table.Shown{Format: cmp.Or(code, "# ?/?")}
		return cell
	}
	if section.template == "" || section.class != formatNumber || code == "" {
		return cell
	}
	cell.Shown = &table.Shown{Text: section.text(n.settled()), Format: code}
	return cell
}

// text returns the number as the section shows it, or "" if that is not certain.
func (s formatSection) text(n numeral) string {
	first, last := strings.IndexAny(s.template, "\x00\x01"), strings.LastIndexAny(s.template, "\x00\x01")
	zeros := strings.Count(s.template, "\x00")
	if n.negative || !n.whole() || s.scaled || s.percent || s.inexact || strings.Contains(s.template, "\x03") {
		return ""
	}
	if first < 0 {
		return s.template
	}
	digits := n.text(zeros, 0)
	middle := s.template[first : last+1]
	switch {
	case len(digits) > visibleDigits, zeros == 0 && n.digits == "", len(digits) > 3 && strings.Contains(s.template, "\x02"):
		return ""
	case strings.Trim(middle, "\x00\x01\x02") == "":
		return s.template[:first] + digits + strings.Trim(s.template[last+1:], "\x02")
	case strings.ContainsAny(middle, "\x01\x02"):
		return ""
	}
	return s.template[:first] + masked(middle, digits, zeros) + s.template[last+1:]
}

// masked puts the digits into their places from the right; digits without a place come first.
func masked(places, digits string, zeros int) string {
	var b strings.Builder
	at := len(digits) - zeros
	b.WriteString(digits[:at])
	for i := range len(places) {
		if places[i] != shownDigit {
			b.WriteByte(places[i])
			continue
		}
		b.WriteByte(digits[at])
		at++
	}
	return b.String()
}
