package date

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// dayOrder is the order of day, month and year in a date written only with numbers.
type dayOrder uint8

const (
	dayFirst dayOrder = iota
	monthFirst
	yearFirst // with a two-digit year: 24/03/01
	orders
)

// shape is one way to write dates, apart from the order of its numbers. Every text has at most one shape.
type shape struct {
	// separator stands between the numbers of a shape if the texts must decide their order; all shapes of one column
	// with the same separator have the same order. It is "" if the form itself shows which number is which.
	separator string
	name      string // its first pattern, which identifies it
	// patterns are the readings, by their order. A shape without a separator has only one.
	patterns [orders]*Pattern
}

// matchesOf reads a text in every order that the shape allows. by holds the orders that read it.
func (s *shape) matchesOf(text string) (days [orders]Moment, by orderSet) {
	for order, pattern := range s.patterns {
		if pattern == nil {
			continue
		}
		if m, f := pattern.match(text, anyCentury); f == fits {
			days[order], by = m, by.with(dayOrder(order))
		}
	}
	return days, by
}

// dayForms returns all known ways to write day, month and year. A two-digit year in front, 24/03/01, is known only with
// numbers, as the short form of YYYY/MM/DD; nobody writes it beside the name of a month.
var dayForms = sync.OnceValue(func() []*shape {
	var forms []*shape
	add := func(separator string, texts ...string) {
		form := &shape{separator: separator}
		for order, text := range texts {
			form.patterns[order] = MustPattern(text)
		}
		forms = append(forms, form)
	}
	for _, s := range []string{"/", ".", "-", " ", ". "} {
		add(s[:1], "DD"+s+"MM"+s+"YYYY", "MM"+s+"DD"+s+"YYYY")
		add(s[:1], "DD"+s+"MM"+s+"YY", "MM"+s+"DD"+s+"YY", "YY"+s+"MM"+s+"DD")
	}
	for _, text := range []string{"YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYY MM DD", "YYYY. MM. DD", "YYYY. MM. DD.", "YYYYMMDD",
		"YYYY-MMM-DD", "YYYY MMM D", "YYYY, MMM D"} {
		add("", text)
	}
	for _, text := range []string{"D MMM YEAR", "DD-MMM-YEAR", "DD/MMM/YEAR", "DD.MMM.YEAR", "D. MMM YEAR", "D.MMM YEAR", "D MMM, YEAR", "DDMMMYEAR",
		"MMM D, YEAR", "MMM D YEAR", "MMM-DD-YEAR", "D de MMM de YEAR", "D de MMM YEAR", "D de MMM del YEAR", "D de MMM, YEAR", "D of MMM YEAR", "D of MMM, YEAR"} {
		for _, year := range []string{"YYYY", "YY"} {
			add("", strings.ReplaceAll(text, "YEAR", year))
		}
	}
	return forms
})

var (
	weekdayBefore = regexp.MustCompile(`^` + anyWeekday + `(?:-feira)?\.?(,?) `)
	timeAfter     = regexp.MustCompile(`^(.+?)(, | |t)11?:11(:11(?:[.,]1+)?)?(?:( ?)([ap]\.? ?m\.?))?$`)
	zoneAfter     = regexp.MustCompile(`^(.*1.*?[^ ])( ?)(?:z|utc|gmt|[+-]11:11|[+-]1111|[+-]11)$`)
)

// shapeOf finds the shape of the texts with a signature, or nil if they are not dates.
func shapeOf(signature string) *shape {
	core, before, after := signature, "", ""
	if found := weekdayBefore.FindStringSubmatch(core); found != nil {
		core, before = core[len(found[0]):], "ddd"+found[1]+" "
	}
	find := func() *shape {
		for _, form := range dayForms() {
			if s := form.within(core, signature, before, after); s != nil {
				return s
			}
		}
		return nil
	}
	// "01-01-2024" ends like a zone, so first look for a day without one.
	if s := find(); s != nil {
		return s
	}
	if found := zoneAfter.FindStringSubmatch(core); found != nil {
		core, after = found[1], found[2]+"Z"
	}
	if found := timeAfter.FindStringSubmatch(core); found != nil {
		clock := map[string]string{"t": "Thh:mm"}[found[2]]
		if clock == "" {
			clock = found[2] + "hh:mm"
		}
		if found[3] != "" {
			clock += ":ss"
		}
		if found[5] != "" {
			clock += found[4] + "a"
		}
		core, after = found[1], clock+after
	}
	return find()
}

// within returns the shape of a day form together with what surrounds the day, if the signature has it, or nil.
func (form *shape) within(core, signature, before, after string) *shape {
	if !slices.ContainsFunc(form.patterns[:], func(day *Pattern) bool { return day != nil && day.Fits(core) }) {
		return nil
	}
	s, read := &shape{separator: form.separator, name: before + form.patterns[0].text + after}, false
	for order, day := range form.patterns {
		if day == nil {
			continue
		}
		whole, err := ParsePattern(before + day.text + after)
		if err != nil {
			return nil
		}
		s.patterns[order], read = whole, read || whole.Fits(signature)
	}
	if !read {
		return nil
	}
	return s
}
