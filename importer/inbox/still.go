package inbox

import (
	"io/fs"
	"os"
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

// settled tells whether a file that has been as it is for a while may be taken: it held still and is complete. What stays
// incomplete for longer than Patience will not become complete: it is taken, so that its run says what is wrong with it.
func (f *Folder) settled(path string, quiet time.Duration) bool {
	return quiet >= f.Still && (quiet >= f.Patience || complete(path, f.ended))
}
