package schedule

import (
	"slices"
	"testing"
	"time"

	"docketsync/importer/ledger"
)

// name is a due of a job.
type name struct{ job, local string }

// audit compares the ledger with the calendar and with what was run.
func (y *year) audit(t *testing.T) map[ledger.OccurrenceState]int {
	book, err := ledger.Open(t.Context(), y.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	list, err := book.Occurrences(t.Context(), ledger.OccurrenceFilter{})
	if err != nil {
		t.Fatal(err)
	}
	through, err := book.Scheduled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	until := map[string]time.Time{}
	for _, job := range through {
		until[job.Job] = job.Through
	}
	rows, counts := map[name]ledger.Occurrence{}, map[ledger.OccurrenceState]int{}
	for _, row := range list {
		rows[name{row.Job, row.Local}] = row
		counts[row.State]++
	}
	if len(rows) != len(list) {
		t.Errorf("%d rows of %d dues", len(list), len(rows))
	}
	y.compareWithCalendar(t, rows, until)
	for _, row := range rows {
		if why := y.wrong(rows, row); why != "" {
			t.Errorf("%s, %s (%s, taken %d): %s", row.Job, row.Local, row.State, row.Taken, why)
		}
	}
	for n, one := range y.calls {
		if n > 0 && one.from.Before(y.calls[n-1].to) {
			t.Errorf("%s of %s began at %s, while %s was going until %s", one.job, one.local, one.from, y.calls[n-1].job, y.calls[n-1].to)
		}
	}
	return counts
}

// compareWithCalendar shows that exactly the dues of the calendar are in the ledger, at their instants. The calendar is made
// by looking at the clock every minute of the year.
func (y *year) compareWithCalendar(t *testing.T, rows map[name]ledger.Occurrence, until map[string]time.Time) {
	t.Helper()
	expected := map[name]time.Time{}
	passed := map[string]bool{} // times on the wall that have been there
	want := func(job, local string, at time.Time) {
		if !at.After(until[job]) {
			expected[name{job, local}] = at
		}
	}
	fixed := func(wall time.Time, local string, at time.Time) {
		if wall.Hour() == 2 && wall.Minute() == 15 {
			for _, job := range []string{"matters", "folders", "marks"} {
				want(job, local, at)
			}
		}
		if wall.Hour() >= 1 && wall.Hour() <= 3 && (wall.Minute() == 0 || wall.Minute() == 20) && wall.Weekday() != time.Saturday && wall.Weekday() != time.Sunday {
			want("updates", local, at)
		}
	}
	last := wallOf(y.begin, y.zone)
	for at := y.begin.Add(time.Minute); !at.After(y.end); at = at.Add(time.Minute) {
		wall := wallOf(at, y.zone)
		local := wall.Format(localLayout)
		for skipped := last.Add(time.Minute); skipped.Before(wall); skipped = skipped.Add(time.Minute) {
			fixed(skipped, skipped.Format(localLayout), at)
		}
		again := passed[local]
		if !again {
			fixed(wall, local, at)
		}
		passed[local] = true
		if wall.Minute() == 40 && wall.Weekday() == time.Sunday {
			if again {
				local += "/2"
			}
			want("hourly", local, at)
		}
		last = wall
	}
	if len(expected) < y.nights*(3+4+3) {
		t.Errorf("the calendar has %d dues in %d nights", len(expected), y.nights)
	}
	for due, at := range expected {
		if row, ok := rows[due]; !ok {
			t.Errorf("%s, due %s, is not accounted for", due.job, due.local)
		} else if !row.At.Equal(at) {
			t.Errorf("%s, due %s: at %s, want %s", due.job, due.local, row.At, at.UTC())
		}
	}
	for due := range rows {
		if _, ok := expected[due]; !ok {
			t.Errorf("%s, due %s, is in the ledger and not in the calendar", due.job, due.local)
		}
	}
	// What is not accounted for yet is due less than the longest time that a run may keep others waiting before the end.
	for job, through := range until {
		if y.end.Sub(through) > 20*24*time.Hour {
			t.Errorf("%s is accounted for until %s alone", job, through)
		}
	}
}

// wallOf is what a clock shows, as a time of a calendar without changes.
func wallOf(t time.Time, zone *time.Location) time.Time {
	shown, _ := time.Parse(localLayout, t.In(zone).Format(localLayout))
	return shown
}

// wrong says what in a row of the ledger does not agree with what was run.
func (y *year) wrong(rows map[name]ledger.Occurrence, row ledger.Occurrence) string {
	made, complete := 0, 0
	for _, one := range y.calls {
		if one.job == row.Job && one.local == row.Local {
			made++
			if one.ending == ledger.Ran || one.ending == ledger.Broke {
				complete++
			}
		}
	}
	began := row.At
	for _, c := range y.table.Chains {
		if c.runs(row.Job, row.Schedule) {
			began = c.begin(Due{Local: row.Local, At: row.At})
		}
	}
	switch {
	case made != row.Taken:
		return "its run was not begun as many times"
	case (row.State == ledger.Ran || row.State == ledger.Broke) && complete != 1:
		return "its run did not come to its end once"
	case row.State != ledger.Ran && row.State != ledger.Broke && complete != 0:
		return "a run of it came to its end"
	case row.State == ledger.CaughtUp && rows[name{row.Job, row.By}].Taken == 0 && !y.blockedOrLeft(rows[name{row.Job, row.By}]):
		return "the due that was to catch it up was not run"
	case row.State == ledger.Overlapped && !y.going(row, began):
		return "no run of its chain was going"
	case row.State == ledger.Missed && (row.Job != "updates" || y.somebodyThere(began) && !y.busy(began)):
		return "somebody was there, or it should have been caught up"
	case row.State == ledger.Blocked && !follows(before(row.Job)):
		return "it comes after no other"
	case row.State == ledger.Blocked && rows[name{before(row.Job), row.Local}].State == ledger.Ran:
		return "the job before it ended well"
	case slices.Contains(ledger.Unfinished, row.State) && y.end.Sub(row.At) > 10*24*time.Hour:
		return "it was left open for long"
	}
	return ""
}

func before(job string) string {
	return map[string]string{"folders": "matters", "marks": "folders"}[job]
}

// blockedOrLeft tells that a due was not run for a reason of its own.
func (y *year) blockedOrLeft(row ledger.Occurrence) bool {
	return row.State == ledger.Blocked || row.State == ledger.CutOff || row.State == ledger.Waiting
}

// going tells whether a run of the row's chain was going at an instant, or had been cut off and was taken up again later.
func (y *year) going(row ledger.Occurrence, at time.Time) bool {
	open := map[string]span{} // by the due
	for _, one := range y.calls {
		if one.job != row.Job && !(follows(one.job) && follows(row.Job)) {
			continue
		}
		going, ok := open[one.local]
		if !ok {
			going.from = one.from
		}
		going.to = one.to
		open[one.local] = going
	}
	for _, going := range open {
		if !going.from.After(at.Add(time.Minute)) && !going.to.Before(at) {
			return true
		}
	}
	return false
}

// follows tells that a job is of the chain of three.
func follows(job string) bool { return job == "matters" || job == "folders" || job == "marks" }

// busy tells whether any run was going at an instant, behind which others wait for their turn.
func (y *year) busy(at time.Time) bool {
	for _, one := range y.calls {
		if !one.from.After(at.Add(time.Minute)) && !one.to.Before(at) {
			return true
		}
	}
	return false
}

// somebodyThere tells whether a process was awake at an instant and for the minute after it.
func (y *year) somebodyThere(at time.Time) bool {
	for _, span := range y.awake {
		if !span.from.After(at) && span.to.After(at.Add(time.Minute)) {
			return true
		}
	}
	return false
}
