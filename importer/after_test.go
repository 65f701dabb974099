package importer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// TestJobAfterAnother starts a job in every way there is. It is not sent until the last run of the job before it has
// ended completely. Rows that the service refuses, or that are sent separately, make no difference.
func TestJobAfterAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	second := w.job("marks", "scope: marks\n"+casesMapping, cases(11, 2))
	second.After = []importer.Predecessor{{Name: "matters"}}
	refused := func(why string) {
		t.Helper()
		before := w.state().Requests
		for name, start := range map[string]func() (ledger.Run, error){
			"run":    func() (ledger.Run, error) { return w.importer().Run(t.Context(), second) },
			"accept": func() (ledger.Run, error) { return w.importer().RunAccepting(t.Context(), second, "ines", "") },
			"approved": func() (ledger.Run, error) {
				return w.importer().RunApproved(t.Context(), second, "seal", func(context.Context, ledger.Run) error { return nil })
			},
		} {
			_, err := start()
			var waits *importer.WaitsError
			if !errors.As(err, &waits) || !strings.Contains(err.Error(), "it comes after job matters, "+why) || !strings.Contains(waits.Advice(), "docketsync run matters marks") {
				t.Errorf("%s: %v, want %q", name, err, why)
			}
		}
		if w.state().Requests != before {
			t.Error("something was sent")
		}
	}
	refused("which has never been run as a whole")
	_, err := w.importer().Plan(t.Context(), w.job("matters", casesMapping, cases(1, 1)))
	w.must(err)
	refused("which has never been run as a whole")
	part := w.job("matters", casesMapping, cases(1, 1))
	part.Partial = true
	w.run(part)
	refused("which has never been run as a whole")
	first := w.job("matters", casesMapping, cases(1, 3))

	stopping := w.importer()
	stopping.Confirm = func(context.Context, ledger.Run) error { return errors.New("not tonight") }
	_, err = stopping.Run(t.Context(), first)
	w.must(err)
	refused("whose last run matters-3 was stopped")
	part.Inputs = w.job("matters", casesMapping, cases(1, 1)).Inputs
	w.run(part)
	first = w.job("matters", casesMapping, cases(1, 3))
	refused("whose last run matters-3 was stopped")

	if _, err := w.importer().Plan(t.Context(), second); err != nil {
		t.Errorf("a dry run is refused: %v", err)
	}
	w.expect(w.run(first), "accepted 2, unchanged 1")
	if run := w.run(second); run.Phase != ledger.Finished {
		t.Errorf("behind a run that has ended it ended as %s", run.Phase)
	}
	w.must(w.book.Begin(t.Context(), ledger.Run{ID: "01935b2c-0000-7000-8000-000000000001", Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case",
		Phase: ledger.Reading, Started: time.Now()}))
	refused("whose run matters-")
}

// TestJobAfterOneWithSomethingLeft refuses to start a job while a record of the job before it is in doubt, failed or
// held. It starts once a later run of that job has brought the record to its end.
func TestJobAfterOneWithSomethingLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{DropAfter: 1})
	second := w.job("second", "scope: second\n"+casesMapping, cases(11, 1))
	second.After = []importer.Predecessor{{Name: "matters"}}
	refused := func(why string) {
		t.Helper()
		if _, err := w.importer().Run(t.Context(), second); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("it is begun: %v, want %q", err, why)
		}
	}
	doubtful := w.run(w.job("matters", casesMapping, cases(1, 1)))
	w.expect(doubtful, "in_doubt 1")
	refused("whose last run matters-1 left 1 record failed, in doubt or held")
	arriving := second
	arriving.After = []importer.Predecessor{{Name: "matters", Inbox: true}}
	_, err := w.importer().Run(t.Context(), arriving)
	if waits, ok := errors.AsType[*importer.WaitsError](err); !ok || !strings.Contains(waits.Advice(), "put the same file into its inbox again. Then: docketsync inbox matters, then docketsync run second") {
		t.Errorf("the advice of %v", err)
	}
	w.must(w.book.Resolve(t.Context(), doubtful.ID, 1, ledger.Absent, "", "Ada", ""))
	w.expect(doubtful, "failed 1")
	refused("whose last run matters-1 left 1 record failed, in doubt or held")
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(w.job("matters", casesMapping, cases(1, 1))), "accepted 1")
	w.expect(w.run(second), "accepted 1")

	second.After = append(second.After, importer.Predecessor{Name: "marks"})
	refused("it comes after job marks, which has never been run as a whole")
	i := w.importer()
	i.Shows = w.shows(func() (bool, error) { return true, nil })
	night := func(text, want string) {
		t.Helper()
		run, err := i.Run(t.Context(), w.job("marks", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+","+text+",018\n"))
		w.must(err)
		w.expect(run, want)
	}
	w.box.SetFaults(sandbox.Faults{Refuse: 1})
	night("refused", "refused 1")
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(second), "unchanged 1") // what is refused has been answered
	night("A", "accepted 1")
	w.somebody("THEIRS")
	night("B", "held 1")
	refused("whose last run marks-7 left 1 record failed, in doubt or held")
}

// TestJobAfterOneOfChanges starts a job after a part of an export only if each file of the job before it holds changes.
func TestJobAfterOneOfChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	changes := w.job("matters", casesMapping, cases(1, 1))
	changes.Partial = true
	w.expect(w.run(changes), "accepted 1")
	for _, of := range []bool{false, true} {
		second := w.job("second", "scope: second\n"+casesMapping, cases(11, 1))
		second.After = []importer.Predecessor{{Name: "matters", Changes: of}}
		if _, err := w.importer().Run(t.Context(), second); (err == nil) != of {
			t.Errorf("changes %v: %v", of, err)
		}
	}
}
