// Command docketsync reads a firm's spreadsheets and CSV exports of matters and trademarks, maps their rows to the
// payloads of a case management service, pushes them through a retrying client and leaves a report that a person can
// act on.
//
// Every command in this package has three steps: its flags, one call, and what it prints, as text or as JSON. The calls
// go to the packages under internal. installation is the only place where the concrete parts meet: it turns the
// configuration into a ledger, a client and jobs. runner runs jobs; checking and proposing implement check and init;
// doctor tries what a run needs; daemon and arrivals run jobs and files unattended; webwork is what the console can do;
// terminal and exit bring results and errors to a person. Standard output carries results, standard error progress and
// logs.
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
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs one command line and returns its exit status. The first interrupt asks the command to finish what is in
// flight, and at once prints what that is. The second ends the process; the next start recovers.
func Main(args []string, stdout, stderr io.Writer) int { return mainAt(nil, args, stdout, stderr) }

// mainAt is Main with another clock than the machine's.
func mainAt(now func() time.Time, args []string, stdout, stderr io.Writer) int {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	stdout, stderr = terminal.NewWriter(stdout), terminal.NewWriter(stderr)
	terminal.RedirectLibraries(io.Discard)
	app := newApp(stdout, stderr)
	app.Now = now
	stop := context.AfterFunc(ctx, func() { release(); app.Interrupted() })
	root := newRoot(app)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if !stop() {
		err = exit.Cancelled(err)
	}
	return exit.Report(err, stderr)
}

// rehearsed are the commands that can be rehearsed. The others move files away, keep running, or do not concern the
// service.
var rehearsed = map[string]bool{"run": true, "plan": true, "compare": true, "forecast": true, "cutover": true, "runs": true, "report": true, "bundle": true, "rows": true, "resolve": true, "ledger": true}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "docketsync",
		Short: "Push matters and trademarks from spreadsheets to a case management service",
		Long: `docketsync reads spreadsheets and CSV exports of a firm's matters and trademarks, maps their rows to a case
management service's operations, sends what is new or changed, and leaves a report that a person can act on.`,
		Version:       a.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, set := a.Env("NO_COLOR"); set {
				a.NoColor = true
			}
			if a.Rehearse && !rehearsed[strings.Fields(cmd.CommandPath() + " -")[1]] {
				return exit.Mistakef("--rehearse works only with run, plan, compare, forecast, cutover, runs, report, bundle, rows, resolve and ledger")
			}
			var err error
			a.Less, err = installation.LessBy(a.Env)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate(readVersion().String() + "\n")
	flags := root.PersistentFlags()
	flags.StringVarP(&a.ConfigFile, "config", "c", installation.DefaultConfig, "configuration `FILE`")
	flags.BoolVar(&a.Rehearse, "rehearse", false, "send to a built-in sandbox, with a separate ledger and reports")
	flags.BoolVar(&a.JSON, "json", false, "print the result as JSON")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "no progress, log only errors")
	flags.BoolVarP(&a.Verbose, "verbose", "v", false, "log each step, not only errors")
	flags.BoolVar(&a.NoColor, "no-color", false, "no colors (also if NO_COLOR is set)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok && wrong.GetFlag().Value.Type() == "int" {
			err = fmt.Errorf("--%s needs a whole number, not %q", wrong.GetFlag().Name, wrong.GetValue())
		}
		return exit.As(exit.Usage, fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath()))
	})
	root.AddCommand(
		newInit(a), newDoctor(a), newCheck(a), newPreview(a), newTest(a),
		newPlan(a), newCompare(a), newForecast(a), newCutover(a), newRun(a), newSchedule(a), newNode(a), newFleet(a), newInbox(a), newRevertFile(a),
		newRuns(a), newReport(a), newBundle(a), newCertificate(a), newVerify(a), newResolve(a), newRejects(a), newRenamed(a), newAudit(a),
		newLedger(a), newForget(a), newLists(a), newRows(a), newSchema(a), newNotify(a), newConsole(a),
		newSandbox(a), newDemo(a), newGuide(a), newLicenses(a), newVersion(a),
	)
	a.complete(root)
	root.AddCommand(topics()...)
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = helpTopic
	}
	return root
}

// app is what all commands share: the global flags and the environment, where output goes, and from these the installation.
type app struct{ installation.Setup }

func newApp(stdout, stderr io.Writer) *app {
	return &app{installation.Setup{Screen: &terminal.Screen{Out: stdout, Err: stderr}, Env: os.LookupEnv, Version: readVersion().Version}}
}

// args checks the number of arguments; a mistake gets the exit status for usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return exit.Mistakef("%v\nUsage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// work is what a command does with an installation.
type work = func(ctx context.Context, in *installation.Installation, args []string) error

// opened returns a command that opens the installation and its ledger, to write to it.
func (a *app) opened(do work) func(*cobra.Command, []string) error {
	return with(a.Open, do)
}

// viewed returns a command that only reads, and so also works if the disk of the ledger is full or read-only.
func (a *app) viewed(do work) func(*cobra.Command, []string) error {
	return with(func(ctx context.Context) (*installation.Installation, error) { return a.View(ctx, false) }, do)
}

// planned returns a command that makes plans, which may be lost if the ledger cannot be written.
func (a *app) planned(do work) func(*cobra.Command, []string) error {
	return with(func(ctx context.Context) (*installation.Installation, error) { return a.View(ctx, true) }, do)
}

func with(open func(context.Context) (*installation.Installation, error), do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		in, err := open(cmd.Context())
		if err != nil {
			return err
		}
		defer func() { err = in.End(err) }()
		return do(cmd.Context(), in, args)
	}
}
