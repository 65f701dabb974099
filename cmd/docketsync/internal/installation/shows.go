package installation

import (
	"context"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
)

// shows says how the list is read that shows the records of an operation and who changed them; nil where the configuration has none, and in a
// rehearsal, whose sandbox nobody else changes.
func (in *Installation) shows(op payload.Operation) (*conflict.List, error) {
	name := op.About().Shows
	settings, has := in.Config.Service.Lists.Named[name]
	if !has || settings.Changed == nil || in.Config.Rehearses() {
		return nil, nil
	}
	c := *settings.Changed
	return &conflict.List{Name: name, Rule: conflict.Rule{At: c.At != "", By: c.By != "", Us: c.Us}, SendUnknown: c.Unknown == "send",
		Walk: func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error {
			if err := in.Dial(ctx); err != nil {
				return err
			}
			return in.client.Walk(ctx, changesSpec(name, settings), begin, func(items []apiclient.ListItem) error { return page(told(op, c, items)) })
		}}, nil
}

// changesSpec is how a list is asked for, for who changed the records in it and when.
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

// told is what the items of a page tell.
func told(op payload.Operation, c config.Changed, items []apiclient.ListItem) []ledger.Listed {
	list := make([]ledger.Listed, len(items))
	for n, item := range items {
		texts := item.Texts
		list[n] = ledger.Listed{ID: importer.PlainID(item.ID), Fields: apiclient.Told(op, item.Object, c.Fields)}
		if c.At != "" {
			list[n].At, texts = texts[0], texts[1:]
		}
		if c.By != "" {
			list[n].By = texts[0]
		}
	}
	return list
}
