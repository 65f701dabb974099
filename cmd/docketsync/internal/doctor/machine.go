package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/report/wording"
)

// leastSpace is how much space should be free where the ledger and the reports grow.
const leastSpace = 1 << 30

// lookAtLedger opens the ledger as a run does, but does not create one.
func lookAtLedger(ctx context.Context, p *patient) []Finding {
	named := p.in.Config.Ledger
	if p.in.Book = p.book; p.book == nil && named.IsFile() {
		if _, err := os.Stat(named.Reveal()); errors.Is(err, fs.ErrNotExist) {
			return []Finding{ok("%s is not there yet: the first run makes it", named)}
		}
	}
	if p.book == nil {
		if err := p.in.OpenLedger(ctx); err != nil {
			return []Finding{failed(err)}
		}
	}
	book := p.in.Book
	if err := book.Writable(ctx); err != nil {
		return []Finding{failed(err)}
	}
	list := []Finding{ok("%s opens and can be written; its schema has version %d", named, book.SchemaVersion())}
	if err := errors.Join(p.in.AboutService(ctx), p.in.SameAccount(ctx), p.in.NotRestored(ctx), p.in.NoLaggingStandby(ctx)); err != nil {
		list = append(list, failed(err))
	}
	return append(list, underWay(ctx, p)...)
}

// underWay reports the jobs that cannot be run at this moment, because they are running.
func underWay(ctx context.Context, p *patient) (list []Finding) {
	seen := map[string]bool{}
	for _, settings := range p.in.Config.Jobs {
		job, err := p.in.Job(settings)
		if err != nil || seen[job.Mapping.Scope()] {
			continue
		}
		seen[job.Mapping.Scope()] = true
		release, err := p.in.Book.Lock(ctx, job.Mapping.Scope())
		if err == nil {
			err = release()
		}
		if busy, is := errors.AsType[*fault.BusyError](err); is {
			list = append(list, ok("a run of job %s is under way%s: another has to wait for it", settings.Name, by(busy.Holder)))
		} else if err != nil {
			list = append(list, failed(err))
		}
	}
	return list
}

func by(h fault.Holder) string {
	if h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(", in process %d on %s", h.PID, h.Host)
}

// lookAtFolders checks every folder that docketsync writes to or watches.
func lookAtFolders(_ context.Context, p *patient) (list []Finding) {
	settings := p.in.Config
	list = append(list, writable("reports", settings.Reports))
	if settings.Ledger.IsFile() {
		list = append(list, writable("ledger", filepath.Dir(settings.Ledger.Reveal())))
	}
	for _, job := range settings.Jobs {
		if in := job.Source.Inbox; in != nil {
			if _, err := os.ReadDir(in.Folder); err != nil {
				list = append(list, failedWith(exit.CouldNotRun, "Make the folder, or correct inbox: of the job.", "inbox of job %s: %v", job.Name, err))
				continue
			}
			list = append(list, writable("inbox of job "+job.Name, in.Folder))
		}
	}
	return list
}

// writable tries to write a file to a folder, or to its nearest existing parent if it is still to be created, and
// measures the free space there.
func writable(what, folder string) Finding {
	at := folder
	for _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); _, err = os.Stat(at) {
		at = filepath.Dir(at)
	}
	probe, err := os.CreateTemp(at, ".probe-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return failedWith(exit.CouldNotRun, "Give the user that runs docketsync the right to write there, or name another folder in the configuration.", "%s: %v", what, err)
	}
	free, known := freeSpace(at)
	switch {
	case !known:
		return ok("%s: %s can be written", what, folder)
	case free < leastSpace:
		return warning("Free some space: a run that cannot write what it sent stops.", "%s: %s can be written, but has only %s free", what, folder, megabytes(free))
	}
	return ok("%s: %s can be written; %s free", what, folder, megabytes(free))
}

func megabytes(n uint64) string { return wording.Thousands(int(n>>20)) + " MiB" }
