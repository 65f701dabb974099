package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/importer"
	"docketsync/importer/console"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/records"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/report/files"
	"docketsync/importer/stop"
)

// openWork is what a console does over a firm of so many matters, in this process, with a real sandbox.
func openWork(t *testing.T, matters int, more string) (console.Work, *ledger.Ledger, string, box) {
	t.Helper()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, matters)
	appendConfig(t, dir, "ledger: ledger.db\nreports: reports\n"+more)
	a := quietApp(os.LookupEnv, filepath.Join(dir, "docketsync.yaml"))
	in, err := runner.Open(t.Context(), &a.Setup, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return webwork.New(&a.Setup, in), in.Book, dir, b
}

func TestConsoleOrdersDoWhatTheCommandsDo(t *testing.T) {
	t.Parallel()
	work, book, dir, b := openWork(t, 12, "")
	ctx := t.Context()
	var plan ledger.Run
	for _, kind := range []ledger.Kind{ledger.Check, ledger.Plan} {
		run, err := work.Run(ctx, queue.Order{Job: "cases", Kind: kind, Who: "Ines"}, queue.Tell{})
		plan = run
		if err != nil || run.Kind != kind || run.Phase != ledger.Finished {
			t.Fatalf("%s: %+v, %v", kind, run, err)
		}
		if sent := b.state(t).Cases; sent != 0 {
			t.Fatalf("a %s sent %d", kind, sent)
		}
	}
	if _, err := work.Run(ctx, queue.Order{Job: "cases", Kind: ledger.Push, Who: "Ines"}, queue.Tell{}); err == nil || b.state(t).Cases != 0 {
		t.Fatalf("an order that nobody approved ends with %v and sent %d", err, b.state(t).Cases)
	}
	var began string
	last := importer.Progress{}
	run, err := work.Run(ctx, queue.Order{Job: "cases", Kind: ledger.Push, Approved: plan.ID, Who: "Ines"}, queue.Tell{
		Began: func(run ledger.Run) { began = run.ID }, Progress: func(p importer.Progress) { last = p }})
	if err != nil || run.Phase != ledger.Finished || run.ID != began || last.Settled() != 12 || b.state(t).Cases != 12 {
		t.Fatalf("%+v, %v, began %q, last told %+v", run, err, began, last)
	}
	reports, _, err := work.Reports()
	if err != nil {
		t.Fatal(err)
	}
	html := filepath.Join(reports, files.Folder(run), "report.html")
	if err := os.Remove(html); err != nil {
		t.Fatal(err)
	}
	if err := work.Rewrite(ctx, run.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(html); err != nil {
		t.Error(err)
	}
	if _, err := work.Run(ctx, queue.Order{Job: "nothing", Kind: ledger.Plan}, queue.Tell{}); err == nil || !strings.Contains(err.Error(), `no job "nothing"`) {
		t.Errorf("a job that there is none of: %v", err)
	}
	if plan, err = work.Run(ctx, queue.Order{Job: "cases", Kind: ledger.Plan, Who: "Ines"}, queue.Tell{}); err != nil {
		t.Fatal(err)
	}
	release, err := book.Lock(ctx, "create_case")
	if err != nil {
		t.Fatal(err)
	}
	var busy *fault.BusyError
	if _, err := work.Run(ctx, queue.Order{Job: "cases", Kind: ledger.Push, Approved: plan.ID}, queue.Tell{}); !errors.As(err, &busy) {
		t.Errorf("while another run holds the lock: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	appendConfig(t, dir, "pace: {concurency: 3}\n")
	if _, err := work.Jobs(ctx); err == nil || !strings.Contains(err.Error(), "concurency") {
		t.Errorf("a mistake in the configuration is told as %v", err)
	}
}

func TestConsoleOrdersPassGuardsInSomebodysName(t *testing.T) {
	t.Parallel()
	work, book, dir, b := openWork(t, 40, "guards: {max_changes: 50}\n")
	ctx := t.Context()
	nightly := func() ledger.Run {
		t.Helper()
		command(t, dir, "run")
		runs, err := book.Runs(ctx, ledger.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return runs[0]
	}
	accept := func(run string) ledger.Run {
		t.Helper()
		result, err := work.Run(ctx, queue.Order{Job: "cases", Kind: ledger.Push, Accept: run, Who: "Ines"}, queue.Tell{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	nightly()
	if err := os.WriteFile(filepath.Join(dir, "cases.csv"), []byte("Ref,Title\nN-77777,One\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stopped := nightly()
	if stopped.StopCode != stop.Guard || b.state(t).Cases != 40 {
		t.Fatalf("the run was not stopped: %+v", stopped)
	}
	if run := accept("another run"); run.StopCode != stop.Guard || b.state(t).Cases != 40 {
		t.Fatalf("it was let through for a run that nobody has looked at: %+v", run)
	}
	stopped = nightly()
	if run := accept(stopped.ID); run.Phase != ledger.Finished || run.Passed == nil || run.Passed.By != "Ines" || b.state(t).Cases != 41 {
		t.Errorf("the run was not let through: %s %s, passed %+v, %d cases", run.Phase, run.Stop, run.Passed, b.state(t).Cases)
	}
}

func TestConsoleSettlesDoubts(t *testing.T) {
	t.Parallel()
	dir, _ := doubtful(t, "drop_after=1", atOnce)
	a := quietApp(os.LookupEnv, filepath.Join(dir, "docketsync.yaml"))
	in, err := runner.Open(t.Context(), &a.Setup, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	work, ctx := webwork.New(&a.Setup, in), context.Background()
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	decide := func(seq int64, d ledger.Decision, id string) error {
		return work.Settle(ctx, "Ines", records.Decision{Run: runs[0].ID, Seq: seq, Verdict: d, ID: id, Note: "looked it up"})
	}
	for what, err := range map[string]error{
		`"maybe" is not a decision`:           decide(1, "maybe", ""),
		`"abc" is not a GUID`:                 decide(1, ledger.Exists, "abc"),
		"an id can be given only with exists": decide(1, ledger.Absent, "9b2f3c1e-6f0e-4d0c-8a77-3d5f0c1e2a4b"),
		"not in the ledger":                   decide(99, ledger.Absent, ""),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	if err := decide(1, ledger.Absent, ""); err != nil {
		t.Fatal(err)
	}
	if err := decide(1, ledger.Exists, ""); err == nil {
		t.Error("what is settled is settled again")
	}
	decisions, err := in.Book.Decisions(ctx, runs[0].ID, 1)
	if err != nil || len(decisions) != 1 || decisions[0].Who != "Ines" || decisions[0].Note != "looked it up" {
		t.Errorf("%+v, %v", decisions, err)
	}
}
