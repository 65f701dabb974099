// Package moment has the one way to show times to people: pages, messages, reports, the terminal, and notes of runs
// about records all show a time in the zone of this machine (TZ), and name the zone. Forms for programs (JSON, CSV,
// logs, names of files) have UTC. So has a certificate, because the same ledger must give the same bytes everywhere. It
// imports nothing of ours, so that the ledger's own errors can use it too.
package moment

import "time"

// Of is a time to the minute: "23 Nov 2026, 02:04 CET".
func Of(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04 MST") }

// Second is Of to the second, for requests and whatever else must be told apart.
func Second(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04:05 MST") }

// Known is Second of a time that may be unknown; it is "" for the zero time.
func Known(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Second(t)
}

// Clock is only the time of day, to stand beside an Of.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// Day is the day of Of, without the zone, to stand beside other days.
func Day(t time.Time) string { return t.Local().Format("2 Jan 2006") }

// Hour is the time of day to the minute, with the weekday unless the day is that of now: "03:10", "Sat 03:10". Use it
// only for times less than a week away.
func Hour(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 15:04")
}
