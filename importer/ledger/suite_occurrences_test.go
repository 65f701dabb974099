package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

var duesCases = cases{
	"a due is begun once, and its end is final":                                                        aDueIsBegunOnceAndItsEndIsFinal,
	"a due that was cut off is taken up again, by one process":                                         aDueThatWasCutOffIsTakenUpAgainByOneProcess,
	"dues are listed latest first, by job and state; schedules of one expression in two zones are two": duesAreListedLatestFirst,
	"a job's schedule is replaced and forgotten, what became of it is kept":                            aJobSScheduleIsReplacedAndForgotten,
	"dues of a clock that was ahead give way, and are kept":                                            duesOfAClockThatWasAheadGiveWayAndAreKept,
}

// dueOf is a due of the job matters, n nights after the first.
func dueOf(n int, state OccurrenceState) Occurrence {
	at := noon.AddDate(0, 0, n)
	return Occurrence{Job: "matters", Schedule: "0 12 * * * UTC", Local: at.Format("2006-01-02T15:04"), At: at, State: state}
}

// take is the due as it is when its run begins once more.
func (d Occurrence) take() Occurrence {
	d.State, d.Taken, d.Began = Running, d.Taken+1, noon
	return d
}

func aDueIsBegunOnceAndItsEndIsFinal(t *testing.T, l *Ledger) {
	waiting := dueOf(0, Waiting)
	through := Scheduled{Job: "matters", Schedule: waiting.Schedule, Through: waiting.At}
	must(t, l.SaveOccurrences(t.Context(), []Scheduled{through}, []Occurrence{waiting}))
	running := waiting.take()
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{running}))
	ran := running
	ran.State, ran.Run, ran.Note, ran.Ended = Ran, "0195-aa", "all 3 matters \x00went in", noon.Add(time.Minute)
	for name, refused := range map[string]Occurrence{"begun by another": running, "taken on again": waiting} {
		if err := l.SaveOccurrences(t.Context(), nil, []Occurrence{refused}); !errors.Is(err, ErrOccurrenceTaken) {
			t.Errorf("%s while running: %v", name, err)
		}
	}
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{ran}))
	missed := ran
	missed.State = Missed
	for name, refused := range map[string]Occurrence{"begun again": ran.take(), "missed": missed, "ran twice": ran} {
		if err := l.SaveOccurrences(t.Context(), nil, []Occurrence{dueOf(1, Missed), refused}); !errors.Is(err, ErrOccurrenceTaken) {
			t.Errorf("%s after its end: %v", name, err)
		}
	}
	ran.Note = "all 3 matters \ufffdwent in"
	list, err := l.Occurrences(t.Context(), OccurrenceFilter{})
	must(t, err)
	same(t, list, []Occurrence{ran}) // nothing of a refused call is done
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []Scheduled{through})
}

func aDueThatWasCutOffIsTakenUpAgainByOneProcess(t *testing.T, l *Ledger) {
	first := dueOf(0, Waiting).take()
	interrupted := first
	interrupted.State = Interrupted
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{first}))
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{interrupted}))
	again := interrupted.take()
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{again}))
	if err := l.SaveOccurrences(t.Context(), nil, []Occurrence{again}); !errors.Is(err, ErrOccurrenceTaken) {
		t.Errorf("the second process: %v", err)
	}
	late := interrupted // what the first process has to say of its run comes too late
	late.State = Ran
	if err := l.SaveOccurrences(t.Context(), nil, []Occurrence{late}); !errors.Is(err, ErrOccurrenceTaken) {
		t.Errorf("the first process: %v", err)
	}
	list, err := l.Occurrences(t.Context(), OccurrenceFilter{States: Unfinished})
	must(t, err)
	same(t, list, []Occurrence{again})
}

func duesAreListedLatestFirst(t *testing.T, l *Ledger) {
	other, elsewhere := dueOf(1, Overlapped), dueOf(2, Ran)
	other.Job, elsewhere.Schedule = "marks", "0 12 * * * Europe/Madrid"
	must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{dueOf(0, Missed), other, dueOf(2, CaughtUp), dueOf(3, Ran), elsewhere}))
	for _, test := range []struct {
		filter OccurrenceFilter
		want   int
		last   OccurrenceState
	}{
		{OccurrenceFilter{}, 5, Missed}, {OccurrenceFilter{Limit: 1}, 1, Ran}, {OccurrenceFilter{Job: "marks"}, 1, Overlapped},
		{OccurrenceFilter{Job: "matters", States: []OccurrenceState{Missed, CaughtUp}}, 2, Missed}, {OccurrenceFilter{Job: "none"}, 0, ""},
		{OccurrenceFilter{Job: "matters", Local: "2026-03-03T12:00"}, 2, CaughtUp},
	} {
		list, err := l.Occurrences(t.Context(), test.filter)
		must(t, err)
		last := OccurrenceState("")
		for n, due := range list {
			if last = due.State; n > 0 && due.At.After(list[n-1].At) {
				t.Errorf("%+v: not latest first: %v", test.filter, list)
			}
		}
		same(t, fmt.Sprint(len(list), last), fmt.Sprint(test.want, test.last))
	}
}

func aJobSScheduleIsReplacedAndForgotten(t *testing.T, l *Ledger) {
	one, two := Scheduled{"matters", "a", noon}, Scheduled{"marks", "b", noon}
	must(t, l.SaveOccurrences(t.Context(), []Scheduled{one, two}, []Occurrence{dueOf(0, Missed)}))
	one.Schedule, one.Through = "c", noon.Add(time.Hour)
	must(t, l.SaveOccurrences(t.Context(), []Scheduled{one}, nil))
	must(t, l.Unschedule(t.Context(), []string{"marks", "nobody"}))
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []Scheduled{one})
	list, err := l.Occurrences(t.Context(), OccurrenceFilter{})
	must(t, err)
	same(t, len(list), 1)
}

func duesOfAClockThatWasAheadGiveWayAndAreKept(t *testing.T, l *Ledger) {
	covered, begun, other := dueOf(0, CaughtUp), dueOf(3, Running), dueOf(2, Ran)
	covered.By, begun.Taken, other.Job = dueOf(2, Ran).Local, 1, "marks"
	must(t, l.SaveOccurrences(t.Context(), []Scheduled{{"matters", covered.Schedule, begun.At}, {"marks", covered.Schedule, other.At}},
		[]Occurrence{covered, dueOf(1, Missed), dueOf(2, Ran), begun, other}))
	must(t, l.SetBack(t.Context(), []Scheduled{{"matters", covered.Schedule, noon.Add(time.Hour)}}))
	jobs, err := l.Scheduled(t.Context())
	must(t, err)
	same(t, jobs, []Scheduled{{"marks", covered.Schedule, other.At}, {"matters", covered.Schedule, noon.Add(time.Hour)}})
	for n := 1; n < 4; n++ { // they come after all
		must(t, l.SaveOccurrences(t.Context(), nil, []Occurrence{dueOf(n, Waiting)}))
	}
	list, err := l.Occurrences(t.Context(), OccurrenceFilter{Job: "matters"})
	must(t, err)
	var got []string
	for _, due := range list {
		got = append(got, fmt.Sprint(due.Local, " ", due.State, " ", due.By))
	}
	const ahead = "/ahead-20260301T130000Z"
	same(t, got, []string{"2026-03-04T12:00 waiting ", "2026-03-03T12:00 waiting ", "2026-03-02T12:00 waiting ",
		"2026-03-04T12:00" + ahead + " cut_off ", "2026-03-03T12:00" + ahead + " ran ", "2026-03-02T12:00" + ahead + " missed ",
		"2026-03-01T12:00 caught_up 2026-03-03T12:00" + ahead})
	list, err = l.Occurrences(t.Context(), OccurrenceFilter{Job: "marks"})
	must(t, err)
	same(t, list, []Occurrence{other})
}
