package date

import (
	"fmt"
	"time"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// ParseISO reads a date as expressions carry it.
func ParseISO(text string) (Moment, error) {
	for _, pattern := range isoAll {
		if m, f := pattern.match(table.Trim(text), 0); f == fits {
			return m, nil
		}
	}
	return Moment{}, fmt.Errorf("%s is not a date of the form 2024-03-01; read it with date(…, \"DD/MM/YYYY\")", reason.Quote(text))
}

// ReadOrISO reads a text by the patterns, or as the date cell of a workbook, which is text in an expression.
func (d Reader) ReadOrISO(text string) (Moment, *reason.Problem) {
	if _, f := isoDay.match(text, 0); f == fits && len(text) == 10 {
		return d.readBy(append(d.Patterns, isoDay), text, table.Date)
	}
	return d.readBy(d.Patterns, text, table.Text)
}

// Number counts days.
func (m Moment) Number() int {
	return int(time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}
