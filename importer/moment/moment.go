// Package moment has the one way in which times are shown to people: pages, messages, reports, the terminal, and what runs note about
// records all say a time in the zone of this machine (TZ), and name it. Forms for programs (JSON, CSV, logs, names of files) have UTC, and
// so has a certificate, of which the same ledger has to give the same bytes everywhere.
// It is a leaf, so that the ledger's own errors can use it, too.
package moment

import "time"

// Of is a time to the minute: "23 Nov 2026, 02:04 CET".
func Of(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04 MST") }

// Second is Of to the second, for requests and what else has to be told apart.
func Second(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04:05 MST") }

// Known is Second of a time that may not be known, "" for none.
func Known(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Second(t)
}

// Clock is the time of the day alone, beside an Of.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// Day is the day of Of. It names no zone, because it stands beside other days.
func Day(t time.Time) string { return t.Local().Format("2 Jan 2006") }

// Hour is the time of the day to the minute, with the day of the week where it is not the day that now is: "03:10", "Sat 03:10". It is for
// what is less than a week away.
func Hour(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 15:04")
}
