package mapping

import (
	"docketsync/mapping/table"
	"strings"
	"testing"
	"time"
)

func reader(t *testing.T, patterns string, pivot int, zone string) *dateReader {
	t.Helper()
	d := &dateReader{pivot: pivot}
	if patterns != "" {
		for text := range strings.SplitSeq(patterns, "|") {
			p, err := ParseDatePattern(text)
			if err != nil {
				t.Fatal(err)
			}
			d.patterns = append(d.patterns, p)
		}
	}
	if zone != "" {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		d.zone = location
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
			m, fail := reader(t, c.patterns, 50, "").read(c.text, table.Text)
			if fail != nil {
				t.Fatal(fail.message)
			}
			equal(t, strings.Trim(string(m.appendJSON(nil)), `"`), c.want)
		})
	}
}

func TestDatesThatAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ patterns, text, code, says string }{
		{"DD/MM/YYYY", "31/02/2024", codeDateImpossible, `"31/02/2024" is not a valid date`},
		{"DD/MM/YYYY", "29/02/2023", codeDateImpossible, "29/02/2023"},
		{"DD/MM/YYYY", "00/03/2024", codeDateImpossible, "00/03/2024"},
		{"DD/MM/YYYY", "03/25/2024", codeDateImpossible, "03/25/2024"},
		{"DD/MM/YYYY", "01/03/24", codeDateUnreadable, "not a date written as DD/MM/YYYY"},
		{"DD/MM/YYYY", "01/03/20245", codeDateUnreadable, "01/03/20245"},
		{"DD/MM/YYYY", "01/03/2024x", codeDateUnreadable, "01/03/2024x"},
		{"DD/MM/YYYY", "2024-03-01", codeDateUnreadable, "2024-03-01"},
		{"D MMM YYYY", "1 Foo 2024", codeDateUnreadable, "1 Foo 2024"},
		{"DD/MM/YYYY|MM/DD/YYYY", "03/04/2024", codeDateAmbiguous, "3 April 2024 when read as DD/MM/YYYY and 4 March 2024 when read as MM/DD/YYYY"},
		{"YY-MM-DD|DD-MM-YY", "01-02-03", codeDateAmbiguous, "2001"},
		{"YYYY-MM-DD hh:mm", "2024-03-01 10:00", codeZoneMissing, "time zone"},
		{"YYYY-MM-DD hh:mm", "2024-03-01 25:00", codeDateImpossible, "25:00"},
		{"", "01/03/2024", codeDateUnreadable, "YYYY-MM-DD"},
		{"", "", codeDateUnreadable, ""},
	} {
		t.Run(c.patterns+" "+c.text, func(t *testing.T) {
			t.Parallel()
			_, fail := reader(t, c.patterns, 50, "").read(c.text, table.Text)
			if fail == nil {
				t.Fatal("it is read")
			}
			equal(t, fail.code, c.code)
			says(t, fail.message, c.says)
		})
	}
}

func TestUnreadableDateIsToldByItsLikelyPattern(t *testing.T) {
	t.Parallel()
	_, fail := reader(t, "YYYY-MM-DD", 0, "").read("25/12/2024", table.Text)
	says(t, fail.hint, "It fits DD/MM/YYYY")
	_, fail = reader(t, "YYYY-MM-DD", 0, "").read("next week", table.Text)
	says(t, fail.hint, "Correct the date")
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
		{"an hour that summer time leaves out", "Europe/Madrid", "2024-03-31 02:30", table.Text, "", codeTimeUnclear},
		{"an hour that comes twice in autumn", "Europe/Madrid", "2024-10-27 02:30", table.Text, "", codeTimeUnclear},
		{"the hour after it", "Europe/Madrid", "2024-10-27 03:30", table.Text, "2024-10-27T02:30:00Z", ""},
		{"a date cell with a time", "America/New_York", "2024-07-15T13:30:00", table.Date, "2024-07-15T17:30:00Z", ""},
		{"a date cell", "America/New_York", "2024-07-15", table.Date, "2024-07-15T00:00:00Z", ""},
		{"half an hour twice on Lord Howe", "Australia/Lord_Howe", "2024-04-07 01:45", table.Text, "", codeTimeUnclear},
		{"past the last year", "America/New_York", "9999-12-31 23:00", table.Text, "", codeTimeUnclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, fail := reader(t, "YYYY-MM-DD hh:mm", 0, c.zone).read(c.text, c.kind)
			if c.code != "" {
				if !fail.is(c.code) {
					t.Errorf("%+v, %+v; expected %s", m, fail, c.code)
				}
				return
			}
			if fail != nil {
				t.Fatal(fail.message)
			}
			equal(t, strings.Trim(string(m.appendJSON(nil)), `"`), c.want)
		})
	}
}
