package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Folder is a folder in which files arrive for one job. It is not safe for concurrent use, and no two processes may
// poll one folder at a time; the caller must hold a lock.
type Folder struct {
	// Path is the watched folder. Folders in it are not looked into.
	Path string
	// Patterns are the names to take, with * and ?, ignoring case.
	Patterns []string
	// Newest takes only the last of the files that are there, in their order. Those before it are put away as
	// superseded, and so are those that arrive late, out of order, after the last one that was run. Otherwise all files
	// are taken, in order.
	Newest bool
	// ByName orders files by their names; otherwise by the time they were last written.
	ByName bool
	// Still is how long size and time must hold still, in the folder and again after the file was moved.
	Still time.Duration
	// Patience is how long to wait for the rest of a file that stopped changing but looks incomplete, and how long a
	// file is watched in the archive.
	Patience time.Duration
	// Marker is the ending of a marker file that says another file is complete, as X.csv.done does for X.csv; "" for
	// none.
	Marker string
	// Archive and Rejected are the folders for files that are done with.
	Archive, Rejected string
	// Changes says that each file holds changes that no other file has. A file whose run left something open is kept,
	// to be run again, and no other file overtakes it.
	Changes bool
	// Runs lists the finished runs of the job, newest first, as the ledger knows them.
	Runs func(context.Context) ([]Run, error)

	sightings map[string]sighting
	later     map[string]time.Time // tickets that are not handed out before a time
	archived  []archived           // that may still grow
	ended     bool                 // a text file that was run ended with a line break, so one that does not may be cut off
}

// Run is a file that a finished run read.
type Run struct {
	ID     string
	File   string // its path, as the run was given it
	SHA256 string // of its content, hex
	// Written is when the file was last written, or zero if unknown.
	Written time.Time
	// Ended says that the text files of the job end with a line break, as most of the last ones did.
	Ended bool
	// Open reports whether the run of a file of changes left something open that running the same file again would
	// send.
	Open func(context.Context) (bool, error)
	// Repeats reports whether the same content at path would send nothing: the run got everything in, and nothing that
	// affects its rows has changed since.
	Repeats func(ctx context.Context, path string) (bool, error)
}

// Found is the result of a poll.
type Found struct {
	// Taken is the file to run now, or nil. It is handed out again until it is put away.
	Taken *Taken
	// Aside lists files that were put away without being run.
	Aside []Aside
	// Back lists files that grew after they had been run and archived.
	Back []Back
	// Waiting counts the files that are there but cannot be taken yet.
	Waiting int
}

// Aside is a file that was put away without being run, and why.
type Aside struct {
	Name string // as it arrived
	Path string // where it is now
	Why  string
	// Refused says that it is not a regular file, and was put among the rejected.
	Refused bool
}

// arrival is a file in the folder that will be taken sooner or later.
type arrival struct {
	name    string
	info    fs.FileInfo
	settled bool
}

// Poll looks once, and takes at most one file: the next one in order. now may come from any clock that moves forward; a
// file needs at least three looks, Still apart. An error concerns the folder, not a file in it, and loses nothing: the
// next poll resumes from what is on disk.
func (f *Folder) Poll(ctx context.Context, now time.Time) (found Found, err error) {
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) {
			err = fmt.Errorf("the inbox %s: %w\nThe folder must exist, and docketsync must be able to read and write it", f.Path, err)
		}
	}()
	found.Back = f.lookBack(now)
	for ctx.Err() == nil {
		t, err := f.openTicket()
		if err == nil && t == nil {
			t, err = f.next(ctx, now, &found)
		}
		if err != nil || t == nil {
			return found, err
		}
		if done, err := f.serve(ctx, t, now, &found); err != nil || !done {
			return found, err
		}
	}
	return found, ctx.Err()
}

// next takes the next file that is ready, or returns nil.
func (f *Folder) next(ctx context.Context, now time.Time, found *Found) (*ticket, error) {
	for {
		here, err := f.arrivals(now, found)
		if err != nil {
			return nil, err
		}
		here, late, err := f.late(ctx, here, now)
		if err != nil {
			return nil, err
		}
		chosen, before := choose(here, f.Newest)
		for _, old := range before {
			late = append(late, superseded{old, chosen.name + " is newer"})
		}
		for _, old := range late {
			aside, err := f.supersede(old, now)
			if err != nil {
				return nil, err
			}
			if aside != nil {
				found.Aside = append(found.Aside, *aside)
			}
		}
		if chosen == nil {
			found.Waiting = len(here)
			return nil, nil
		}
		found.Waiting = len(here) - len(before) - 1
		if t, err := f.take(*chosen, now); t != nil || err != nil {
			return t, err
		}
		// The file was gone by then.
	}
}

// choose decides which of the files, in order, is taken now, and which are put away because it supersedes them. If all
// files are to be taken, a file that is not ready keeps those behind it waiting. If only the newest counts, a file that
// is not ready holds up nothing.
func choose(here []arrival, newest bool) (chosen *arrival, before []arrival) {
	if !newest {
		if len(here) > 0 && here[0].settled {
			return &here[0], nil
		}
		return nil, nil
	}
	for n := range here {
		if !here[n].settled {
			continue
		}
		if chosen != nil {
			before = append(before, *chosen)
		}
		chosen = &here[n]
	}
	return chosen, before
}

// superseded is a file that is not run, with the reason.
type superseded struct {
	arrival
	why string
}

// late separates the files that arrived too late, after a newer one was run, from those that count, if only the newest
// does. A last run with a time in the future proves nothing: its writer had a wrong clock.
func (f *Folder) late(ctx context.Context, here []arrival, now time.Time) (rest []arrival, late []superseded, err error) {
	if !f.Newest || !slices.ContainsFunc(here, func(a arrival) bool { return a.settled }) {
		return here, nil, nil
	}
	runs, err := f.Runs(ctx)
	if err != nil {
		return nil, nil, err
	}
	n := slices.IndexFunc(runs, func(r Run) bool { return f.Took(r.File) })
	if n < 0 || !f.ByName && (runs[n].Written.IsZero() || runs[n].Written.After(now)) {
		return here, nil, nil
	}
	last, name := runs[n], filepath.Base(runs[n].File)
	for _, a := range here {
		older := compareNames(a.name, name) < 0
		if !f.ByName { // the ledger keeps microseconds
			older = a.info.ModTime().Truncate(time.Microsecond).Before(last.Written.Truncate(time.Microsecond))
		}
		if older && a.settled {
			late = append(late, superseded{a, name + ", which run " + last.ID + " read, is newer"})
		} else {
			rest = append(rest, a)
		}
	}
	return rest, late, nil
}

// Took reports whether the path that a run was given is of a file from the inbox, rather than one that somebody named.
func (f *Folder) Took(path string) bool {
	return filepath.Base(filepath.Dir(filepath.Dir(path))) == ownFolder || filepath.Dir(path) == filepath.Clean(f.Rejected)
}

// arrivals returns the files to be taken sooner or later, in order. Anything that is not a file is put away.
func (f *Folder) arrivals(now time.Time, found *Found) ([]arrival, error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for _, entry := range entries {
		present[entry.Name()] = true
	}
	var here []arrival
	for _, entry := range entries {
		if entry.IsDir() || !f.wanted(entry.Name()) || f.Marker != "" && !present[entry.Name()+f.Marker] {
			continue
		}
		path := filepath.Join(f.Path, entry.Name())
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !plain(info) {
			aside, err := f.refuse(path, entry.Name(), info)
			if err != nil {
				return nil, err
			}
			found.Aside = append(found.Aside, aside)
			continue
		}
		here = append(here, arrival{entry.Name(), info, f.settled(path, info, now)})
	}
	maps.DeleteFunc(f.sightings, func(path string, _ sighting) bool { // of files that are gone
		return filepath.Dir(path) == filepath.Clean(f.Path) && !present[filepath.Base(path)]
	})
	slices.SortFunc(here, func(a, b arrival) int {
		names := compareNames(a.name, b.name)
		if f.ByName {
			return names
		}
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), names)
	})
	return here, nil
}
