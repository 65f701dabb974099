package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/daemon"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/cluster"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
)

func newLedger(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Show the size of the ledger; back it up, check it and prune it",
		Long: `ledger shows what the ledger holds and how much space it takes. To maintain it:

  docketsync ledger backup FILE       copy it, also during runs
  docketsync ledger check             check it for damage
  docketsync ledger migrate           create or upgrade its tables, and do nothing else
  docketsync ledger evidence          export its evidence: what was planned, sent and decided, as a chain of entries
  docketsync ledger prune             remove old runs, as retention: in the configuration says
  docketsync ledger compact           return the space freed by prune to the disk
  docketsync ledger adopt JOB         take over ids from the service's lists after the ledger was lost
  docketsync ledger accept-restore    confirm that a restored ledger may be used to send
  docketsync ledger accept-service    confirm that the service has moved, or its account has a new key

THE LEDGER IS THE ONLY RECORD OF WHAT WAS SENT. A ledger restored from a backup does not know what was sent after the backup,
and would send it again, creates included. docketsync detects this and sends nothing until you confirm with accept-restore
that you have dealt with it.`,
		Args: args(cobra.NoArgs),
		RunE: a.viewed(a.showLedger),
	}
	cmd.AddCommand(newLedgerBackup(a), newLedgerCheck(a), newLedgerMigrate(a), newLedgerAdopt(a), newLedgerPrune(a), newLedgerCompact(a), newLedgerEvidence(a), newAcceptRestore(a), newAcceptService(a))
	return cmd
}

// ledgerInfo is what the command says about the ledger.
type ledgerInfo struct {
	Ledger string `json:"ledger"`
	ledger.Extent
	Oldest *time.Time `json:"oldest_unpruned,omitempty"`
	installation.Signs
}

func (a *app) showLedger(ctx context.Context, in *installation.Installation, _ []string) error {
	info := ledgerInfo{Ledger: in.Config.Ledger.String()}
	var err error
	if info.Extent, err = in.Book.Extent(ctx); err != nil {
		return err
	}
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Unpruned: true})
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		info.Oldest = &runs[len(runs)-1].Started
	}
	if info.Signs, err = in.Signs(ctx); err != nil && !errors.Is(err, ledger.ErrServerUnknown) {
		return err
	}
	return a.Result("ledger/1", info, info.print)
}

func (i ledgerInfo) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", i.Ledger)
	if i.Bytes > 0 {
		fmt.Fprintf(w, "  size: %s, of which %s is free for the next runs\n", bytesOf(i.Bytes), bytesOf(i.Free))
	}
	fmt.Fprintf(w, "  %s with %s; %s pruned\n", wording.Counted(i.Runs, "run"), wording.Counted(i.Records, "record"), wording.Counted(i.Pruned, "run is", "runs are"))
	if i.Oldest != nil {
		fmt.Fprintf(w, "  oldest run that is not pruned: %s\n", moment.Day(*i.Oldest))
	}
	fmt.Fprintf(w, "  the service is known to hold %s; %s in doubt\n", wording.Counted(i.Known, "record"), wording.Counted(i.InDoubt, "is", "are"))
	if err := i.Restored(i.Ledger); err != nil {
		fmt.Fprintf(w, "\n%v\n", err)
	}
}

func bytesOf(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func newLedgerBackup(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up the ledger, also during runs",
		Long: `backup writes a copy of the ledger to FILE, readable only by its owner. The copy is a snapshot of one instant, even while a run
is sending. It is checked before it replaces an older backup of the same name. Copy FILE to another machine: the ledger is the
only record of what was sent.

To restore a backup: stop docketsync, move the ledger and its -wal and -shm files away, copy the backup to where the ledger was,
and find out what was sent after the backup was taken; the reports of those runs list what they created. Anything that
the backup does not know would be sent again, so nothing is sent until you run 'docketsync ledger accept-restore'.

Back up a ledger in a PostgreSQL database with pg_dump, which is consistent during runs. Such a copy does not identify itself as
a copy; docketsync detects it by the last run noted in the folder of reports.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, args []string) error {
			taken, err := in.Book.Backup(ctx, args[0])
			if err != nil {
				return err
			}
			return a.Result("ledger-backup/1", map[string]any{"backup": args[0], "taken": taken}, func(w io.Writer) {
				fmt.Fprintf(w, "%s is a checked copy of the ledger as of %s.\n", args[0], moment.Second(taken))
			})
		}),
	}
}

func newLedgerMigrate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Create or upgrade the tables of the ledger",
		Long: `migrate creates the tables of the ledger, or upgrades them to this version, and those of the nodes and consoles if the ledger is on a server. Every
command that writes does so when it starts; use this to have it done once, before the nodes of a new version start. If there is nothing to
upgrade, it does nothing.

Nodes of an earlier version send nothing more once the ledger is upgraded: they finish what is in flight and hand over. Drain them then.`,
		Args: args(cobra.NoArgs),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, _ []string) error {
			if server := in.Book.Server(); server != nil {
				if err := cluster.Migrate(ctx, server.Config(), in.Log); err != nil {
					return fmt.Errorf("make the queue of the nodes: %w", err)
				}
				_, err := upload.Shared(ctx, in.Config.Console.Uploads, in.Beside())
				if err = errors.Join(err, signin.Migrate(ctx, in.Beside())); err != nil {
					return fmt.Errorf("make the tables of the consoles: %w", err)
				}
			}
			return a.Result("ledger-migrate/1", map[string]string{"ledger": in.Config.Ledger.String()}, func(w io.Writer) {
				fmt.Fprintf(w, "The ledger is ready for docketsync %s.\n", in.Version)
			})
		}),
	}
}

func newLedgerPrune(a *app) *cobra.Command {
	var older string
	var unattended bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs and reports",
		Long: `prune removes the records of old runs from the ledger, and old reports, as retention: in the configuration says. A pruned run
keeps its counts and a line for each record that was sent. Its report can no longer be written, and its updates can no longer
be reverted with revert-file.

Whatever decides what is sent is never removed: what the service is known to hold, what is in doubt, what people decided. Runs
whose records are still in doubt, runs that may be resumed, and the newest run of each job are kept. In the folders of
reports it removes only files that docketsync wrote; a folder with other files in it stays. Uploads to the console are removed
at the age of reports, unless a job reads them, their draft has changed since, or a run may be resumed.

You can prune during runs. If it is interrupted, the next prune continues.

A clock that has jumped ahead makes every run look old. Where a timer prunes and nobody watches, give --unattended: nothing is
pruned then until there have been runs for a week by that clock.`,
		Args: args(cobra.NoArgs),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, _ []string) error {
			keep := in.Config.Retention
			if older != "" {
				days, ok := config.ParseDays(older)
				if !ok {
					return exit.Mistakef("--older-than %q is not a number of days such as 400d", older)
				}
				keep = config.Retention{Runs: days, Reports: days}
			}
			if keep == (config.Retention{}) {
				return exit.Mistakef("no retention is configured\nWrite retention: {runs: 400d, reports: 400d} into the configuration, or give --older-than 400d")
			}
			done, err := daemon.Prune(ctx, in, keep, time.Now(), unattended)
			err = errors.Join(err, audited(ctx, in, "prune", "", fmt.Sprintf("%d runs, %d reports, %d uploads", done.Runs, len(done.Reports.Removed), len(done.Uploads))))
			if printing := a.Result("ledger-prune/1", done, done.Print); err == nil {
				err = printing
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&older, "older-than", "", "prune runs and reports older than `DAYS` (400d), overriding the configuration")
	cmd.Flags().BoolVar(&unattended, "unattended", false, "prune nothing if the clock may have jumped ahead")
	return cmd
}

func newLedgerCompact(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Return the space freed by prune to the disk",
		Long: `compact rewrites the ledger file without the space that prune has freed. Later runs would reuse that space, so compact is
useful once, after a first large prune. It needs as much free disk space as the ledger takes, and refuses while a run is in
progress. If it is interrupted, nothing has changed.

A PostgreSQL database does not need this: autovacuum frees the space.`,
		Args: args(cobra.NoArgs),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, _ []string) error {
			before, after, err := in.Book.Compact(ctx)
			if err != nil {
				return err
			}
			return a.Result("ledger-compact/1", map[string]any{"before": before, "after": after}, func(w io.Writer) {
				fmt.Fprintf(w, "The ledger was compacted: %s before, %s now.\n", bytesOf(before.Bytes), bytesOf(after.Bytes))
			})
		}),
	}
}

func newAcceptRestore(a *app) *cobra.Command {
	var empty bool
	cmd := &cobra.Command{
		Use:   "accept-restore",
		Short: "Confirm that a restored ledger may be used to send",
		Long: `accept-restore confirms that the ledger is now the valid one, although it was restored from a backup, is new and replaces another, or is in
PostgreSQL and its server was upgraded with pg_upgrade or replaced by a standby that commits did not wait for.

If ledger: in the configuration merely names another place than before, correct it, or move the file there, instead. What a ledger knows
cannot be moved between a file and PostgreSQL.

First find out what was sent after the backup was taken, or just before the standby took over, because it would be sent again:
  - the reports of the runs since then list what they created and changed (report.csv or report.csv.gz, outcomes created and updated);
  - check 'docketsync plan': anything it would create that the service already has must be removed from the source or
    left out with rows: skip in the mapping;
  - updates are sent again as they are in the source now. That does no harm, except with update_trademark: goods and services
    without an id are added again, and a mark may be given another case unless do_not_create_file is true. No update removes
    them. Leave out the marks that were sent since then, with rows: skip or in the source, or give their goods the ids
    that the service has.

With a ledger that knows nothing of what was sent, or has no run of a job that is known to have sent, everything would be sent again. It is
accepted only with --empty: use it if none of it is in the service, or before 'docketsync ledger adopt' takes over the ids.`,
		Args: args(cobra.NoArgs),
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, _ []string) error {
			signs, err := in.Signs(ctx)
			if err != nil {
				return err
			}
			holds, err := in.Book.Extent(ctx)
			if err != nil {
				return err
			}
			why := signs.Restored(in.Config.Ledger.String())
			if why != nil {
				if err := lacksAll(ctx, in, signs, holds); err != nil && !empty {
					return err
				}
				if err := errors.Join(in.Book.AcceptRestore(ctx), audited(ctx, in, "accept_restore", "", "")); err != nil {
					return err
				}
			}
			return a.Result("ledger-accept-restore/1", map[string]any{"accepted": why != nil, "known": holds.Known}, func(w io.Writer) {
				if why == nil {
					fmt.Fprintln(w, "Nothing to accept: there is no sign that this ledger is an older copy. Restart processes that still refuse it.")
					return
				}
				fmt.Fprintf(w, "%s may be used to send. It knows %s that the service holds, and %s in doubt. Restart processes that still refuse it.\n",
					in.Config.Ledger, wording.Counted(holds.Known, "record"), wording.Counted(holds.InDoubt, "is", "are"))
			})
		}),
	}
	cmd.Flags().BoolVar(&empty, "empty", false, "accept a ledger that knows nothing of what was sent, so that all of it is sent again")
	return cmd
}

// lacksAll refuses a ledger that replaces another but knows nothing of what was sent, or nothing of a job that has
// sent.
func lacksAll(ctx context.Context, in *installation.Installation, signs installation.Signs, holds ledger.Extent) error {
	of := "was sent"
	if signs.Outrun != nil && holds.Known+holds.InDoubt > 0 {
		of = "the job " + signs.Outrun.Job + " sent"
		if runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: signs.Outrun.Job, Kinds: []ledger.Kind{ledger.Push}, Limit: 1}); err != nil || len(runs) > 0 {
			return err
		}
	} else if holds.Known+holds.InDoubt > 0 {
		return nil
	}
	return exit.Mistakef("the ledger %s knows nothing of what %s: the next run would send all of it again, creates included\n"+
		"Put the last backup in its place, or correct ledger: in the configuration. If nothing of it is in the service, or before 'docketsync ledger adopt' takes over\n"+
		"what the service lists, accept it with: docketsync ledger accept-restore --empty", in.Config.Ledger, of)
}

func newLedgerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the ledger for damage",
		Long: `check reads the whole ledger and compares its tables with their indexes. It changes nothing. A ledger of 1 GB takes about a
minute, also during runs.

'docketsync ledger backup' makes the same check before it copies the ledger. After a crash or a power failure, the next command
that opens the ledger makes a quick check.

Do not send with a damaged ledger. Stop docketsync, keep the ledger and its -wal and -shm files, restore the last backup, and see
'docketsync ledger accept-restore --help'.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings()
			if err != nil {
				return err
			}
			damage, err := ledger.Damage(cmd.Context(), settings.Ledger.Reveal())
			if err != nil {
				return err
			}
			printing := a.Result("ledger-check/1", map[string]any{"ledger": settings.Ledger.String(), "damage": append([]string{}, damage...)}, func(w io.Writer) {
				if len(damage) == 0 {
					fmt.Fprintf(w, "%s: no damage found\n", settings.Ledger)
				}
				for _, found := range damage {
					fmt.Fprintf(w, "%s: %s\n", settings.Ledger, found)
				}
			})
			if len(damage) > 0 {
				return errors.Join(printing, fmt.Errorf("the ledger %s is damaged\n"+
					"Keep it as it is, put the last backup in its place, and see 'docketsync ledger accept-restore --help'", settings.Ledger))
			}
			return printing
		},
	}
}
