package main

import (
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/daemon"
)

func newNode(a *app) *cobra.Command {
	var drain bool
	cmd := &cobra.Command{
		Use:   "node [--drain [NODE…]]",
		Short: "Run jobs on their schedule, together with other nodes",
		Long: `node is 'docketsync schedule' for several processes, on one machine or on many, that share a ledger on PostgreSQL. One of them
schedules, looks into the inboxes and plans; all of them send. When that one ends, another takes its place within seconds, or within a
minute if it is frozen or cut off. When a node dies, the others send what it was sending; requests that were in flight and are
not safe to repeat are in doubt.

All nodes need the same configuration, mappings, sources and secrets. They share the limit of the service, its pauses and one sign-in.
pace: {concurrency: …} is the limit of each node, pace: {rate: …} that of all together.

On SIGTERM or an interrupt the node finishes the requests in flight, hands over the rest and ends, with exit status 0. Nothing is in doubt
because of that.

With --drain it asks the nodes of this machine to do so, and returns when they have: before an upgrade, or in a preStop hook. Name the nodes to
ask others, as HOST or HOST:PROCESS. Drain and replace one machine after the other; the others go on sending.

A ledger in an SQLite file serves one process: use 'docketsync schedule'.`,
		Example: `  docketsync node
  docketsync node --drain
  docketsync node --drain worker-3`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if drain {
				return daemon.DrainNodes(cmd.Context(), &a.Setup, names)
			}
			if err := args(cobra.NoArgs)(cmd, names); err != nil {
				return err
			}
			return daemon.ServeNode(cmd.Context(), &a.Setup)
		},
	}
	cmd.Flags().BoolVar(&drain, "drain", false, "ask nodes to finish, hand over and end, and wait until they have")
	return cmd
}
