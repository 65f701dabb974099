package date

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zone: works on machines without a time zone database too

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Reader reads the dates of one field.
type Reader struct {
	Patterns   []*Pattern // declared or proven; if empty, ISO dates are read
	Proof      Inference
	Pivot      int
	PivotGiven bool
	Zone       *time.Location // nil if the mapping states none
	Turned     bool           // accept a column that looks turned
}

// Inference says whether the patterns of a field come from the mapping file or from the column.
type Inference uint8

const (
	NotInferred Inference = iota // the file states them, or nothing
	ToInfer                      // the column has not been read yet
	Inferred
)

var (
	isoAll = patternsOf("YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DDThh:mm:ss", "YYYY-MM-DDThh:mm", "YYYY-MM-DDZ")
	isoDay = isoAll[0]
)

func MustPattern(text string) *Pattern {
	p, err := ParsePattern(text)
	if err != nil {
		panic(err)
	}
	return p
}

// Read reads a text or a date cell. It returns the moment in UTC. For a text that cannot be read, only Reading and
// Text of the Moment are set.
func (d *Reader) Read(text string, kind table.Kind) (Moment, *reason.Problem) {
	patterns := d.Patterns
	if kind == table.Date || len(patterns) == 0 {
		patterns = isoAll
	}
	return d.readBy(patterns, text, kind)
}

func (d *Reader) readBy(patterns []*Pattern, text string, kind table.Kind) (Moment, *reason.Problem) {
	var found, none Moment
	var by, never *Pattern
	for _, pattern := range patterns {
		m, f := pattern.match(text, d.Pivot)
		switch {
		case f == impossible && never == nil:
			if never, none.Reading = pattern, m.reading(pattern); none.Reading == table.AsExchanged {
				none.Text = m.textDate(pattern)
			}
		case f == fits && by == nil:
			found, by = m, pattern
		case f == fits && m != found:
			return Moment{}, reason.New(reason.DateAmbiguous, text, found.shown(), by, m.shown(), pattern)
		}
	}
	switch {
	case by != nil:
		m, fail := d.inUTC(found, text)
		m.Reading = found.reading(by)
		if kind != table.Date {
			m.Text = found.textDate(by)
		}
		return m, fail
	case never != nil:
		return none, d.suggest(text, never.text, reason.DateImpossible, reason.DateImpossibleFits)
	case kind == table.Number:
		return Moment{}, reason.New(reason.DateUnreadableNumber, text)
	}
	for _, pattern := range commonPatterns() {
		if m, f := pattern.match(text, d.Pivot); f == fits && pattern.ordered != 0 {
			none.Text = m.textDate(pattern)
			break
		}
	}
	return none, d.unreadable(text, patterns)
}

func (d *Reader) unreadable(text string, patterns []*Pattern) *reason.Problem {
	switch {
	case d.Proof == ToInfer:
		return reason.New(reason.DateUnreadableColumn, text)
	case d.Proof == Inferred && len(d.Patterns) == 0:
		return reason.New(reason.DateUnreadableAlone, text)
	}
	return d.suggest(text, names(patterns), reason.DateUnreadable, reason.DateUnreadableFits)
}

func (d *Reader) inUTC(m Moment, text string) (Moment, *reason.Problem) {
	if m.timed && !m.zoned && !m.midnight() && d.Zone == nil {
		return m, reason.New(reason.ZoneMissing, text)
	}
	u, ok := m.utc(d.Zone)
	if !ok {
		return m, reason.New(reason.TimeUnclear, text, d.Zone)
	}
	return u, nil
}

// shown formats the moment for a message.
func (m Moment) shown() string {
	day := fmt.Sprintf("%d %s %d", m.Day, time.Month(m.Month), m.Year)
	if m.timed {
		day += fmt.Sprintf(" %02d:%02d", m.hour, m.minute)
	}
	return day
}

// suggest returns the problem of a text that the declared patterns do not read. It names the common patterns that the
// text fits, if there are any.
func (d *Reader) suggest(text, declared, problem, fits string) *reason.Problem {
	var fitting []string
	for _, pattern := range commonPatterns() {
		known := slices.ContainsFunc(d.Patterns, func(p *Pattern) bool { return p.text == pattern.text })
		if !known && pattern.Fits(text) && len(fitting) < 3 {
			fitting = append(fitting, pattern.text)
		}
	}
	if len(fitting) == 0 {
		return reason.New(problem, text, declared)
	}
	return reason.New(fits, text, declared, strings.Join(fitting, " and "))
}

var commonPatterns = sync.OnceValue(func() []*Pattern { return patternsOf(CommonPatterns...) })

func patternsOf(texts ...string) []*Pattern {
	patterns := make([]*Pattern, len(texts))
	for i, text := range texts {
		patterns[i] = MustPattern(text)
	}
	return patterns
}

func names(patterns []*Pattern) string {
	if len(patterns) == len(isoAll) && patterns[0] == isoDay {
		return "YYYY-MM-DD (the mapping has no dates:)"
	}
	texts := make([]string, len(patterns))
	for i, pattern := range patterns {
		texts[i] = pattern.text
	}
	return strings.Join(texts, " or ")
}
