package installation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"docketsync/config"
	"docketsync/importer/lookups"
	"docketsync/mapping"
)

// Named lists the files that the mappings of a configuration name: lookups, wherever they are, and the mappings that they
// extend. It leaves out what a mapping that cannot be read may name.
func Named(settings *config.Config) []config.Owned {
	list, _ := named(settings)
	return list
}

// unread is a mapping that cannot be read, perhaps only for as long as somebody edits it.
type unread struct {
	job, path string
	text      []byte // as much as could be read, that of its base included
	err       error  // why, if not all of it could be read
}

func named(settings *config.Config) (list []config.Owned, broken []unread) {
	for _, job := range settings.Jobs {
		is := unread{job: job.Name, path: job.Mapping}
		read := func(path string) ([]byte, error) {
			text, err := os.ReadFile(path)
			if !errors.Is(err, fs.ErrNotExist) {
				is.err = errors.Join(is.err, err)
			}
			is.text = append(append(is.text, text...), '\n')
			return text, err
		}
		text, err := read(job.Mapping)
		if err == nil {
			text, err = mapping.Extend(job.Mapping, text, func(path string) ([]byte, error) {
				list = append(list, config.Owned{Path: path, What: "the mapping that the one of the job " + job.Name + " extends"})
				return read(path)
			})
		}
		var compiled *mapping.Mapping
		if err == nil {
			compiled, err = mapping.Parse(job.Mapping, text, MappingOptions(settings))
		}
		if err != nil {
			broken = append(broken, is)
			continue
		}
		for _, spec := range compiled.Lookups() {
			if spec.File != "" {
				path := lookups.Sources{MappingDir: filepath.Dir(job.Mapping)}.LookupPath(spec)
				list = append(list, config.Owned{Path: path, What: "the lookup " + spec.Name + " of the job " + job.Name})
			}
		}
	}
	return list, broken
}

// TakesNamed returns an error if the inbox of a job would take a file that a mapping names: it would be archived as an
// export, and the lookup would be gone. Of a mapping that cannot be read, every file counts whose name is in its text.
func TakesNamed(settings *config.Config, job config.Job) error {
	in := job.Source.Inbox
	if in == nil {
		return nil
	}
	list, broken := named(settings)
	for _, o := range list {
		if in.Takes(o) {
			return fmt.Errorf("the inbox %s would take %s (%s)\nTo correct it, %s", in.Folder, o.What, o.Path, config.TakesHint)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	waiting, err := os.ReadDir(in.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, b := range broken {
		if b.err != nil {
			return fmt.Errorf("the inbox %s takes nothing while the mapping of the job %s cannot be read: nobody knows which files are its lookups\n%w", in.Folder, b.job, b.err)
		}
		for _, file := range waiting {
			if path := filepath.Join(in.Folder, file.Name()); b.names(file.Name()) && in.Takes(config.Owned{Path: path}) {
				return fmt.Errorf("the inbox %s would take %s, which may be a lookup of the job %s: its mapping %s names it and has an error\nCorrect the mapping ('docketsync doctor' shows the error), or %s",
					in.Folder, path, b.job, b.path, config.TakesHint)
			}
		}
	}
	return nil
}

// names reports whether a file's name is in the text of a mapping, as a whole. In a comment it does not count: a proposed
// mapping begins with one that names the export.
func (b unread) names(file string) bool {
	is, err := regexp.Match(`(?im)^([^#\n]|[^\s#]#)*?(^|[^#\pL\pN_.-])`+regexp.QuoteMeta(file)+`([^\pL\pN_.-]|$)`, b.text)
	return is || err != nil
}
