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

// MappingName is the file name of a job's mapping.
const MappingName = "mapping.yaml"

// NewJob is a job to save, or a saved job whose mapping has changed since.
type NewJob struct {
	Name    string
	Source  string // the file that it reads
	Options source.Options
	Mapping string            // the text of the mapping
	Files   map[string][]byte // the lookups, by their paths from the mapping's folder
	Known   bool              // the job was saved before
	Next    next
}

// Place says where a job is saved.
type Place struct {
	Folder string // of its mapping and lookups
	File   string // of the job itself; "" if the configuration already has the job
	Text   []byte // of File
	Inbox  string // its inbox, which has to be created; "" for none
	Wrong  string // why the job cannot be saved; "" if it can
}

// planned lists the files to write for a job.
type planned struct {
	Place
	Files []string // the mapping first, the job last
	Taken []taken  // those of Files that exist with different content

	files []jobFile
}

// taken is an existing file that would be replaced. Lines are the lines that differ, Then the lines that replace them.
type taken struct {
	Path, Lines, Then string

	digest string // of its content
}

// shownLines is the maximum number of lines shown of a difference.
const shownLines = 40

// takenBy compares the current text of a file with the new one. It leaves out the lines that are the same at the
// beginning and the end.
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

// filesOf returns the files of a job.
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

// plan returns what save would write, or why the job cannot be saved.
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

// Replaces identifies the files that would be replaced, with their content. The user confirms exactly these.
func (pl planned) Replaces() string {
	var all []string
	for _, t := range pl.Taken {
		all = append(all, t.Path+" ("+t.digest+")")
	}
	return strings.Join(all, ", ")
}

// save writes the files of a job, the job itself last. It writes all of them or none. It replaces existing files with
// different content only if replace names exactly these files and their content. It keeps each replaced file under a
// name with a time stamp.
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
			continue // the content is the same
		}
		if err := atomicfile.Put(f.path, 0o640, f.text); err != nil {
			return pl, err
		}
		undo = append(undo, func() error { return os.Remove(f.path) })
	}
	return pl, nil
}

// saved reads the current mapping and lookups of a saved job, by their paths in its folder.
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
