package schedule

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	_ "time/tzdata" // zones work on machines without a time zone database too

	"github.com/robfig/cron/v3"
)

// Pattern says when something is due: a cron expression, on the clock of a zone.
type Pattern struct {
	text   string // as written, with single blanks
	zone   *time.Location
	wall   *cron.SpecSchedule
	hourly bool // due in every hour of the day: it follows elapsed time rather than the clock
}

// Due is one time at which something is due.
type Due struct {
	// Local is the date and time on the wall clock, 2026-03-29T02:30. A time that comes a second time when clocks go
	// back ends in /2.
	Local string
	// At is the instant.
	At time.Time
}

// localLayout is the form of Due.Local.
const localLayout = "2006-01-02T15:04"

// parser reads the five fields of an expression, or a word that stands for them.
var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Parse reads an expression of five fields (minute, hour, day of month, month, day of week), or one of @hourly, @daily,
// @midnight, @weekly, @monthly and @yearly. zone is a name of the IANA database; "" and "Local" are the zone of the machine.
// An expression that is never due, such as one of February 30, is an error.
func Parse(expression, zone string) (Pattern, error) {
	text := strings.Join(strings.Fields(expression), " ")
	p := Pattern{text: text}
	var err error
	if p.zone, err = loadZone(zone); err != nil {
		return p, err
	}
	switch {
	case text == "":
		return p, &Mistake{"the expression is empty", `such as "0 2 * * 1-5": minute, hour, day of month, month, day of week`}
	case strings.Contains(text, "TZ="):
		return p, &Mistake{"the time zone does not belong in the expression", "write it beside it: zone: Europe/Madrid"}
	case strings.HasPrefix(text, "@every"):
		return p, &Mistake{"@every is not a time of day: a restart would move it", `write "*/15 * * * *" for every quarter of an hour`}
	}
	parsed, err := parser.Parse(text)
	if err != nil {
		return p, mistake(text, err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return p, &Mistake{fmt.Sprintf("%q is not a time of day", text), "write five fields"}
	}
	if spec.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return p, &Mistake{fmt.Sprintf("%q is never due: there is no such date", text), "check the day of month and the month"}
	}
	spec.Location = time.UTC
	p.wall = spec
	const everyHour = 1<<24 - 1
	p.hourly = spec.Hour&everyHour == everyHour
	return p, nil
}

// loadZone returns the zone of a name; "" and "Local" are the machine's.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Mistake{fmt.Sprintf("unknown time zone %q", name), "use an IANA time zone name, such as Europe/Madrid or UTC"}
	}
	return zone, nil
}

// Mistake says what is wrong with an expression or zone, and what to do about it.
type Mistake struct{ Message, Hint string }

// Error says both.
func (m *Mistake) Error() string { return m.Message + "; " + m.Hint }

// mistake puts the parser's error into words for people.
func mistake(text string, err error) error {
	var hint string
	switch fields := len(strings.Fields(text)); {
	case strings.Contains(err.Error(), "end of range (7) above maximum (6)"):
		hint = "Sunday is 0 or sun"
	case strings.HasPrefix(text, "@"):
		hint = "the words are @hourly, @daily, @midnight, @weekly, @monthly and @yearly"
	case fields == 6:
		hint = "there are no seconds: minute, hour, day of month, month, day of week"
	default:
		hint = `five fields: minute, hour, day of month, month, day of week, such as "0 2 * * 1-5"`
	}
	return &Mistake{fmt.Sprintf("%q is not a cron expression: %v", text, err), hint}
}

// String returns the expression and the zone. It names the schedule in the ledger.
func (p Pattern) String() string { return p.text + " " + p.zone.String() }

// parseString reads what String returned.
func parseString(text string) (Pattern, error) {
	at := strings.LastIndex(text, " ")
	if at < 0 {
		return Pattern{}, errors.New("a schedule without a zone")
	}
	return Parse(text[:at], text[at+1:])
}

// Zone is the zone on whose clock the expression is read.
func (p Pattern) Zone() *time.Location { return p.zone }

// after yields the dues later than t, in order. It ends only when the expression has no more.
func (p Pattern) after(t time.Time) iter.Seq[Due] {
	return func(yield func(Due) bool) {
		for from := t; ; {
			era := eraOf(from.In(p.zone))
			for due := range p.within(era, t) {
				if !yield(due) {
					return
				}
			}
			if era.end.IsZero() || era.end.Year() > t.Year()+10 {
				return
			}
			from = era.end
		}
	}
}

// era is a period in which a zone's clock is not changed.
type era struct {
	start, end time.Time     // end is exclusive; zero if there is none
	offset     time.Duration // of the clock to UTC
	before     time.Duration // the offset before it; the same if there was no other
}

func eraOf(t time.Time) era {
	_, seconds := t.Zone()
	e := era{offset: time.Duration(seconds) * time.Second}
	e.start, e.end = t.ZoneBounds()
	e.before = e.offset
	if !e.start.IsZero() {
		_, seconds = e.start.Add(-time.Second).Zone()
		e.before = time.Duration(seconds) * time.Second
	}
	return e
}

// wallClock returns what a clock with an offset shows at an instant, as a time of a calendar without changes.
func wallClock(t time.Time, offset time.Duration) time.Time { return t.UTC().Add(offset) }

// within yields the dues of an era that are later than t.
func (p Pattern) within(e era, t time.Time) iter.Seq[Due] {
	return func(yield func(Due) bool) {
		for wall := p.wall.Next(p.begin(e, t)); !wall.IsZero(); wall = p.wall.Next(wall) {
			due := Due{Local: wall.Format(localLayout), At: wall.Add(-e.offset)}
			if !e.start.IsZero() {
				if due.At.Before(e.start) { // the clocks skipped it
					due.At = e.start.UTC()
				}
				if wall.Before(wallClock(e.start, e.before)) { // this hour has been there before
					due.Local += "/2"
				}
			}
			if !e.end.IsZero() && !due.At.Before(e.end) {
				return
			}
			if due.At.After(t) && !yield(due) {
				return
			}
		}
	}
}

// begin returns the time on the wall clock after which the dues of an era that are later than t lie. For fixed hours,
// an era begins where the one before it ended on the wall clock, otherwise where it begins itself.
func (p Pattern) begin(e era, t time.Time) time.Time {
	begin := wallClock(t, e.offset)
	if e.start.IsZero() {
		return begin
	}
	offset := e.before
	if p.hourly {
		offset = e.offset
	}
	first := wallClock(e.start, offset).Add(-time.Second)
	if t.Before(e.start) || first.After(begin) {
		return first
	}
	return begin
}
