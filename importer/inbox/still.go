package inbox

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// sighting is what a file was like, and since when.
type sighting struct {
	info  fs.FileInfo
	since time.Time
}

// same tells whether two looks saw one file in one state.
func same(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// look notes what a file is like now, and returns since when it has been so. The time of the file itself is not compared with
// our clock: a share has its own, and copying keeps the time of the original.
func (f *Folder) look(path string, info fs.FileInfo, now time.Time) (since time.Time) {
	if f.sightings == nil {
		f.sightings = map[string]sighting{}
	}
	if seen, ok := f.sightings[path]; ok && same(seen.info, info) {
		return seen.since
	}
	f.sightings[path] = sighting{info, now}
	return now
}

// settled tells whether a file may be taken as it is now: it held still and is complete. What stays incomplete for longer than
// Patience will not become complete: it is taken, so that its run says what is wrong with it.
func (f *Folder) settled(path string, info fs.FileInfo, now time.Time) bool {
	since := f.look(path, info, now)
	return now.Sub(since) >= f.Still && (complete(path, f.ended) || now.Sub(f.waitedSince(path, info, since)) >= f.Patience)
}

// waitingName is where it is kept since when files have been waited for: a process that visits the folder and ends lasts shorter
// than Patience.
const waitingName = "waiting.json"

type waiting struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Since    time.Time `json:"since"`
}

// waitedSince returns since when a file that held still has been as it is, as far as this process and those before it know.
func (f *Folder) waitedSince(path string, info fs.FileInfo, since time.Time) time.Time {
	all, kept := map[string]waiting{}, filepath.Join(f.Path, ownFolder, waitingName)
	_ = readJSON(kept, &all) // what cannot be read is waited for anew
	name, _ := filepath.Rel(f.Path, path)
	if w, ok := all[name]; ok && w.Size == info.Size() && w.Modified.Equal(info.ModTime()) && !w.Since.After(since) {
		return w.Since
	}
	maps.DeleteFunc(all, func(name string, _ waiting) bool { return !exists(filepath.Join(f.Path, name)) })
	all[name] = waiting{info.Size(), info.ModTime(), since}
	_ = errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), writeJSON(kept, all)) // what cannot be kept is waited for anew
	return since
}
