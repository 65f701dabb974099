package importer_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// cutOff runs a job one record at a time. After the given number of requests it can record nothing more, as if another
// process had taken the run over. It returns the run in the state that a kill leaves.
func (w *world) cutOff(job importer.Job, after int) ledger.Run {
	w.t.Helper()
	i := w.importer()
	send, n := i.Send, 0
	i.Concurrency = 1
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		result := send(ctx, p, repeatable)
		if n++; n == after {
			db, err := sql.Open("sqlite", filepath.Join(w.dir, "ledger.db"))
			w.must(err)
			_, err = db.Exec("update shards set commits = commits + 1 where run_no in (select number from runs where phase = 'pushing')")
			w.must(err)
			w.must(db.Close())
		}
		return result
	}
	if _, err := i.Run(w.t.Context(), job); err == nil {
		w.t.Fatal("the run was not cut off")
	}
	runs, err := w.book.Runs(w.t.Context(), ledger.RunFilter{Phases: []ledger.Phase{ledger.Pushing}})
	w.must(err)
	if len(runs) != 1 {
		w.t.Fatalf("%d runs were cut off", len(runs))
	}
	return runs[0]
}

func marksAs(text string) string {
	return "Ref,Id,Mark,App\nT1," + mark1 + "," + text + ",018\nT2," + mark2 + "," + text + ",018\nT3," + mark3 + "," + text + ",018\n"
}

// TestWhatMayHaveBeenSentIsSentAgain changes the marks and cuts that run off, so that the service has some of the
// changes and the ledger does not know which. Then the marks are as before: all of them are planned, and all that
// another job of the scope has not sent are sent, even after the cut-off run was pruned.
func TestWhatMayHaveBeenSentIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	before := func() importer.Job { return w.job("marks", marksMapping, marksAs("A")) }
	w.expect(w.run(before()), "accepted 3")
	w.expect(w.run(before()), "unchanged 3")
	cut := w.cutOff(w.job("marks", marksMapping, marksAs("B")), 2)
	w.expect(cut, "accepted 1, planned 2")
	plan, err := w.importer().Plan(t.Context(), before())
	w.must(err)
	w.expect(plan, "planned 3")
	other := w.job("other", marksMapping, "Ref,Id,Mark,App\nT1,"+mark1+",A,018\n")
	w.expect(w.run(other), "accepted 1")
	for _, record := range w.records(cut)[1:] {
		if record.State != ledger.Held || record.Message == "" {
			t.Errorf("%s, which may have been sent, is %s: %q", record.Key, record.State, record.Message)
		}
	}
	_, err = w.book.Prune(t.Context(), cut.ID)
	w.must(err)
	w.expect(w.run(before()), "accepted 2, unchanged 1")
	w.expect(w.run(before()), "unchanged 3")
}

// TestWhatThePlanHoldsStaysHeld has a record that vanished, and a row without a key that may be that record. Another
// record is set aside with 403 and sent again at the end.
func TestWhatThePlanHoldsStaysHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	created := w.records(w.run(w.job("cases", casesMapping, cases(1, 3))))
	export := func(keys ...string) importer.Job {
		text := "Ref,Id,Title\n"
		for n, key := range keys {
			text += key + "," + created[n].ServiceID + ",T" + keys[1] + "\n"
		}
		job := w.job("update", updatesMapping, text)
		job.Policy.DeactivateVanished = true
		return job
	}
	w.expect(w.run(export("K1", "K2", "K3")), "accepted 3")
	i := w.importer()
	i.Concurrency = 1
	send, n := i.Send, 0
	i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
		if n++; n == 1 {
			return apiclient.Result{Verdict: apiclient.Aside, Status: 403, Message: "no permission"}
		}
		return send(ctx, p, repeatable)
	}
	i.SendLast = send
	run, err := i.Run(t.Context(), export("K1", ""))
	w.must(err)
	held := 0
	for _, record := range w.records(run) {
		if record.State == ledger.Held {
			held++
		}
	}
	if held != 2 {
		t.Errorf("%d records are held, want K2 and K3: %s", held, w.states(run))
	}
}
