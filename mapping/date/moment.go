package date

import (
	"fmt"
	"time"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Moment is a date as written: a calendar day, optionally with a time, and the time optionally with its offset from
// UTC.
type Moment struct {
	Year, Month, Day     int
	hour, minute, second int
	timed, zoned         bool
	Fraction             bool // a fraction of a second was written
	offset               int  // seconds east of UTC
	DayKept              bool // a time was left out because it belongs to another day in UTC
	Reading              table.Reading
	Text                 table.TextDate // how it was written, if it was not a date cell
}

// reading says whether a moment that a pattern matched is a day as written, and with day and month exchanged.
func (m *Moment) reading(p *Pattern) table.Reading {
	if p.ordered == 0 || m.Day == m.Month {
		return table.NoReading
	}
	other := *m
	other.Day, other.Month = m.Month, m.Day
	return table.ReadingOf(m.possible(), other.possible())
}

// textDate says how a text that a pattern matched is written; the text need not be a date.
func (m *Moment) textDate(p *Pattern) table.TextDate {
	return table.TextDateOf(p.ordered, m.Day > 12 || p.ordered != 0 && m.Month > 12)
}

func (m *Moment) possible() bool {
	return m.Year >= 1 && m.Month >= 1 && m.Month <= 12 && m.Day >= 1 && (m.Day <= 28 || m.Day <= DaysIn(m.Year, m.Month)) &&
		m.hour < 24 && m.minute < 60 && m.second < 60 && m.offset > -24*3600 && m.offset < 24*3600
}

// DaysIn returns how many days a month has.
func DaysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// midnight reports a time of exactly 00:00. Exports write it after plain dates, even with the offset of their own zone,
// so it counts as no time: converting it would move the day.
func (m *Moment) midnight() bool {
	return m.timed && m.hour == 0 && m.minute == 0 && m.second == 0 && !m.Fraction
}

// utc returns the moment in UTC. The day stays as written, because the service's dates are calendar days and deadlines
// are counted from them; a time that would move the day is left out. ok is false if the zone has no such time or has it
// twice, as when clocks change.
func (m Moment) utc(zone *time.Location) (_ Moment, ok bool) {
	if !m.timed || m.midnight() {
		return Moment{Year: m.Year, Month: m.Month, Day: m.Day}, true
	}
	if m.zoned {
		zone = time.FixedZone("", m.offset)
	}
	t := time.Date(m.Year, time.Month(m.Month), m.Day, m.hour, m.minute, m.second, 0, zone)
	if t.Hour() != m.hour || t.Minute() != m.minute {
		return m, false
	}
	for _, shift := range []time.Duration{-2 * time.Hour, -time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour} {
		if o := t.Add(shift); o.Hour() == t.Hour() && o.Minute() == t.Minute() {
			return m, false
		}
	}
	u := t.UTC()
	if u.Year() < 1 || u.Year() > 9999 {
		return m, false
	}
	if u.Day() != m.Day {
		return Moment{Year: m.Year, Month: m.Month, Day: m.Day, DayKept: true}, true
	}
	return Moment{Year: u.Year(), Month: int(u.Month()), Day: u.Day(), hour: u.Hour(), minute: u.Minute(), second: u.Second(),
		timed: true, zoned: true, Fraction: m.Fraction}, true
}

// AppendJSON writes a moment in UTC as the service wants it: "2024-03-01T00:00:00Z", in quotes.
func (m *Moment) AppendJSON(dst []byte) []byte {
	dst = append(dst, '"')
	dst = append(m.appendDay(dst), 'T')
	dst = append(append2(dst, m.hour), ':')
	dst = append(append2(dst, m.minute), ':')
	return append(append2(dst, m.second), 'Z', '"')
}

func (m *Moment) appendDay(dst []byte) []byte {
	dst = append(append2(append2(dst, m.Year/100), m.Year%100), '-')
	dst = append(append2(dst, m.Month), '-')
	return append2(dst, m.Day)
}

// ISO returns the calendar day, "2024-03-01".
func (m *Moment) ISO() string { return string(m.appendDay(nil)) }

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10%10), byte('0'+n%10)) }

// DayOrder returns a number such as 20240301 that orders moments by day, whatever their times.
func (m *Moment) DayOrder() int { return (m.Year*100+m.Month)*100 + m.Day }

// ParseISO reads a date in the form that expressions use.
func ParseISO(text string) (Moment, error) {
	for _, pattern := range isoAll {
		if m, f := pattern.match(table.Trim(text), 0); f == fits {
			return m, nil
		}
	}
	return Moment{}, fmt.Errorf("%s is not a date of the form 2024-03-01; read it with date(…, \"DD/MM/YYYY\")", reason.Quote(text))
}

// ReadOrISO reads a text by the patterns, or as a date cell of a workbook, which is text in an expression.
func (d Reader) ReadOrISO(text string) (Moment, *reason.Problem) {
	if _, f := isoDay.match(text, 0); f == fits && len(text) == 10 {
		return d.readBy(append(d.Patterns, isoDay), text, table.Text)
	}
	return d.readBy(d.Patterns, text, table.Text)
}

// Number returns the day as a count of days since 1970.
func (m Moment) Number() int {
	return int(time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}
