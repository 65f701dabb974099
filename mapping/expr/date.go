package expr

import (
	"errors"
	"fmt"
	"time"

	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Dates in expressions are texts such as "2024-03-01", so that they compare in the order of the calendar. An empty text
// stays empty.

// ColumnDate says how date() without a pattern reads a column.
type ColumnDate struct {
	Reader date.Reader
	Blanks *value.Blanks
}

// columnDate reads a cell as the mapping declares the dates of its column. A blank stays empty.
func (s *Scope) columnDate(text, column string) (any, error) {
	read, own := s.Dates[column]
	if !own {
		read = s.Dates[""]
	}
	if text = table.Trim(text); text == "" || read.Blanks.Has(text) {
		return "", nil
	}
	if m, err := date.ParseISO(text); err == nil {
		s.dates.Dates.Add(table.TextDateOf(0, m.Day > 12), s.row.Source, s.row.Number, text)
		return m.ISO(), nil // perhaps a date cell of a workbook, which is text in an expression
	}
	if read.Reader.Zone == nil {
		read.Reader.Zone = time.UTC // only the day matters
	}
	m, fail := read.Reader.Read(text, table.Text)
	return s.day(text, m, fail)
}

// day returns the day that a text was read as, or why it could not be read.
func (s *Scope) day(text string, m date.Moment, fail *reason.Problem) (any, error) {
	s.dates.Add(m.Reading, s.row, text)
	s.dates.Dates.Add(m.Text, s.row.Source, s.row.Number, text)
	if fail != nil {
		return nil, s.refuse(fail)
	}
	return m.ISO(), nil
}

// dateFrom reads a text by the given patterns, and two-digit years by the pivot of the mapping.
func dateFrom(s *Scope, p []any) (any, error) {
	text := table.Trim(p[0].(string))
	if text == "" {
		return "", nil
	}
	top := s.Dates[""].Reader
	reader := date.Reader{Zone: time.UTC, Pivot: top.Pivot, PivotGiven: top.PivotGiven} // only the day matters, and no zone moves it
	for _, value := range p[1:] {
		pattern, err := date.ParsePattern(value.(string))
		switch {
		case err != nil:
			return nil, err
		case pattern.TwoDigitYear() && !reader.PivotGiven:
			return nil, fmt.Errorf("the pattern %q has a two-digit year, so a pivot is required at the top of the mapping (pivot: 50)", pattern)
		}
		reader.Patterns = append(reader.Patterns, pattern)
	}
	m, fail := reader.ReadOrISO(text)
	return s.day(text, m, fail)
}

func datePartOf(part func(date.Moment) int) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) {
		m, err := date.ParseISO(p[0].(string))
		return part(m), err
	}
}

// shiftDate moves a date. If the month has no such day, its last day is used: 29 February plus one year is 28 February.
func shiftDate(years, months, days int) func(*Scope, []any) (any, error) {
	return func(_ *Scope, p []any) (any, error) {
		if table.Trim(p[0].(string)) == "" {
			return "", nil
		}
		m, err := date.ParseISO(p[0].(string))
		n := p[1].(int)
		if err != nil {
			return nil, err
		}
		if n < -100_000 || n > 100_000 {
			return nil, errors.New("the date would be moved too far")
		}
		month := m.Year*12 + m.Month - 1 + n*(12*years+months)
		m.Year, m.Month = month/12, month%12+1
		m.Day = min(m.Day, date.DaysIn(m.Year, m.Month))
		t := time.Date(m.Year, time.Month(m.Month), m.Day+n*days, 0, 0, 0, 0, time.UTC)
		if t.Year() < 1 || t.Year() > 9999 {
			return nil, errors.New("the date would be moved too far")
		}
		return t.Format(time.DateOnly), nil
	}
}

func daysBetween(_ *Scope, p []any) (any, error) {
	from, err := date.ParseISO(p[0].(string))
	to, err2 := date.ParseISO(p[1].(string))
	return to.Number() - from.Number(), errors.Join(err, err2)
}

// formatDate writes a date by a pattern, with English month names.
func formatDate(_ *Scope, p []any) (any, error) {
	if table.Trim(p[0].(string)) == "" {
		return "", nil
	}
	m, err := date.ParseISO(p[0].(string))
	if err != nil {
		return nil, err
	}
	pattern, err := date.ParsePattern(p[1].(string))
	if err != nil {
		return nil, err
	}
	return pattern.Format(m), nil
}
