package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"docketsync/importer/console/queue"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/stop"
)

func TestHowRunsStand(t *testing.T) {
	t.Parallel()
	well := ledger.Run{Kind: ledger.Push, Phase: ledger.Finished, Export: &ledger.Export{}}
	for name, c := range map[string]struct {
		run  ledger.Run
		o    outcomes
		want standingWords
	}{
		"all in":          {well, outcomes{outcome.Created: 3, outcome.Unchanged: 2}, standingWords{Tone: wentWell, Words: "no problems"}},
		"nothing to do":   {well, nil, standingWords{Tone: wentWell, Words: "nothing to do"}},
		"one reject":      {well, outcomes{outcome.Created: 3, outcome.Rejected: 1}, standingWords{Tone: needsPerson, Words: "1 record needs correcting"}},
		"rejects, doubts": {well, outcomes{outcome.Rejected: 1200, outcome.InDoubt: 2, outcome.Failed: 1}, standingWords{Tone: needsPerson, Words: "2 in doubt; 1,200 records need correcting; 1 failed; the next run retries it"}},
		"only failed":     {well, outcomes{outcome.Failed: 2}, standingWords{Tone: goesOn, Words: "2 failed; the next run retries them"}},
		"held by a guard": {ledger.Run{Kind: ledger.Push, Phase: ledger.Stopped, StopCode: stop.Guard, Guards: []ledger.Guard{{Message: "rows fell"}}}, outcomes{outcome.Held: 9}, standingWords{Tone: needsPerson, Words: "stopped by a guard: rows fell; 9 held"}},
		"interrupted":     {ledger.Run{Kind: ledger.Push, Phase: ledger.Stopped, StopCode: stop.Interrupted}, outcomes{outcome.Held: 1}, standingWords{Tone: goesOn, Words: "interrupted; 1 held"}},
		"stopped":         {ledger.Run{Kind: ledger.Push, Phase: ledger.Stopped, StopCode: "sign_in"}, nil, standingWords{Tone: needsPerson, Words: "sign-in lost"}},
		"not trusted": {ledger.Run{Kind: ledger.Push, Phase: ledger.Stopped, StopCode: stop.Certificate}, outcomes{outcome.Held: 2},
			standingWords{Tone: needsPerson, Words: "the service could not prove its identity; 2 held"}},
		"being read":       {ledger.Run{Kind: ledger.Push, Phase: ledger.Reading}, outcomes{outcome.Rejected: 1}, standingWords{Tone: underWay, Words: "in progress"}},
		"a plan":           {ledger.Run{Kind: ledger.Plan, Phase: ledger.Finished}, outcomes{outcome.Planned: 1}, standingWords{Tone: wentWell, Words: "no problems found"}},
		"a plan's rejects": {ledger.Run{Kind: ledger.Plan, Phase: ledger.Finished}, outcomes{outcome.Planned: 1, outcome.Rejected: 2}, standingWords{Tone: needsPerson, Words: "2 records need correcting"}},
	} {
		if got := standsAfter(remedy.Facts{Run: c.run, Records: c.o}); got.Tone != c.want.Tone || got.Words != c.want.Words {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestHowJobsStand(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := func(at time.Time) *runLine {
		return &runLine{Run: ledger.Run{Started: at}, State: standingWords{Tone: wentWell, Words: "no problems"}}
	}
	broke := &ledger.Occurrence{State: ledger.Broke, At: noon, Note: "the file is missing\nLook for it"}
	order := func(ended time.Time, err error) *queue.Standing {
		return &queue.Standing{Taken: noon, Ended: ended, Err: err}
	}
	for name, c := range map[string]struct {
		job  jobView
		want standingWords
	}{
		"never run":                  {jobView{}, standingWords{Tone: nothingYet, Words: "not run yet"}},
		"run":                        {jobView{Last: last(noon)}, standingWords{Tone: wentWell, Words: "no problems"}},
		"could not be run since":     {jobView{Last: last(noon.Add(-time.Hour)), Due: broke}, standingWords{Tone: needsPerson, Words: "it could not run: the file is missing"}},
		"run since it could not be":  {jobView{Last: last(noon.Add(time.Hour)), Due: broke}, standingWords{Tone: wentWell, Words: "no problems"}},
		"carried out":                {jobView{Last: last(noon), Order: order(time.Time{}, nil)}, standingWords{Tone: underWay, Words: "running"}},
		"an order that failed":       {jobView{Order: order(noon, errors.New("no such file"))}, standingWords{Tone: needsPerson, Words: "it could not run: no such file"}},
		"a run after such an order":  {jobView{Last: last(noon.Add(time.Hour)), Order: order(noon, errors.New("x"))}, standingWords{Tone: wentWell, Words: "no problems"}},
		"an order before that works": {jobView{Last: last(noon), Order: order(noon, nil)}, standingWords{Tone: wentWell, Words: "no problems"}},
	} {
		if got := standsNow(c.job); got.Tone != c.want.Tone || got.Words != c.want.Words {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	job := func(tones ...tone) (jobs []jobView) {
		for _, tone := range tones {
			jobs = append(jobs, jobView{Job: Job{Name: "cases"}, Last: &runLine{}, State: standingWords{Tone: tone, Words: "service down"}})
		}
		return jobs
	}
	for want, jobs := range map[string][]jobView{
		"There are no jobs yet.":                                     nil,
		"No job has run yet.":                                        {{}, {}},
		"cases needs attention: service down.":                       job(needsPerson, wentWell, underWay),
		"cases needs attention: service down; 1 other job does too.": job(needsPerson, needsPerson),
		"Nothing needs attention. A run is in progress.":             job(underWay, wentWell),
		"Nothing needs attention.":                                   job(wentWell, goesOn, nothingYet),
	} {
		if got := headline(jobs, 0); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := headline(job(wentWell), 2); got != "2 records are in doubt and need attention." {
		t.Errorf("with doubts: %q", got)
	}
}

// An order that waits, or that was stopped before it began, is told as that.
func TestHowOrdersStand(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if view := ordered(queue.Standing{Taken: noon, Waits: true}, noon); view.Words != "Waiting: runs start one at a time" || view.Stop == 0 {
		t.Errorf("the page shows %+v", view)
	}
	stopped := queue.Standing{Taken: noon, Ended: noon, Stopped: "Ines", Err: context.Canceled}
	if got := endedBadly(&stopped); got != "Stopped by Ines before the run started. Nothing was sent." {
		t.Errorf("the page says %s", got)
	}
	if got := standsNow(jobView{Order: &stopped}).Words; got != "not run yet" {
		t.Errorf("the job %s", got)
	}
}
