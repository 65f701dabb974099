package inbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Counts is how many files lie where.
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
