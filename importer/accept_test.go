package importer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// retitled returns a job of twenty cases whose titles are the given one.
func (w *world) retitled(job func([]string) importer.Job, rows []string, title string) importer.Job {
	retitled := job(strings.Split(strings.ReplaceAll(strings.Join(rows, "\n"), ",Case", ","+title), "\n"))
	retitled.Guards = guard.Limits{Changes: 20, Least: 10}
	return retitled
}

// accepting runs a job on behalf of somebody who has seen what stopped it.
func (w *world) accepting(job importer.Job) ledger.Run {
	w.t.Helper()
	run, err := w.importer().RunAccepting(w.t.Context(), job, "Ada", "")
	w.must(err)
	return run
}

// The same guard fires with the same numbers on two exports. Only the export that was seen passes.
func TestAnotherExportWithTheSameNumbersIsNotLetThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(20)
	w.expect(w.run(w.retitled(job, rows, "Case")), "accepted 20")
	if run := w.accepting(w.retitled(job, rows, "Clatter")); !strings.Contains(run.Stop, "no guard has stopped this job before") {
		t.Errorf("what nobody has seen ended as %s: %s", run.Phase, run.Stop)
	}
	seen := w.stopped(w.retitled(job, rows, "Matter"))
	run := w.accepting(w.retitled(job, rows, "Batter"))
	if run.StopCode != stop.Guard || run.Guards[0] != seen.Guards[0] || !strings.Contains(run.Stop, "this is not what stopped the job before") {
		t.Errorf("the run ended as %s: %s", run.Phase, run.Stop)
	}
	w.expect(run, "held 20")
}

// Another job sends a part of the same export in between, so the numbers are no longer those that were seen.
func TestTheSameExportWithOtherNumbersIsNotLetThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(20)
	w.expect(w.run(w.retitled(job, rows, "Case")), "accepted 20")
	w.stopped(w.retitled(job, rows, "Matter"))
	w.expect(w.run(w.job("other", updatesMapping, strings.ReplaceAll(strings.Join(rows[:6], "\n"), ",Case", ",Matter")+"\n")), "accepted 5")
	run := w.accepting(w.retitled(job, rows, "Matter"))
	if run.StopCode != stop.Guard || !strings.Contains(run.Stop, "15 of 20 records are new or changed") {
		t.Errorf("the run ended as %s: %s", run.Phase, run.Stop)
	}
	run = w.accepting(w.retitled(job, rows, "Matter"))
	w.expect(run, "accepted 15, unchanged 5")
	if run.Passed == nil || run.Passed.By != "Ada" {
		t.Errorf("let through by %+v", run.Passed)
	}
}

// A change of a created record cannot be sent, so the record differs every night from then on. It counts only on the
// night on which it changes.
func TestWhatChangedSinceItWasCreatedCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	night := func(changed int, title string, all int) importer.Job {
		job := w.job("cases", casesMapping, strings.Replace(cases(1, all), ",Case ", ","+title+" ", changed))
		job.Guards = guard.Limits{Changes: 20, Least: 3}
		return job
	}
	w.expect(w.run(night(0, "", 20)), "accepted 20")
	w.expect(w.run(night(3, "Closed", 20)), "unchanged 20")
	w.expect(w.run(night(6, "Closed", 21)), "accepted 1, unchanged 20")
	run := w.run(night(9, "Closed", 22))
	if w.expect(run, "accepted 1, unchanged 21"); run.Passed != nil {
		t.Errorf("let through by %+v", run.Passed)
	}
	for _, many := range []importer.Job{night(20, "Closed", 23), night(20, "Closed", 24), night(9, "Reopened", 24)} { // other changes, the same once more, and new ones of records that had changed before
		w.stopped(many)
	}
	w.accepting(night(9, "Reopened", 24))
	w.expect(w.run(night(11, "Reopened", 25)), "accepted 1, unchanged 24")
}
