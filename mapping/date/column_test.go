package date

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docketsync/mapping/table"
)

// columnOf fills a column with texts, from row 2 on.
func columnOf(texts ...string) *Column {
	c := &Column{}
	for n, text := range texts {
		c.Add(n+2, table.Cell{Kind: table.Text, Text: text})
	}
	return c
}

func TestColumnProvesHowItsDatesAreWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, texts, patterns string }{
		{"one day over 12", "01/03/2024|25/12/2024", "DD/MM/YYYY"},
		{"one day over 12 in the second place", "01/03/2024|12/25/2024", "MM/DD/YYYY"},
		{"a day over 12 in the first row", "25.12.2024|01.03.2024", "DD.MM.YYYY"},
		{"short numbers", "1-3-2024|25-12-2024", "DD-MM-YYYY"},
		{"ISO needs no proof", "2024-03-01|2024-04-05", "YYYY-MM-DD"},
		{"digits alone", "20240301", "YYYYMMDD"},
		{"a date that is the same in both orders", "05/05/2024|06/06/2024", "DD/MM/YYYY|MM/DD/YYYY"},
		{"two ways to write", "2024-03-01|25/12/2024", "YYYY-MM-DD|DD/MM/YYYY"},
		{"a time does not part what has one separator", "01/03/2024 10:30|25/12/2024", "DD/MM/YYYY hh:mm|DD/MM/YYYY"},
		{"seconds and halves of the day", "3/25/2024 1:30:05 PM", "MM/DD/YYYY hh:mm:ss a"},
		{"a half without a blank", "3/25/2024 1:30pm", "MM/DD/YYYY hh:mma"},
		{"an ISO time with a zone", "2024-03-01T10:00:00Z|2024-03-01T10:00:00+02:00", "YYYY-MM-DDThh:mm:ssZ"},
		{"a fraction", "2024-03-01T10:00:00.000+0200", "YYYY-MM-DDThh:mm:ssZ"},
		{"a day with its distance from UTC", "2013-05-02+02:00|2013-05-03Z", "YYYY-MM-DDZ"},
		{"English names", "1 Mar 2024|2 September 2024|3 Sept. 2024", "D MMM YYYY"},
		{"English, month first", "March 1, 2024|Mar. 2nd, 2024", "MMM D, YYYY"},
		{"French", "1er févr. 2024|2 AOÛT 2024|03 décembre 2024", "D MMM YYYY"},
		{"Spanish", "1 de marzo de 2024|2.º de SEPTIEMBRE de 2024|3 de setiembre de 2024", "D de MMM de YYYY"},
		{"Portuguese", "1º de março de 2024", "D de MMM de YYYY"},
		{"German", "1. März 2024|24. Dez. 2024|2. Jänner 2024", "D. MMM YYYY"},
		{"Italian", "1º gennaio 2024|2 lug 2024", "D MMM YYYY"},
		{"names and hyphens", "29-Feb-2024|01-ene-2024", "DD-MMM-YYYY"},
		{"names and hyphens, two digits", "29-Feb-24", "DD-MMM-YY"},
		{"weekdays", "Friday, 1 March 2024|venerdì, 1 marzo 2024", "ddd, D MMM YYYY"},
		{"Tuesday and March are both mar", "mar 5 mars 2024|mar. 5 mar 2024", "ddd D MMM YYYY"},
		{"weekdays of two words", "sexta-feira, 1 de março de 2024", "ddd, D de MMM de YYYY"},
		{"a weekday before numbers", "Mi 25.12.2024", "ddd DD.MM.YYYY"},
		{"a weekday that decides", "Do 03.12.2048|Fr 01.02.2047", "ddd DD.MM.YYYY"},
		{"a two-digit year over 31", "25/12/99", "DD/MM/YY"},
		{"a two-digit year 00", "25/12/00", "DD/MM/YY"},
		{"a two-digit year decided by four-digit ones and a year over 31", "25/12/2024|01/02/03|01/02/99", "DD/MM/YYYY|DD/MM/YY"},
		{"a year in front, of two digits", "99-03-25", "YY-MM-DD"},
		{"no date at all", "TBD|TM-2024/001|1234567|3", ""},
		{"nothing", "|| ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := columnOf(strings.Split(c.texts, "|")...).Verdict()
			if !v.inferred() {
				t.Fatalf("not proven: %+v", v)
			}
			equal(t, strings.Join(v.Patterns, "|"), c.patterns)
		})
	}
}

func TestColumnThatDecidesNothingNamesTheRows(t *testing.T) {
	t.Parallel()
	v := columnOf("05/05/2024", "03/04/2024", "2024-01-01", "12/11/2024").Verdict()
	equal(t, v.Patterns, []string(nil))
	equal(t, v.Ambiguous, []string{"DD/MM/YYYY", "MM/DD/YYYY"})
	equal(t, v.Undecided, []Evidence{
		{Row: 3, Text: "03/04/2024", Patterns: []string{"DD/MM/YYYY", "MM/DD/YYYY"}, Days: []string{"2024-04-03", "2024-03-04"}},
		{Row: 5, Text: "12/11/2024", Patterns: []string{"DD/MM/YYYY", "MM/DD/YYYY"}, Days: []string{"2024-11-12", "2024-12-11"}},
	})
	equal(t, v.Mixed, false)
}

func TestTwoDigitYearsMayStandInFront(t *testing.T) {
	t.Parallel()
	v := columnOf("25/12/24").Verdict()
	equal(t, v.Ambiguous, []string{"DD/MM/YY", "YY/MM/DD"})
	equal(t, v.Undecided[0].Days, []string{"24-12-25", "25-12-24"})
	equal(t, v.TwoDigitYear, true)
}

func TestColumnWithBothOrdersIsMixed(t *testing.T) {
	t.Parallel()
	v := columnOf("03/04/2024", "25/12/2024", "12/25/2024", "26/12/2024 10:00").Verdict()
	equal(t, v.Mixed, true)
	equal(t, v.Patterns, []string(nil))
	equal(t, v.Deciding, []Evidence{
		{Row: 3, Text: "25/12/2024", Patterns: []string{"DD/MM/YYYY"}, Days: []string{"2024-12-25"}},
		{Row: 4, Text: "12/25/2024", Patterns: []string{"MM/DD/YYYY"}, Days: []string{"2024-12-25"}},
		{Row: 5, Text: "26/12/2024 10:00", Patterns: []string{"DD/MM/YYYY hh:mm"}, Days: []string{"2024-12-26"}},
	})
}

func TestContradictionHasARowOfEachKind(t *testing.T) {
	t.Parallel()
	v := columnOf("01/01/1951", "02/02/1951", "51/01/01").Verdict()
	equal(t, v.Mixed, true)
	equal(t, []string{v.Deciding[0].Text, v.Deciding[1].Text}, []string{"01/01/1951", "51/01/01"})
}

func TestSeparatorsHaveOrdersOfTheirOwn(t *testing.T) {
	t.Parallel()
	equal(t, columnOf("25.12.2024", "12/25/2024", "01/02/2024").Verdict().Patterns, []string{"DD.MM.YYYY", "MM/DD/YYYY"})
	equal(t, columnOf("25.12.2024", "01/02/2024").Verdict().Ambiguous, []string{"DD/MM/YYYY", "MM/DD/YYYY"})
}

func TestColumnCountsItsCells(t *testing.T) {
	t.Parallel()
	c := columnOf("25/12/2024", "", "31/02/2024", "soon")
	c.Add(6, table.Cell{Kind: table.Date, Text: "2024-03-04"})
	c.Add(7, table.Cell{Kind: table.Number, Text: "45352"})
	c.Add(8, table.Cell{Kind: table.Error, Text: "#N/A"})
	v := c.Verdict()
	equal(t, []int{v.Dates, v.DateCells, v.Others}, []int{2, 1, 4})
	equal(t, v.OtherRows[0], Evidence{Row: 4, Text: "31/02/2024"})
	equal(t, v.Zoneless, false)
	c.Add(9, table.Cell{Kind: table.Date, Text: "2024-03-04T10:00:00"})
	equal(t, c.Verdict().Zoneless, true)
	equal(t, columnOf("2024-03-01 00:00").Verdict().Zoneless, false)
	equal(t, columnOf("2024-03-01 00:01").Verdict().Zoneless, true)
	equal(t, columnOf("2024-03-01T00:01Z").Verdict().Zoneless, false)
}

// However long the column, only so much of it is kept.
func TestColumnKeepsLittle(t *testing.T) { // counts allocations, so not in parallel
	c := &Column{}
	for row := range 5000 {
		c.Add(row, table.Cell{Kind: table.Text, Text: fmt.Sprintf("%02d/%02d/%d", row%12+1, row%11+1, 1990+row%40)})
		c.Add(row, table.Cell{Kind: table.Text, Text: strings.Repeat("1-", row%35) + strings.Repeat("1.", row/35%35)})
	}
	v := c.Verdict()
	if len(c.known) > 1000 || len(v.OtherRows) > 10 || len(v.Undecided) > 10 || len(v.Deciding) > 21 {
		t.Errorf("%d signatures, %d others, %d undecided, %d deciding rows", len(c.known), len(v.OtherRows), len(v.Undecided), len(v.Deciding))
	}
	at := testing.AllocsPerRun(100, func() { c.Add(1, table.Cell{Kind: table.Text, Text: "25/12/2024"}) })
	if at > 0 {
		t.Errorf("%v allocations for a further cell", at)
	}
}

// knownPatterns are all patterns that a column can find, with some times and weekdays around them.
func knownPatterns() []*Pattern {
	var list []*Pattern
	for _, form := range dayForms() {
		for _, day := range form.patterns {
			if day == nil {
				continue
			}
			for _, around := range [][2]string{{"", ""}, {"ddd, ", ""}, {"dddd ", " hh:mm"}, {"", "Thh:mm:ssZ"}, {"", ", h:mm a"}, {"", " hh:mm:ss Z"}, {"", "Z"}} {
				list = append(list, MustPattern(around[0]+day.text+around[1]))
			}
		}
	}
	return list
}

func drawMoment(t *rapid.T) Moment {
	m := Moment{Year: rapid.IntRange(1951, 2049).Draw(t, "year"), Month: rapid.IntRange(1, 12).Draw(t, "month")}
	m.Day = rapid.IntRange(1, DaysIn(m.Year, m.Month)).Draw(t, "day")
	m.hour, m.minute = rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")
	return m
}

func TestWhatAPatternWritesItReads(t *testing.T) {
	t.Parallel()
	patterns := knownPatterns()
	for _, text := range CommonPatterns {
		patterns = append(patterns, MustPattern(text))
	}
	rapid.Check(t, func(t *rapid.T) {
		p, at := rapid.SampledFrom(patterns).Draw(t, "pattern"), drawMoment(t)
		text := p.Format(at)
		m, f := p.match(text, 50)
		if f != fits || m.ISO() != at.ISO() || p.hasTime && (m.hour != at.hour || m.minute != at.minute) {
			t.Fatalf("%s writes %q and reads %+v", p, text, m)
		}
		// What a known pattern writes is a date to a column, which has this reading among those it finds.
		v := columnOf(text).Verdict()
		if v.Dates != 1 {
			t.Fatalf("%q, written as %s, is no date to a column", text, p)
		}
		if !slices.ContainsFunc(append(v.Patterns, v.Ambiguous...), func(found string) bool {
			m, f := MustPattern(found).match(text, 50)
			return f == fits && m.ISO() == at.ISO()
		}) {
			t.Fatalf("%q, written as %s, is read as %v %v", text, p, v.Patterns, v.Ambiguous)
		}
	})
}

// The patterns of a proven column read every date of it, each as one day; what is ambiguous is so by a row, and what is
// mixed too.
func TestVerdictHoldsForEveryCell(t *testing.T) {
	t.Parallel()
	patterns := knownPatterns()
	rapid.Check(t, func(t *rapid.T) {
		mine := rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 3).Draw(t, "patterns")
		var texts []string
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			texts = append(texts, rapid.SampledFrom(mine).Draw(t, "pattern").Format(drawMoment(t)))
		}
		column := columnOf(texts...)
		v := column.Verdict()
		same := func(text string, patterns []string) (days map[Moment]bool, all bool) {
			days, all = map[Moment]bool{}, true
			for _, p := range patterns {
				m, f := MustPattern(p).match(text, anyCentury)
				if f == fits {
					days[m] = true
				}
				all = all && f == fits
			}
			return days, all
		}
		if v.Dates != len(texts) {
			t.Fatalf("%d dates of %q", v.Dates, texts)
		}
		if v.inferred() {
			for _, text := range texts {
				if days, _ := same(text, v.Patterns); len(days) != 1 {
					t.Fatalf("%q is read as %d days by %q", text, len(days), v.Patterns)
				}
			}
			return
		}
		if len(v.Patterns) > 0 || len(v.Ambiguous) > 0 && len(v.Undecided) == 0 || v.Mixed && len(v.Deciding) < 2 {
			t.Fatalf("%+v of %q", v, texts)
		}
		for _, e := range v.Undecided {
			if days, all := same(e.Text, e.Patterns); len(days) < 2 || !all {
				t.Fatalf("%+v is no evidence", e)
			}
		}
	})
}

func BenchmarkDateColumn(b *testing.B) {
	c := &Column{}
	texts := []string{"01/03/2024", "25/12/2024", "1/2/1999", "seen by the agent"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Add(i, table.Cell{Kind: table.Text, Text: texts[i%len(texts)]})
	}
}
