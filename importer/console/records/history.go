package records

import (
	"context"
	"net/http"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report/outcome"
)

const (
	// historyShown is how many runs of a record its page shows, historyMost how many if asked for more.
	historyShown, historyMost = 50, 2000
)

// historyView is the history of a record over all runs.
type historyView struct {
	Scope, Key string
	Name       string
	Known      *ledger.LastAccepted // what the service is known to hold, nil for nothing
	Holds      []payload.Change
	Doubt      *ledger.Doubt
	ID         string // the service's id, as far as it is known
	Entries    []historyEntry
	More       bool
	Most       int
}

// historyEntry is a record in one run, or in several consecutive runs that found it unchanged.
type historyEntry struct {
	entry
	Outcome   outcome.Outcome
	Changes   []planfile.Change
	Created   bool // Changes are all values, because the service held none before
	Unchanged int  // how many runs found it unchanged; 0 for a single run with another outcome
	Since     time.Time
}

// history shows a record in all runs.
func history(r *web.Request) error {
	query := r.URL.Query()
	view := historyView{Scope: query.Get("scope"), Key: query.Get("key"), Most: historyMost}
	shown := historyShown
	if query.Get("all") != "" {
		shown = historyMost
	}
	records, err := r.Book().History(r.Context(), view.Scope, view.Key, shown+1)
	if err != nil {
		return err
	}
	known, err := r.Book().Known(r.Context(), view.Scope, []string{view.Key})
	if err != nil {
		return err
	}
	k, held := known[view.Key]
	if len(records) == 0 && !held {
		return web.Refuse(http.StatusNotFound, "Record not found.", "Search for it by another number, or by its name.")
	}
	if view.More = len(records) > shown; view.More {
		records = records[:shown]
	}
	if held {
		if view.Doubt, view.ID = k.Doubt, k.ServiceID; k.Run != "" {
			view.Known, view.Name = &k, payload.Title(k.Payload)
		}
		if view.Holds, err = payload.Changes("", nil, k.Payload); err != nil {
			return err
		}
	}
	if err := addEntries(r.Context(), &view, records); err != nil {
		return err
	}
	return r.Show("record", "Record "+view.Key, view)
}

func addEntries(ctx context.Context, view *historyView, records []ledger.Record) error {
	runs := runs{}
	for _, r := range records {
		run, err := runs.of(ctx, r.Run)
		if err != nil {
			return err
		}
		if run.Kind != ledger.Push {
			continue // nothing was sent
		}
		if view.Name == "" {
			view.Name = payload.Title(r.Payload)
		}
		last := len(view.Entries) - 1
		if r.State == ledger.Unchanged && last >= 0 && view.Entries[last].Unchanged > 0 {
			view.Entries[last].Unchanged++
			view.Entries[last].Since = run.Started
			continue
		}
		e := historyEntry{entry: entry{Record: r, Of: run}, Outcome: outcome.Of(r)}
		if r.State == ledger.Unchanged {
			e.Unchanged, e.Since = 1, run.Started
		} else {
			if e.entry, err = entryOf(ctx, run, r); err != nil {
				return err
			}
			e.Created = len(r.Previous) == 0
			if e.Changes, err = changes(run, r, r.Payload); err != nil {
				return err
			}
		}
		view.Entries = append(view.Entries, e)
	}
	return nil
}
