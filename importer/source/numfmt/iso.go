package numfmt

import (
	"strings"
	"time"

	"docketsync/mapping/table"
)

// ISOCell reads a date as ISO 8601 text, which strict workbooks may hold. A time with a zone stays text, as written: a
// cell has no zone, and whoever maps it can convert the text; at midnight it is the calendar day that it was made from.
func ISOCell(text string) table.Cell {
	if day, clock, found := strings.Cut(text, "T"); found {
		zoned := strings.HasSuffix(clock, "Z")
		if at, ok := isoClock(strings.TrimSuffix(clock, "Z")); ok && isDay(day) {
			switch {
			case at == "00:00:00":
				return table.Cell{Kind: table.Date, Text: day}
			case zoned:
				return table.Cell{Kind: table.Text, Text: text, Note: noteZone}
			}
			return table.Cell{Kind: table.Date, Text: day + "T" + at}
		}
		if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return table.Cell{Kind: table.Text, Text: text, Note: noteZone}
		}
	}
	if isDay(text) {
		return table.Cell{Kind: table.Date, Text: text}
	}
	if clock, ok := isoClock(text); ok {
		return table.Cell{Kind: table.Clock, Text: clock}
	}
	return table.Cell{Kind: table.Error, Text: text, Note: NoteNoISODate}
}

const (
	noteZone      = "a time with a zone, which spreadsheets do not show"
	NoteNoISODate = "stored as an ISO 8601 date but not a valid one"
)

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func isoClock(text string) (string, bool) {
	for _, layout := range [...]string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return clockText(t.Sub(t.Truncate(24 * time.Hour)).Milliseconds()), true
		}
	}
	return "", false
}
