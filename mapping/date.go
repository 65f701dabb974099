package mapping

import (
	"docketsync/mapping/table"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zone: works on machines without a time zone database too
)

// dateReader reads the dates of one field.
type dateReader struct {
	patterns   []*DatePattern // declared or proven; without any, ISO is taken
	proof      proofState
	pivot      int
	pivotGiven bool
	zone       *time.Location // nil when the mapping states none
	turned     bool           // a column that looks turned around is right
}

// proofState tells whether the patterns of a field are those of the file or come from the column.
type proofState uint8

const (
	proofNone   proofState = iota // the file states them, or nothing
	proofWanted                   // the column has not been read yet
	proofGiven
)

var (
	isoDay     = mustPattern("YYYY-MM-DD")
	isoLocal   = mustPattern("YYYY-MM-DDThh:mm:ss")
	isoMinutes = mustPattern("YYYY-MM-DDThh:mm")
	isoDayZone = mustPattern("YYYY-MM-DDZ")
	isoUTC     = mustPattern("YYYY-MM-DDThh:mm:ssZ")
	isoAll     = []*DatePattern{isoDay, isoUTC, isoLocal, isoMinutes, isoDayZone}
)

func mustPattern(text string) *DatePattern {
	p, err := ParseDatePattern(text)
	if err != nil {
		panic(err)
	}
	return p
}

// read reads a text or a date cell. The moment is in UTC.
func (d *dateReader) read(text string, kind table.Kind) (moment, *problem) {
	patterns := d.patterns
	if kind == table.Date || len(patterns) == 0 {
		patterns = isoAll
	}
	return d.readBy(patterns, text, kind)
}

func (d *dateReader) readBy(patterns []*DatePattern, text string, kind table.Kind) (moment, *problem) {
	var found moment
	var by, never *DatePattern
	for _, pattern := range patterns {
		m, f := pattern.match(text, d.pivot)
		switch {
		case f == impossible && never == nil:
			never = pattern
		case f == fits && by == nil:
			found, by = m, pattern
		case f == fits && m != found:
			return moment{}, ambiguous(text, by, pattern, found, m)
		}
	}
	switch {
	case by != nil:
		return d.inUTC(found, text)
	case never != nil:
		return moment{}, newProblem(codeDateImpossible, fmt.Sprintf("%s is not a valid date when read as %s", quote(text), never),
			d.suggest(text, "Correct the date in the source."))

	case kind == table.Number:
		return moment{}, newProblem(codeDateUnreadable, fmt.Sprintf("%s is a number and not a date", quote(text)),
			"Give the column a date format in the spreadsheet, or correct the cell.")

	}
	return moment{}, d.unreadable(text, patterns)
}

func (d *dateReader) unreadable(text string, patterns []*DatePattern) *problem {
	switch {
	case d.proof == proofWanted:
		return newProblem(codeDateUnreadable, fmt.Sprintf("%s cannot be read before the whole column has proven how its dates are written", quote(text)),
			"State how they are written under dates: in the mapping.")

	case d.proof == proofGiven && len(d.patterns) == 0:
		return newProblem(codeDateUnreadable, fmt.Sprintf("%s is no date, and nothing else in its column is one written as text", quote(text)),
			"Correct the date, or state how the column is written under dates: in the mapping.")

	}
	return newProblem(codeDateUnreadable, fmt.Sprintf("%s is not a date written as %s", quote(text), names(patterns)),
		d.suggest(text, "Correct the date, or add the way it is written to dates: in the mapping."))

}

func (d *dateReader) inUTC(m moment, text string) (moment, *problem) {
	if m.timed && !m.zoned && !m.midnight() && d.zone == nil {
		return m, newProblem(codeZoneMissing, fmt.Sprintf("%s has a time of day, and nothing says in which time zone", quote(text)),
			"State the zone in the mapping, such as zone: Europe/Madrid.")

	}
	u, ok := m.utc(d.zone)
	if !ok {
		return m, newProblem(codeTimeUnclear, fmt.Sprintf("%s does not name one moment in the time zone %s, because clocks change around it", quote(text), d.zone),
			"Correct the time, or write it with its distance from UTC.")

	}
	return u, nil
}

func ambiguous(text string, a, b *DatePattern, first, second moment) *problem {
	return newProblem(codeDateAmbiguous,
		fmt.Sprintf("%s is %s when read as %s and %s when read as %s", quote(text), first.shown(), a, second.shown(), b),
		"Keep only the pattern that the column is written in; where both occur, write this date out in full in the source.")

}

// shown is the moment as a message gives it.
func (m moment) shown() string {
	day := fmt.Sprintf("%d %s %d", m.day, time.Month(m.month), m.year)
	if m.timed {
		day += fmt.Sprintf(" %02d:%02d", m.hour, m.minute)
	}
	return day
}

// suggest names the usual patterns that a text fits and the mapping does not declare.
func (d *dateReader) suggest(text, otherwise string) string {
	var fitting []string
	for _, pattern := range commonPatterns() {
		declared := slices.ContainsFunc(d.patterns, func(p *DatePattern) bool { return p.text == pattern.text })
		if !declared && pattern.Fits(text) && len(fitting) < 3 {
			fitting = append(fitting, pattern.text)
		}
	}
	if len(fitting) == 0 {
		return otherwise
	}
	return fmt.Sprintf("It fits %s: if the whole column is written so, say it under dates: in the mapping.", strings.Join(fitting, " and "))
}

var commonPatterns = sync.OnceValue(func() []*DatePattern {
	patterns := make([]*DatePattern, len(CommonDatePatterns))
	for i, text := range CommonDatePatterns {
		patterns[i] = mustPattern(text)
	}
	return patterns
})

func names(patterns []*DatePattern) string {
	if len(patterns) == len(isoAll) && patterns[0] == isoDay {
		return "YYYY-MM-DD (the mapping declares no dates:)"
	}
	texts := make([]string, len(patterns))
	for i, pattern := range patterns {
		texts[i] = pattern.text
	}
	return strings.Join(texts, " or ")
}
