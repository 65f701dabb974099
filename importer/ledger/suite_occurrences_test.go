package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"docketsync/importer/ledger/occurrences"
)

var duesCases = cases{
	"a due is begun once, and its end is final":                                                        aDueIsBegunOnceAndItsEndIsFinal,
	"a due that was cut off is taken up again, by one process":                                         aDueThatWasCutOffIsTakenUpAgainByOneProcess,
	"dues are listed latest first, by job and state; schedules of one expression in two zones are two": duesAreListedLatestFirst,
	"a job's schedule is replaced and forgotten, what became of it is kept":                            aJobSScheduleIsReplacedAndForgotten,
	"dues of a clock that was ahead give way, and are kept":                                            duesOfAClockThatWasAheadGiveWayAndAreKept,
}

// dueOf returns a due of the job matters, n nights after the first.
func dueOf(n int, state occurrences.OccurrenceState) occurrences.Occurrence {
	at := noon.AddDate(0, 0, n)
	return occurrences.Occurrence{Job: "matters", Schedule: "0 12 * * * UTC", Local: at.Format("2006-01-02T15:04"), At: at, State: state}
}

// takenOn returns the due as it is when its run begins again.
func takenOn(d occurrences.Occurrence) occurrences.Occurrence {
	d.State, d.Taken, d.Began = occurrences.Running, d.Taken+1, noon
	return d
}

func aDueIsBegunOnceAndItsEndIsFinal(t *testing.T, l *Ledger) {
	waiting := dueOf(0, occurrences.Waiting)
	through := occurrences.Scheduled{Job: "matters", Schedule: waiting.Schedule, Through: waiting.At}
	must(t, l.SaveOccurrences(t.Context(), []occurrences.Scheduled{through}, []occurrences.Occurrence{waiting}))
	running := takenOn(waiting)
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{running}))
	ran := running
	ran.State, ran.Run, ran.Note, ran.Ended = occurrences.Ran, "0195-aa", "all 3 matters \x00went in", noon.Add(time.Minute)
	for name, refused := range map[string]occurrences.Occurrence{"begun by another": running, "taken on again": waiting} {
		if err := l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{refused}); !errors.Is(err, occurrences.ErrOccurrenceTaken) {
			t.Errorf("%s while running: %v", name, err)
		}
	}
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{ran}))
	missed := ran
	missed.State = occurrences.Missed
	for name, refused := range map[string]occurrences.Occurrence{"begun again": takenOn(ran), "missed": missed, "ran twice": ran} {
		if err := l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{dueOf(1, occurrences.Missed), refused}); !errors.Is(err, occurrences.ErrOccurrenceTaken) {
			t.Errorf("%s after its end: %v", name, err)
		}
	}
	ran.Note = "all 3 matters \ufffdwent in"
	list, err := l.Occurrences(t.Context(), occurrences.OccurrenceFilter{})
	must(t, err)
	same(t, list, []occurrences.Occurrence{ran}) // nothing of a refused call is done
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []occurrences.Scheduled{through})
}

func aDueThatWasCutOffIsTakenUpAgainByOneProcess(t *testing.T, l *Ledger) {
	first := takenOn(dueOf(0, occurrences.Waiting))
	interrupted := first
	interrupted.State = occurrences.Interrupted
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{first}))
	putOff := first // it could not begin, which is not counted
	putOff.State, putOff.Taken = occurrences.Waiting, 0
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{putOff}))
	first = takenOn(putOff)
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{first}))
	putOff.Began = putOff.Began.Add(-time.Second)
	if err := l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{putOff}); !errors.Is(err, occurrences.ErrOccurrenceTaken) {
		t.Errorf("a process that had begun it earlier puts it off: %v", err)
	}
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{interrupted}))
	again := takenOn(interrupted)
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{again}))
	if err := l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{again}); !errors.Is(err, occurrences.ErrOccurrenceTaken) {
		t.Errorf("the second process: %v", err)
	}
	late := interrupted // what the first process has to say of its run comes too late
	late.State = occurrences.Ran
	if err := l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{late}); !errors.Is(err, occurrences.ErrOccurrenceTaken) {
		t.Errorf("the first process: %v", err)
	}
	list, err := l.Occurrences(t.Context(), occurrences.OccurrenceFilter{States: occurrences.Unfinished})
	must(t, err)
	same(t, list, []occurrences.Occurrence{again})
}

func duesAreListedLatestFirst(t *testing.T, l *Ledger) {
	other, elsewhere := dueOf(1, occurrences.Overlapped), dueOf(2, occurrences.Ran)
	other.Job, elsewhere.Schedule = "marks", "0 12 * * * Europe/Madrid"
	must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{dueOf(0, occurrences.Missed), other, dueOf(2, occurrences.CaughtUp), dueOf(3, occurrences.Ran), elsewhere}))
	for _, test := range []struct {
		filter occurrences.OccurrenceFilter
		want   int
		last   occurrences.OccurrenceState
	}{
		{occurrences.OccurrenceFilter{}, 5, occurrences.Missed}, {occurrences.OccurrenceFilter{Limit: 1}, 1, occurrences.Ran}, {occurrences.OccurrenceFilter{Job: "marks"}, 1, occurrences.Overlapped},
		{occurrences.OccurrenceFilter{Job: "matters", States: []occurrences.OccurrenceState{occurrences.Missed, occurrences.CaughtUp}}, 2, occurrences.Missed}, {occurrences.OccurrenceFilter{Job: "none"}, 0, ""},
		{occurrences.OccurrenceFilter{Job: "matters", Local: "2026-03-03T12:00"}, 2, occurrences.CaughtUp},
	} {
		list, err := l.Occurrences(t.Context(), test.filter)
		must(t, err)
		last := occurrences.OccurrenceState("")
		for n, due := range list {
			if last = due.State; n > 0 && due.At.After(list[n-1].At) {
				t.Errorf("%+v: not latest first: %v", test.filter, list)
			}
		}
		same(t, fmt.Sprint(len(list), last), fmt.Sprint(test.want, test.last))
	}
}

func aJobSScheduleIsReplacedAndForgotten(t *testing.T, l *Ledger) {
	one, two := occurrences.Scheduled{Job: "matters", Schedule: "a", Through: noon}, occurrences.Scheduled{Job: "marks", Schedule: "b", Through: noon}
	must(t, l.SaveOccurrences(t.Context(), []occurrences.Scheduled{one, two}, []occurrences.Occurrence{dueOf(0, occurrences.Missed)}))
	one.Schedule, one.Through = "c", noon.Add(time.Hour)
	must(t, l.SaveOccurrences(t.Context(), []occurrences.Scheduled{one}, nil))
	must(t, l.Unschedule(t.Context(), []string{"marks", "nobody"}))
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []occurrences.Scheduled{one})
	list, err := l.Occurrences(t.Context(), occurrences.OccurrenceFilter{})
	must(t, err)
	same(t, len(list), 1)
}

func duesOfAClockThatWasAheadGiveWayAndAreKept(t *testing.T, l *Ledger) {
	covered, begun, other := dueOf(0, occurrences.CaughtUp), dueOf(3, occurrences.Running), dueOf(2, occurrences.Ran)
	covered.By, begun.Taken, other.Job = dueOf(2, occurrences.Ran).Local, 1, "marks"
	must(t, l.SaveOccurrences(t.Context(), []occurrences.Scheduled{{Job: "matters", Schedule: covered.Schedule, Through: begun.At}, {Job: "marks", Schedule: covered.Schedule, Through: other.At}},
		[]occurrences.Occurrence{covered, dueOf(1, occurrences.Missed), dueOf(2, occurrences.Ran), begun, other}))
	must(t, l.SetBack(t.Context(), []occurrences.Scheduled{{Job: "matters", Schedule: covered.Schedule, Through: noon.Add(time.Hour)}}))
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []occurrences.Scheduled{{Job: "marks", Schedule: covered.Schedule, Through: other.At}, {Job: "matters", Schedule: covered.Schedule, Through: noon.Add(time.Hour)}})
	for n := 1; n < 4; n++ { // they come after all
		must(t, l.SaveOccurrences(t.Context(), nil, []occurrences.Occurrence{dueOf(n, occurrences.Waiting)}))
	}
	list, err := l.Occurrences(t.Context(), occurrences.OccurrenceFilter{Job: "matters"})
	must(t, err)
	var got []string
	for _, due := range list {
		got = append(got, fmt.Sprint(due.Local, " ", due.State, " ", due.By))
	}
	const ahead = "/ahead-20260301T130000Z"
	same(t, got, []string{"2026-03-04T12:00 waiting ", "2026-03-03T12:00 waiting ", "2026-03-02T12:00 waiting ",
		"2026-03-04T12:00" + ahead + " cut_off ", "2026-03-03T12:00" + ahead + " ran ", "2026-03-02T12:00" + ahead + " missed ",
		"2026-03-01T12:00 caught_up 2026-03-03T12:00" + ahead})
	list, err = l.Occurrences(t.Context(), occurrences.OccurrenceFilter{Job: "marks"})
	must(t, err)
	same(t, list, []occurrences.Occurrence{other})
}
