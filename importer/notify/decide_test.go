package notify

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

func ended(job string, phase ledger.Phase, stop string, counts map[outcome.Outcome]int) Ended {
	s := &report.Summary{Run: ledger.Run{ID: "0199-run", Job: job, Kind: ledger.Push, Phase: phase, StopCode: stop}, Verdict: "3 of 5 matters were imported."}
	for _, o := range outcome.All {
		s.Records.ByOutcome = append(s.Records.ByOutcome, report.OutcomeCount{Outcome: o, Records: counts[o], Rows: counts[o]})
		s.Records.Total += counts[o]
	}
	return Ended{Job: job, Summary: s}
}

func TestWhatCountsAsBroken(t *testing.T) {
	t.Parallel()
	type counts = map[outcome.Outcome]int
	for name, test := range map[string]struct {
		ended Ended
		cause Cause
		news  bool
	}{
		"all in":                               {ended("m", ledger.Finished, "", counts{outcome.Created: 5}), "", true},
		"nothing to do":                        {ended("m", ledger.Finished, "", nil), "", true},
		"as many rejects as are put up with":   {ended("m", ledger.Finished, "", counts{outcome.Rejected: 2, outcome.Failed: 1}), "", true},
		"one more":                             {ended("m", ledger.Finished, "", counts{outcome.Rejected: 2, outcome.Failed: 2}), rejects, true},
		"a doubt before rejects":               {ended("m", ledger.Finished, "", counts{outcome.Rejected: 20, outcome.InDoubt: 1}), inDoubt, true},
		"a guard before a doubt":               {ended("m", ledger.Stopped, "guard", counts{outcome.InDoubt: 1}), stopped, true},
		"the sign-in was lost":                 {ended("m", ledger.Stopped, "sign_in", nil), stopped, true},
		"interrupted is no news":               {ended("m", ledger.Stopped, "interrupted", counts{outcome.InDoubt: 1}), "", false},
		"a run that could not be made":         {Ended{Job: "m", Err: errors.New("no file")}, couldNotRun, true},
		"a run whose report could not be made": {Ended{Job: "m"}, couldNotRun, true},
	} {
		cause, news := judge(test.ended, 3)
		if cause != test.cause || news != test.news {
			t.Errorf("%s: got %q, %v", name, cause, news)
		}
	}
}

// Thirty nights, one letter for what each came to: . well, r rejects, d in doubt, s stopped, x could not run. Below, what
// each kind of channel is told: B broke, S still broken, R recovered, + success.
func TestThirtyNights(t *testing.T) {
	t.Parallel()
	usual := []Event{brokeDown, stillBroken, recovered}
	for name, test := range map[string]struct {
		on             []Event
		nights, expect string
	}{
		"what is usual":           {usual, "...rrrr..d.sssx.....rdrdr.....", "...BSSSR.BRBSSBR....BBSBSR...."},
		"changes alone":           {[]Event{brokeDown, recovered}, "...rrrr..d.sssx.....rdrdr.....", "...B...R.BRB..BR....BB...R...."},
		"everything":              {append(usual, succeeded), "...rrrr..d.sssx.....rdrdr.....", "+++BSSSR+BRBSSBR++++BBSBSR++++"},
		"success alone":           {[]Event{succeeded}, "...rrrr..d.sssx.....rdrdr.....", "+++....++.+....+++++.....+++++"},
		"only that it lasts":      {[]Event{stillBroken}, "...rrrr..d.sssx.....rdrdr.....", "....SSS.....SS........S.S....."},
		"broken from the first":   {usual, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "BSSSSSSSSSSSSSSSSSSSSSSSSSSSSS"},
		"well all the time":       {usual, "..............................", ".............................."},
		"better is still broken":  {usual, "xsdr..........................", "BSSSR........................."},
		"worse every night":       {usual, "rdsx..........................", "BBBBR........................."},
		"every other night":       {usual, "x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.", "BRBRBRBRBRBRBRBRBRBRBRBRBRBRBR"},
		"a night that did not be": {usual, "xx xx .. .. x                 ", "BS SS R. .. B                 "},
	} {
		causes := map[rune]Cause{'.': "", 'r': rejects, 'd': inDoubt, 's': stopped, 'x': couldNotRun}
		words := map[Event]string{"": ".", brokeDown: "B", stillBroken: "S", recovered: "R", succeeded: "+"}
		// The clocks go forward on the way, and runs begin after a random delay.
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Skip("no time zones here")
		}
		at := time.Date(2026, 3, 15, 2, 0, 0, 0, zone)
		var told ledger.NotificationState
		var got strings.Builder
		for night, c := range test.nights {
			if c == ' ' {
				got.WriteString(" ")
				continue
			}
			start := at.AddDate(0, 0, night).Add(time.Duration(night*7%60) * time.Minute)
			var event Event
			event, told = decide(told, causes[c], start, test.on)
			got.WriteString(words[event])
			// Later runs of the same day that come to the same say nothing.
			for again := range 3 {
				more, next := decide(told, causes[c], start.Add(time.Duration(again+1)*time.Hour), test.on)
				if told = next; more != "" {
					t.Errorf("%s: night %d told %s again", name, night, more)
				}
			}
		}
		if diff := cmp.Diff(test.expect, got.String()); diff != "" {
			t.Errorf("%s: nights %s (-want +got):\n%s", name, test.nights, diff)
		}
	}
}

func TestAJobThatFlapsIsToldOfEachChange(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var told ledger.NotificationState
	var got []string
	for n, cause := range []Cause{"", stopped, stopped, "", "", rejects, inDoubt, rejects, stopped, ""} {
		var event Event
		event, told = decide(told, cause, at.Add(time.Duration(n)*time.Hour), []Event{brokeDown, stillBroken, recovered, succeeded})
		got = append(got, string(event))
	}
	want := strings.Split("success,broken,,recovered,,broken,broken,,broken,recovered", ",")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSinceIsTheNightOnWhichItBroke(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	var told ledger.NotificationState
	for night, cause := range []Cause{rejects, rejects, stopped, rejects} {
		_, told = decide(told, cause, first.AddDate(0, 0, night), []Event{brokeDown})
		if !told.Since.Equal(first) {
			t.Errorf("night %d: since %v", night, told.Since)
		}
	}
}
