package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docketsync/apiclient"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/lists"
)

// listSpec is how a list of the configuration is asked for, for the names in it.
func listSpec(name string, l config.List) apiclient.ListSpec {
	return apiclient.ListSpec{Name: name, Path: l.Path, Take: l.Take, Items: l.Items, Total: l.Total, ID: l.ID, Members: l.Name}
}

// lists are the lists of the service. The service is reached when the first one is fetched.
func (in *installation) lists() *lists.Store {
	return &lists.Store{Folder: in.config.ListFolder(), Service: in.config.ListService(),
		Ask: func(ctx context.Context, spec apiclient.ListSpec) (apiclient.Listing, error) {
			if err := in.dial(ctx); err != nil {
				return apiclient.Listing{}, err
			}
			return in.client.List(ctx, spec)
		}}
}

// keptLists gives a job the lists that its lookups need as they were fetched last. Those that are not at hand are told
// when the job is run without having been fetched.
func (in *installation) keptLists(job *importer.Job) {
	job.Lists, job.Unlisted = map[string]*lists.List{}, map[string]error{}
	for _, name := range job.ListNames() {
		list, err := in.lists().Cached(listSpec(name, in.config.Service.Lists.Named[name]))
		if err != nil {
			job.Unlisted[name] = err
			continue
		}
		job.Lists[name] = list
	}
}

// fetchLists asks the service for the lists that the jobs' lookups need, each once, unless what was fetched earlier is
// young enough. It needs no network when there are none.
func (in *installation) fetchLists(ctx context.Context, jobs []importer.Job) error {
	if in.config.Rehearses() {
		return nil // the sandbox has other lists: keptLists gave those of the service as they were fetched last
	}
	fetched := map[string]*lists.List{}
	for _, job := range jobs {
		for _, name := range job.ListNames() {
			if fetched[name] == nil {
				settings := in.config.Service.Lists.Named[name]
				list, err := in.lists().Current(ctx, listSpec(name, settings), settings.MaxAge)
				switch {
				case err != nil && ctx.Err() != nil:
					return exitStatus{exitInterrupted, fmt.Errorf("interrupted while the list %s was fetched; nothing was sent", name)}
				case err != nil:
					return err
				}
				fetched[name] = list
			}
			job.Lists[name] = fetched[name]
		}
	}
	return nil
}

// chooseLists are the named lists of the configuration, all when none is named.
func chooseLists(s config.Service, names []string) ([]string, error) {
	all := s.ListNames()
	if len(all) == 0 {
		return nil, usage("the configuration has no lists\nDescribe them under service.lists, each with the path that the service's operator names")
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, usage("the configuration has no list %q; the lists are %q", name, all)
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return names, nil
}

// listing reads a list of the service twice; nil where the configuration has none of that name.
func (in *installation) listing(ctx context.Context, name string) (*importer.Listing, error) {
	settings, has := in.config.Service.Lists.Named[name]
	if !has {
		return nil, nil
	}
	read, err := in.readListTwice(ctx, inquirySpec(name, settings))
	if err != nil {
		return nil, fmt.Errorf("what the ledger knows nothing of may be in the service already, and its list %s could not be read: %w\n"+
			"Correct service.lists, or leave that list out", name, err)
	}
	return &importer.Listing{First: read.first, Second: read.second, Keys: len(settings.Name), Same: slices.Sorted(maps.Keys(settings.Same))}, nil
}
