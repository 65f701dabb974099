package inbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Hint signals when something happens in the folder, so that the caller need not wait for the next poll. It is only a
// hint: network shares send no events, and if the folder cannot be watched the channel never signals anything. Several
// events may be signalled as one. It ends with ctx.
func (f *Folder) Hint(ctx context.Context) <-chan struct{} {
	hints := make(chan struct{}, 1)
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return hints
	}
	if err := watcher.Add(f.Path); err != nil {
		_ = watcher.Close() // nothing is watched, so nothing is lost
		return hints
	}
	go func() {
		defer func() { _ = watcher.Close() }()
		for {
			select {
			case _, ok := <-watcher.Events:
				if !ok {
					return
				}
			case <-watcher.Errors: // events were lost, which is one too
			case <-ctx.Done():
				return
			}
			select {
			case hints <- struct{}{}:
			default:
			}
		}
	}()
	return hints
}

// Counts says how many files are where.
type Counts struct {
	Waiting  int `json:"waiting"`  // arrived, or taken and not put away
	Rejected int `json:"rejected"` // with a reason beside them
}

// Count counts the files without touching any; another process may be polling the folder.
func (f *Folder) Count() (c Counts, err error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return c, err
	}
	for _, entry := range entries {
		if !entry.IsDir() && f.wanted(entry.Name()) {
			c.Waiting++
		}
	}
	tickets, err := os.ReadDir(filepath.Join(f.Path, ownFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	for _, entry := range tickets {
		t, err := f.readTicket(filepath.Join(f.Path, ownFolder, entry.Name()))
		if err == nil && t.name != "" { // else it is being filled or put away
			c.Waiting++
		}
	}
	rejected, err := os.ReadDir(f.Rejected)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	for _, entry := range rejected {
		if exists(filepath.Join(f.Rejected, entry.Name()+noteEnding)) {
			c.Rejected++
		}
	}
	return c, nil
}
