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
	Taken []taken  // those of Files that exist with different content

	files []jobFile
}

// taken is an existing file whose content differs from what is to be written: the lines that differ, and those that
// replace them.
type taken struct {
	Path, Lines, Then string

	digest string // of its content
}

// shownLines is how many lines of a difference are shown.
const shownLines = 40

// takenBy returns the difference between a file's present text and the one to be written, without the lines that are
// the same at both ends.
func takenBy(path, now, then string) taken {
	a, b := strings.SplitAfter(now, "\n"), strings.SplitAfter(then, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	part := func(lines []string) string { return strings.Join(lines[:min(len(lines), shownLines)], "") }
	return taken{path, part(a), part(b), upload.DigestOf(now)}
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
			pl.Taken = append(pl.Taken, takenBy(f.path, string(text), string(f.text)))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return pl, err
		}
	}
	return pl, nil
}

// Replaces names the files that would be replaced and their content, for the person who agrees to it.
func (pl planned) Replaces() string {
	var all []string
	for _, t := range pl.Taken {
		all = append(all, t.Path+" ("+t.digest+")")
	}
	return strings.Join(all, ", ")
}

// save writes the files of a job, the job itself last: all of them or none. An existing file with different content is
// replaced only if replace names exactly these files and their content; the old one is kept beside it under the time of
// day.
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
		if slices.ContainsFunc(pl.Taken, func(t taken) bool { return t.Path == f.path }) {
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
