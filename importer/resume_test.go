package importer_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/mapping"
)

// lost returns an importer whose cookie the service rejects.
func (w *world) lost() *importer.Importer {
	return w.with(func(o *apiclient.Options) { o.AuthCookie = "wrong" })
}

// planned interrupts a run before it sends anything, and returns it and its record with that key.
func (w *world) planned(job importer.Job, key string) (ledger.Run, ledger.Record) {
	i := w.importer()
	i.Confirm = func(context.Context, ledger.Run) error { return errors.New("not now") }
	stopped, err := i.Run(w.t.Context(), job)
	w.must(err)
	record, err := w.book.RecordByKey(w.t.Context(), stopped.ID, key)
	w.must(err)
	return stopped, record
}

// TestStoppedPlanIsNotTrustedAfterAnotherJob stops a run, has another job of the same operation create one of its
// cases, and starts it again: nothing is created twice.
func TestStoppedPlanIsNotTrustedAfterAnotherJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	x := w.job("x", casesMapping, cases(1, 3))
	stopped, err := w.lost().Run(t.Context(), x)
	w.must(err)
	w.expect(stopped, "held 3")
	w.expect(w.run(w.job("y", casesMapping, cases(2, 1))), "accepted 1")
	w.expect(w.run(x), "accepted 2, unchanged 1")
	w.onceEach()
}

// TestRunOfAReleaseBeforeIsResumed interrupts a run, gives it the fingerprint that an earlier release would have given
// it, and starts it again: the run is resumed, not planned anew.
func TestRunOfAReleaseBeforeIsResumed(t *testing.T) {
	t.Parallel()
	for n := range 2 {
		w := newWorld(t, sandbox.Faults{})
		job := w.job("x", casesMapping, cases(1, 3))
		stopped, err := w.lost().Run(t.Context(), job)
		w.must(err)
		formers, err := importer.FormerFingerprints(job)
		w.must(err)
		stopped.Fingerprint = formers[n]
		w.must(w.book.SaveRun(t.Context(), stopped))
		resumed := w.run(job)
		w.expect(resumed, "accepted 3")
		if resumed.ID != stopped.ID {
			t.Errorf("run %s was planned anew as %s", stopped.ID, resumed.ID)
		}
		w.onceEach()
	}
}

// TestWhatAReleaseBeforePlannedAndCannotBeSpelledIsNotSent interrupts a run and puts into its plan what the earlier
// release left for the push to reject.
func TestWhatAReleaseBeforePlannedAndCannotBeSpelledIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("x", casesMapping, cases(1, 3))
	stopped, record := w.planned(job, "M-00002")
	record.Payload, record.Body = []byte(`{"name":7}`), nil
	record.Digest = decide.Digest(record.Payload)
	w.must(w.book.Replace(t.Context(), record))
	resumed := w.run(job)
	w.expect(resumed, "accepted 2, rejected 1")
	if resumed.ID != stopped.ID {
		t.Errorf("run %s was planned anew as %s", stopped.ID, resumed.ID)
	}
}

// TestWhatChangedInTheLedgerIsPlannedAnew interrupts a run and changes a payload of its plan. It is held, and the next
// run sends what the row says.
func TestWhatChangedInTheLedgerIsPlannedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("x", casesMapping, cases(1, 3))
	_, record := w.planned(job, "M-00002")
	planned := string(record.Payload)
	record.Payload = bytes.Replace(record.Payload, []byte("true"), []byte("false"), 1)
	w.must(w.book.Replace(t.Context(), record))
	w.expect(w.run(job), "accepted 2, held 1")
	next := w.run(job)
	w.expect(next, "accepted 1, unchanged 2")
	record, err := w.book.RecordByKey(t.Context(), next.ID, "M-00002")
	w.must(err)
	if string(record.Payload) != planned {
		t.Errorf("sent %s instead of %s", record.Payload, planned)
	}
	w.onceEach()
}

// TestPlanOfAnotherDayIsNotResumed stops a run at the end of a day and starts it again on the next. A mapping that uses
// the current day is planned anew with the new day; any other mapping resumes its run.
func TestPlanOfAnotherDayIsNotResumed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		active  string
		resumed bool
	}{
		{`{expr: 'today < "2026-11-21" ? "yes" : "no"'}`, false},
		{"{value: true}", true},
	} {
		w := newWorld(t, sandbox.Faults{})
		text := strings.Replace(casesMapping, "{column: Status, values: {Open: true, Closed: false}}", c.active, 1)
		job := w.job("x", text, cases(1, 3))
		stopped, err := w.lost().Run(t.Context(), job)
		w.must(err)
		again, err := w.lost().Run(t.Context(), job)
		w.must(err)
		if again.ID != stopped.ID {
			t.Errorf("with active: %s, run %s was planned anew on the same day, as %s", c.active, stopped.ID, again.ID)
		}
		job.Mapping, err = mapping.Parse("x.yaml", []byte(text), mapping.Options{Today: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
		w.must(err)
		run := w.run(job)
		w.expect(run, "accepted 3")
		if resumed := run.ID == stopped.ID; resumed != c.resumed {
			t.Errorf("with active: %s, the run of the day before was resumed: %v", c.active, resumed)
		}
		for _, record := range w.records(run) {
			if active := strings.Contains(string(record.Payload), `"active":true`); active != c.resumed {
				t.Errorf("%s was sent as %s", record.Key, record.Payload)
			}
		}
		w.onceEach()
	}
}

// TestRenamedJobSettlesWhatTheOldNameLeft stops a run and starts the same job under another name, then under the old
// one.
func TestRenamedJobSettlesWhatTheOldNameLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	x := w.job("x", casesMapping, cases(1, 3))
	_, err := w.lost().Run(t.Context(), x)
	w.must(err)
	z := x
	z.Name = "z"
	w.expect(w.run(z), "accepted 3")
	w.expect(w.run(x), "unchanged 3")
	w.onceEach()
}

// TestUpdateOfOpenFateIsNotUnchanged sends A, then B with a failure after the service acted, then A again. The service
// holds B by then, so A must be sent.
func TestUpdateOfOpenFateIsNotUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	file := func(text string) string { return "Ref,Id,Mark,App\nT1," + mark1 + "," + text + ",018\n" }
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "accepted 1")
	w.box.SetFaults(sandbox.Faults{FailAfter: 1})
	i := w.with(func(o *apiclient.Options) { o.Retry.Total = 20 * time.Millisecond })
	failed, err := i.Run(t.Context(), w.job("marks", marksMapping, file("B")))
	w.must(err)
	w.expect(failed, "failed 1")
	w.box.SetFaults(sandbox.Faults{})
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "accepted 1")
	w.expect(w.run(w.job("marks", marksMapping, file("A"))), "unchanged 1")
}

// TestStoppedRecordThatWasTriedIsNotHeld has an update that the service failed on before the run was stopped. It may
// have been carried out, so the report must not say that nothing of it was sent.
func TestStoppedRecordThatWasTriedIsNotHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{FailAfter: 1})
	i := w.with(func(o *apiclient.Options) { o.Pace.Trip, o.Pace.GiveUp = 2, 50*time.Millisecond })
	run, err := i.Run(t.Context(), w.job("marks", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+",A,018\n"))
	w.must(err)
	w.expect(run, "failed 1")
	if run.StopCode != string(apiclient.CodeServiceDown) {
		t.Errorf("the run was stopped for %q", run.StopCode)
	}
}

// TestRefusedIntentKeepsTheOutcome puts a key in doubt after it was planned. The outcome committed together with the
// intent for that key is kept, and the run comes to its end.
func TestRefusedIntentKeepsTheOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	i := w.importer()
	i.Concurrency = 1
	sent := 0
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		if sent++; sent == 1 {
			w.leaveInDoubt("M-00002")
		}
		return w.client.Send(ctx, p, repeatable)
	}
	run, err := i.Run(t.Context(), w.job("x", casesMapping, cases(1, 3)))
	w.must(err)
	w.expect(run, "accepted 2, held 1")
	w.expect(w.run(w.job("x", casesMapping, cases(1, 3))), "in_doubt 1, unchanged 2")
}

// leaveInDoubt writes a run into the ledger that left a key in doubt.
func (w *world) leaveInDoubt(key string) {
	w.t.Helper()
	ctx := w.t.Context()
	run := ledger.Run{ID: "01999999-0000-7000-8000-000000000001", Job: "other", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Finished}
	w.must(w.book.Begin(ctx, run))
	_, err := w.book.Add(ctx, []ledger.Record{{Run: run.ID, Seq: 1, Scope: "create_case", Key: key, Action: ledger.Create, State: ledger.Planned, Digest: "x"}})
	w.must(err)
	w.must(w.book.Commit(ctx, nil, []ledger.Intent{{Run: run.ID, Seq: 1}}))
	w.must(w.book.Commit(ctx, []ledger.Outcome{{Run: run.ID, Seq: 1, State: ledger.InDoubt}}, nil))
}

// TestKeysThatLookTheSameAreTheSame shows that an export with differently spelled accents and spaces creates nothing
// again.
func TestKeysThatLookTheSameAreTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	head := "Ref,Title,Status\n"
	w.expect(w.run(w.job("matters", casesMapping, head+"Caf\u00e9 1,One,Open\n")), "accepted 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"Cafe\u0301\u00a01,One,Open\n")), "unchanged 1")
}
