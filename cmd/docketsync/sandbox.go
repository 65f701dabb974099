package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
)

// sandboxFlags are what the sandbox command adds to the configuration.
type sandboxFlags struct {
	listen, data, directory string
	key, cookie             string
	faults                  string
	anyReference            bool
}

func newSandbox(a *app) *cobra.Command {
	var flags sandboxFlags
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a local test server that stands in for the service",
		Long: `sandbox serves the operations of the interface on a loopback address and stores what it receives in a file. It follows the
configuration if there is one (paths, switches, key and cookie), and knows the sample firm unless a directory file says otherwise.
What it holds can be read as JSON: the counts at /v1/sandbox/state, everything at /v1/sandbox/snapshot.

With --faults it misbehaves on purpose, in the same way for the same seed:
  docketsync sandbox --faults seed=7,drop_after=0.02,500_before=0.05,rate=200,slow=20ms:0.1`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveSandbox(cmd.Context(), flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:8787", "the `ADDRESS` to listen on")
	f.StringVar(&flags.data, "data", "", "the SQLite `FILE` to keep records in (default: as configured, else memory)")
	f.StringVar(&flags.directory, "directory", "", "a JSON `FILE` with the users, companies, templates … that exist")
	f.StringVar(&flags.key, "subscription-key", "", "the only subscription `KEY` let in (default: as configured, else any)")
	f.StringVar(&flags.cookie, "auth-cookie", "", "the only authentication `COOKIE` let in (default: as configured, else any)")
	f.StringVar(&flags.faults, "faults", "", "how to misbehave, as `NAME=VALUE,…`")
	f.BoolVar(&flags.anyReference, "any-reference", false, "accept any GUID where a user, company, template … is named")
	return cmd
}

func (a *app) serveSandbox(ctx context.Context, flags sandboxFlags) error {
	options, err := a.sandboxCommandOptions(flags)
	if err != nil {
		return err
	}
	box, err := sandbox.Open(options)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", flags.listen)
	if err != nil {
		return errors.Join(fmt.Errorf("the sandbox cannot listen on %s: %w", flags.listen, err), box.Close())
	}
	address := "http://" + listener.Addr().String()
	err = a.Result("sandbox/1", map[string]string{"base_url": address, "data": options.Data}, func(w io.Writer) {
		fmt.Fprintf(w, "sandbox at %s (records: %s)\n", address, cmp.Or(options.Data, "in memory, lost when it ends"))
		fmt.Fprintf(w, "In another terminal: DOCKETSYNC_BASE_URL=%s docketsync run\nPress Ctrl-C to stop it.\n", address)
	})
	if err != nil {
		return errors.Join(err, listener.Close(), box.Close())
	}
	return errors.Join(box.Serve(ctx, listener), box.Close())
}

// sandboxCommandOptions returns the options of the configuration, if there is one, overridden by the flags.
func (a *app) sandboxCommandOptions(flags sandboxFlags) (sandbox.Options, error) {
	settings := config.Default()
	settings.Sandbox = config.Sandbox{}
	if _, err := os.Stat(a.ConfigFile); err == nil || a.ConfigFile != installation.DefaultConfig {
		loaded, err := a.Settings()
		if err == nil {
			err = loaded.Missing(config.OfService)
		}
		if err != nil {
			return sandbox.Options{}, err
		}
		settings = *loaded
	} else if !errors.Is(err, fs.ErrNotExist) {
		return sandbox.Options{}, err
	}
	settings.Sandbox.Directory = cmp.Or(flags.directory, settings.Sandbox.Directory)
	options, err := installation.SandboxOptions(&settings)
	if err != nil {
		return options, err
	}
	options.Data = cmp.Or(flags.data, options.Data)
	options.SubscriptionKey = cmp.Or(flags.key, options.SubscriptionKey)
	options.AuthCookie = cmp.Or(flags.cookie, options.AuthCookie)
	options.AnyReference = flags.anyReference
	options.Log = a.New(&settings).Log
	if options.Faults, err = sandbox.ParseFaults(flags.faults); err != nil {
		return options, exit.Mistakef("--faults: %v", err)
	}
	options.Log.Debug("sandbox", zap.String("data", options.Data))
	return options, nil
}
