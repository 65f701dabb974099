package installation

import (
	"fmt"
	"os"
	"path/filepath"

	"docketsync/config"
	"docketsync/importer/lookups"
	"docketsync/mapping"
)

// Named lists the files that the mappings of a configuration name: lookups, wherever they are, and the mappings that they
// extend. It leaves out what a mapping that cannot be read may name.
func Named(settings *config.Config) (list []config.Owned) {
	for _, job := range settings.Jobs {
		text, err := os.ReadFile(job.Mapping)
		if err == nil {
			text, err = mapping.Extend(job.Mapping, text, func(path string) ([]byte, error) {
				list = append(list, config.Owned{Path: path, What: "the mapping that the one of the job " + job.Name + " extends"})
				return os.ReadFile(path)
			})
		}
		if err != nil {
			continue
		}
		compiled, err := mapping.Parse(job.Mapping, text, MappingOptions(settings))
		if err != nil {
			continue
		}
		for _, spec := range compiled.Lookups() {
			if spec.File != "" {
				path := lookups.Sources{MappingDir: filepath.Dir(job.Mapping)}.LookupPath(spec)
				list = append(list, config.Owned{Path: path, What: "the lookup " + spec.Name + " of the job " + job.Name})
			}
		}
	}
	return list
}

// TakesNamed returns an error if the inbox of a job would take a file that a mapping names: it would be archived as an
// export, and the lookup would be gone.
func TakesNamed(settings *config.Config, job config.Job) error {
	if job.Source.Inbox == nil {
		return nil
	}
	for _, o := range Named(settings) {
		if job.Source.Inbox.Takes(o) {
			return fmt.Errorf("the inbox %s would take %s (%s)\nTo correct it, %s", job.Source.Inbox.Folder, o.What, o.Path, config.TakesHint)
		}
	}
	return nil
}
