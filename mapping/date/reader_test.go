package date

import (
	"strings"
	"testing"
	"time"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func reader(t *testing.T, patterns string, pivot int, zone string) *Reader {
	t.Helper()
	d := &Reader{Pivot: pivot}
	if patterns != "" {
		for text := range strings.SplitSeq(patterns, "|") {
			p, err := ParsePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			d.Patterns = append(d.Patterns, p)
		}
	}
	if zone != "" {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		d.Zone = location
	}
	return d
}

func TestDatesAreReadByDeclaredPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ patterns, text, want string }{
		{"DD/MM/YYYY", "01/03/2024", "2024-03-01T00:00:00Z"},
		{"DD/MM/YYYY", "1/3/2024", "2024-03-01T00:00:00Z"},
		{"dd/mm/yyyy", "31/12/1999", "1999-12-31T00:00:00Z"},
		{"MM/DD/YYYY", "03/01/2024", "2024-03-01T00:00:00Z"},
		{"D.M.YY", "1.3.49", "2049-03-01T00:00:00Z"},
		{"D.M.YY", "1.3.50", "1950-03-01T00:00:00Z"},
		{"YYYYMMDD", "20240301", "2024-03-01T00:00:00Z"},
		{"DDMMYYYY", "01032024", "2024-03-01T00:00:00Z"},
		{"D MMM YYYY", "1 Mar 2024", "2024-03-01T00:00:00Z"},
		{"D MMM YYYY", "1 mars 2024", "2024-03-01T00:00:00Z"},
		{"D MMM YYYY", "1er févr. 2024", "2024-02-01T00:00:00Z"},
		{"D MMM YYYY", "1 FÉVRIER 2024", "2024-02-01T00:00:00Z"},
		{"D MMM YYYY", "12 sept 2024", "2024-09-12T00:00:00Z"},
		{"D MMM YYYY", "12 Sept. 2024", "2024-09-12T00:00:00Z"},
		{"D. MMMM YYYY", "1. März 2024", "2024-03-01T00:00:00Z"},
		{"D. MMM YYYY", "24. Dez. 2024", "2024-12-24T00:00:00Z"},
		{"D de MMMM de YYYY", "1 de marzo de 2024", "2024-03-01T00:00:00Z"},
		{"D de MMMM de YYYY", "1º de março de 2024", "2024-03-01T00:00:00Z"},
		{"D MMMM YYYY", "2 agosto 2024", "2024-08-02T00:00:00Z"},
		{"D MMMM YYYY", "3 luglio 2024", "2024-07-03T00:00:00Z"},
		{"D MMMM YYYY", "3  août   2024", "2024-08-03T00:00:00Z"},
		{"MMM D, YYYY", "March 1, 2024", "2024-03-01T00:00:00Z"},
		{"MMM D, YYYY", "Mar. 1st, 2024", "2024-03-01T00:00:00Z"},
		{"dddd, D MMMM YYYY", "Friday, 1 March 2024", "2024-03-01T00:00:00Z"},
		{"ddd D MMM YYYY", "SÁB. 2 mar 2024", "2024-03-02T00:00:00Z"},
		{"ddd D MMM YYYY", "pátek 2 mar 2024", "2024-03-02T00:00:00Z"},
		{"ddd DD.MM.YYYY", "Di 05.03.2024", "2024-03-05T00:00:00Z"},
		{"ddd DD.MM.YYYY", "di 03.03.2024", "2024-03-03T00:00:00Z"},
		{"DD-MMM-YYYY", "29-Feb-2024", "2024-02-29T00:00:00Z"},
		{"'day' D 'of' MMMM YYYY", "Day 1 of March 2024", "2024-03-01T00:00:00Z"},
		{"DD/MM/YYYY hh:mm", "01/03/2024 00:00", "2024-03-01T00:00:00Z"},
		{"DD/MM/YYYY hh:mm Z", "01/03/2024 13:30 +01:00", "2024-03-01T12:30:00Z"},
		{"DD/MM/YYYY hh:mm a Z", "01/03/2024 12:05 a.m. UTC", "2024-03-01T00:05:00Z"},
		{"MM/DD/YYYY hh:mm:ss am Z", "03/01/2024 1:30:05 PM -0500", "2024-03-01T18:30:05Z"},
		{"", "2024-03-01", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01T23:30:00-05:00", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01T20:30:00-03:00", "2024-03-01T23:30:00Z"},
		{"", "2024-03-01T00:30:00+02:00", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01T00:00:00+02:00", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01+13:00", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01Z", "2024-03-01T00:00:00Z"},
		{"", "2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"},
		{"", "0001-01-01", "0001-01-01T00:00:00Z"},
		{"", "9999-12-31", "9999-12-31T00:00:00Z"},
		{"DD/MM/YYYY|YYYY-MM-DD", "2024-03-01", "2024-03-01T00:00:00Z"},
		{"DD/MM/YYYY|MM/DD/YYYY", "04/04/2024", "2024-04-04T00:00:00Z"},
		{"DD/MM/YYYY|MM/DD/YYYY", "25/12/2024", "2024-12-25T00:00:00Z"},
	} {
		t.Run(c.patterns+" "+c.text, func(t *testing.T) {
			t.Parallel()
			m, fail := reader(t, c.patterns, 50, "").Read(c.text, table.Text)
			if fail != nil {
				t.Fatal(fail.Message)
			}
			equal(t, strings.Trim(string(m.AppendJSON(nil)), `"`), c.want)
		})
	}
}

func TestDatesThatAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ patterns, text, code, says string }{
		{"dddd D MMMM YYYY", "Monday 1 March 2024", reason.DateImpossible, `"Monday 1 March 2024" is not a valid date`},
		{"ddd DD.MM.YYYY", "Fr 02.03.2024", reason.DateImpossible, `"Fr 02.03.2024" is not a valid date`},
		{"DD/MM/YYYY", "31/02/2024", reason.DateImpossible, `"31/02/2024" is not a valid date`},
		{"DD/MM/YYYY", "29/02/2023", reason.DateImpossible, "29/02/2023"},
		{"DD/MM/YYYY", "00/03/2024", reason.DateImpossible, "00/03/2024"},
		{"DD/MM/YYYY", "03/25/2024", reason.DateImpossible, "03/25/2024"},
		{"DD/MM/YYYY", "01/03/24", reason.DateUnreadable, "not a date in the format DD/MM/YYYY"},
		{"DD/MM/YYYY", "01/03/20245", reason.DateUnreadable, "01/03/20245"},
		{"DD/MM/YYYY", "01/03/2024x", reason.DateUnreadable, "01/03/2024x"},
		{"DD/MM/YYYY", "2024-03-01", reason.DateUnreadable, "2024-03-01"},
		{"D MMM YYYY", "1 Foo 2024", reason.DateUnreadable, "1 Foo 2024"},
		{"DD/MM/YYYY|MM/DD/YYYY", "03/04/2024", reason.DateAmbiguous, "3 April 2024 when read as DD/MM/YYYY and 4 March 2024 when read as MM/DD/YYYY"},
		{"YY-MM-DD|DD-MM-YY", "01-02-03", reason.DateAmbiguous, "2001"},
		{"YYYY-MM-DD hh:mm", "2024-03-01 10:00", reason.ZoneMissing, "time zone"},
		{"YYYY-MM-DD hh:mm", "2024-03-01 25:00", reason.DateImpossible, "25:00"},
		{"", "01/03/2024", reason.DateUnreadable, "YYYY-MM-DD"},
		{"", "", reason.DateUnreadable, ""},
	} {
		t.Run(c.patterns+" "+c.text, func(t *testing.T) {
			t.Parallel()
			_, fail := reader(t, c.patterns, 50, "").Read(c.text, table.Text)
			if fail == nil {
				t.Fatal("it is read")
			}
			equal(t, fail.Code, c.code)
			says(t, fail.Message, c.says)
		})
	}
}

func TestUnreadableDateIsToldByItsLikelyPattern(t *testing.T) {
	t.Parallel()
	_, fail := reader(t, "YYYY-MM-DD", 0, "").Read("25/12/2024", table.Text)
	says(t, fail.Hint, "It matches DD/MM/YYYY")
	_, fail = reader(t, "YYYY-MM-DD", 0, "").Read("next week", table.Text)
	says(t, fail.Hint, "Correct the date")
}

func TestTimesAreConvertedByTheirZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, text string
		kind             table.Kind
		want, code       string
	}{
		{"winter in Madrid", "Europe/Madrid", "2024-01-15 13:30", table.Text, "2024-01-15T12:30:00Z", ""},
		{"summer in Madrid", "Europe/Madrid", "2024-07-15 13:30", table.Text, "2024-07-15T11:30:00Z", ""},
		{"the day stays where UTC has another one", "Europe/Madrid", "2024-07-15 01:00", table.Text, "2024-07-15T00:00:00Z", ""},
		{"and on the other side of the world", "America/New_York", "2024-07-15 23:00", table.Text, "2024-07-15T00:00:00Z", ""},
		{"midnight is a plain date", "Europe/Madrid", "2024-07-15 00:00", table.Text, "2024-07-15T00:00:00Z", ""},
		{"an hour that summer time leaves out", "Europe/Madrid", "2024-03-31 02:30", table.Text, "", reason.TimeUnclear},
		{"an hour that comes twice in autumn", "Europe/Madrid", "2024-10-27 02:30", table.Text, "", reason.TimeUnclear},
		{"the hour after it", "Europe/Madrid", "2024-10-27 03:30", table.Text, "2024-10-27T02:30:00Z", ""},
		{"a date cell with a time", "America/New_York", "2024-07-15T13:30:00", table.Date, "2024-07-15T17:30:00Z", ""},
		{"a date cell", "America/New_York", "2024-07-15", table.Date, "2024-07-15T00:00:00Z", ""},
		{"half an hour twice on Lord Howe", "Australia/Lord_Howe", "2024-04-07 01:45", table.Text, "", reason.TimeUnclear},
		{"past the last year", "America/New_York", "9999-12-31 23:00", table.Text, "", reason.TimeUnclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, fail := reader(t, "YYYY-MM-DD hh:mm", 0, c.zone).Read(c.text, c.kind)
			if c.code != "" {
				if !fail.Is(c.code) {
					t.Errorf("%+v, %+v; expected %s", m, fail, c.code)
				}
				return
			}
			if fail != nil {
				t.Fatal(fail.Message)
			}
			equal(t, strings.Trim(string(m.AppendJSON(nil)), `"`), c.want)
		})
	}
}
