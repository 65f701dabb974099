package date

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// dayOrder is the order in which a date that is written in numbers alone has its day, month and year.
type dayOrder uint8

const (
	dayFirst dayOrder = iota
	monthFirst
	yearFirst // of two digits: 24/03/01
	orders
)

// shape is one way to write dates, apart from the order of its numbers: every text has one shape at the most.
type shape struct {
	// separator is what stands between the numbers of a shape whose order the texts must decide; all shapes of one column
	// with one separator have one order. It is "" where the writing itself tells which number is which.
	separator string
	// patterns are the readings, by their order; a shape without a separator has one alone.
	patterns [orders]*Pattern
}

// matchesOf reads a text in every order that the shape allows, and says which of them read it.
func (s *shape) matchesOf(text string) (days [orders]Moment, by orderSet) {
	for order, pattern := range s.patterns {
		if pattern == nil {
			continue
		}
		// The orders are compared within one century; it is the one whose year 00 has a 29 February.
		if m, f := pattern.match(text, 100); f == fits {
			days[order], by = m, by.with(dayOrder(order))
		}
	}
	return days, by
}

// dayForm is a way to write the day, month and year.
type dayForm struct {
	separator string
	patterns  [orders]string
}

// dayForms are all the ways known. A year of two digits in front, 24/03/01, is known for numbers alone, where it is the short
// form of YYYY/MM/DD; beside the name of a month nobody writes it so.
var dayForms = func() []dayForm {
	var forms []dayForm
	for _, s := range []string{"/", ".", "-", " ", ". "} {
		separator := s[:1]
		forms = append(forms,
			dayForm{separator, [orders]string{dayFirst: "DD" + s + "MM" + s + "YYYY", monthFirst: "MM" + s + "DD" + s + "YYYY"}},
			dayForm{separator, [orders]string{"DD" + s + "MM" + s + "YY", "MM" + s + "DD" + s + "YY", "YY" + s + "MM" + s + "DD"}})
	}
	for _, text := range []string{"YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYY MM DD", "YYYY. MM. DD", "YYYY. MM. DD.", "YYYYMMDD",
		"YYYY-MMM-DD", "YYYY MMM D", "YYYY, MMM D"} {
		forms = append(forms, dayForm{patterns: [orders]string{text}})
	}
	for _, text := range []string{"D MMM YEAR", "DD-MMM-YEAR", "DD/MMM/YEAR", "DD.MMM.YEAR", "D. MMM YEAR", "D.MMM YEAR", "D MMM, YEAR", "DDMMMYEAR",
		"MMM D, YEAR", "MMM D YEAR", "MMM-DD-YEAR", "D de MMM de YEAR", "D de MMM YEAR", "D de MMM del YEAR", "D de MMM, YEAR", "D of MMM YEAR", "D of MMM, YEAR"} {
		for _, year := range []string{"YYYY", "YY"} {
			forms = append(forms, dayForm{patterns: [orders]string{strings.ReplaceAll(text, "YEAR", year)}})
		}
	}
	return forms
}()

var dayPatterns = sync.OnceValue(func() [][orders]*Pattern {
	list := make([][orders]*Pattern, len(dayForms))
	for n, form := range dayForms {
		for order, text := range form.patterns {
			if text != "" {
				list[n][order] = MustPattern(text)
			}
		}
	}
	return list
})

var (
	weekdayBefore = regexp.MustCompile(`^` + anyWeekday + `(?:-feira)?\.?(,?) `)
	timeAfter     = regexp.MustCompile(`^(.+?)(, | |t)11?:11(:11(?:[.,]1+)?)?(?:( ?)([ap]\.? ?m\.?))?$`)
	zoneAfter     = regexp.MustCompile(`^(.*1.*?[^ ])( ?)(?:z|utc|gmt|[+-]11:11|[+-]1111|[+-]11)$`)
)

// shapeOf finds the shape of the texts that have a signature; nil when they are no dates.
func shapeOf(signature string) *shape {
	core, before, after := signature, "", ""
	if found := weekdayBefore.FindStringSubmatch(core); found != nil {
		core, before = core[len(found[0]):], "ddd"+found[1]+" "
	}
	// "01-01-2024" ends as a zone does, so a day is first looked for without one.
	for n := range dayForms {
		if s := newShape(n, core, signature, before, after); s != nil {
			return s
		}
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
	for n := range dayForms {
		if s := newShape(n, core, signature, before, after); s != nil {
			return s
		}
	}
	return nil
}

// newShape is the shape of a way to write the day, with what stands around it, when a signature has it.
func newShape(form int, core, signature, before, after string) *shape {
	days := dayPatterns()[form]
	if !slices.ContainsFunc(days[:], func(day *Pattern) bool { return day != nil && day.Fits(core) }) {
		return nil
	}
	s, read := &shape{separator: dayForms[form].separator}, false
	for order, day := range days {
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
