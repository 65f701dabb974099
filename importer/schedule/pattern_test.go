package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dues are the first dues behind an instant, as "local=instant in UTC".
func dues(t *testing.T, p Pattern, after string, n int) []string {
	t.Helper()
	from, err := time.Parse(time.RFC3339, after)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for due := range p.after(from) {
		if len(list) == n {
			break
		}
		list = append(list, due.Local+"="+due.At.UTC().Format("01-02T15:04"))
	}
	return list
}

func TestDuesWhenClocksChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		expression, zone, after string
		want                    string
	}{
		"spring: a skipped time comes at the first instant after the gap": {"30 2 * * *", "Europe/Madrid", "2026-03-27T12:00:00Z",
			"2026-03-28T02:30=03-28T01:30 2026-03-29T02:30=03-29T01:00 2026-03-30T02:30=03-30T00:30"},
		"spring: several skipped times come together, each once": {"0,30 2 * * *", "Europe/Madrid", "2026-03-28T12:00:00Z",
			"2026-03-29T02:00=03-29T01:00 2026-03-29T02:30=03-29T01:00 2026-03-30T02:00=03-30T00:00"},
		"spring: asked at the end of the gap": {"30 2 * * *", "Europe/Madrid", "2026-03-29T01:00:00Z",
			"2026-03-30T02:30=03-30T00:30"},
		"spring: a time just behind the gap is not touched": {"0 3 * * *", "Europe/Madrid", "2026-03-28T12:00:00Z",
			"2026-03-29T03:00=03-29T01:00 2026-03-30T03:00=03-30T01:00"},
		"spring: every quarter of an hour follows the time that passes": {"*/30 * * * *", "Europe/Madrid", "2026-03-29T00:00:00Z",
			"2026-03-29T01:30=03-29T00:30 2026-03-29T03:00=03-29T01:00 2026-03-29T03:30=03-29T01:30"},
		"autumn: a repeated time comes the first time alone": {"30 2 * * *", "Europe/Madrid", "2026-10-24T12:00:00Z",
			"2026-10-25T02:30=10-25T00:30 2026-10-26T02:30=10-26T01:30"},
		"autumn: asked between the two": {"30 2 * * *", "Europe/Madrid", "2026-10-25T01:10:00Z",
			"2026-10-26T02:30=10-26T01:30"},
		"autumn: every half hour comes both times": {"*/30 * * * *", "Europe/Madrid", "2026-10-25T00:00:00Z",
			"2026-10-25T02:30=10-25T00:30 2026-10-25T02:00/2=10-25T01:00 2026-10-25T02:30/2=10-25T01:30 2026-10-25T03:00=10-25T02:00"},
		"New York, both": {"30 2 8,9 3 *", "America/New_York", "2026-03-07T12:00:00Z",
			"2026-03-08T02:30=03-08T07:00 2026-03-09T02:30=03-09T06:30"},
		"New York, autumn": {"15 1 1,2 11 *", "America/New_York", "2026-10-31T12:00:00Z",
			"2026-11-01T01:15=11-01T05:15 2026-11-02T01:15=11-02T06:15"},
		"half an hour, Lord Howe": {"15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z",
			"2026-10-04T02:15=10-03T15:30 2026-10-05T02:15=10-04T15:15"},
		"midnight does not exist": {"0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z",
			"2026-04-24T00:00=04-23T22:00 2026-04-25T00:00=04-24T21:00"},
		"a day does not exist": {"0 2 * * *", "Pacific/Apia", "2011-12-29T11:00:00Z",
			"2011-12-29T02:00=12-29T12:00 2011-12-30T02:00=12-30T10:00 2011-12-31T02:00=12-30T12:00"},
		"no change of clocks": {"30 2 * * *", "Asia/Tokyo", "2026-03-28T00:00:00Z",
			"2026-03-29T02:30=03-28T17:30 2026-03-30T02:30=03-29T17:30"},
		"working days": {"0 2 * * 1-5", "UTC", "2026-03-05T12:00:00Z", "2026-03-06T02:00=03-06T02:00 2026-03-09T02:00=03-09T02:00"},
		"leap days":    {"0 2 29 2 *", "Europe/Madrid", "2026-03-05T12:00:00Z", "2028-02-29T02:00=02-29T01:00 2032-02-29T02:00=02-29T01:00"},
		"a word":       {"@daily", "UTC", "2026-03-05T12:00:00Z", "2026-03-06T00:00=03-06T00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse(test.expression, test.zone)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(test.want)
			if diff := cmp.Diff(want, dues(t, p, test.after, len(want))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestEveryLocalTimeIsDueOnce asks zones for a year, in steps of any length: each date has its due once, whatever the steps.
func TestEveryLocalTimeIsDueOnce(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Tokyo", "America/Santiago"} {
		for hour := range 24 {
			p, err := Parse(fmt.Sprintf("30 %d * * *", hour), zone)
			if err != nil {
				t.Fatal(err)
			}
			from := time.Date(2025, 12, 31, 23, 59, 0, 0, p.Zone())
			end := from.AddDate(2, 0, 0)
			seen := map[string]int{}
			for at := from; at.Before(end); {
				next := at.Add(time.Duration(1+(at.Unix()/60)%1301) * time.Minute)
				for due := range p.after(at) {
					if due.At.After(next) {
						break
					}
					seen[due.Local[:10]]++
				}
				at = next
			}
			for day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2028; day = day.AddDate(0, 0, 1) {
				if n := seen[day.Format("2006-01-02")]; n != 1 {
					t.Errorf("%s, %02d:30: %s was due %d times", zone, hour, day.Format("2006-01-02"), n)
				}
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ expression, zone, want string }{
		"nothing":            {" ", "", "the expression is empty"},
		"a date of none":     {"0 2 30 2 *", "", "never due: there is no such date"},
		"another of none":    {"0 2 31 4,6,9,11 *", "", "never due"},
		"no hours":           {"0 , * * *", "", "never due"},
		"a zone in front":    {"TZ=Europe/Madrid 0 2 * * *", "", "write it beside it: zone: Europe/Madrid"},
		"a zone and no more": {"TZ=", "", "the time zone does not belong"},
		"seconds":            {"0 0 2 * * *", "", "there are no seconds"},
		"Sunday as 7":        {"0 2 * * 7", "", "Sunday is 0 or sun"},
		"too few":            {"2 *", "", "five fields"},
		"an interval":        {"@every 1h", "", "@every is not a time of day"},
		"a word of none":     {"@nightly", "", "the words are @hourly"},
		"hour 24":            {"0 24 * * *", "", "is not a cron expression"},
		"words":              {"every night at two", "", "is not a cron expression"},
		"a zone of none":     {"0 2 * * *", "Europe/Madird", `unknown time zone "Europe/Madird"`},
		"a path as a zone":   {"0 2 * * *", "../../etc/passwd", "unknown time zone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(test.expression, test.zone)
			var mistake *Mistake
			if !errors.As(err, &mistake) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestPatternNamesItself(t *testing.T) {
	t.Parallel()
	p, err := Parse("  0   2 * * 1-5 ", "Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	again, err := parseString(p.String())
	if err != nil || again.String() != "0 2 * * 1-5 Europe/Madrid" {
		t.Errorf("%q, then %q, %v", p, again, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0 2 * * 1-5", "*/15 * * * *", "@daily", "TZ=", "CRON_TZ=x", "0 2 30 2 *", "*/9223372036854775807 * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text, "Europe/Madrid")
		if err != nil {
			return
		}
		if len(dues(t, p, "2026-01-01T00:00:00Z", 2)) == 0 {
			t.Errorf("%q is accepted and never due", text)
		}
	})
}

func TestDelayIsTheSameWhenAskedAgain(t *testing.T) {
	t.Parallel()
	p, err := Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	one := &Chain{Pattern: p, Delay: 10 * time.Minute, Seed: "a", Steps: []Step{{Job: "matters"}}}
	other := &Chain{Pattern: p, Delay: 10 * time.Minute, Seed: "b", Steps: []Step{{Job: "matters"}}}
	delays, differ := map[time.Duration]bool{}, 0
	for due := range p.after(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		if due.At.Year() > 2026 {
			break
		}
		delay := one.begin(due).Sub(due.At)
		if delay < 0 || delay > one.Delay || one.begin(due) != due.At.Add(delay) {
			t.Fatalf("a delay of %s", delay)
		}
		delays[delay] = true
		if other.begin(due) != one.begin(due) {
			differ++
		}
	}
	if len(delays) < 200 || differ < 300 {
		t.Errorf("a year has %d delays, of which %d differ between installations", len(delays), differ)
	}
}
