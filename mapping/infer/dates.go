package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/table"
)

// dateForms says how the date columns of a plan are written.
type dateForms struct {
	top     []string // for dates: at the top
	why     string
	columns map[*column]dateForm
}

// dateForm says how one column is written.
type dateForm struct {
	patterns []string // empty for YYYY-MM-DD and the date cells of a workbook, which need none
	doubt    string   // what is undecided
	evidence string   // rows that show it
	odd      string   // what is odd about some cells, which will be rejected
}

// open says what is undecided and shows it, if the doubt does not. It returns "" if nothing is.
func (f dateForm) open() string {
	if f.evidence == "" {
		return f.doubt
	}
	return f.doubt + ", such as " + f.evidence
}

const isoDay = "YYYY-MM-DD"

// proven is the value of dates: with which the columns must prove their formats, in every file anew.
const proven = "proven"

// dateForms determines the form of each date column that the plan uses. If any column can prove its format, the top of
// the file has all columns prove theirs, because that reveals an export that is one night written differently. Columns
// that cannot prove it state their patterns themselves.
func (d *draft) dateForms() dateForms {
	forms := dateForms{columns: map[*column]dateForm{}}
	for _, c := range d.columns {
		if !d.takesDates(c) {
			continue
		}
		form := d.dateForm(c)
		forms.columns[c] = form
		proves := slices.Equal(form.patterns, []string{proven})
		if len(form.patterns) > 0 && (forms.top == nil || proves && forms.top[0] != proven) {
			forms.top, forms.why = form.patterns, d.proof(c, form)
		}
	}
	return forms
}

// takesDates reports whether a field of the plan uses the column as a date.
func (d *draft) takesDates(c *column) bool {
	if d.operation == payload.UpdateCase {
		return c.filled > 0 && len(c.at) == 1 && c.isDate()
	}
	return slices.ContainsFunc(d.targets, func(t payload.Field) bool { return t.Type == payload.TypeDate && d.chosen[t.Name] == c })
}

// dateForm determines how a column is written. If the column proves nothing, the pattern in its header is used; without
// one it gets every possible pattern, so that the dates they read differently are rejected until a person has decided.
// A column in which a spreadsheet program may have exchanged day and month must prove its dates, because listing
// patterns would say that they are right.
func (d *draft) dateForm(c *column) dateForm {
	v := c.verdict
	form := dateForm{patterns: v.Patterns}
	switch {
	case v.Mixed:
		form.patterns = c.evident(v)
		form.doubt, form.evidence = "CHECK, as it is written in several ways", waysShown(v.Deciding)
	case len(v.Ambiguous) > 0:
		form = c.undecided(v)
	case len(v.Converted) > 0:
		form.patterns = []string{proven}
		form.doubt, form.evidence = "CHECK, as a spreadsheet program may have taken the day for the month in its date cells", rowsShown(v.Converted[:1])
	case v.TurnedTexts != "":
		form.patterns = []string{proven}
		form.doubt = "CHECK, as a spreadsheet program may have taken the day for the month: " + v.TurnedTexts
	case c.stated != "" && slices.ContainsFunc(v.Deciding, func(e date.Evidence) bool { return !c.statesOne(e.Patterns) }):
		form.doubt, form.evidence = fmt.Sprintf("CHECK, as its header says %s, which is not how it is written", c.stated), rowsShown(v.Deciding)
	case len(v.Patterns) > 0 && !slices.Equal(v.Patterns, []string{isoDay}):
		form.patterns = []string{proven}
	}
	if len(form.patterns) == 1 && form.patterns[0] == isoDay {
		form.patterns = nil
	}
	return form
}

// undecided returns the form of a column in which no row decides between some patterns.
func (c *column) undecided(v date.Verdict) dateForm {
	others, read := c.withoutPatterns(v.Ambiguous)
	if 10*read >= 8*c.filled {
		// Few cells are unclear. They are rejected because they are not written like the rest.
		return dateForm{patterns: others, odd: "written otherwise: " + rowsShown(v.Undecided)}
	}
	if stated := slices.DeleteFunc(slices.Clone(v.Ambiguous), func(p string) bool { return orderOf(p) != orderOf(c.stated) }); len(stated) > 0 {
		return dateForm{patterns: append(stated, others...), odd: "no row proves it, but the header says " + c.stated}
	}
	return dateForm{patterns: append(slices.Clone(v.Ambiguous), others...), doubt: "CHOOSE ONE, as no row proves it", evidence: rowsShown(v.Undecided)}
}

// statesOne reports whether the header states one of the patterns.
func (c *column) statesOne(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return orderOf(p) == orderOf(c.stated) })
}

// orderOf returns the order of day, month and year in a pattern: "DMY".
func orderOf(pattern string) string {
	var order []rune
	for _, r := range strings.ToUpper(pattern) {
		if strings.ContainsRune("DMY", r) && !slices.Contains(order, r) {
			order = append(order, r)
		}
	}
	return string(order)
}

// inHeader finds a date format in a header such as "Filing date (dd/mm/yyyy)", with the letters of the six languages.
var inHeader = regexp.MustCompile(`(?i)\b(?:dd?|mm?m?|yy(?:yy)?|tt?|jj(?:jj)?|aa(?:aa)?|gg?)(?:[./-](?:dd?|mm?m?|yy(?:yy)?|tt?|jj(?:jj)?|aa(?:aa)?|gg?)){2}\b`)

// statedDate returns the pattern that a header states, or "", and the header without it. J is a year beside T for the
// day, as in TT.MM.JJJJ, and a day beside A for the year, as in JJ/MM/AAAA.
func statedDate(header string) (pattern, rest string) {
	at := inHeader.FindStringIndex(header)
	if at == nil {
		return "", header
	}
	pattern = strings.ToUpper(header[at[0]:at[1]])
	letters := strings.NewReplacer("T", "D", "J", "Y", "G", "D", "A", "Y")
	if strings.Contains(pattern, "A") {
		letters = strings.NewReplacer("J", "D", "G", "D", "A", "Y")
	}
	if pattern = letters.Replace(pattern); len(orderOf(pattern)) != 3 {
		return "", header
	}
	return pattern, header[:at[0]] + header[at[1]:]
}

// evident returns the patterns that some rows prove, in a column that contradicts itself.
func (c *column) evident(v date.Verdict) []string {
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

// withoutPatterns returns the patterns of the values that none of the given patterns reads, and how many cells have
// such a date. The column is not mixed in these dates, so what the kept values prove holds for the whole column, and
// what they leave open stays open.
func (c *column) withoutPatterns(some []string) (others []string, read int) {
	var rest date.Column
	for _, v := range c.ordered() {
		if v.kind == table.Date || slices.ContainsFunc(some, func(p string) bool { return fits(p, v.text) }) {
			continue
		}
		rest.Add(v.row, table.Cell{Kind: v.kind, Text: v.text})
		if slices.ContainsFunc(date.CommonPatterns, func(p string) bool { return fits(p, v.text) }) {
			read += v.count
		}
	}
	v := rest.Verdict()
	return append(v.Patterns, v.Ambiguous...), read + c.kinds[table.Date]
}

func fits(pattern, text string) bool {
	p, err := date.ParsePattern(pattern)
	return err == nil && p.Fits(text)
}

// proof says what shows how the column is written.
func (d *draft) proof(c *column, form dateForm) string {
	v := c.verdict
	switch {
	case form.doubt != "":
		return c.ref + ": " + form.open()
	case form.patterns[0] == proven && len(v.Deciding) > 0:
		return fmt.Sprintf("every file must prove it; here it is %s, as in %s of %s", strings.Join(v.Patterns, ", "), rowsShown(v.Deciding[:1]), c.ref)
	case form.patterns[0] == proven:
		return fmt.Sprintf("every file must prove it; here it is %s, as %s of %s", strings.Join(v.Patterns, ", "), c.first, c.ref)
	}
	return fmt.Sprintf("%s: %s", c.ref, form.odd)
}

// waysShown shows rows that contradict each other, and how each is written.
func waysShown(evidence []date.Evidence) string {
	var list, seen []string
	for _, e := range evidence {
		way := strings.Join(e.Patterns, " or ")
		if slices.Contains(seen, way) {
			break
		}
		seen = append(seen, way)
		list = append(list, fmt.Sprintf("%s in row %d (%s)", shown(e.Text), e.Row, way))
	}
	return strings.Join(list, ", ")
}

func rowsShown(evidence []date.Evidence) string {
	var list []string
	for _, e := range evidence[:min(len(evidence), 3)] {
		list = append(list, fmt.Sprintf("%s in row %d", shown(e.Text), e.Row))
	}
	return strings.Join(list, ", ")
}

// composeDates writes the date settings at the top of the file.
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
		short, zoneless = short || v.TwoDigitYear, zoneless || v.Zoneless
		if form.doubt != "" {
			d.askDates(c, form)
		}
	}
	if short {
		d.header = append(d.header, line{"pivot: 50", "CHECK: two-digit years; 49 is 2049 and 50 is 1950"})
		d.ask("Years have two digits. The mapping takes 50 to 99 as 1950 to 1999 and the rest as 2000 to 2049: set another pivot: if that is wrong.")
	}
	if zoneless {
		d.header = append(d.header, line{"# zone: Europe/Madrid", "SET ONE: there are times of day without a time zone"})
		d.ask("There are times of day without a time zone: set zone: in the mapping; until then check rejects them.")
	}
}

// askDates asks how a column is written that does not show it.
func (d *draft) askDates(c *column, form dateForm) {
	switch {
	case len(c.verdict.Converted) > 0:
		d.ask("%s: a spreadsheet program may have taken the day for the month in its date cells (%s). Import the export as it was before it was opened; "+
			"until then check stops.", c.ref, form.evidence)
	case form.evidence == "":
		d.ask("%s: a spreadsheet program may have taken the day for the month: %s. Import the export as it was before it was opened; until then check stops.",
			c.ref, c.verdict.TurnedTexts)
	case len(form.patterns) == 1:
		d.ask("%s: its header says %s, and its rows are written as %s (%s). Ask who made the file.", c.ref, c.stated, form.patterns[0], form.evidence)
	default:
		d.ask("%s does not prove its date format (%s). Keep the right one of %s in the mapping; until then check rejects what is unclear.",
			c.ref, form.evidence, strings.Join(form.patterns, ", "))
	}
}

// dateOptions returns the options that a column needs besides the settings at the top, and what is odd about its dates.
func (d *draft) dateOptions(c *column) (options []string, doubt string) {
	form, v := d.dates.columns[c], c.verdict
	doubt = form.odd
	if v.Others > 0 {
		doubt = joinWhy(doubt, table.Count(v.Others, "cell is not a date", "cells are not dates")+": "+rowsShown(v.OtherRows))
	}
	if slices.Equal(form.patterns, []string{proven}) {
		doubt = joinWhy(strings.Join(v.Patterns, ", "), form.open(), doubt)
	}
	needed := form.patterns
	switch {
	case slices.Equal(needed, d.dates.top), needed == nil && (len(d.dates.top) == 0 || d.dates.top[0] == proven || v.Dates == v.DateCells):
		return nil, doubt
	case needed == nil:
		needed = []string{isoDay}
	}
	return []string{"dates: " + patternList(needed)}, joinWhy(form.open(), doubt)
}

// patternList writes date patterns; a single one needs no brackets.
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
