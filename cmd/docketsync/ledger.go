package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/intake"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

func newLedger(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Show how large the ledger is, back it up, check it, and take old runs out of it",
		Long: `ledger shows what the ledger holds and how much room it takes. Its commands keep it in order:

  docketsync ledger backup FILE          copies it while runs go on
  docketsync ledger check                looks for damage in it
  docketsync ledger prune                takes old runs out of it, as retention: in the configuration says
  docketsync ledger compact              gives the room of what was pruned back to the disk
  docketsync ledger adopt JOB            takes over what the service lists already, for a ledger that was lost
  docketsync ledger accept-restore       says that a ledger that was put back from a copy may be used to send
  docketsync ledger accept-service       says that the service of the ledger has moved to the configured address

THE LEDGER IS THE ONLY THING THAT KNOWS WHAT WAS SENT. A ledger that is put back from a backup does not know what was sent
since the backup, and would send it again: creates too. docketsync notices, and sends nothing until somebody has said
with accept-restore that this has been dealt with.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withLedger(cmd.Context(), a.showLedger) },
	}
	cmd.AddCommand(newLedgerBackup(a), newLedgerCheck(a), newLedgerAdopt(a), newLedgerPrune(a), newLedgerCompact(a), newAcceptRestore(a), newAcceptService(a))
	return cmd
}

func (a *app) withLedger(ctx context.Context, do func(context.Context, *installation) error) (err error) {
	in, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = closing(in, err) }()
	return do(ctx, in)
}

// ledgerInfo is what the command says about the ledger.
type ledgerInfo struct {
	Ledger string `json:"ledger"`
	ledger.Extent
	Oldest      *time.Time      `json:"oldest_unpruned,omitempty"`
	BackupTaken time.Time       `json:"backup_taken,omitzero"` // it is a backup of that time that nobody has accepted
	Outrun      *ledger.Witness `json:"outrun_by,omitempty"`   // the run that it should know and does not
}

func (a *app) showLedger(ctx context.Context, in *installation) error {
	info := ledgerInfo{Ledger: in.config.Ledger.String()}
	var err error
	if info.Extent, err = in.book.Extent(ctx); err != nil {
		return err
	}
	runs, err := in.book.Runs(ctx, ledger.RunFilter{Unpruned: true})
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		info.Oldest = &runs[len(runs)-1].Started
	}
	if info.BackupTaken, err = in.book.BackupTaken(ctx); err != nil {
		return err
	}
	if info.Outrun, err = in.book.Outrun(ctx); err != nil {
		return err
	}
	return a.result(info, info.print)
}

func (i ledgerInfo) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", i.Ledger)
	if i.Bytes > 0 {
		fmt.Fprintf(w, "  size: %s, of which %s will be filled by the next runs\n", bytesOf(i.Bytes), bytesOf(i.Free))
	}
	fmt.Fprintf(w, "  %d runs with %d records; %d of the runs are pruned\n", i.Runs, i.Records, i.Pruned)
	if i.Oldest != nil {
		fmt.Fprintf(w, "  the oldest run that is not pruned is of %s\n", i.Oldest.Local().Format("2006-01-02"))
	}
	fmt.Fprintf(w, "  the service is known to hold %d records; %d are in doubt\n", i.Known, i.InDoubt)
	if err := restored(i.Ledger, i.BackupTaken, i.Outrun); err != nil {
		fmt.Fprintf(w, "\n%v\n", err)
	}
}

func bytesOf(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func newLedgerBackup(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the ledger while runs go on",
		Long: `backup writes a copy of the ledger to FILE, which only its owner may read. The copy is the ledger as it was at one instant,
also when a run is sending meanwhile; it is checked before it gets its name, and an older backup of that name is replaced only then.
Copy FILE to another machine: the ledger is the only thing that knows what was sent.

To put a backup back: stop docketsync, move the ledger and the files -wal and -shm beside it away, copy the backup to the
ledger's place, and find out what was sent since the backup was taken: the reports of those runs list what they created.
What the backup does not know would be sent again, so nothing is sent until 'docketsync ledger accept-restore' is called.

A ledger in a PostgreSQL database is backed up with pg_dump, which is consistent while runs go on. Put back, such a copy does not
say that it is one; it is noticed by the last run that was noted in the folder of the reports.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), func(ctx context.Context, in *installation) error {
				taken, err := in.book.Backup(ctx, args[0])
				if err != nil {
					return err
				}
				return a.result(map[string]any{"backup": args[0], "taken": taken}, func(w io.Writer) {
					fmt.Fprintf(w, "%s is the ledger as it was at %s, and has been checked.\n", args[0], taken.Local().Format("2006-01-02 15:04:05"))
				})
			})
		},
	}
}

func newLedgerPrune(a *app) *cobra.Command {
	var older string
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Take old runs out of the ledger, and remove old reports",
		Long: `prune takes the records of old runs out of the ledger, and removes old reports, as retention: in the configuration says.
Of a pruned run stay its counts, and a line for each record that was sent. Its report cannot be made again, and its updates
can no longer be taken back with revert-file.

What decides what is sent is never removed: what the service is known to hold, what is in doubt, what people decided. Runs
that sent what is still in doubt or may be resumed, and the newest of each job, are left as they are. Of the folders
with reports it removes only files that docketsync wrote; a folder in which somebody has put other files stays. What was uploaded
to the console goes with the reports of that age, unless a job reads it, its draft was changed since, or a run may be resumed.

Runs may go on meanwhile. Cut off, it goes on the next time.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), func(ctx context.Context, in *installation) error {
				keep := in.config.Retention
				if older != "" {
					days, ok := config.ParseDays(older)
					if !ok {
						return usage("--older-than %q is no number of days, such as 400d", older)
					}
					keep = config.Retention{Runs: days, Reports: days}
				}
				if keep == (config.Retention{}) {
					return usage("nothing says how long runs are kept\nWrite retention: {runs: 400d, reports: 400d} into the configuration, or give --older-than 400d")
				}
				done, err := prune(ctx, in, keep, time.Now())
				if printing := a.result(done, done.print); err == nil {
					err = printing
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "prune runs and reports older than this many `DAYS` (400d), whatever the configuration says")
	return cmd
}

// pruned is what prune says.
type pruned struct {
	importer.Pruned
	Reports report.Expired `json:"reports"`
	Uploads []string       `json:"uploads"` // the folders of uploads that were removed
}

// prune does what retention asks for. What could be done is in the result, also when something could not.
func prune(ctx context.Context, in *installation, keep config.Retention, now time.Time) (done pruned, err error) {
	done.Reports, done.Uploads = report.Expired{Removed: []string{}, Kept: []string{}}, []string{}
	if keep.Runs > 0 {
		done.Pruned, err = importer.Prune(ctx, in.book, keep.Runs.Before(now))
	}
	if keep.Reports > 0 {
		var removing error
		done.Reports, removing = report.Expire(in.config.Reports, keep.Reports.Before(now))
		err = errors.Join(err, removing)
		done.Uploads, removing = expireUploads(ctx, in, keep.Reports.Before(now))
		err = errors.Join(err, removing)
	}
	return done, err
}

// expireUploads removes what was uploaded to the console before a time and is read by no job of the configuration and no run that
// may be gone on with.
func expireUploads(ctx context.Context, in *installation, before time.Time) ([]string, error) {
	used := map[string]bool{}
	use := func(path string) {
		if whole, err := filepath.Abs(path); err == nil {
			used[whole] = true
		}
	}
	for _, job := range in.config.Jobs {
		for _, file := range job.Source.Files {
			use(file)
		}
	}
	runs, err := in.book.Runs(ctx, ledger.RunFilter{Unpruned: true})
	if err != nil {
		return []string{}, err
	}
	for _, run := range runs {
		if run.Phase == ledger.Finished {
			continue
		}
		for _, s := range run.Sources {
			use(s.File)
		}
	}
	return intake.Expire(in.config.Console.Uploads, before, func(path string) bool {
		whole, err := filepath.Abs(path)
		return err != nil || used[whole]
	})
}

func (p pruned) print(w io.Writer) {
	fmt.Fprintf(w, "%d runs pruned, with %d records; %d plans and checks removed; %d reports removed; %d uploads removed.\n",
		p.Runs, p.Records, p.Plans, len(p.Reports.Removed), len(p.Uploads))
	if p.InDoubt > 0 {
		fmt.Fprintf(w, "%d old runs are kept because something that they sent is still in doubt: docketsync resolve\n", p.InDoubt)
	}
	for _, path := range p.Reports.Kept {
		fmt.Fprintf(w, "%s is kept for the other files in it\n", path)
	}
}

func newLedgerCompact(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Give the room of what was pruned back to the disk",
		Long: `compact writes the file of the ledger anew, without the room that pruning has freed. The next runs would fill that room first,
so this is for once after a first large prune. It needs as much free space as the ledger holds, and no run can go on
meanwhile: it refuses when one does. Cut off, it has done nothing.

A PostgreSQL database needs none of this: its autovacuum makes room free again.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), func(ctx context.Context, in *installation) error {
				before, after, err := in.book.Compact(ctx)
				if err != nil {
					return err
				}
				return a.result(map[string]any{"before": before, "after": after}, func(w io.Writer) {
					fmt.Fprintf(w, "The ledger took %s, and takes %s now.\n", bytesOf(before.Bytes), bytesOf(after.Bytes))
				})
			})
		},
	}
}

func newAcceptRestore(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "accept-restore",
		Short: "Say that a ledger that was put back from a copy may be used to send",
		Long: `accept-restore makes a ledger that was put back from a backup, or that is new in the place of another, the one that counts.

Before that, find out what was sent after the copy was made, since it would be sent again:
  - the reports of the runs since then list what they created and changed (report.csv, the outcomes created and updated);
  - look at 'docketsync plan': whatever it would create and the service has already must not be in the source, or must be
    left out by rows: skip in the mapping;
  - updates do no harm: they are sent again as they are in the source now.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withLedger(cmd.Context(), func(ctx context.Context, in *installation) error {
				why := in.notRestored(ctx)
				var is *restoredError
				if why != nil && !errors.As(why, &is) {
					return why
				}
				if why != nil {
					if err := in.book.AcceptRestore(ctx); err != nil {
						return err
					}
				}
				return a.result(map[string]any{"accepted": why != nil}, func(w io.Writer) {
					if why == nil {
						fmt.Fprintln(w, "There is nothing to accept: nothing says that this ledger is an older copy.")
						return
					}
					fmt.Fprintf(w, "%s may be used to send.\n", in.config.Ledger)
				})
			})
		},
	}
}

// restoredError says that a ledger is older than what was sent.
type restoredError struct{ said string }

func (e *restoredError) Error() string {
	return e.said + "\nNothing is sent until that is settled: 'docketsync ledger accept-restore --help' says how to find out what is missing"
}

// notRestored makes sure that the ledger knows everything that was sent, as far as that can be told.
func (in *installation) notRestored(ctx context.Context) error {
	taken, err := in.book.BackupTaken(ctx)
	if err != nil {
		return err
	}
	outrun, err := in.book.Outrun(ctx)
	if err != nil {
		return err
	}
	return restored(in.config.Ledger.String(), taken, outrun)
}

// restored is a *restoredError when something tells that a ledger is an older copy.
func restored(name string, taken time.Time, outrun *ledger.Witness) error {
	const again = "What was sent since is not in it and would be sent a second time"
	switch {
	case !taken.IsZero():
		return &restoredError{fmt.Sprintf("the ledger %s is a backup that was taken on %s. %s", name, taken.UTC().Format("2006-01-02 15:04 MST"), again)}
	case outrun != nil && outrun.Has < outrun.Commits && outrun.Has > 0:
		return &restoredError{fmt.Sprintf("the ledger %s is older than what run %s of job %s sent: it has %d of the %d intents and outcomes that were committed. %s",
			name, outrun.Run, outrun.Job, outrun.Has, outrun.Commits, again)}
	case outrun != nil && outrun.Ended:
		return &restoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which ended on %s, or new in the place of another. %s",
			name, outrun.Run, outrun.Job, outrun.At.UTC().Format("2006-01-02 15:04 MST"), again)}
	case outrun != nil:
		return &restoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which began to send on %s, or new in the place of another. %s",
			name, outrun.Run, outrun.Job, outrun.At.UTC().Format("2006-01-02 15:04 MST"), again)}
	}
	return nil
}

// noLaggingStandby refuses a ledger whose server has standbys that no commit waits for, unless the configuration accepts them.
func (in *installation) noLaggingStandby(ctx context.Context) error {
	if in.config.LedgerServer.LaggingStandby == "accept" {
		return nil
	}
	names, err := in.book.LaggingStandbys(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return exitStatus{exitUsage, fmt.Errorf("the server of the ledger %s has standbys that no commit waits for: %s\n"+
		"One that takes over lacks what was sent last, and it would be sent a second time; nothing was sent\n"+
		"Name one in synchronous_standby_names on the server, or write ledger_server: {lagging_standby: accept} if none of them ever takes over",
		in.config.Ledger, strings.Join(names, ", "))}
}
