package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	ownFolder = ".docketsync" // inside the watched folder
	sealName  = ".taken"      // the seal of a ticket
	copyName  = ".copy"       // a file that is being copied in
	copied    = ".copied"     // the seal of what was copied in, until the original is removed
)

// ticket is a file that was taken, in a folder of its own.
type ticket struct {
	dir  string
	name string // of the file; "" if there is none
	seal *seal  // nil until the file held still
}

// seal is the state in which a file was found complete and still.
type seal struct {
	Name     string    `json:"name"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256"`
}

// sealOf returns the state of a file, or nil if it is no longer what it was before.
func sealOf(path string, before fs.FileInfo) (*seal, error) {
	digest, err := digestOf(path)
	if err != nil {
		return nil, err
	}
	after, err := os.Lstat(path)
	if err != nil || !same(before, after) {
		return nil, err
	}
	return &seal{filepath.Base(path), before.Size(), before.ModTime(), digest}, nil
}

func (t *ticket) path() string { return filepath.Join(t.dir, t.name) }

// as reports whether a file looks as it did when it was sealed.
func (s *seal) as(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Modified.Equal(info.ModTime())
}

// take moves a file into a ticket, its marker first: a ticket with only a marker gives it back, while a marker left
// behind would say that the next file of that name is complete. It returns nil if the file is gone.
func (f *Folder) take(a arrival, now time.Time) (*ticket, error) {
	own := filepath.Join(f.Path, ownFolder)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(own, now.UTC().Format("20060102T150405.000000000Z-*"))
	if err != nil {
		return nil, err
	}
	t := &ticket{dir: dir, name: a.name}
	from := filepath.Join(f.Path, a.name)
	if f.Marker != "" {
		err = os.Rename(from+f.Marker, t.path()+f.Marker)
	}
	if err == nil {
		err = f.bring(t, from)
	}
	if err != nil {
		undone := f.discard(&ticket{dir: dir})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, undone
		}
		return nil, errors.Join(fmt.Errorf("%s cannot be taken: %w", a.name, err), undone)
	}
	delete(f.sightings, from)
	if info, err := os.Lstat(t.path()); err == nil && os.SameFile(a.info, info) { // a copy has no writer
		f.sightings[t.path()] = sighting{a.info, now}
	}
	return t, nil
}

// bring moves a file of the folder into its ticket: it renames the file, or copies it if that is not possible.
func (f *Folder) bring(t *ticket, from string) error {
	err := os.Rename(from, t.path())
	if !otherDevice(err) {
		return err
	}
	s, err := copyFile(from, filepath.Join(t.dir, copyName))
	if err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(t.dir, copied), s); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(t.dir, copyName), t.path()); err != nil {
		return err
	}
	return f.finishCopy(t)
}

// finishCopy removes the original of a file that was copied in, unless another has taken its place.
func (f *Folder) finishCopy(t *ticket) error {
	var s seal
	if err := readJSON(filepath.Join(t.dir, copied), &s); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	original := filepath.Join(f.Path, s.Name)
	digest, err := digestOf(original)
	if err == nil && digest == s.SHA256 {
		err = os.Remove(original)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Remove(filepath.Join(t.dir, copied))
}

// openTicket finds the ticket that is there, or returns nil. It removes tickets without a file.
func (f *Folder) openTicket() (*ticket, error) {
	if err := f.ownPlace(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(f.Path, ownFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		t, err := f.readTicket(filepath.Join(f.Path, ownFolder, entry.Name()))
		if err != nil {
			return nil, err
		}
		if t.name != "" {
			return t, f.finishCopy(t)
		}
		if err := f.discard(t); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// readTicket reads a ticket's folder.
func (f *Folder) readTicket(dir string) (*ticket, error) {
	t := &ticket{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, ".") && !f.isMarker(name) {
			t.name = name
		}
	}
	var s seal
	switch err := readJSON(filepath.Join(dir, sealName), &s); {
	case err == nil:
		t.seal = &s
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return t, nil
}

// discard removes a ticket without a file. A marker whose file was never taken goes back.
func (f *Folder) discard(t *ticket) error {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		back := filepath.Join(f.Path, entry.Name())
		if t.seal == nil && f.isMarker(entry.Name()) && !exists(back) {
			if err := os.Rename(filepath.Join(t.dir, entry.Name()), back); err != nil {
				return err
			}
		}
	}
	delete(f.later, t.dir)
	return os.RemoveAll(t.dir)
}

// serve decides what happens to the ticket. done says that it was put away, so the next file may be looked for.
func (f *Folder) serve(ctx context.Context, t *ticket, now time.Time, found *Found) (done bool, err error) {
	info, err := os.Lstat(t.path())
	if err != nil {
		return false, err
	}
	if !plain(info) { // it took the place of the file that was looked at
		aside, err := f.refuse(t.path(), t.name, info)
		if err != nil {
			return false, err
		}
		found.Aside = append(found.Aside, aside)
		return true, f.discard(t)
	}
	if t.seal != nil && !t.seal.as(info) || t.seal == nil && f.grew(t, info) {
		if back, err := f.reopen(t); back || err != nil {
			return back, err
		}
	}
	runs, err := f.Runs(ctx)
	if err != nil {
		return false, err
	}
	f.ended = len(runs) > 0 && runs[0].Ended
	if t.seal == nil {
		if !f.settled(t.path(), info, now) {
			found.Waiting++
			return false, nil
		}
		if err := f.sealTicket(t, info); err != nil || t.seal == nil {
			return false, err
		}
	}
	taken := &Taken{Name: t.name, Path: t.path(), SHA256: t.seal.SHA256, folder: f, ticket: t}
	run, verdict, err := f.judge(ctx, taken, runs)
	if err != nil {
		return false, err
	}
	switch verdict {
	case wasRun:
		_, err = taken.Archive(run, now)
		if errors.Is(err, ErrChanged) { // it is back in the folder, or watched again
			return false, nil
		}
		return err == nil, err
	case isDuplicate:
		aside, err := f.putAside(t.path(), t.name, "duplicate", "It is identical, byte for byte, to what run "+run+
			" read, the last run of this job, all of which is in, and the mapping, lookups and settings are the same. So there is nothing new to send, and it was not run again.", now)
		if err != nil {
			return false, err
		}
		found.Aside = append(found.Aside, *aside)
		return true, f.discard(t)
	}
	if now.Before(f.later[t.dir]) {
		found.Waiting++
		return false, nil
	}
	found.Taken = taken
	return false, nil
}

// sealTicket seals the ticket of a file that held still. The ticket stays open if the file changed while its digest was
// made.
func (f *Folder) sealTicket(t *ticket, info fs.FileInfo) error {
	s, err := sealOf(t.path(), info)
	if err != nil || s == nil {
		return err
	}
	if err := writeJSON(filepath.Join(t.dir, sealName), s); err != nil {
		return err
	}
	t.seal = s
	delete(f.sightings, t.path())
	return nil
}

// reopen removes the seal from a ticket whose file was written to, and gives the file its name in the folder back, so
// that it is judged anew. If that name is in use again, or the filesystem cannot give a name without overwriting
// another file, the file stays in its ticket and is judged anew there.
func (f *Folder) reopen(t *ticket) (back bool, err error) {
	if t.seal != nil {
		t.seal = nil
		if err := os.Remove(filepath.Join(t.dir, sealName)); err != nil {
			return false, err
		}
	}
	if giveName(t.path(), filepath.Join(f.Path, t.name)) != nil {
		return false, nil
	}
	delete(f.sightings, t.path())
	return true, f.discard(t)
}

type verdict int

const (
	toRun verdict = iota
	wasRun
	isDuplicate
)

// judge decides whether a file still has to be run. runs are the finished runs of its job, newest first.
func (f *Folder) judge(ctx context.Context, t *Taken, runs []Run) (run string, v verdict, err error) {
	end := "/" + ownFolder + "/" + filepath.Base(t.ticket.dir) + "/" + t.Name
	if n := slices.IndexFunc(runs, func(r Run) bool {
		return r.SHA256 == t.SHA256 && strings.HasSuffix(filepath.ToSlash(r.File), end)
	}); n >= 0 {
		open := false
		if f.Changes {
			open, err = runs[n].Open(ctx)
		}
		if !open || err != nil {
			return runs[n].ID, wasRun, err
		}
		return "", toRun, nil
	}
	if len(runs) > 0 && runs[0].SHA256 == t.SHA256 {
		if repeats, err := runs[0].Repeats(ctx, t.Path); repeats || err != nil {
			return runs[0].ID, isDuplicate, err
		}
	}
	return "", toRun, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func readJSON(path string, into any) error {
	file, err := openPlain(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return json.NewDecoder(file).Decode(into)
}
