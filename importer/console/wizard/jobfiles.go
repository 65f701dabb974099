package wizard

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docketsync/importer/atomicfile"
	"docketsync/importer/console/upload"
	"docketsync/importer/source"
)

// MappingName is what the mapping of a job is called in its folder.
const MappingName = "mapping.yaml"

// NewJob is a job that is to be saved, or one that was saved and whose mapping has changed since.
type NewJob struct {
	Name    string
	Source  string // the file that it reads
	Options source.Options
	Mapping string            // the text of the mapping
	Files   map[string][]byte // the lookups, by their paths from the mapping's folder
	Known   bool              // the job was saved before
	Next    next
}

// Place is where a job is kept.
type Place struct {
	Folder string // of its mapping and lookups
	File   string // of the job itself; "" where the configuration has the job
	Text   []byte // of File
	Inbox  string // the folder that its files arrive in, to be made; "" for none
	Wrong  string // why the job cannot be saved, "" where it can
}

// planned is what is written for a job.
type planned struct {
	Place
	Files []string // the mapping first, the job last
	Taken []string // of these, those that are there and hold something else

	files []jobFile
}

type jobFile struct {
	path string
	text []byte
}

// filesOf are the files of a job.
func filesOf(job NewJob, at Place) []jobFile {
	files := []jobFile{{filepath.Join(at.Folder, MappingName), []byte(job.Mapping)}}
	for _, name := range slices.Sorted(maps.Keys(job.Files)) {
		files = append(files, jobFile{filepath.Join(at.Folder, filepath.FromSlash(name)), job.Files[name]})
	}
	if at.File != "" {
		files = append(files, jobFile{at.File, at.Text})
	}
	return files
}

// plan says what save would write, and what stands in its way.
func (p *Pages) plan(job NewJob) (pl planned, err error) {
	if name := upload.JobName(job.Name); job.Name == "" || name != job.Name {
		pl.Wrong = fmt.Sprintf("A job cannot be called %q. Use letters a to z, digits and single hyphens, such as %s.", job.Name, name)
		return pl, nil
	}
	if pl.Place, err = p.Work.PlaceOf(job); err != nil {
		return pl, err
	}
	pl.files = filesOf(job, pl.Place)
	for _, f := range pl.files {
		pl.Files = append(pl.Files, f.path)
		switch text, err := os.ReadFile(f.path); {
		case err == nil && !bytes.Equal(text, f.text):
			pl.Taken = append(pl.Taken, f.path)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return pl, err
		}
	}
	return pl, nil
}

// Replaces names the files that would be replaced, for whoever agrees to it.
func (pl planned) Replaces() string { return strings.Join(pl.Taken, "|") }

// save writes the files of a job, the job itself last: all of them or none. Files that are there and hold something else are replaced
// only where replace names just these, and kept beside under the time of day.
func (p *Pages) save(job NewJob, replace string) (pl planned, err error) {
	p.saving.Lock()
	defer p.saving.Unlock()
	pl, err = p.plan(job)
	if err != nil || pl.Wrong != "" || pl.Replaces() != "" && pl.Replaces() != replace {
		return pl, err
	}
	stamp := "." + time.Now().UTC().Format("20060102T150405.000Z")
	var undo []func() error
	defer func() {
		for _, step := range slices.Backward(undo) {
			if err != nil {
				err = errors.Join(err, step())
			}
		}
	}()
	for _, f := range pl.files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
			return pl, err
		}
		if slices.Contains(pl.Taken, f.path) {
			if err := os.Rename(f.path, f.path+stamp); err != nil {
				return pl, err
			}
			undo = append(undo, func() error { return os.Rename(f.path+stamp, f.path) })
		} else if _, err := os.Stat(f.path); err == nil {
			continue // it holds the same
		}
		if err := atomicfile.Put(f.path, 0o640, f.text); err != nil {
			return pl, err
		}
		undo = append(undo, func() error { return os.Remove(f.path) })
	}
	return pl, nil
}

// saved reads the mapping and the lookups of a job as they are by now, by their paths from its folder.
func (p *Pages) saved(job NewJob) (map[string][]byte, error) {
	at, err := p.Work.PlaceOf(job)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range append(slices.Collect(maps.Keys(job.Files)), MappingName) {
		text, err := os.ReadFile(filepath.Join(at.Folder, filepath.FromSlash(name)))
		if err == nil {
			files[name] = text
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}
