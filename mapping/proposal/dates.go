package proposal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"docketsync/mapping"
)

// dateForms is how the date columns of a plan are written.
type dateForms struct {
	top     []string // under dates:
	why     string
	columns map[*column]dateForm
}

// dateForm is how one column is written.
type dateForm struct {
	patterns []string // nothing for YYYY-MM-DD and the date cells of a workbook, which need none
	doubt    string   // what is open
	odd      string   // what some cells have that is left to be rejected
}

const isoDay = "YYYY-MM-DD"

// dateForms asks each date column that the plan uses. What most proven columns have goes to the top of the file; the others
// say it themselves.
func (d *draft) dateForms() dateForms {
	forms := dateForms{columns: map[*column]dateForm{}}
	var order []*column
	for _, c := range d.columns {
		if d.takesDates(c) {
			order = append(order, c)
			forms.columns[c] = d.dateForm(c)
		}
	}
	votes := map[string]int{}
	for _, c := range order {
		form := forms.columns[c]
		key := strings.Join(form.patterns, "|")
		votes[key]++
		if form.doubt == "" {
			votes[key] += len(order) // what is proven comes before what is not
		}
	}
	most := 0
	for _, c := range order {
		form := forms.columns[c]
		if n := votes[strings.Join(form.patterns, "|")]; len(form.patterns) > 0 && n > most {
			most, forms.top, forms.why = n, form.patterns, d.proof(c)
		}
	}
	return forms
}

// takesDates tells that a field of the plan takes the column as a date.
func (d *draft) takesDates(c *column) bool {
	if d.operation == mapping.UpdateCase {
		return c.filled > 0 && len(c.at) == 1 && c.isDate()
	}
	for _, target := range d.targets {
		if target.Type == mapping.TypeDate && d.chosen[target.Name] == c {
			return true
		}
	}
	return false
}

// dateForm is how a column is written. One that proves nothing gets every pattern that is open, so that the dates between
// which they cannot decide are rejected until a person has.
func (d *draft) dateForm(c *column) dateForm {
	v := c.verdict
	form := dateForm{patterns: v.Patterns}
	switch {
	case v.Mixed:
		form.patterns = c.evident(v)
		form.doubt = "CHECK, as it is written in several ways, such as " + rowsShown(v.Deciding)
	case len(v.Ambiguous) > 0:
		others, read := c.withoutPatterns(v.Ambiguous)
		if 10*read >= 8*c.filled {
			// Few are unclear: they are rejected as not written like the rest.
			form.patterns = others
			form.odd = "written otherwise: " + rowsShown(v.Undecided)
			break
		}
		form.patterns = append(slices.Clone(v.Ambiguous), others...)
		form.doubt = "CHOOSE ONE, as no row proves it, such as " + rowsShown(v.Undecided)
	}
	if len(v.Converted) > 0 && form.doubt == "" {
		form.doubt = "CHECK, as a spreadsheet program may have taken the day for the month in its date cells, such as " + rowsShown(v.Converted[:1])
	}
	if len(form.patterns) == 1 && form.patterns[0] == isoDay {
		form.patterns = nil
	}
	return form
}

// evident are the patterns that rows of a column in several ways prove, each by some.
func (c *column) evident(v mapping.DateVerdict) []string {
	var patterns []string
	for _, e := range v.Deciding {
		for _, p := range e.Patterns {
			if !slices.Contains(patterns, p) {
				patterns = append(patterns, p)
			}
		}
	}
	others, _ := c.withoutPatterns(patterns)
	return append(patterns, others...)
}

// withoutPatterns are the patterns of the values that none of some patterns reads, and how many cells have such a date. What the
// kept values prove holds for the whole column, as that is not mixed; what they leave open stays open.
func (c *column) withoutPatterns(some []string) (others []string, read int) {
	var rest mapping.DateColumn
	for _, v := range c.ordered() {
		if v.kind == mapping.Date || slices.ContainsFunc(some, func(p string) bool { return fits(p, v.text) }) {
			continue
		}
		rest.Add(v.row, mapping.Cell{Kind: v.kind, Text: v.text})
		if slices.ContainsFunc(mapping.CommonDatePatterns, func(p string) bool { return fits(p, v.text) }) {
			read += v.count
		}
	}
	v := rest.Verdict()
	return append(v.Patterns, v.Ambiguous...), read + c.kinds[mapping.Date]
}

func fits(pattern, text string) bool {
	p, err := mapping.ParseDatePattern(pattern)
	return err == nil && p.Fits(text)
}

func twoDigitYear(pattern string) bool {
	p, err := mapping.ParseDatePattern(pattern)
	return err == nil && p.TwoDigitYear()
}

// proof says what shows how the column is written.
func (d *draft) proof(c *column) string {
	form, v := d.dateForm(c), c.verdict
	switch {
	case form.doubt != "":
		return c.ref + ": " + form.doubt
	case len(v.Deciding) > 0:
		return fmt.Sprintf("%s proves it: %s", c.ref, rowsShown(v.Deciding[:1]))
	}
	return fmt.Sprintf("as all of %s, such as %s", c.ref, c.first)
}

func rowsShown(evidence []mapping.DateEvidence) string {
	var list []string
	for i, e := range evidence {
		if i == 3 {
			break
		}
		list = append(list, fmt.Sprintf("%s in row %d", shown(e.Text), e.Row))
	}
	return strings.Join(list, ", ")
}

// composeDates writes how dates are written at the top of the file.
func (d *draft) composeDates() {
	if len(d.dates.top) > 0 {
		d.header = append(d.header, line{"dates: " + patternList(d.dates.top), d.dates.why})
	}
	short, zoneless := false, false
	for _, c := range d.columns {
		form, used := d.dates.columns[c]
		if !used {
			continue
		}
		v := c.verdict
		short, zoneless = short || slices.ContainsFunc(form.patterns, twoDigitYear), zoneless || v.Zoneless
		if form.doubt != "" {
			_, evidence, _ := strings.Cut(form.doubt, ", such as ")
			d.ask("%s does not prove how its dates are written (%s). Keep the right one of %s in the mapping; until then check rejects what is unclear.",
				c.ref, evidence, strings.Join(form.patterns, ", "))
		}
	}
	if short {
		d.header = append(d.header, line{"pivot: 50", "CHECK: years of two digits; 49 is 2049 and 50 is 1950"})
		d.ask("Years have two digits. The mapping takes 50 to 99 as 1950 to 1999 and the rest as 2000 to 2049: set pivot: otherwise if that is wrong.")
	}
	if zoneless {
		d.header = append(d.header, line{"# zone: Europe/Madrid", "SAY WHICH: there are times of day, and nothing says in which zone"})
		d.ask("There are times of day without a zone: say zone: in the mapping; until then check rejects them.")
	}
}

// dateOptions are the patterns of a column that the top of the file does not give it, and what is odd about its dates.
func (d *draft) dateOptions(c *column) (options []string, doubt string) {
	form, v := d.dates.columns[c], c.verdict
	doubt = form.odd
	if v.Others > 0 {
		are := "1 cell is no date: "
		if v.Others > 1 {
			are = fmt.Sprintf("%d cells are no dates: ", v.Others)
		}
		doubt = joinWhy(doubt, are+rowsShown(v.OtherRows))
	}
	needed := form.patterns
	if needed == nil && v.Dates > v.DateCells {
		needed = []string{isoDay}
	}
	covered := !slices.ContainsFunc(needed, func(p string) bool { return !slices.Contains(d.dates.top, p) })
	if len(needed) == 0 || covered && form.doubt == "" || len(d.dates.top) == 0 && form.patterns == nil || slices.Equal(needed, d.dates.top) {
		return nil, doubt
	}
	return []string{"dates: " + patternList(needed)}, joinWhy(form.doubt, doubt)
}

// patternList writes date patterns: one alone needs no brackets.
func patternList(patterns []string) string {
	list := make([]string, len(patterns))
	for i, p := range patterns {
		if list[i] = p; strings.IndexFunc(p, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/.- ", r)
		}) >= 0 {
			list[i] = Scalar(p)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return "[" + strings.Join(list, ", ") + "]"
}
