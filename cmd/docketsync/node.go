package main

import (
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/daemon"
)

func newNode(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "node",
		Short: "Run jobs on their schedule, together with other nodes",
		Long: `node is 'docketsync schedule' for several processes, on one machine or on many, that share a ledger on PostgreSQL. One of them
schedules, looks into the inboxes and plans; all of them send. When that one ends, another takes its place within seconds, or within a
minute if it is frozen or cut off. When a node dies, the others send what it was sending; requests that were in flight and are
not safe to repeat are in doubt.

All nodes need the same configuration, mappings, sources and secrets. They share the limit of the service, its pauses and one sign-in.
pace: {concurrency: …} is the limit of each node, pace: {rate: …} that of all together.

On SIGTERM or an interrupt the node finishes the requests in flight, hands over the rest and ends.

A ledger in an SQLite file serves one process: use 'docketsync schedule'.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return daemon.ServeNode(cmd.Context(), &a.Setup) },
	}
}
