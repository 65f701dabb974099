package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"docketsync/mapping/table"
)

// Notes on dates and times. They are constants, so that a million cells cost nothing and a report can count them by
// text.
const (
	noteHiddenTime    = "holds a time of day that its number format hides"
	noteHiddenDay     = "holds a date that its number format hides"
	noteHidden        = "holds a number that its number format hides"
	noteBeforeMarch   = "a day before 1 March 1900, where spreadsheet programs disagree by one day"
	noteLeapBug       = "29 February 1900 exists in Excel's calendar but is not a real date"
	noteNotADay       = "a number formatted as a date that is not a date in this workbook's date system"
	noteDayZero       = "a 0 formatted as a date, which stands for no day"
	noteLongDuration  = "a duration of a day or more"
	noteNegativeClock = "a negative duration"
)

const (
	dayMilliseconds = 24 * 60 * 60 * 1000
	// snapMilliseconds is how near a whole second a time must be to count as one. A serial with the fifteen digits that
	// spreadsheets keep is exact to some microseconds, one written with ten digits to some milliseconds.
	snapMilliseconds = 5
	// midnightNoise is how much before midnight, in days, a serial may be and still count as midnight; LibreOffice does
	// the same.
	midnightNoise  = 2e-10
	lastSerial1900 = 2958465 // 9999-12-31
	lastSerial1904 = 2957003
	leapBugSerial  = 60
	dayZeroISO     = "1899-12-30"
)

// DateSystem is the day that serial numbers count from: 1900, with a 29 February 1900 that never existed, or 1904.
type DateSystem bool

const (
	system1900 DateSystem = false
	system1904 DateSystem = true
)

// String returns "1900" or "1904".
func (d DateSystem) String() string {
	if d == system1904 {
		return "1904"
	}
	return "1900"
}

// cell reads a serial number according to the class of its format. A date and time at exactly midnight becomes a
// calendar day: databases export days that way, and a day that passes through a zone could move.
func (d DateSystem) cell(serial float64, class formatClass) table.Cell {
	if class == formatDuration {
		return DurationCell(serial)
	}
	if math.IsNaN(serial) || serial < 0 || serial >= d.last()+1 {
		return notADay(strconv.FormatFloat(serial, 'f', -1, 64))
	}
	day, rest := splitSerial(serial)
	if class == formatTime || class == formatEither && day == 0 {
		cell := table.Cell{Kind: table.Clock, Text: clockText(rest)}
		if day > 0 {
			cell.Note = noteHiddenDay
		}
		return cell
	}
	date, trouble := d.day(day)
	if trouble.Kind == table.Error {
		return trouble
	}
	switch {
	case d == system1900 && day < leapBugSerial:
		return table.Cell{Kind: table.Error, Text: date, Note: noteBeforeMarch}
	case rest == 0:
		return table.Cell{Kind: table.Date, Text: date}
	case class == formatDate:
		return table.Cell{Kind: table.Date, Text: date, Note: noteHiddenTime}
	}
	return table.Cell{Kind: table.Date, Text: date + "T" + clockText(rest)}
}

func (d DateSystem) last() float64 {
	if d == system1904 {
		return lastSerial1904
	}
	return lastSerial1900
}

// splitSerial returns the whole days and the milliseconds of the day, without rounding noise. Only a time that no
// program can distinguish from midnight counts as the next day, because databases end a day at 23:59:59.997.
func splitSerial(serial float64) (day, milliseconds int64) {
	whole, rest := math.Modf(serial + midnightNoise)
	milliseconds = min(int64(math.Round(rest*dayMilliseconds)), dayMilliseconds-1)
	if off := milliseconds % 1000; off <= snapMilliseconds {
		milliseconds -= off
	} else if next := milliseconds + 1000 - off; off >= 1000-snapMilliseconds && next < dayMilliseconds {
		milliseconds = next
	}
	return int64(whole), milliseconds
}

// day returns the calendar day of a serial number, or a cell that says why there is none.
func (d DateSystem) day(serial int64) (string, table.Cell) {
	first := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case d == system1904 && serial == 0:
		return "", table.Cell{Kind: table.Error, Text: "1904-01-01", Note: noteDayZero}
	case d == system1904:
		first = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case serial == 0:
		return "", table.Cell{Kind: table.Error, Text: "1900-01-00", Note: noteDayZero}
	case serial == leapBugSerial:
		return "", table.Cell{Kind: table.Error, Text: "1900-02-29", Note: noteLeapBug}
	case serial < leapBugSerial:
		first = first.AddDate(0, 0, 1)
	}
	date := first.AddDate(0, 0, int(serial))
	if date.Year() > 9999 {
		return "", notADay(strconv.FormatInt(serial, 10))
	}
	return date.Format(time.DateOnly), table.Cell{}
}

func notADay(serial string) table.Cell {
	return table.Cell{Kind: table.Error, Text: "##### (" + serial + ")", Note: noteNotADay}
}

// ClockCell reads the time of day from a serial whose day is hidden.
func ClockCell(serial float64) table.Cell { return system1900.cell(serial, formatTime) }

// DurationCell reads elapsed time. Below a day it is a Clock, because that is what people type into such columns; from
// a day on it is a text such as "37:30:00", because no time of day looks like that.
func DurationCell(serial float64) table.Cell {
	if math.IsNaN(serial) || math.Abs(serial) > lastSerial1900 {
		return notADay(strconv.FormatFloat(serial, 'g', -1, 64))
	}
	day, rest := splitSerial(math.Abs(serial))
	text := clockText(day*dayMilliseconds + rest)
	switch {
	case serial < 0:
		return table.Cell{Kind: table.Text, Text: "-" + text, Note: noteNegativeClock}
	case day > 0:
		return table.Cell{Kind: table.Text, Text: text, Note: noteLongDuration}
	}
	return table.Cell{Kind: table.Clock, Text: text}
}

// clockText returns "13:30:00", with ".123" only if there is a fraction of a second.
func clockText(milliseconds int64) string {
	seconds, fraction := milliseconds/1000, milliseconds%1000
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if fraction != 0 {
		text += fmt.Sprintf(".%03d", fraction)
	}
	return text
}

// ISOCell reads a date as ISO 8601 text, which strict workbooks may hold. A time with a zone stays text as written: a
// cell has no zone, and the mapping can convert the text. At midnight it becomes the calendar day that it was made
// from. A cell of 0 is stored as the day that programs count from.
func ISOCell(text string) table.Cell {
	if strings.HasPrefix(text, dayZeroISO) {
		return table.Cell{Kind: table.Error, Text: text, Note: noteDayZero}
	}
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
