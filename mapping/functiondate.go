package mapping

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
)

// Dates in expressions are texts, "2024-03-01", so that they compare in the order of the calendar. An empty text stays
// empty.

// columnDate is how date() without a pattern reads a column.
type columnDate struct {
	dateReader
	blanks *blankWords
}

// columnDates are the declarations of the columns that a date field reads alone, and under "" those of the file.
func (m *Mapping) columnDates() map[string]columnDate {
	dates := map[string]columnDate{"": {m.dates, m.key.blanks}}
	for _, f := range m.fields {
		fields := []*field{f}
		if f.components != nil {
			fields = f.components.items
		}
		for _, f := range fields {
			if f.target.Type == payload.TypeDate && len(f.columns) == 1 {
				dates[f.columns[0].name] = columnDate{f.dates, f.blanks}
			}
		}
	}
	return dates
}

// bareDates reports date() without a pattern where the mapping declares none either. A column that a date field reads has proven
// its own when its rows are mapped, but not when the filters and the key are asked, early.
func (b *binder) bareDates(e *expression) {
	for _, call := range e.bare {
		read, own := b.scope.dates[call.name]
		if !own {
			read = b.scope.dates[""]
		}
		if read.proof != proofNone && (b.early || !own) {
			b.add(b.mapping.file.AtOffset(call.node, call.offset, "date() has no pattern here, and dates: proven declares none",
				`write how the dates are written: date(row["…"], "DD/MM/YYYY")`))
		}
	}
}

// columnDate reads a cell as the mapping declares the dates of its column. A blank stays empty.
func (s *scope) columnDate(text, column string) (any, error) {
	read, own := s.dates[column]
	if !own {
		read = s.dates[""]
	}
	if text = table.Trim(text); text == "" || read.blanks.has(text) {
		return "", nil
	}
	if m, err := readISO(text); err == nil {
		return m.iso(), nil // a date cell of a workbook, which is text in an expression
	}
	if read.zone == nil {
		read.zone = time.UTC // only the day is asked for
	}
	m, fail := read.read(text, table.Text)
	if fail != nil {
		s.fail = fail
		return nil, errors.New(fail.message)
	}
	return m.iso(), nil
}

// dateFrom reads a text by the patterns given.
func dateFrom(s *scope, p []any) (any, error) {
	text := table.Trim(p[0].(string))
	if text == "" {
		return "", nil
	}
	reader := dateReader{zone: time.UTC} // only the day is asked for, which no zone moves
	for _, value := range p[1:] {
		pattern, err := ParseDatePattern(value.(string))
		switch {
		case err != nil:
			return nil, err
		case pattern.TwoDigitYear():
			return nil, fmt.Errorf("the pattern %q has a year of two digits; the century cannot be told", pattern)
		}
		reader.patterns = append(reader.patterns, pattern)
	}
	kind := table.Text
	if _, f := isoDay.match(text, 0); f == fits && len(text) == 10 {
		kind = table.Date // a date cell of a workbook, which is text in an expression
	}
	m, fail := reader.readBy(append(reader.patterns, isoIf(kind)...), text, kind)
	if fail != nil {
		s.fail = fail
		return nil, errors.New(fail.message)
	}
	return m.iso(), nil
}

func isoIf(kind table.Kind) []*DatePattern {
	if kind == table.Date {
		return []*DatePattern{isoDay}
	}
	return nil
}

// readISO reads a date as expressions carry it.
func readISO(text string) (moment, error) {
	for _, pattern := range isoAll {
		if m, f := pattern.match(table.Trim(text), 0); f == fits {
			return m, nil
		}
	}
	return moment{}, fmt.Errorf("%s is not a date of the form 2024-03-01; read it with date(…, \"DD/MM/YYYY\")", quote(text))
}

func datePartOf(part func(moment) int) func(*scope, []any) (any, error) {
	return func(_ *scope, p []any) (any, error) {
		m, err := readISO(p[0].(string))
		return part(m), err
	}
}

// shiftDate moves a date. A day that the month does not have becomes the month's last: 29 February and one year is 28
// February.
func shiftDate(years, months, days int) func(*scope, []any) (any, error) {
	return func(_ *scope, p []any) (any, error) {
		if table.Trim(p[0].(string)) == "" {
			return "", nil
		}
		m, err := readISO(p[0].(string))
		n := p[1].(int)
		if err != nil {
			return nil, err
		}
		if n < -100_000 || n > 100_000 {
			return nil, errors.New("the date would be moved too far")
		}
		month := m.year*12 + m.month - 1 + n*(12*years+months)
		m.year, m.month = month/12, month%12+1
		m.day = min(m.day, daysIn(m.year, m.month))
		t := time.Date(m.year, time.Month(m.month), m.day+n*days, 0, 0, 0, 0, time.UTC)
		if t.Year() < 1 || t.Year() > 9999 {
			return nil, errors.New("the date would be moved too far")
		}
		return t.Format(time.DateOnly), nil
	}
}

func daysBetween(_ *scope, p []any) (any, error) {
	from, err := readISO(p[0].(string))
	to, err2 := readISO(p[1].(string))
	return to.number() - from.number(), errors.Join(err, err2)
}

// number counts days.
func (m moment) number() int {
	return int(time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// formatDate writes a date by a pattern, with English names of months.
func formatDate(_ *scope, p []any) (any, error) {
	if table.Trim(p[0].(string)) == "" {
		return "", nil
	}
	m, err := readISO(p[0].(string))
	if err != nil {
		return nil, err
	}
	pattern, err := ParseDatePattern(p[1].(string))
	if err != nil {
		return nil, err
	}
	return pattern.format(m), nil
}

// format writes a day or a moment in the pattern. One letter gives a number without zeros in front.
func (p *DatePattern) format(m moment) string {
	var b strings.Builder
	number := func(n int, part datePart) {
		if part.digits == 0 && part.short {
			fmt.Fprintf(&b, "%d", n)
		} else {
			fmt.Fprintf(&b, "%02d", n)
		}
	}
	for _, part := range p.parts {
		switch part.kind {
		case partLiteral:
			b.WriteString(part.written)
		case partSpace:
			b.WriteByte(' ')
		case partDay:
			number(m.day, part)
		case partMonth:
			number(m.month, part)
		case partMonthName:
			name := time.Month(m.month).String()
			if part.short {
				name = name[:3]
			}
			b.WriteString(name)
		case partYear:
			if part.digits == 2 {
				fmt.Fprintf(&b, "%02d", m.year%100)
			} else {
				fmt.Fprintf(&b, "%04d", m.year)
			}
		case partWeekday:
			b.WriteString(time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Weekday().String())
		case partHour:
			if p.halves {
				number((m.hour+11)%12+1, part)
			} else {
				number(m.hour, part)
			}
		case partMinute:
			number(m.minute, part)
		case partSecond:
			number(m.second, part)
		case partHalf:
			b.WriteString(map[bool]string{true: "am", false: "pm"}[m.hour < 12])
		case partZone:
			b.WriteByte('Z')
		}
	}
	return b.String()
}
