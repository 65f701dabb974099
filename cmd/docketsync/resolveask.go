package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
)

// ask looks for what is in doubt in the lists of the service, and settles what is certain. It sends no payload.
func (a *app) ask(ctx context.Context, in *installation.Installation, records []ledger.Record, flags resolveFlags) error {
	answers, err := doubts.Ask(ctx, in, records, doubts.Asking{Who: flags.decider(), Absent: flags.absent, DryRun: flags.dryRun})
	if err != nil {
		return err
	}
	return a.Result(map[string]any{"asked": answers, "dry_run": flags.dryRun}, func(w io.Writer) { printAsked(w, answers, flags) })
}

func printAsked(w io.Writer, results []inquiry.Answer, flags resolveFlags) {
	counts := map[ledger.Decision]int{}
	offered := false
	for _, r := range results {
		word := map[ledger.Decision]string{ledger.Exists: "is there", ledger.Absent: "is not there", ledger.Leave: "left in doubt"}[r.Decision]
		fmt.Fprintf(w, "%s (%s, run %s)  %s: %s\n", r.Key, r.Scope, r.Run, word, r.Why)
		switch {
		case r.Settled:
			counts[r.Decision]++
		case r.Decision == ledger.Absent && !flags.absent:
			offered = true
			fmt.Fprintf(w, "  to send it with the next run: docketsync resolve %s %q absent\n", r.Run, r.Key)
		}
	}
	left := len(results) - counts[ledger.Exists] - counts[ledger.Absent]
	switch {
	case len(results) == 0:
		fmt.Fprintln(w, "Nothing is in doubt.")
		return
	case flags.dryRun:
		fmt.Fprintf(w, "\nDry run: nothing was settled.\n")
	default:
		fmt.Fprintf(w, "\n%d settled as existing, %d as absent; %d left in doubt.\n", counts[ledger.Exists], counts[ledger.Absent], left)
	}
	if offered {
		fmt.Fprintln(w, "To settle everything that is absent at once: docketsync resolve --ask --absent")
	}
}

// checkAsk refuses flags that contradict each other.
func (f resolveFlags) checkAsk(args []string) error {
	switch {
	case !f.ask && (f.dryRun || f.absent):
		return errors.New("--dry-run and --absent work only with --ask")
	case f.ask && (len(args) > 1 || f.decisions != "" || f.worklist != "" || f.id != "" || f.note != ""):
		return errors.New("--ask decides by itself: leave out the key, the decision and the files, --id and --note")
	}
	return nil
}
