package date

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestDatePatternsThatMeanNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "DD/MM", "YYYY", "DD/MM/YYYY YYYY", "DD/MM/YYYY mm", "DD/MM/YYYY hh:mm hh", "DD/MM/'YYYY", "DD/MM/YYY", "hh:mm"} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("%q is taken as %+v", text, p)
		}
	}
}

func TestCommonDatePatternsAreAllReadable(t *testing.T) {
	t.Parallel()
	at := Moment{Year: 2024, Month: 11, Day: 25, hour: 9, minute: 5, second: 7, timed: true, zoned: true}
	for _, text := range CommonPatterns {
		p := MustPattern(text)
		m, f := p.match(p.Format(at), 50)
		if f != fits || m.Year != 2024 || m.Month != 11 || m.Day != 25 || p.hasTime && (m.hour != 9 || m.minute != 5) {
			t.Errorf("%s writes %q and reads %+v", text, p.Format(at), m)
		}
	}
}

// Every name of a month in the six languages, as written there.
func TestMonthNames(t *testing.T) {
	t.Parallel()
	for month, words := range map[int]string{
		1: "January Jan enero ene. janvier janv. Januar Jänner gennaio gen janeiro", 2: "February Feb febrero février févr. Februar febbraio fevereiro fev",
		3: "March Mar marzo mars März Mrz março", 4: "April Apr abril abr avril avr. aprile", 5: "May mayo mai Mai maggio maio",
		6: "June jun junio juin Juni giugno junho", 7: "July jul julio juillet juil. Juli luglio julho", 8: "August Aug agosto ago août",
		9: "September Sep Sept septiembre setiembre septembre settembre setembro set", 10: "October Oct octubre octobre Oktober Okt ottobre outubro",
		11: "November Nov noviembre novembre novembro", 12: "December Dec diciembre dic décembre déc. Dezember Dez dicembre dezembro",
	} {
		for _, word := range strings.Fields(words) {
			equal(t, monthOf(strings.TrimSuffix(word, ".")), month)
			equal(t, monthOf(strings.ToUpper(strings.TrimSuffix(word, "."))), month)
		}
	}
}

// A date that is written by a pattern is read as the same day by it, and two patterns never give a third day.
func TestDatesSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := MustPattern(rapid.SampledFrom(CommonPatterns).Draw(t, "pattern"))
		m := Moment{Year: rapid.IntRange(1950, 2049).Draw(t, "year"), Month: rapid.IntRange(1, 12).Draw(t, "month"), zoned: true}
		m.Day = rapid.IntRange(1, DaysIn(m.Year, m.Month)).Draw(t, "day")
		text := pattern.Format(m)
		d := &Reader{Patterns: []*Pattern{pattern}, Pivot: 50}
		read, fail := d.Read(text, table.Text)
		if fail != nil || read.ISO() != m.ISO() {
			t.Fatalf("%s written as %s and read as %s (%v)", m.ISO(), text, read.ISO(), fail)
		}
		d.Patterns = append(d.Patterns, MustPattern(rapid.SampledFrom(CommonPatterns).Draw(t, "other")))
		if read, fail = d.Read(text, table.Text); fail == nil && read.ISO() != m.ISO() {
			t.Fatalf("%s is read as %s by %s", text, read.ISO(), names(d.Patterns))
		} else if fail != nil && fail.Code != reason.DateAmbiguous {
			t.Fatal(fail)
		}
	})
}

// Whatever a pattern and a text are, a date is a day of the calendar or none.
func FuzzDate(f *testing.F) {
	for _, pattern := range CommonPatterns {
		f.Add(pattern, MustPattern(pattern).Format(Moment{Year: 2024, Month: 2, Day: 29, hour: 23, minute: 59}))
	}
	f.Add("D MMM YYYY", "1er févr. 2024")
	f.Add("'a' D de MMMM YYYY", "A 1 de março 2024")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := ParsePattern(pattern)
		if err != nil {
			return
		}
		m, found := p.match(text, 50)
		if found == fits && (m.Month < 1 || m.Month > 12 || m.Day < 1 || m.Day > DaysIn(m.Year, m.Month) || m.hour > 23) {
			t.Fatalf("%q by %q is %+v", text, pattern, m)
		}
		d := &Reader{Patterns: []*Pattern{p}}
		if u, fail := d.Read(text, table.Text); fail == nil && !utf8.Valid(u.AppendJSON(nil)) {
			t.Fatalf("%q by %q is written %s", text, pattern, u.AppendJSON(nil))
		}
	})
}

// Whatever two cells hold, each that is not empty is counted once, and the patterns of a proven column read all its dates.
func FuzzDateColumn(f *testing.F) {
	for _, pattern := range CommonPatterns {
		f.Add(MustPattern(pattern).Format(Moment{Year: 2024, Month: 2, Day: 29, hour: 23, minute: 59}), "01/03/2024")
	}
	f.Add("1er févr. 2024", "mar. 5 mars 24")
	f.Add("sexta-feira, 1.º de março de 2024", "2013-05-02+02:00")
	f.Fuzz(func(t *testing.T, first, second string) {
		v := columnOf(first, second).Verdict()
		filled := 0
		for _, text := range []string{first, second} {
			if table.Trim(text) != "" {
				filled++
			}
		}
		if v.Dates+v.Others != filled {
			t.Fatalf("%q and %q: %+v", first, second, v)
		}
		for _, text := range []string{first, second} {
			if alone := columnOf(text).Verdict(); !v.inferred() || alone.Dates == 0 {
				continue
			}
			days := map[Moment]bool{}
			for _, pattern := range v.Patterns {
				if m, f := MustPattern(pattern).match(table.Trim(text), 100); f == fits {
					days[m] = true
				}
			}
			if len(days) != 1 {
				t.Fatalf("%q and %q: %q read %q as %d days", first, second, v.Patterns, text, len(days))
			}
		}
	})
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as expected (- expected, + found):\n%s", diff)
	}
}

// says reports a text that lacks one of its parts.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}
