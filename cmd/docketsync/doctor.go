package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/doctor"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/config"
	"docketsync/importer/notify"
	"docketsync/importer/report/wording"
)

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Try the connection and everything else that a run needs; send nothing",
		Long: `doctor checks, one after the other: the configuration, the secrets (by name; values are never shown), the mappings and
sources of the jobs, the way to the service (name, connection, certificate, answer), the clock, sign-in, the lists, the ledger,
the folders with their free space, the servers of the notification channels, remotes, and the certificate of the console.

It changes nothing in the service. It sends one HEAD request without key or cookie, signs in if sign_in is configured, and reads
the first page of each list. What cannot be tried without sending a record or a message is listed as not tried.

Exit status: 0 if nothing failed; 2 if the configuration, a mapping or a secret has to be corrected; 1 if something else failed.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := doctor.Look(cmd.Context(), &a.Setup, nil)
			if err != nil {
				return err
			}
			return exit.With(found.Exit, a.Result("doctor/1", found, func(w io.Writer) { a.printFindings(w, found) }))
		},
	}
}

// stateWords are the words before a finding.
var stateWords = map[doctor.State]string{doctor.OK: "ok", doctor.Warning: "Warning", doctor.Failed: "FAILED", doctor.NotTried: "not tried"}

func (a *app) printFindings(w io.Writer, r doctor.Result) {
	p := a.Page(w)
	if r.Service != "" {
		p.Say(0, r.Service)
		p.Gap()
	}
	last := ""
	for _, f := range r.Findings {
		if f.Check != last {
			p.Say(0, a.Strong(w, f.Check))
			last = f.Check
		}
		p.Say(2, fmt.Sprintf("%-10s %s", stateWords[f.State], f.Said))
		if f.Advice != "" {
			p.Say(13, strings.ReplaceAll(f.Advice, "\n", " "))
		}
	}
	p.Gap()
	switch failed, warned := r.Count(doctor.Failed), r.Count(doctor.Warning); {
	case failed > 0:
		p.Say(0, wording.Counted(failed, "check")+" failed.")
	case warned > 0:
		p.Say(0, "Nothing failed; "+wording.Counted(warned, "warning")+".")
	default:
		p.Say(0, "Nothing failed.")
	}
}

func newNotify(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Test the notification channels",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "test",
		Short: "Send a test message to every channel",
		Long: `test sends a test message to every channel under notify.channels, whatever events the channel is for, and shows the result. No job
runs, and the ping is not called.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.testChannels(cmd) },
	})
	return cmd
}

func (a *app) testChannels(cmd *cobra.Command) error {
	settings, err := a.Settings()
	if err != nil {
		return err
	}
	if len(settings.Notify.Channels) == 0 {
		return exit.Mistakef("the configuration has no channels\nList them under notify.channels:, such as operations: {mail: {…}}")
	}
	if err := settings.Missing(config.OfChannels); err != nil {
		return exit.As(exit.Usage, err)
	}
	// The ledger, which keeps what people were told, is left out: a test does not count.
	channels, err := observers.Channels(settings, a.Site(settings), nil, a.New(settings).Log)
	if err != nil {
		return exit.As(exit.Usage, err)
	}
	tries := notify.New(channels).Test(cmd.Context())
	code := exit.AllIn
	for _, try := range tries {
		if try.Error != "" {
			code = exit.CouldNotRun
		}
	}
	err = a.Result("notify-test/1", map[string]any{"channels": tries, "exit": code}, func(w io.Writer) {
		for _, try := range tries {
			fmt.Fprintf(w, "%s: %s\n", try.Channel, cmp.Or(try.Error, "sent"))
		}
	})
	return exit.With(code, err)
}
