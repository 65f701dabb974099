package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/config"
	"docketsync/importer/console"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
)

func newConsole(a *app) *cobra.Command {
	labels := map[string]string{}
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Start the web console",
		Long: `console serves web pages that show the state of all jobs, every run with its report and files, records in doubt, the settings and
the audit log. Operators can also run jobs, settle records in doubt and accept what a guard stopped. The same locks, guards and
checks apply as for the commands.

In a folder without docketsync.yaml, the console first asks on a page where to send (to your service, or to a sandbox for a trial), where
the secrets are, and who may open the console; then it writes docketsync.yaml. Only the browser that opens the printed address can answer.

By default, the console can be reached only from this machine, at http://127.0.0.1:8180. It prints an address that works once, for one
browser, so other users of the machine cannot get in. When the address has been used, the next one is printed. To serve a network, it
requires TLS and a sign-in: local users (see docketsync console password) or OpenID Connect. Changes to users, passwords, roles and
the certificate take effect within a second, without a restart, and end the sessions concerned.

With firms: DIR in the configuration, the console shows all firms in that folder at one address. People sign in once, with the users (name and
password) or the provider of that configuration. The configuration of each firm says who sees it and what they may do there:
console: {sign_in: firms, users: [{name: …, role: …}], oidc: {operators: […], viewers: […]}}. People do not learn that a firm exists if they may
not see it. See 'docketsync help machines'.

If the disk is read-only or full, the pages show a copy of the ledger, and nothing can be run or decided until it is writable again.

SIGTERM or an interrupt stops the console: requests in progress are finished, the rest is held. A run that takes longer than
schedule.stop_within to stop is cut off, and the exit status is 130.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLabels(labels); err != nil {
				return err
			}
			return a.serveConsole(cmd.Context(), labels)
		},
	}
	cmd.Flags().StringToStringVar(&labels, "label", labels, "with firms: DIR, show also the firms that demand this label, as `NAME=VALUE`; can be repeated")
	cmd.AddCommand(newConsolePassword(a))
	return cmd
}

func (a *app) serveConsole(ctx context.Context, labels map[string]string) (err error) {
	first, door, err := a.firstStart(ctx)
	if err != nil || first != nil && first.Installation == nil {
		return err
	}
	var in *installation.Installation
	if first != nil {
		in = first.Installation
	} else {
		in, err = a.View(ctx, true)
	}
	if err = runner.Observe(ctx, in, err, nil); err != nil {
		return errors.Join(err, door.Shut())
	}
	defer func() {
		if !errors.Is(err, queue.ErrCut) { // a run that was cut off still uses the ledger; the end of the process closes it
			err = in.End(err)
		}
	}()
	if first == nil {
		if door, err = a.openDoor(in.Config); err != nil {
			return err
		}
	}
	var serve func(context.Context, net.Listener) error
	switch {
	case in.Config.Firms != "":
		serve, err = a.openConsoles(ctx, in, door, labels)
	case len(labels) > 0:
		err = exit.Mistakef("--label is for the console of several firms\nThe configuration %s has no firms: DIR", a.ConfigFile)
	default:
		var server *console.Server
		if server, err = a.openConsole(ctx, in, door, first); err == nil {
			serve = server.Serve
		}
	}
	if err != nil {
		return errors.Join(err, door.Shut())
	}
	if err = serve(ctx, door); errors.Is(err, queue.ErrCut) {
		return exit.As(exit.Interrupted, err)
	}
	return err
}

// firstStart asks for a configuration if there is none and none was named; it returns nil if there is one. The door
// stays open, because the browser knows it by then.
func (a *app) firstStart(ctx context.Context) (*webwork.FirstStart, webwork.Door, error) {
	if _, err := os.Lstat(a.ConfigFile); a.ConfigFile != installation.DefaultConfig || !errors.Is(err, fs.ErrNotExist) {
		return nil, webwork.Door{}, nil
	}
	door, err := webwork.Listen(config.Default().Console)
	if err != nil {
		return nil, door, fmt.Errorf("the console cannot start: %w", err)
	}
	fmt.Fprintf(a.Err, "There is no %s in this folder. A few questions on a page make one; if you have one elsewhere, stop and name it with --config FILE.\n", a.ConfigFile)
	first := &webwork.FirstStart{Setup: &a.Setup}
	err = first.Serve(ctx, door, a.announce(door.Address(), door.Address()))
	if err == nil && first.Installation != nil {
		fmt.Fprintf(a.Err, "%s was written.\n", a.ConfigFile)
		return first, door, nil
	}
	return first, door, errors.Join(err, door.Shut())
}

// openDoor opens the door that the configuration names.
func (a *app) openDoor(settings *config.Config) (webwork.Door, error) {
	allowed := error(nil)
	switch {
	case settings.Firms != "":
		allowed = settings.ConsoleOfFirms()
	case settings.Console.OfFirms():
		allowed = settings.FaultAt("people sign in to this firm at the console of all firms", "start it with the configuration that has firms: DIR, or remove sign_in: firms to start a console of this firm alone", "console", "sign_in")
	}
	if err := cmp.Or(allowed, settings.Missing(config.OfConsole), webwork.Apart(settings)); err != nil {
		return webwork.Door{}, exit.As(exit.Usage, err)
	}
	door, err := webwork.Listen(settings.Console)
	if err != nil {
		err = fmt.Errorf("the console cannot start: %w", err)
	}
	return door, err
}

// openConsole opens the console behind its door and says where that is.
func (a *app) openConsole(ctx context.Context, in *installation.Installation, door webwork.Door, first *webwork.FirstStart) (*console.Server, error) {
	address := cmp.Or(in.Config.Console.URL, door.Address())
	work := webwork.New(&a.Setup, in)
	if err := work.Share(ctx); err != nil {
		return nil, err
	}
	options := work.Options(door, a.announce(address, door.Address()))
	if first != nil {
		options.SignIn.FirstKey = first.FirstKey
	}
	var err error
	if options.Guide, err = guidePages(); err != nil {
		return nil, err
	}
	server, err := console.New(ctx, options)
	if err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	if options.SignIn.OneTime == nil {
		err = a.sayWhere(in, door)
	}
	return server, err
}

// openConsoles opens the consoles of many firms behind one door and says where that is. Changes of the firms take
// effect while they serve.
func (a *app) openConsoles(ctx context.Context, in *installation.Installation, door webwork.Door, labels map[string]string) (serve func(context.Context, net.Listener) error, err error) {
	guide, err := guidePages()
	if err != nil {
		return nil, err
	}
	firms := webwork.NewSeveral(&a.Setup, in, guide, labels)
	firms.Scan()
	server, err := console.NewSeveral(ctx, firms.Options(door), firms)
	if err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	firms.Say()
	return func(ctx context.Context, door net.Listener) error {
		ctx, stop := context.WithCancel(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { firms.Watch(ctx) })
		err := server.Serve(ctx, door)
		stop()
		watching.Wait()
		return errors.Join(err, firms.End())
	}, a.sayWhere(in, door)
}

// sayWhere prints where people sign in.
func (a *app) sayWhere(in *installation.Installation, door webwork.Door) error {
	address := cmp.Or(in.Config.Console.URL, door.Address())
	return a.Line("console/1", map[string]string{"console": address, "listening": door.Address()}, func(w io.Writer) { fmt.Fprintf(w, "The console is at %s\n", address) })
}

// announce prints the address that lets in a browser if nobody signs in. The first time it also says where the console
// is.
func (a *app) announce(address, listening string) func(key string) {
	said := false
	return func(key string) {
		open := strings.TrimRight(address, "/") + "/?token=" + key
		// An error is ignored: without a terminal nobody can come in, and whoever waits for the address sees that it is
		// missing.
		_ = a.Line("console/1", map[string]string{"console": address, "listening": listening, "open": open}, func(w io.Writer) {
			if said {
				fmt.Fprintf(w, "For another browser, or later: %s\n", open)
			} else {
				fmt.Fprintf(w, "Open the console at %s\nThis address works once. After it has been used, the next one is printed here.\n", open)
			}
		})
		said = true
	}
}

func newConsolePassword(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "password",
		Short: "Hash a password for the configuration",
		Long: `password asks for a password twice, without showing it, or reads one line from standard input if that is not a terminal.
It prints the argon2id hash to enter in the configuration under console: users: password:, in single quotes.`,
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			password, err := a.readPassword(os.Stdin)
			if err != nil {
				return err
			}
			hash := signin.Hash(password)
			return a.Result("console-password/1", map[string]string{"password": hash}, func(w io.Writer) { fmt.Fprintln(w, hash) })
		},
	}
}

func (a *app) readPassword(from *os.File) (string, error) {
	if !term.IsTerminal(int(from.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		line = strings.TrimRight(line, "\r\n")
		return line, exit.As(exit.Usage, signin.Suitable(line))
	}
	ask := func(what string) (string, error) {
		fmt.Fprint(a.Err, what)
		text, err := term.ReadPassword(int(from.Fd()))
		fmt.Fprintln(a.Err)
		return string(text), err
	}
	first, err := ask("Password: ")
	if err == nil {
		err = exit.As(exit.Usage, signin.Suitable(first))
	}
	if err != nil {
		return "", err
	}
	again, err := ask("Again: ")
	if err == nil && again != first {
		err = exit.Mistakef("the passwords do not match")
	}
	return first, err
}
