package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/daemon"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/importer/moment"
)

func newNode(a *app) *cobra.Command {
	var drain, list bool
	labels := map[string]string{}
	cmd := &cobra.Command{
		Use:   "node [--drain [NODE…] | --list]",
		Short: "Run jobs on their schedule, together with other nodes",
		Long: `node is 'docketsync schedule' for several processes, on one machine or on many, that share a ledger on PostgreSQL. One of them
schedules, looks into the inboxes and plans; all of them send. When the scheduling node ends, another takes its place within seconds, or
within a minute if it is frozen or cut off. When a node dies, the others send what it was sending; requests that were in flight and are
not safe to repeat are in doubt.

All nodes need the same configuration, mappings, sources and secrets. They share the limit of the service, its pauses and one sign-in.
pace: {concurrency: …} is the limit of each node, pace: {rate: …} that of all together.

On SIGTERM or an interrupt, the node finishes the requests in flight, hands over the rest and ends with exit status 0. This leaves nothing in
doubt.

With --drain, it asks the nodes of this machine to do the same, and returns when they have: use it before an upgrade, or in a preStop hook. To drain
other nodes, name them as HOST or HOST:PROCESS. Drain and replace one machine after the other; the others go on sending.

With --list, it shows which nodes are running, since when, in which version, and which one schedules. The console's page Nodes also shows what
each of them sends.

With firms: DIR in the configuration the nodes serve all firms in that folder together, each with its own docketsync.yaml and its own schema:
see 'docketsync help machines'. A firm whose configuration demands labels is served only by nodes that have all of them (--label).

A ledger in an SQLite file serves one process: use 'docketsync schedule'.`,
		Example: `  docketsync node
  docketsync node --label region=eu
  docketsync node --drain
  docketsync node --drain worker-3
  docketsync node --list`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if drain {
				return daemon.DrainNodes(cmd.Context(), &a.Setup, names)
			}
			if err := args(cobra.NoArgs)(cmd, names); err != nil {
				return err
			}
			if list {
				return a.listNodes(cmd.Context())
			}
			if err := cmp.Or(checkLabels(labels), a.ZoneKnown()); err != nil {
				return err
			}
			return daemon.ServeNode(cmd.Context(), &a.Setup, labels)
		},
	}
	cmd.Flags().BoolVar(&drain, "drain", false, "ask nodes to finish, hand over and end, and wait until they have")
	cmd.Flags().BoolVar(&list, "list", false, "show which nodes are running, and which one schedules")
	cmd.Flags().StringToStringVar(&labels, "label", labels, "serve also the firms that demand this label, as `NAME=VALUE`; can be repeated")
	return cmd
}

func checkLabels(labels map[string]string) error {
	for name, value := range labels {
		if !config.IsLabel(name, value) {
			return exit.Mistakef("--label %s=%s is not a label\nUse the form NAME=VALUE, such as region=eu", name, value)
		}
	}
	return nil
}

func (a *app) listNodes(ctx context.Context) error {
	standing, err := daemon.Nodes(ctx, &a.Setup)
	if err != nil {
		return err
	}
	return a.Result("node-list/1", standing, func(w io.Writer) {
		t := a.Table(w)
		t.AppendHeader(table.Row{"node", "since", "version", ""})
		for _, node := range standing.Nodes {
			since, schedules := "", ""
			if !node.Since.IsZero() {
				since = moment.Of(node.Since)
			}
			if node.Schedules {
				schedules = "schedules"
			}
			t.AppendRow(table.Row{node.Node, since, node.Version, schedules})
		}
		if len(standing.Nodes) > 0 {
			t.Render()
		} else {
			fmt.Fprintln(w, "No node is up.")
		}
		if settings, err := a.Settings(); err == nil && settings.LedgerServer.Schema == "folder" {
			fmt.Fprintln(w, "Nodes that serve this firm together with others are listed with their own configuration, the one that has firms: DIR.")
		}
		if other := standing.Other(); other != "" {
			fmt.Fprintln(w, other)
		}
	})
}
