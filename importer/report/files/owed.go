package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// Owed is a report that is still to be written. A hidden file in the folder of all reports records it, from the start
// of the run until its report is written. The process that made the file locks it for as long as it lives, so a file
// without a lock was left by a process that was killed. A nil Owed means no report.
type Owed struct {
	Run  string
	dir  string
	mark *flock.Flock
}

const owedSuffix = ".owed"

// Owe records that the report of a run is to be written into dir, and takes over what an earlier process recorded for
// it.
func Owe(dir, run string) (*Owed, error) {
	o, err := take(dir, run, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("note that the report of run %s is to be written: %w", run, err)
	}
	return o, nil
}

// take returns nil if another process holds the file.
func take(dir, run string, flag int) (*Owed, error) {
	mark := flock.New(filepath.Join(dir, "."+run+owedSuffix), flock.SetFlag(flag))
	taken, err := mark.TryLock()
	if err != nil || !taken {
		return nil, err
	}
	return &Owed{run, dir, mark}, nil
}

// Orphans returns the reports in dir that processes no longer alive still owed. The caller must end each with Write,
// Forget or Leave. A missing folder has none.
func Orphans(dir string) (list []*Owed, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		run, marked := strings.CutSuffix(entry.Name(), owedSuffix)
		if run, hidden := strings.CutPrefix(run, "."); marked && hidden {
			o, taking := take(dir, run, os.O_RDWR)
			switch {
			case errors.Is(taking, fs.ErrNotExist): // its process has just finished
			case taking != nil:
				err = errors.Join(err, taking)
			case o != nil:
				list = append(list, o)
			}
		}
	}
	return list, err
}

// Write writes the report of a run that has ended, and removes what was begun of it before.
func (o *Owed) Write(ctx context.Context, led *ledger.Reader) (*report.Summary, Paths, error) {
	s, err := report.Build(ctx, led, o.Run)
	if err != nil {
		return nil, Paths{}, err
	}
	if err := removeBegun(filepath.Join(o.dir, Folder(s.Run))); err != nil {
		return s, Paths{}, fmt.Errorf("remove what is left of the report of %s: %w", s.Run.Name, err)
	}
	files, err := WriteSummary(ctx, led, s, o.dir, nil)
	return s, files, err
}

// Forget records that the report is written, or that there is none to write.
func (o *Owed) Forget() error {
	if o == nil {
		return nil
	}
	// Remove the file before unlocking it, so that nobody takes it for left behind; after it where an open file cannot
	// be removed.
	removing := remove(o.mark.Path())
	err := o.mark.Unlock()
	if removing != nil {
		removing = remove(o.mark.Path())
	}
	return errors.Join(err, removing)
}

// Leave leaves the report to the next start.
func (o *Owed) Leave() error {
	if o == nil {
		return nil
	}
	return o.mark.Unlock()
}

// removeBegun removes files of a report that were begun and never got their names.
func removeBegun(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if ours(entry.Name()) && (strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), streamPrefix)) {
			err = errors.Join(err, remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}
