package numfmt

import (
	"math"
	"testing"

	"docketsync/mapping/table"

	"github.com/google/go-cmp/cmp"
)

func TestSerialsAreReadAsTheirFormatSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		system DateSystem
		serial float64
		class  formatClass
		want   table.Cell
	}{
		{"a day", system1900, 45352, formatDate, table.Cell{Kind: table.Date, Text: "2024-03-01"}},
		{"a day in the 1904 system", system1904, 43890, formatDate, table.Cell{Kind: table.Date, Text: "2024-03-01"}},
		{"the first day of 1900", system1900, 1, formatDate, table.Cell{Kind: table.Error, Text: "1900-01-01", Note: noteBeforeMarch}},
		{"the day before the day that never was", system1900, 59, formatDate, table.Cell{Kind: table.Error, Text: "1900-02-28", Note: noteBeforeMarch}},
		{"the day that never was", system1900, 60, formatDate, table.Cell{Kind: table.Error, Text: "1900-02-29", Note: noteLeapBug}},
		{"a time on the day that never was", system1900, 60.5, formatDateTime, table.Cell{Kind: table.Error, Text: "1900-02-29", Note: noteLeapBug}},
		{"the day after the day that never was", system1900, 61, formatDate, table.Cell{Kind: table.Date, Text: "1900-03-01"}},
		{"day zero", system1900, 0, formatDate, table.Cell{Kind: table.Error, Text: "1900-01-00", Note: noteDayZero}},
		{"day zero of the 1904 system", system1904, 0, formatDate, table.Cell{Kind: table.Error, Text: "1904-01-01", Note: noteDayZero}},
		{"a time without a day in the 1904 system", system1904, 0.5, formatDateTime, table.Cell{Kind: table.Error, Text: "1904-01-01", Note: noteDayZero}},
		{"a built-in format that may be a time in the 1904 system", system1904, 0.5, formatEither, table.Cell{Kind: table.Clock, Text: "12:00:00"}},
		{"the day after day zero of the 1904 system", system1904, 1, formatDate, table.Cell{Kind: table.Date, Text: "1904-01-02"}},
		{"serial 60 of the 1904 system", system1904, 60, formatDate, table.Cell{Kind: table.Date, Text: "1904-03-01"}},
		{"the last day", system1900, 2958465, formatDate, table.Cell{Kind: table.Date, Text: "9999-12-31"}},
		{"the last day of the 1904 system", system1904, 2957003, formatDate, table.Cell{Kind: table.Date, Text: "9999-12-31"}},
		{"a day after the last", system1900, 2958466, formatDate, table.Cell{Kind: table.Error, Text: "##### (2958466)", Note: noteNotADay}},
		{"the last millisecond rounds over the end", system1900, 2958465.9999999999, formatDateTime, table.Cell{Kind: table.Error, Text: "##### (2958466)", Note: noteNotADay}},
		{"a negative day", system1900, -1, formatDate, table.Cell{Kind: table.Error, Text: "##### (-1)", Note: noteNotADay}},
		{"not a number", system1900, math.NaN(), formatDate, table.Cell{Kind: table.Error, Text: "##### (NaN)", Note: noteNotADay}},
		{"an endless number", system1900, math.Inf(1), formatDate, table.Cell{Kind: table.Error, Text: "##### (+Inf)", Note: noteNotADay}},
		{"a leap day", system1900, 45351, formatDate, table.Cell{Kind: table.Date, Text: "2024-02-29"}},

		{"a day and a time", system1900, 45352.5625, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01T13:30:00"}},
		{"a day at midnight is a calendar day", system1900, 45352, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01"}},
		{"a time with the digits that spreadsheets keep", system1900, 45352.4237268519, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01T10:10:10"}},
		{"a time with ten digits", system1900, 45352.42373, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01T10:10:10.272"}},
		{"a hair before a second", system1900, 41224.999988368058, formatDateTime, table.Cell{Kind: table.Date, Text: "2012-11-11T23:59:59"}},
		{"milliseconds", system1900, 45352.0 + 36610.123/86400, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01T10:10:10.123"}},
		{"one second before midnight", system1900, 41224.999988425923, formatDateTime, table.Cell{Kind: table.Date, Text: "2012-11-11T23:59:59"}},
		{"a hair before midnight", system1900, 45352.99999999999, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-02"}},
		{"the end of a day in a database", system1900, 45352.99999996528, formatDate, table.Cell{Kind: table.Date, Text: "2024-03-01", Note: noteHiddenTime}},
		{"the end of a day in a database, shown", system1900, 45352.99999996528, formatDateTime, table.Cell{Kind: table.Date, Text: "2024-03-01T23:59:59.997"}},
		{"a millisecond before midnight", system1900, 45352.99999999, formatDate, table.Cell{Kind: table.Date, Text: "2024-03-01", Note: noteHiddenTime}},
		{"a time hidden by a day's format", system1900, 45352.5625, formatDate, table.Cell{Kind: table.Date, Text: "2024-03-01", Note: noteHiddenTime}},
		{"a time without a day in a format with one", system1900, 0.5, formatDateTime, table.Cell{Kind: table.Error, Text: "1900-01-00", Note: noteDayZero}},

		{"a time of day", system1900, 0.5625, formatTime, table.Cell{Kind: table.Clock, Text: "13:30:00"}},
		{"midnight", system1900, 0, formatTime, table.Cell{Kind: table.Clock, Text: "00:00:00"}},
		{"a day hidden by a time's format", system1900, 45352.5625, formatTime, table.Cell{Kind: table.Clock, Text: "13:30:00", Note: noteHiddenDay}},
		{"a built-in format that may be a time", system1900, 0.5625, formatEither, table.Cell{Kind: table.Clock, Text: "13:30:00"}},
		{"a built-in format that may be a day", system1900, 45352, formatEither, table.Cell{Kind: table.Date, Text: "2024-03-01"}},

		{"a short duration", system1900, 0.3125, formatDuration, table.Cell{Kind: table.Clock, Text: "07:30:00"}},
		{"a long duration", system1900, 1.5625, formatDuration, table.Cell{Kind: table.Text, Text: "37:30:00", Note: noteLongDuration}},
		{"a negative duration", system1904, -0.0625, formatDuration, table.Cell{Kind: table.Text, Text: "-01:30:00", Note: noteNegativeClock}},
		{"an absurd duration", system1900, 1e20, formatDuration, table.Cell{Kind: table.Error, Text: "##### (1e+20)", Note: noteNotADay}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.system.cell(test.serial, test.class)); diff != "" {
				t.Errorf("serial %v (-want +got):\n%s", test.serial, diff)
			}
		})
	}
}

func TestISODates(t *testing.T) {
	t.Parallel()
	tests := map[string]table.Cell{
		"2024-03-01":                {Kind: table.Date, Text: "2024-03-01"},
		"2024-03-01T13:30:00":       {Kind: table.Date, Text: "2024-03-01T13:30:00"},
		"2024-03-01T13:30":          {Kind: table.Date, Text: "2024-03-01T13:30:00"},
		"2024-03-01T13:30:00.25":    {Kind: table.Date, Text: "2024-03-01T13:30:00.250"},
		"2024-03-01T00:00:00":       {Kind: table.Date, Text: "2024-03-01"},
		"2024-03-01T00:00:00.000Z":  {Kind: table.Date, Text: "2024-03-01"},
		"2024-03-01T13:30:00Z":      {Kind: table.Text, Text: "2024-03-01T13:30:00Z", Note: noteZone},
		"2024-03-01T13:30:00+02:00": {Kind: table.Text, Text: "2024-03-01T13:30:00+02:00", Note: noteZone},
		"1899-12-30":                {Kind: table.Error, Text: "1899-12-30", Note: noteDayZero},
		"1899-12-30T00:00:00":       {Kind: table.Error, Text: "1899-12-30T00:00:00", Note: noteDayZero},
		"1899-12-29":                {Kind: table.Date, Text: "1899-12-29"},
		"13:30:00":                  {Kind: table.Clock, Text: "13:30:00"},
		"2024-02-30":                {Kind: table.Error, Text: "2024-02-30", Note: NoteNoISODate},
		"01/03/2024":                {Kind: table.Error, Text: "01/03/2024", Note: NoteNoISODate},
		"":                          {Kind: table.Error, Note: NoteNoISODate},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, ISOCell(text)); diff != "" {
			t.Errorf("ISO date %q (-want +got):\n%s", text, diff)
		}
	}
}
