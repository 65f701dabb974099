package inbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Back is a file that was put back into the folder after a run had read it, because its writer went on writing.
type Back struct {
	Name string // as it arrived, and lies there again
	Run  string // that read what was there of it
	Why  string
}

// archived is a file whose run was made. Its writer may only have paused, for longer than the run took.
type archived struct {
	name, run, path string
	info            fs.FileInfo // as the run read it
	sha256          string      // of what the run read
	until           time.Time   // it is looked at
}

// giveName renames a file unless the name is in use, in which case nothing is changed.
func giveName(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// grew tells whether a file in a ticket is no longer what was moved there.
func (f *Folder) grew(t *ticket, info fs.FileInfo) bool {
	seen, ok := f.sightings[t.path()]
	return ok && !same(seen.info, info)
}

// lookBack puts back the files that were written to in the archive. One whose name is in use comes back when it is free.
func (f *Folder) lookBack(now time.Time) (back []Back) {
	var on []archived
	for _, a := range f.archived {
		info, err := os.Lstat(a.path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(a.info, info): // somebody removed or replaced it
		case err != nil, !a.grew(info):
			if now.Before(a.until) {
				on = append(on, a)
			}
		default:
			err := giveName(a.path, filepath.Join(f.Path, a.name))
			if errors.Is(err, fs.ErrExist) {
				on = append(on, a)
				continue
			}
			why := "it was changed after run " + a.run + " had read it; it is back in the inbox and will be run again as a whole"
			if err != nil {
				why = "it was changed after run " + a.run + " had read it, and cannot be put back: " + err.Error() + "\nCopy " + a.path + " into the inbox once it is complete"
			}
			back = append(back, Back{a.name, a.run, why})
		}
	}
	f.archived = on
	return back
}

// grew tells whether a file in the archive holds something else than its run read, rather than another time alone.
func (a *archived) grew(now fs.FileInfo) bool {
	if same(a.info, now) {
		return false
	}
	digest, err := digestOf(a.path)
	if err != nil || digest != a.sha256 {
		return err == nil
	}
	a.info = now
	return false
}
