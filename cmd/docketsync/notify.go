package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/config"
	"docketsync/importer/notify"
)

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
	// What was told lies in the ledger; a test is not told of there.
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
