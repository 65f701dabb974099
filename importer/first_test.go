package importer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/report/reading"
	"docketsync/importer/stop"
)

// TestTheFirstRecordsAreSentAndThenTheRest sends the first records of a plan, by number, and then all: each once, in
// one run.
func TestTheFirstRecordsAreSentAndThenTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 12))
	i := w.importer()
	i.First = 5
	begun := ""
	for n, want := range []string{"accepted 5, held 7", "accepted 10, held 2"} {
		run, err := i.Run(t.Context(), job)
		w.must(err)
		w.expect(run, want)
		if run.Phase != ledger.Stopped || run.StopCode != stop.Part || !strings.HasPrefix(run.Stop, "sending stopped after the first 5, as asked") || n > 0 && run.ID != begun {
			t.Errorf("call %d: run %s ended as %s, %s: %s", n+1, run.ID, run.Phase, run.StopCode, run.Stop)
		}
		begun = run.ID
	}
	run, err := i.Run(t.Context(), job) // no more than it has
	w.must(err)
	w.expect(run, "accepted 12")
	if state := w.state(); run.Phase != ledger.Finished || run.StopCode != "" || state.Cases != 12 || len(state.Repeated) > 0 || state.Requests != 12 {
		t.Errorf("the last run ended as %s %s; the service has %+v", run.Phase, run.Stop, state)
	}
}

// TestAnExportThatIsCutOffAfterAPart has a first run that sends a part of its plan, and then an export without most of
// the rest. The guard fires and names what was not sent, until somebody accepts it.
func TestAnExportThatIsCutOffAfterAPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	guarded := func(text string) importer.Job {
		job := w.job("matters", casesMapping, text)
		job.Guards = guard.Limits{RowsFell: 50, Vanished: 50, Changes: 1, Header: true, SameFile: true, Least: 5}
		return job
	}
	i := w.importer()
	i.First = 5
	part, err := i.Run(t.Context(), guarded(cases(1, 12)))
	w.must(err)
	w.expect(part, "accepted 5, held 7")
	for range 2 { // the second one has still the first part to be compared with
		run, err := i.Run(t.Context(), guarded(cases(1, 1)))
		w.must(err)
		said := ""
		for _, g := range run.Guards {
			said += g.Message + "; "
		}
		if run.StopCode != stop.Guard || said != "rows fell from 12 to 1 (−92 %), where the limit is 50 %; 11 of the last run's 12 records are no longer in the export (92 %), where the limit is 50 %; " {
			t.Errorf("the run ended as %s %s: %s", run.Phase, run.StopCode, said)
		}
	}
	var gone []string
	run, err := i.Run(t.Context(), guarded(cases(1, 10)))
	w.must(err)
	for key, err := range w.book.Vanished(t.Context(), run.Export.Base, run.ID) {
		w.must(err)
		gone = append(gone, key)
	}
	if run.Phase != ledger.Finished || run.Export.Base != part.ID || run.Export.Vanished != 2 || !slices.Equal(gone, []string{"M-00011", "M-00012"}) {
		t.Errorf("the run ended as %s %s, %d of run %s are gone: %v", run.StopCode, run.Stop, run.Export.Vanished, run.Export.Base, gone)
	}
}

// TestNothingIsTurnedInactiveAfterAPart has a first run that sent only a part of its plan: it does not prove its export
// good.
func TestNothingIsTurnedInactiveAfterAPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job, rows := w.updates(4)
	i := w.importer()
	i.First, i.Concurrency = 2, 1
	part, err := i.Run(t.Context(), job(rows))
	w.must(err)
	w.expect(part, "accepted 2, held 2")
	run := w.run(job(without(rows, 1)))
	w.expect(run, "accepted 2, unchanged 1")
	if run.Export.Vanished != 1 || w.inactive() != "" {
		t.Errorf("%d vanished, %q are inactive", run.Export.Vanished, w.inactive())
	}
}

// TestAPartThatTheServiceDidNotTake sends a part to a service that is down, that turns everything away, or that turns
// some records away. Only accepted records count as sent, and records set aside get their second attempt within the
// part.
func TestAPartThatTheServiceDidNotTake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		faults    sandbox.Faults
		forbidden func(row int) bool
		fails     func(o *apiclient.Options)
		code      string
		states    string
	}{
		{"down", sandbox.Faults{}, nil, func(o *apiclient.Options) { o.BaseURL = "http://127.0.0.1:1" }, stop.ServiceDown, "failed 4, held 8"},
		{"all turned away", sandbox.Faults{Forbid: "Closed"}, func(row int) bool { return row <= 4 }, nil, stop.SignIn, "held 12"},
		{"some turned away", sandbox.Faults{Forbid: "Closed"}, func(row int) bool { return row == 2 }, nil, stop.Part, "accepted 3, held 8, refused 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.faults)
			text := cases(1, 12)
			if test.forbidden != nil {
				text = closed(12, test.forbidden)
			}
			i := w.with(func(o *apiclient.Options) {
				o.Retry.Total = 50 * time.Millisecond
				if test.fails != nil {
					test.fails(o)
				}
			})
			i.First, i.Concurrency = 4, 1
			run, err := i.Run(t.Context(), w.job("matters", casesMapping, text))
			w.must(err)
			w.expect(run, test.states)
			if run.Phase != ledger.Stopped || run.StopCode != test.code {
				t.Errorf("the run ended as %s, %s: %s", run.Phase, run.StopCode, run.Stop)
			}
			w.onceEach()
		})
	}
}

// TestAPartIsForecastAsAPart sends one part of a plan after another. The forecasts during the run and in its report are
// about the part.
func TestAPartIsForecastAsAPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 400))
	i := w.importer()
	i.First = 120
	var told importer.Progress
	i.Progress = func(p importer.Progress) { told = p }
	for n := range 2 {
		run, err := i.Run(t.Context(), job)
		w.must(err)
		if told.To != 120 || told.Settled() != 120 || run.StopCode != stop.Part {
			t.Errorf("%d of %d were told as sent; the run ended as %s", told.Settled(), told.To, run.StopCode)
		}
		if made := reading.Read(run).Forecast; n == 1 && (made == nil || made.ToBeSent != 120) { // nothing is known of the first part
			t.Errorf("the forecast is %+v", made)
		}
	}
}
