package inbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Taken is a file that was taken and must be run. The caller must put it away with Archive or Reject, or leave it for
// Later.
type Taken struct {
	Name   string // as it arrived
	Path   string // where to read it; the same after a restart
	SHA256 string // hex

	folder *Folder
	ticket *ticket
}

// ErrChanged says that a file was written to after it had been taken. The file is not put away but goes back into the
// folder, and is handed out again as a whole when it holds still.
var ErrChanged = errors.New("the file was changed after it had been taken; it will be run again as a whole")

// Archive puts the file into the archive after its run: archive/2024/03/<run>-<name>, by the month of now. It returns
// the new path, or ErrChanged if the run did not read what the file holds now.
func (t *Taken) Archive(run string, now time.Time) (string, error) {
	info, err := t.Unchanged()
	if err != nil {
		return "", err
	}
	to, err := t.folder.archive(t.Path, run+"-"+t.Name, now)
	if err != nil {
		return "", fmt.Errorf("archive %s: %w", t.Name, err)
	}
	if moved, err := os.Lstat(to); err == nil && os.SameFile(info, moved) { // a copy has no writer
		t.folder.archived = append(t.folder.archived, archived{t.Name, run, to, info, t.SHA256, now.Add(t.folder.Patience)})
	}
	return to, t.folder.discard(t.ticket)
}

// Reject puts a file of which no run can be made among the rejected, with the reason beside it, and returns the new
// path. It returns ErrChanged if the reason does not apply to what the file holds now.
func (t *Taken) Reject(reason string) (string, error) {
	if _, err := t.Unchanged(); err != nil {
		return "", err
	}
	to, err := t.folder.withNote(t.folder.Rejected, t.Name, reason)
	if err != nil {
		return "", fmt.Errorf("reject %s: %w", t.Name, err)
	}
	if err := move(t.Path, to); err != nil {
		return "", fmt.Errorf("reject %s: %w", t.Name, err)
	}
	return to, t.folder.discard(t.ticket)
}

// RejectedFiles returns the paths of the rejected files, by the SHA-256 of their contents.
func (f *Folder) RejectedFiles() (map[string]string, error) {
	entries, err := os.ReadDir(f.Rejected)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	paths := map[string]string{}
	for _, entry := range entries {
		path := filepath.Join(f.Rejected, entry.Name())
		if entry.Type()&^fs.ModeIrregular != 0 || !exists(path+noteEnding) {
			continue
		}
		digest, err := digestOf(path)
		if err != nil {
			return nil, err
		}
		paths[digest] = path
	}
	return paths, nil
}

// ArchiveRejected moves a rejected file into the archive after its run, and removes the note beside it. It returns the
// new path.
func (f *Folder) ArchiveRejected(path, run string, now time.Time) (string, error) {
	to, err := f.archive(path, run+"-"+filepath.Base(path), now)
	if err != nil {
		return "", err
	}
	return to, os.Remove(path + noteEnding)
}

// Later leaves the file where it is: until then it is not handed out, and nothing overtakes it. It is for trouble that
// is not the file's: the service is down, the ledger is busy. After a restart the file is handed out at once.
func (t *Taken) Later(then time.Time) {
	if t.folder.later == nil {
		t.folder.later = map[string]time.Time{}
	}
	t.folder.later[t.ticket.dir] = then
}

// Unchanged makes sure that the file is what was taken. If it is not, it is put back into the folder, and the error is
// ErrChanged.
func (t *Taken) Unchanged() (fs.FileInfo, error) {
	info, err := os.Lstat(t.Path)
	if err != nil {
		return nil, err
	}
	if t.ticket.seal != nil && t.ticket.seal.as(info) {
		return info, nil
	}
	if _, err := t.folder.reopen(t.ticket); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", t.Name, ErrChanged)
}

// archive moves a file into the archive, by the month of now.
func (f *Folder) archive(from, name string, now time.Time) (to string, err error) {
	to = filepath.Join(f.month(now), name)
	if err = os.MkdirAll(filepath.Dir(to), 0o750); err == nil {
		err = move(from, to)
	}
	return to, err
}

func (f *Folder) month(now time.Time) string {
	return filepath.Join(f.Archive, now.Format("2006"), now.Format("01"))
}

// supersede puts away a file that a newer one replaces; it returns nil if the file is gone.
func (f *Folder) supersede(old superseded, now time.Time) (*Aside, error) {
	from := filepath.Join(f.Path, old.name)
	aside, err := f.putAside(from, old.name, "superseded", "It was not run: "+old.why+", and only the newest file is run.", now)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && f.Marker != "" {
		if gone := os.Remove(from + f.Marker); !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
	}
	return aside, err
}

// putAside moves a file into the archive without a run, with a note.
func (f *Folder) putAside(from, name, kind, why string, now time.Time) (*Aside, error) {
	stamped := kind + "-" + now.UTC().Format("20060102T150405Z") + "-" + name
	to, err := f.withNote(f.month(now), stamped, why)
	if err != nil {
		return nil, err
	}
	if err := move(from, to); err != nil {
		return nil, errors.Join(err, os.Remove(to+noteEnding))
	}
	return &Aside{Name: name, Path: to, Why: why}, nil
}

const noteEnding = ".reason.txt"

// withNote finds a free name for a file in a folder and writes the note that stands beside it, which reserves the name.
func (f *Folder) withNote(dir, name, note string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	ending := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	for n := 1; ; n++ {
		path := filepath.Join(dir, name)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", stem, n, ending))
		}
		if exists(path) {
			continue
		}
		file, err := os.OpenFile(path+noteEnding, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.WriteString(note + "\n")
		return path, errors.Join(err, file.Sync(), file.Close())
	}
}
