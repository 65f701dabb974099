package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/cluster"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/push"
	"docketsync/importer/schedule"
)

// leadAgain is how often a node checks whether it should lead.
const leadAgain = 2 * time.Second

// ServeNode is Serve for one of several processes: all send what any of them has planned, and one at a time runs what
// is due and what arrives. When ctx ends, the node finishes the requests in flight and gives back the rest. labels are
// the node's labels, which decide the firms it serves.
func ServeNode(ctx context.Context, setup *installation.Setup, labels map[string]string) error {
	w := &watched{}
	in, err := openPatiently(ctx, setup, w)
	if in == nil || err != nil {
		return err
	}
	if in.Book.Server() == nil {
		return in.End(exit.As(exit.Usage, cluster.ErrNoServer))
	}
	if err := in.Book.Evict(ctx, in.Book.Term()); err != nil {
		return in.End(err)
	}
	if in.Config.Firms != "" {
		return serveFirms(ctx, setup, in, w, labels)
	}
	if err := in.AboutService(ctx); err != nil {
		return in.End(err)
	}
	return serveIn(ctx, setup, in, w, (*daemon).join)
}

// DrainNodes asks nodes to finish what is in flight, hand over the rest and end, and returns when they have; if none is
// named, those of this machine.
func DrainNodes(ctx context.Context, setup *installation.Setup, names []string) error {
	server, err := setup.LedgerServer()
	if err != nil {
		return err
	}
	here, err := os.Hostname()
	if err != nil {
		return err
	}
	mine := len(names) == 0
	if mine {
		names = []string{fmt.Sprintf("%.40s", here)}
	}
	err = cluster.Drain(ctx, server.Config(), names, func(node string) { fmt.Fprintf(setup.Err, "docketsync: node %s has left\n", node) })
	var missing *cluster.MissingError
	switch {
	case errors.As(err, &missing) && mine: // as after the second of two such commands
		fmt.Fprintf(setup.Err, "docketsync: no node is up on this machine\n")
		return nil
	case errors.As(err, &missing):
		return exit.As(exit.Usage, err)
	}
	return err
}

// Nodes describes the nodes of the configured ledger, which is not opened.
func Nodes(ctx context.Context, setup *installation.Setup) (cluster.Standing, error) {
	server, err := setup.LedgerServer()
	if err != nil {
		return cluster.Standing{}, err
	}
	return cluster.Look(ctx, server.Config())
}

// join sends until ctx ends, and leads whenever nobody else does.
func (d *daemon) join(ctx context.Context, log *zap.Logger) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	open := func(ctx context.Context, run ledger.Run) (cluster.Opened, error) { // with the settings in use
		return runner.Slices(d.inUse().Installation)(ctx, run)
	}
	node := &cluster.Node{Ledger: d.book, Log: log, Version: d.setup.Version, Open: open, Asked: leave, Slice: d.numbers.Slice, Settled: d.numbers.Settled, Shard: d.inUse().Shard}
	d.numbers.Sends(cluster.Events)
	if err := node.Join(ctx); err != nil {
		return err
	}
	d.share = func(ctx context.Context, run ledger.Run, tell func(map[ledger.State]int)) (push.End, error) {
		return node.Share(ctx, run, d.inUse().Requests(), tell)
	}
	d.watched.works.Store(true)
	fmt.Fprintf(d.setup.Err, "docketsync: node %s has joined\n", d.book.Node())
	defer context.AfterFunc(ctx, func() { d.watched.works.Store(false); node.Finish() })()
	err := d.leadOrWait(ctx, log)
	if errors.Is(err, schedule.ErrCut) {
		return err // the run that was cut off still uses the connections
	}
	err = errors.Join(err, node.Leave())
	fmt.Fprintf(d.setup.Err, "docketsync: node %s has left\n", d.book.Node())
	return err
}

// leadOrWait leads whenever no other node does, until ctx ends.
func (d *daemon) leadOrWait(ctx context.Context, log *zap.Logger) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for said := false; ctx.Err() == nil; {
		led, err := schedule.Serving(ctx, d.book)
		if err == nil && !led {
			said = false
			err = d.serve(ctx, log)
		}
		switch {
		case err == nil && !led, errors.Is(err, schedule.ErrCut):
			return err
		case err == nil, errors.Is(err, fault.ErrBusy):
			if !said {
				fmt.Fprintln(d.setup.Err, "docketsync: another node schedules; this one sends")
				said = true
			}
		case errors.Is(err, schedule.ErrLockLost), errors.Is(err, fault.ErrUnreachable):
			fmt.Fprintf(d.setup.Err, "docketsync: %s\n", exit.Explain(err))
		case ctx.Err() == nil:
			return err
		}
		select {
		case <-ctx.Done():
		case <-hangups:
			d.reloadSettings(nil)
		case <-time.After(leadAgain):
		}
	}
	return nil
}
