package main

import (
	"context"
	"errors"
	"path/filepath"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/lookups"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// mistakes are those that a mapping which cannot be used has beside its own: columns that the source does not have, and
// faulty lookups. They are told together, so that a person mends them in one go. A source that cannot be read is told of
// when the mapping can be used.
func (c *checker) mistakes(ctx context.Context, settings config.Job) (faults diagnostic.Faults) {
	text, err := c.in.MappingText(settings.Mapping)
	if err != nil {
		return nil
	}
	draft := mapping.ParseDraft(settings.Mapping, text, installation.MappingOptions(c.in.Config))
	for _, file := range settings.Source.Files {
		table, err := source.Open(ctx, file, installation.SourceOptions(settings.Source, draft.Columns()))
		if err != nil {
			continue
		}
		faults = append(faults, draft.Missing(table.Header())...)
		_ = table.Close() // nothing was read that could be lost
		break
	}
	job := importer.Job{Name: settings.Name, Sources: lookups.Sources{MappingDir: filepath.Dir(settings.Mapping)}}
	var several diagnostic.Faults
	if errors.As(job.CheckLookups(ctx, draft.Lookups()), &several) {
		faults = append(faults, several...)
	}
	return faults
}
