package mapping

import (
	"fmt"
	"time"

	"docketsync/mapping/table"
)

// readISO reads a date as expressions carry it.
func readISO(text string) (moment, error) {
	for _, pattern := range isoAll {
		if m, f := pattern.match(table.Trim(text), 0); f == fits {
			return m, nil
		}
	}
	return moment{}, fmt.Errorf("%s is not a date of the form 2024-03-01; read it with date(…, \"DD/MM/YYYY\")", quote(text))
}

// readOrISO reads a text by the patterns, or as the date cell of a workbook, which is text in an expression.
func (d dateReader) readOrISO(text string) (moment, *problem) {
	if _, f := isoDay.match(text, 0); f == fits && len(text) == 10 {
		return d.readBy(append(d.patterns, isoDay), text, table.Date)
	}
	return d.readBy(d.patterns, text, table.Text)
}

// number counts days.
func (m moment) number() int {
	return int(time.Date(m.year, time.Month(m.month), m.day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}
