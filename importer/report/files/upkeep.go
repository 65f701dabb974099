package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

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

// Expired is what Expire did: the folders it removed, and those it emptied of our files but left because they hold
// files that somebody else put there.
type Expired struct {
	Removed []string `json:"removed"`
	Kept    []string `json:"kept"`
}

// folderName matches the names that Folder makes; the first group is when the run started.
var folderName = regexp.MustCompile(`^.+-(\d{4}-\d{2}-\d{2}-\d{6})-[0-9A-Za-z]+$`)

// Expire removes the reports of runs that started before a time from the folder that holds all reports. It removes only
// what Write made: our own files, in folders with such a name and a report.json of our form. If it is interrupted, the
// next call continues. A missing folder is no error.
func Expire(dir string, before time.Time) (done Expired, err error) {
	done = Expired{Removed: []string{}, Kept: []string{}}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	for _, entry := range entries {
		match := folderName.FindStringSubmatch(entry.Name())
		if match == nil || !entry.IsDir() {
			continue
		}
		began, parsing := time.Parse("2006-01-02-150405", match[1])
		path := filepath.Join(dir, entry.Name())
		if parsing != nil || !began.Before(before) || !isReport(path) {
			continue
		}
		empty, removing := removeReport(path)
		switch {
		case removing != nil:
			err = errors.Join(err, fmt.Errorf("remove the old report %s: %w", path, removing))
		case empty:
			done.Removed = append(done.Removed, path)
		default:
			done.Kept = append(done.Kept, path)
		}
	}
	return done, err
}

// isReport reports whether a folder holds a report of ours.
func isReport(dir string) bool {
	f, err := os.Open(filepath.Join(dir, report.JSONFile))
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 64).ReadSlice('\n')
	return strings.HasPrefix(string(line), `{"form":"`+jsonName)
}

// removeReport removes our files, report.json last because it marks the folder as a report, and the folder if nothing
// else is in it.
func removeReport(dir string) (empty bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ours(e.Name()) })
	for _, entry := range entries {
		if ours(entry.Name()) && entry.Name() != report.JSONFile {
			if err := remove(filepath.Join(dir, entry.Name())); err != nil {
				return false, err
			}
		}
	}
	if err := remove(filepath.Join(dir, report.JSONFile)); err != nil || foreign {
		return false, err
	}
	return true, os.Remove(dir)
}

// ours reports whether Write makes files of this name, or leaves them behind when it is interrupted.
func ours(name string) bool {
	return strings.HasPrefix(name, streamPrefix) || slices.ContainsFunc(report.Files, func(file string) bool {
		return name == file || strings.HasPrefix(name, "."+file+".")
	})
}

// streamPrefix begins the names of the files in which excelize keeps the rows of a workbook until it is complete.
const streamPrefix = "excelize-"
