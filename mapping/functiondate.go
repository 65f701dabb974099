package mapping

import (
	"docketsync/mapping/table"
	"errors"
	"fmt"
	"time"
)

// Dates in expressions are texts, "2024-03-01", so that they compare in the order of the calendar. An empty text stays
// empty.

// columnDate is how date() without a pattern reads a column.
type columnDate struct {
	reader dateReader
	blanks *blankWords
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
	if read.reader.zone == nil {
		read.reader.zone = time.UTC // only the day is asked for
	}
	m, fail := read.reader.read(text, table.Text)
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
	m, fail := reader.readOrISO(text)
	if fail != nil {
		s.fail = fail
		return nil, errors.New(fail.message)
	}
	return m.iso(), nil
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
