// Command docketsync reads a firm's spreadsheets and CSV exports of matters and trademarks, maps their rows to the
// payloads of a case management service, pushes them through a retrying client and leaves a report that a person can
// act on.
//
// Every command is a file of this package. wire.go is the only place where the concrete parts meet: it turns the
// configuration into a ledger, a client and jobs. Standard output carries results, standard error progress and logs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs one command line and returns its exit status. The first interrupt asks the command to finish what is in
// flight; the second ends the process at once, which the next start recovers from.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	context.AfterFunc(ctx, release)
	stdout, stderr = newTerminal(stdout), newTerminal(stderr)
	quietLibraries(io.Discard)
	root := newRoot(&app{stdout: stdout, stderr: stderr, env: os.LookupEnv})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return status(root.ExecuteContext(ctx), stderr)
}

// The exit statuses, as README.md lists them.
const (
	exitAllIn       = 0   // every record is in, or was already
	exitCouldNotRun = 1   // a file, the ledger or the machine kept the command from running
	exitUsage       = 2   // the command line, the configuration or a mapping is wrong
	exitRejects     = 3   // some records were rejected or failed, or are stored with another value than was sent
	exitInDoubt     = 4   // some records are in doubt
	exitStopped     = 5   // the run was stopped: guard, sign-in, circuit open
	exitInterrupted = 130 // the run was interrupted
)

// exitStatus is an error that carries the exit status; its cause may be nil when all has been said already.
type exitStatus struct {
	code  int
	cause error
}

func (e exitStatus) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.cause.Error()
}

func (e exitStatus) Unwrap() error { return e.cause }

// status prints what is left to say about an error and returns the exit status that stands for it.
func status(err error, stderr io.Writer) int {
	if err == nil {
		return exitAllIn
	}
	var exit exitStatus
	if !errors.As(err, &exit) {
		exit = exitStatus{code: classify(err), cause: err}
	}
	if exit.cause != nil {
		fmt.Fprintf(stderr, "docketsync: %s\n", explain(exit.cause))
	}
	return exit.code
}

// rehearsed are the commands that a rehearsal goes with. The others move files away, stay up, or are about no service.
var rehearsed = map[string]bool{"run": true, "plan": true, "runs": true, "report": true, "rows": true, "resolve": true, "ledger": true}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "docketsync",
		Short: "Push matters and trademarks from spreadsheets to a case management service",
		Long: `docketsync reads spreadsheets and CSV exports of a firm's matters and trademarks, maps their rows to a case
management service's operations, sends what is new or changed, and leaves a report that a person can act on.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if a.rehearse && !rehearsed[strings.Fields(cmd.CommandPath() + " -")[1]] {
				return usage("--rehearse goes with run and plan, and with runs, report, rows, resolve and ledger to look at what came of it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.configFile, "config", "c", defaultConfig, "configuration `FILE`")
	flags.BoolVar(&a.rehearse, "rehearse", false, "send to a built-in sandbox, with a separate ledger and reports")
	flags.BoolVar(&a.json, "json", false, "print the result as JSON")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress, log only errors")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log each step, not only errors")
	flags.BoolVar(&a.noColor, "no-color", false, "no colors (also if NO_COLOR is set)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exitStatus{exitUsage, fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath())}
	})
	root.AddCommand(
		newInit(a), newCheck(a), newPreview(a), newTest(a),
		newPlan(a), newRun(a), newSchedule(a), newInbox(a), newRevertFile(a),
		newRuns(a), newReport(a), newCertificate(a), newResolve(a), newRenamed(a),
		newLedger(a), newLists(a), newRows(a), newSchema(a), newNotify(a), newConsole(a),
		newSandbox(a), newDemo(a), newVersion(a),
	)
	return root
}
