package importer

import (
	"context"

	"docketsync/importer/source"
	"docketsync/mapping"
)

// Proven returns the job with a mapping that is ready to map: where the mapping says dates: proven, the sources are read once
// for how the dates of each column are written, over all inputs of the job. Other jobs come back as they are, without
// anything being read. The error is of type document.Faults when a column does not prove it.
//
// The proof follows from the files, the mapping and its lookups alone, so a run that is gone on with needs no other one.
func (i *Importer) Proven(ctx context.Context, job Job) (Job, error) {
	if !job.Mapping.Proves() {
		return job, nil
	}
	lookups, err := i.Lookups(ctx, job)
	if err != nil {
		return job, err
	}
	return proven(ctx, job, lookups)
}

func proven(ctx context.Context, job Job, lookups map[string]*mapping.Lookup) (Job, error) {
	if !job.Mapping.Proves() {
		return job, nil
	}
	proof, files := mapping.NewDateProof(), []string(nil)
	for _, input := range job.Inputs {
		parts, err := prove(ctx, job, input, lookups, proof, len(files))
		if err != nil {
			return job, err
		}
		files = append(files, parts...)
	}
	m, err := job.Mapping.Proven(proof, func(source int) string { return files[source] })
	if err != nil {
		return job, err
	}
	job.Mapping = m
	return job, nil
}

// prove takes the rows of one input as evidence and returns what to call its parts.
func prove(ctx context.Context, job Job, input Input, lookups map[string]*mapping.Lookup, proof *mapping.DateProof, first int) (names []string, err error) {
	table, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := table.Close(); err == nil {
			err = closing
		}
	}()
	mapper, err := job.Mapping.Bind(table.Header(), lookups)
	if err != nil {
		return nil, err
	}
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		row.Source += first
		mapper.Prove(proof, row)
	}
	for _, part := range table.Sources() {
		name := part.File
		if part.Sheet != "" {
			name += ", sheet " + part.Sheet
		}
		names = append(names, name)
	}
	return names, nil
}
