package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// InfersDates reports whether a field of the mapping takes its date patterns from the whole column. If so, all rows of
// all sources must go through InferDates, and only the mapping that Inferred then returns may map them.
func (m *Mapping) InfersDates() bool {
	return slices.ContainsFunc(m.dated(), (*rule.Field).Infers)
}

// InferDates takes the dates of a row, after blanks: and values:, as evidence. It ignores a row that the mapping leaves
// out or that has no key.
func (m *Mapper) InferDates(columns date.Columns, row table.Row) {
	if row.Skip != "" || len(row.Faults) > 0 {
		return
	}
	if _, skip, reasons := m.Key(row); skip != "" || len(reasons) > 0 {
		return
	}
	for _, f := range m.every {
		if !f.Infers() {
			continue
		}
		if t, ok := m.text(f); ok {
			if t, stop := m.prepared(f, t); !stop {
				columns.Column(f.Path).AddFrom(row.Source, row.Number, t.text, t.kind)
			}
		}
	}
}

// Proven returns the patterns that columns have proven, by the name of the column, or the path of a field that is made
// of several; nil if the mapping infers none.
func (m *Mapper) Proven() map[string][]string {
	var proven map[string][]string
	for _, f := range m.every {
		if f.Dates.Proof != date.Inferred {
			continue
		}
		for _, pattern := range f.Dates.Patterns {
			if proven == nil {
				proven = map[string][]string{}
			}
			if text := pattern.String(); !slices.Contains(proven[datedAs(f)], text) {
				proven[datedAs(f)] = append(proven[datedAs(f)], text)
			}
		}
	}
	return proven
}

// datedAs is the name under which Proven returns the patterns of a field. If it is read from another
// column now, these do not apply.
func datedAs(f *boundField) string {
	if len(f.Columns) == 1 {
		return f.Columns[0].Name
	}
	return f.Path
}

// FormerDates says how dates were written in the file that rows were taken from, as Proven returned it for that file;
// see date.Column.Formerly.
func (m *Mapper) FormerDates(columns date.Columns, proven map[string][]string) {
	for _, f := range m.every {
		if f.Infers() {
			columns.Column(f.Path).Formerly(proven[datedAs(f)])
		}
	}
}

// Inferred returns the mapping with the patterns that the rows have proven. file names the source of a row for
// messages; nil leaves it out. The error is of type diagnostic.Faults: every field whose dates could be read in two
// ways, or are written in two formats that contradict each other, with the rows and what would settle it.
func (m *Mapping) Inferred(columns date.Columns, file func(source int) string) (*Mapping, error) {
	d := &dateInference{columns: columns, file: file}
	rules := *m.rules
	rules.Fields = d.fields(rules.Fields)
	if n := slices.Index(m.rules.Fields, rules.Order); n >= 0 {
		rules.Order = rules.Fields[n]
	} else if rules.OwnOrder != nil {
		rules.OwnOrder = d.fields([]*rule.Field{rules.OwnOrder})[0]
		rules.Order = rules.OwnOrder
	}
	if err := d.faults.Err(); err != nil {
		return nil, err
	}
	return &Mapping{&rules}, nil
}

type dateInference struct {
	columns date.Columns
	file    func(int) string
	faults  diagnostic.Faults
}

// fields returns copies of the fields, because a mapping is immutable.
func (d *dateInference) fields(fields []*rule.Field) []*rule.Field {
	list := slices.Clone(fields)
	for n, f := range list {
		changed := *f
		if changed.Inner = d.fields(f.Inner); f.Infers() {
			changed.Dates = d.reader(f)
		}
		list[n] = &changed
	}
	return list
}

// reader returns the field's reader with the patterns of its column.
func (d *dateInference) reader(f *rule.Field) date.Reader {
	v := d.columns.Column(f.Path).Verdict()
	r := f.Dates
	r.Proof = date.Inferred
	for _, text := range v.Patterns {
		r.Patterns = append(r.Patterns, date.MustPattern(text))
	}
	fault := func(message, hint string) { d.faults = append(d.faults, f.Place.Fault(f.Called()+message, hint)) }
	switch {
	case v.Mixed:
		fault(" has contradictory date formats: "+d.rows(v.Deciding),
			"Correct the rows in the other format in the source: while both formats occur, no date in the column is certain.")
	case len(v.Ambiguous) > 0:
		year := ""
		if v.TwoDigitYear {
			year = " and a year of four digits"
		}
		fault(fmt.Sprintf(" does not prove its date format, %s: %s", strings.Join(v.Ambiguous, " or "), d.rows(v.Undecided)),
			fmt.Sprintf("A row with a day over 12%s would decide it. Otherwise ask who made the file, and set the format: dates: [%s].", year, v.Ambiguous[0]))
	case len(v.Converted) > 0 && !r.Turned:
		fault(fmt.Sprintf(": %s: %s", v.Turning.Words(), d.converted(v.Converted)), turnedHint)
	case v.TwoDigitYear && !r.PivotGiven:
		fault(fmt.Sprintf(" has two-digit years (%s), so a pivot is required", strings.Join(v.Patterns, " and ")),
			"Set pivot: 50 next to dates: (00–49 are 20xx, 50–99 are 19xx), or another pivot.")
	}
	return r
}

// evidenceShown is how many rows a message lists.
const evidenceShown = 3

// rows lists evidence: the first rows, and at least one for each way to read them.
func (d *dateInference) rows(list []date.Evidence) string {
	list = slices.Clone(list)
	list = list[:min(len(list), max(evidenceShown, date.WaysFirst(list)))]
	said := make([]string, len(list))
	for n, e := range list {
		said[n] = d.row(e)
	}
	return strings.Join(said, "; ")
}

// converted lists the first date cells and the text that follows them.
func (d *dateInference) converted(list []date.Evidence) string {
	var said []string
	for n, e := range list {
		switch {
		case n == len(list)-1:
			said = append(said, fmt.Sprintf("%s is the text %s", d.place(e), reason.Quote(e.Text)))
		case n < evidenceShown:
			said = append(said, fmt.Sprintf("%s is the date cell %s", d.place(e), shownDay(e.Days[0])))
		}
	}
	return strings.Join(said, "; ")
}

// row says how a cell can be read: `row 17 of marks.csv, "03/04/2024", is 3 April 2024 as DD/MM/YYYY or …`.
func (d *dateInference) row(e date.Evidence) string {
	readings := make([]string, len(e.Patterns))
	for n, pattern := range e.Patterns {
		readings[n] = shownDay(e.Days[n]) + " as " + pattern
	}
	only := ""
	if len(readings) == 1 {
		only = "only "
	}
	return fmt.Sprintf("%s, %s, is %s%s", d.place(e), reason.Quote(e.Text), only, strings.Join(readings, " or "))
}

func (d *dateInference) place(e date.Evidence) string {
	where := fmt.Sprintf("row %d", e.Row)
	if d.file != nil {
		where += " of " + d.file(e.Source)
	}
	return where
}

// shownDay writes a day of evidence in words: "3 April 2024", or "3 April '24" if the century is not known.
func shownDay(day string) string {
	layout, shown := time.DateOnly, "2 January 2006"
	if len(day) < len(layout) {
		layout, shown = "06-01-02", "2 January '06"
	}
	t, err := time.Parse(layout, day)
	if err != nil {
		return day
	}
	return t.Format(shown)
}

const turnedHint = "A column looks like this when a spreadsheet program has read the day as the month wherever it could, which makes these dates wrong: " +
	"import the original export, as it was before anyone opened it. If they are correct, set dates_turned: accept in the mapping, at the top or for this field."

// DatesTurned returns the fault of importing a column in which a spreadsheet program has probably exchanged day and
// month, which words describes. It returns nil if the mapping reads no dates from the column, or says that they are
// right.
func (m *Mapper) DatesTurned(column int, words string) diagnostic.Faults {
	for _, f := range m.every {
		if !f.Dates.Turned && (f.Target.Type == payload.TypeDate || f.DateAs != nil) && slices.Contains(f.reads(), column) {
			return diagnostic.Faults{f.Place.Fault(words, turnedHint)}
		}
	}
	for _, p := range m.programs() {
		if !p.turned && p.Dates(column) {
			return diagnostic.Faults{p.place.Fault(words, turnedHint)}
		}
	}
	return nil
}

// dating is an expression that may read dates.
type dating struct {
	*expr.Program
	place  rule.Place
	turned bool // its dates are accepted even if they look turned
}

func (m *Mapper) programs() (all []dating) {
	for _, f := range append([]*boundField{m.key}, m.every...) {
		if f.program != nil {
			all = append(all, dating{f.program, f.Place, f.Dates.Turned})
		}
	}
	for _, f := range slices.Concat(m.skip, m.only) {
		all = append(all, dating{f.program, f.Place, m.mapping.rules.Dates.Turned})
	}
	for _, c := range m.checks.own {
		all = append(all, dating{c.program, c.Place, m.mapping.rules.Dates.Turned})
	}
	return all
}

// Contradictions returns a fault for each field in which the dates or numbers of all rows mapped so far contradict the
// declared format: a value that can be read both ways does not show which one was meant. file names the source of a
// row.
func (m *Mapper) Contradictions(file func(source int) string) (faults diagnostic.Faults) {
	const hint = "If %s is written that way, change %s. If only these %s are mistyped, correct them in the source, or set %s, which rejects them and imports the others."
	place := func(source, row int) string { return fmt.Sprintf("row %d of %s", row, file(source)) }
	for _, f := range m.every {
		if words := f.readings.Dates.Turned(place); words != "" && !f.Dates.Turned {
			faults = append(faults, f.Place.Fault(f.Called()+": "+words, turnedHint))
			continue
		}
		accepted, kind, exchanged := f.Dates.Turned, "dates", "day and month"
		if f.Target.Type != payload.TypeDate {
			accepted, kind, exchanged = f.NumbersTurned, "numbers", "the signs between thousands and before decimals"
		}
		if words, is := f.readings.Contradicted(kind, file); is && !accepted {
			faults = append(faults, f.Place.Fault(f.Called()+" seems to have "+exchanged+" the other way round: "+words,
				fmt.Sprintf(hint, "the column", "its format: "+kind+": next to this field", kind, kind+"_turned: accept next to this field")))
		}
	}
	for _, p := range m.programs() {
		if words := p.Readings.Dates.Turned(place); words != "" && !p.turned {
			faults = append(faults, p.place.Fault("what date() reads in this expression: "+words, turnedHint))
			continue
		}
		if words, is := p.Readings.Contradicted("dates", file); is && !p.turned {
			faults = append(faults, p.place.Fault("what date() reads in this expression seems to have day and month the other way round: "+words,
				fmt.Sprintf(hint, "it", "the pattern in date(), or dates: where date() has none", "dates", "dates_turned: accept at the top of the mapping, or next to the field of the expression")))
		}
	}
	return faults
}
