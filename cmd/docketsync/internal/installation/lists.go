package installation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/conflict"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/referencelist"
)

// ListSpec says how to request a list of the configuration, for the names in it.
func ListSpec(name string, l config.List) apiclient.ListSpec {
	return apiclient.ListSpec{Name: name, Path: l.Path, Take: l.Take, Items: l.Items, Total: l.Total, ID: l.ID, Members: l.Name}
}

// Lists returns the lists of the service. The service is contacted when the first one is fetched.
func (in *Installation) Lists() *referencelist.Store {
	return &referencelist.Store{Folder: in.Config.ListFolder(), Service: in.Config.ListService(),
		Ask: func(ctx context.Context, spec apiclient.ListSpec) ([]apiclient.ListItem, error) {
			client, err := in.Client(ctx)
			if err != nil {
				return nil, err
			}
			return client.List(ctx, spec)
		}}
}

// KeptLists gives a job the lists that its lookups need, as they were last fetched. Missing ones are reported if the
// job is run without having been fetched.
func (in *Installation) KeptLists(job *importer.Job) {
	job.Lists, job.Unlisted = map[string]*referencelist.List{}, map[string]error{}
	for _, name := range job.ListNames() {
		list, err := in.Lists().Cached(ListSpec(name, in.Config.Service.Lists.Named[name]))
		if err != nil {
			job.Unlisted[name] = err
			continue
		}
		job.Lists[name] = list
	}
}

// FetchLists fetches the lists that the jobs' lookups need from the service, each once, unless the saved one is recent
// enough. It needs no network if there are none.
func (in *Installation) FetchLists(ctx context.Context, jobs []importer.Job) error {
	if in.Config.Rehearses() {
		return nil // the sandbox has other lists: KeptLists gave those of the service as they were last fetched
	}
	fetched := map[string]*referencelist.List{}
	for _, job := range jobs {
		for _, name := range job.ListNames() {
			if fetched[name] == nil {
				settings := in.Config.Service.Lists.Named[name]
				list, err := in.Lists().Current(ctx, ListSpec(name, settings), settings.MaxAge)
				switch {
				case err != nil && ctx.Err() != nil:
					return exit.As(exit.Interrupted, fmt.Errorf("interrupted while the list %s was fetched; nothing was sent", name))
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

// ChooseLists returns the named lists of the configuration, or all if none is named.
func ChooseLists(s config.Service, names []string) ([]string, error) {
	all := s.ListNames()
	if len(all) == 0 {
		return nil, exit.Mistakef("the configuration has no lists\nDescribe them under service.lists, each with the path that the service's operator names")
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, exit.Mistakef("the configuration has no list %q; the lists are %s", name, strings.Join(all, ", "))
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return names, nil
}

// ReadListTwice reads a list of the service twice in a row, with the members by which records are compared; it returns
// nil if the configuration has no list of that name. began is when the first reading began.
func (in *Installation) ReadListTwice(ctx context.Context, name string) (listing *inquiry.Listing, began time.Time, err error) {
	settings, has := in.Config.Service.Lists.Named[name]
	if !has {
		return nil, began, nil
	}
	client, err := in.Client(ctx)
	if err != nil {
		return nil, began, err
	}
	spec := ListSpec(name, settings)
	spec.Members = slices.Clone(spec.Members)
	same := slices.Sorted(maps.Keys(settings.Same))
	for _, member := range same {
		spec.Members = append(spec.Members, settings.Same[member])
	}
	began = time.Now()
	first, err := client.List(ctx, spec)
	if err != nil {
		return nil, began, err
	}
	second, err := client.List(ctx, spec)
	return &inquiry.Listing{First: first, Second: second, Keys: len(settings.Name), Same: same}, began, err
}

// listing reads a list for the importer, which looks there for what the ledger does not know.
func (in *Installation) listing(ctx context.Context, name string) (*inquiry.Listing, error) {
	listing, _, err := in.ReadListTwice(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("what the ledger knows nothing of may be in the service already, and its list %s could not be read: %w\n"+
			"Correct service.lists, or leave that list out", name, err)
	}
	return listing, nil
}

// shows says how to read the list that shows the records of an operation and who changed them; nil if the configuration
// has none, and in a rehearsal, whose sandbox nobody else changes.
func (in *Installation) shows(op payload.Operation) (*conflict.List, error) {
	name := op.About().Shows
	settings, has := in.Config.Service.Lists.Named[name]
	if !has || settings.Changed == nil || in.Config.Rehearses() {
		return nil, nil
	}
	c := *settings.Changed
	return &conflict.List{Name: name, Rule: conflict.Rule{By: c.By != "", Us: c.Us}, SendUnknown: c.Unknown == "send",
		Walk: func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error {
			client, err := in.Client(ctx)
			if err != nil {
				return err
			}
			return client.Walk(ctx, changesSpec(name, settings), begin, func(items []apiclient.ListItem) error { return page(told(op, c, items)) })
		}}, nil
}

// changesSpec says how to request a list, for who changed the records in it and when.
func changesSpec(name string, l config.List) apiclient.ListSpec {
	spec := ListSpec(name, l)
	spec.Whole, spec.Members = true, nil
	for _, member := range []string{l.Changed.At, l.Changed.By} {
		if member != "" {
			spec.Members = append(spec.Members, member)
		}
	}
	return spec
}

// told returns what the items of a page show.
func told(op payload.Operation, c config.Changed, items []apiclient.ListItem) []ledger.Listed {
	list := make([]ledger.Listed, len(items))
	for n, item := range items {
		texts := item.Texts
		list[n] = ledger.Listed{ID: payload.PlainID(item.ID), Fields: apiclient.Told(op, item.Object, c.Fields)}
		if c.At != "" {
			list[n].At, texts = texts[0], texts[1:]
		}
		if c.By != "" {
			list[n].By = texts[0]
		}
	}
	return list
}
