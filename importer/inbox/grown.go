package inbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Back is a file that was put back into the folder after a run had read it, because its writer had not finished.
type Back struct {
	Name string // as it arrived; the file has this name again
	Run  string // the run that read what was there of it
	Why  string
}

// archived is a file that has been run. Its writer may only have paused, for longer than the run took.
type archived struct {
	name, run, path string
	info            fs.FileInfo // as the run read it
	sha256          string      // of what the run read
	until           time.Time   // until when it is watched
}

// giveName renames a file, unless the new name is in use; then it changes nothing.
func giveName(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// grew reports whether a file in a ticket is no longer what was moved there.
func (f *Folder) grew(t *ticket, info fs.FileInfo) bool {
	seen, ok := f.sightings[t.path()]
	return ok && !same(seen.info, info)
}

// lookBack puts back the files that were written to in the archive. If its name is in use, a file comes back when the
// name is free.
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

// grew reports whether the content of a file in the archive differs from what its run read, not merely its time.
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
