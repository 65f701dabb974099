package importer_test

import (
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// TestAResumedRunCreatesNothingThatWasFoundMeanwhile stops a run with an unsent create, has a person say that the
// service holds that record, and starts the same job again.
func TestAResumedRunCreatesNothingThatWasFoundMeanwhile(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"in doubt when it was planned": true, "in doubt since": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("matters", casesMapping, "Ref,Title,Status\nAB-7,Seven,Open\nAB-8,Eight,Open\n")
			if before {
				w.leaveInDoubt("AB-7")
			}
			stopped, err := w.with(func(o *apiclient.Options) { o.BaseURL, o.Retry.Total = "http://127.0.0.1:1", 50*time.Millisecond }).Run(t.Context(), job)
			w.must(err)
			if stopped.StopCode != stop.ServiceDown {
				t.Fatalf("the first run ended as %s (%s)", stopped.Phase, stopped.StopCode)
			}
			if !before {
				w.leaveInDoubt("AB-7")
			}
			doubts, err := w.book.Doubts(t.Context(), "")
			w.must(err)
			for _, d := range doubts {
				w.must(w.book.Resolve(t.Context(), d.Run, d.Seq, ledger.Exists, "", "Ada", ""))
			}
			w.run(job)
			w.expect(w.run(job), "unchanged 2")
			if state := w.state(); state.Cases != 1 {
				t.Errorf("%d cases were created, want AB-8 alone", state.Cases)
			}
		})
	}
}

// TestAResumedRunSendsNoEntriesThatWereFoundMeanwhile does the same with an update that creates a goods entry: the
// mark's earlier update was in doubt, and a person says that it arrived.
func TestAResumedRunSendsNoEntriesThatWereFoundMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("goods", stopGoods, "Ref,Id,Mark,App,Goods\nT1,"+mark1+",A,01,software\nT2,"+mark2+",B,02,hats\n")
	stopped, err := w.with(func(o *apiclient.Options) { o.BaseURL, o.Retry.Total = "http://127.0.0.1:1", 50*time.Millisecond }).Run(t.Context(), job)
	w.must(err)
	if stopped.StopCode != stop.ServiceDown {
		t.Fatalf("the first run ended as %s (%s)", stopped.Phase, stopped.StopCode)
	}
	other := ledger.Run{ID: "01999999-0000-7000-8000-000000000001", Job: "other", Kind: ledger.Push, Operation: "update_trademark", Scope: "update_trademark", Phase: ledger.Finished}
	w.must(w.book.Begin(t.Context(), other))
	_, err = w.book.Add(t.Context(), []ledger.Record{{Run: other.ID, Seq: 1, Scope: other.Scope, Key: "T1", Action: ledger.Update, State: ledger.Planned,
		Digest: "x", Entries: []ledger.Entry{{Language: language, Class: class9, Text: "software"}}}})
	w.must(err)
	w.must(w.book.Commit(t.Context(), nil, []ledger.Intent{{Run: other.ID, Seq: 1}}))
	w.must(w.book.Commit(t.Context(), []ledger.Outcome{{Run: other.ID, Seq: 1, State: ledger.InDoubt}}, nil))
	w.must(w.book.Resolve(t.Context(), other.ID, 1, ledger.Exists, "", "Ada", ""))
	w.expect(w.run(job), "accepted 2")
	w.expect(w.run(job), "unchanged 2")
	if state := w.state(); state.Goods != 1 {
		t.Errorf("%d entries were made, want that of T2 alone", state.Goods)
	}
}
