package numfmt

import (
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
)

// sectionScan collects what a section shows, character by character.
type sectionScan struct {
	section          formatSection
	day, clock       bool
	dayShown, year   bool // for a date: the day of the month, and the year
	elapsed          bool
	lastClock        byte // the last h or s, which makes a following m minutes
	pendingM         bool // an m that is a month unless an s follows
	digits, afterDot bool
	commas           int  // commas since the last digit
	sign             bool // something other than a digit or space was shown since the last digit
	shows            bool
	template         []byte
	signs            bool // the template has signs other than spaces, minus signs and brackets
}

// parseSection compiles one section of a format code.
func parseSection(code string) formatSection {
	if strings.EqualFold(strings.TrimSpace(code), "general") {
		return formatSection{}
	}
	var s sectionScan
	for i := 0; i < len(code); {
		i += s.step(code[i:])
	}
	return s.result()
}

// step takes the token at the start of the code and returns its length.
func (s *sectionScan) step(code string) int {
	if n := literalLength(code); n > 0 {
		s.shows = s.shows || code[0] == '"' && n > 2 || code[0] == '\\'
		if text := strings.Trim(code[:n], `"\`); code[0] == '"' || code[0] == '\\' {
			s.sign = s.sign || !format.BlankText(text)
			s.literal(text)
		}
		return n
	}
	if code[0] == '[' {
		n := bracketLength(code)
		s.bracket(strings.Trim(code[:n], "[]"))
		return n
	}
	s.shows = true
	for _, word := range [...]string{"general", "am/pm", "a/p"} {
		if len(code) >= len(word) && strings.EqualFold(code[:len(word)], word) {
			s.clock = s.clock || word != "general"
			s.template = append(s.template, shownDigit)
			return len(word)
		}
	}
	if n := s.letter(code); n > 0 {
		return n
	}
	s.placeholder(code[0])
	return 1
}

// letter takes a run of one date or time letter.
func (s *sectionScan) letter(code string) int {
	letter := code[0] | 0x20
	n := 1
	for n < len(code) && code[n]|0x20 == letter {
		n++
	}
	switch letter {
	case 'e':
		if n < len(code) && (code[n] == '+' || code[n] == '-') {
			s.section.inexact = true
			s.template = append(s.template, shownVaguely)
			return n + 1
		}
		s.day, s.year = true, true
	case 'y', 'g', 'b':
		s.day, s.year = true, true
	case 'd': // three or more are the day of the week
		s.day, s.dayShown = true, s.dayShown || n <= 2
	case 'a':
		s.day = s.day || n >= 3
	case 'h', 's':
		s.clock = true
		s.lastClock = letter
		s.pendingM = s.pendingM && letter != 's'
	case 'm':
		s.minutesOrMonth(n)
	default:
		return 0
	}
	return n
}

// minutesOrMonth takes a run of m: minutes after hours or before seconds, otherwise a month.
func (s *sectionScan) minutesOrMonth(n int) {
	switch {
	case s.lastClock == 'h' && n <= 2:
		s.clock, s.lastClock = true, 0
	case n > 2:
		s.day = true
	default:
		s.day = s.day || s.pendingM
		s.pendingM = true
	}
}

func (s *sectionScan) placeholder(c byte) {
	s.shown(c)
	switch c {
	case '0', '#', '?':
		s.section.masked = s.section.masked || s.digits && s.sign && !s.afterDot
		s.digits, s.commas, s.sign = true, 0, false
		if c != '0' {
			break
		}
		if s.afterDot {
			s.section.decimals++
		} else {
			s.section.zeros++
		}
	case '.':
		s.afterDot = true
	case ',':
		s.commas++
	case '%':
		s.section.percent = true
	case '-':
		s.sign = true
	case '/':
		s.section.fraction = s.section.fraction || s.digits
		s.section.inexact = s.section.inexact || s.digits
	}
}

// bracket takes the content of square brackets: elapsed time, a condition or a locale; a colour is ignored.
func (s *sectionScan) bracket(text string) {
	lower := strings.ToLower(text)
	switch {
	case lower == "":
	case strings.Trim(lower, lower[:1]) == "" && strings.Contains("hms", lower[:1]):
		s.elapsed, s.clock, s.shows = true, true, true
		s.lastClock = lower[0]
	case strings.HasPrefix(lower, "$-f800"):
		s.day, s.dayShown, s.year, s.shows = true, true, true, true
	case strings.HasPrefix(lower, "$-f400"):
		s.clock, s.shows = true, true
	case strings.HasPrefix(lower, "$"):
		s.currency(text[1:])
		s.shows = s.shows || len(lower) > 1 && lower[1] != '-'
	default:
		operand := strings.TrimLeft(lower, "<>=")
		sign := strings.TrimSuffix(lower, operand)
		if value, err := strconv.ParseFloat(strings.TrimSpace(operand), 64); err == nil && slices.Contains([]string{"<", ">", "=", "<=", ">=", "<>"}, sign) {
			s.section.condition, s.section.operand = sign, value
		}
	}
}

func (s *sectionScan) result() formatSection {
	r := s.section
	if s.pendingM {
		if s.elapsed {
			s.clock = true
		} else {
			s.day = true
		}
	}
	r.partial = s.day && !(s.dayShown && s.year)
	switch {
	case s.elapsed:
		r.class = formatDuration
	case s.day && s.clock:
		r.class = formatDateTime
	case s.day:
		r.class = formatDate
	case s.clock:
		r.class = formatTime
	case !s.shows:
		r.class = formatHidden
	default:
		r.scaled = s.digits && s.commas > 0
		if s.signs || r.masked {
			r.template = string(s.template)
		}
	}
	return r
}
