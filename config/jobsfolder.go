package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// JobsFolder is the folder beside the configuration that holds more jobs, each in a file of its own: what an item of jobs: holds. The
// web console saves jobs there, so that no program edits the configuration.
const JobsFolder = "jobs.d"

// Lister names the files of a folder; fs.ErrNotExist where there is no such folder.
type Lister func(folder string) ([]string, error)

// IsJobFile tells by its name whether a file of the folder is read.
func IsJobFile(name string) bool {
	return (strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")) && !strings.HasPrefix(name, ".")
}

// appendJobs adds the jobs of the folder to those of the configuration, in the order of the names of their files. It keeps the texts that it
// reads, and returns the faults of files that are not YAML.
func appendJobs(config *document.File, dir string, readFile func(string) ([]byte, error), list Lister, texts map[string][]byte) (faults diagnostic.Faults, err error) {
	if list == nil {
		return nil, nil
	}
	folder := filepath.Join(dir, JobsFolder)
	names, err := list(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder of jobs cannot be read: %w\nCheck its permissions", err)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !IsJobFile(name) {
			continue
		}
		path := filepath.Join(folder, name)
		text, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("the file of a job cannot be read: %w\nCheck its permissions, or remove the file", err)
		}
		texts[path] = text
		file, err := document.Parse(path, text)
		switch {
		case err != nil:
			faults = append(faults, err.(diagnostic.Faults)...)
		case file.Root() == nil:
			faults = append(faults, file.At(nil, "the file holds no job", "write name, source and mapping, or remove the file"))
		default:
			config.Append("jobs", file)
		}
	}
	return faults, nil
}
