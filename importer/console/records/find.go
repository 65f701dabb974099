package records

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report/outcome"
)

const (
	// foundShown is how many records a search shows.
	foundShown = 50
	// learnWithin is how long a search waits for indexing to finish; indexing that takes longer continues in the
	// background.
	learnWithin = 700 * time.Millisecond
	// questionLimit is how long a search text may be, in bytes.
	questionLimit = 200
)

// findView is what a search found.
type findView struct {
	Text  string
	Found []foundLine
	More  bool
	How   ledger.Searchable
}

// fieldWords say where something was found that is not a field of the payload.
var fieldWords = map[string]string{ledger.FieldCell: "a cell in its row", ledger.FieldID: "its id", ledger.FieldKey: "its key"}

// foundLine is a record with its state after the last run that had it.
type foundLine struct {
	ledger.Found
	Field   string
	Name    string // what it is called
	ID      string
	Outcome outcome.Outcome
	Run     string
	At      time.Time
}

// learn starts to index records for the search in the background, unless that is in progress. The channel is closed
// when it is done.
func (p *Pages) learn(ctx context.Context) (finished <-chan struct{}) {
	p.learning.Lock()
	defer p.learning.Unlock()
	if p.learned != nil {
		return p.learned
	}
	done := make(chan struct{})
	p.learned = done
	read := p.Snapshots.Hold(ctx)
	p.Background(func(ctx context.Context) {
		defer p.Snapshots.Release(read)
		if err := read.Book.MakeSearchable(ctx); err != nil {
			p.Log.Error("not all records could be indexed for search", zap.Error(err))
		}
		p.learning.Lock()
		defer p.learning.Unlock()
		p.learned = nil
		close(done)
	})
	return done
}

func (p *Pages) find(r *web.Request) error {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(text) > questionLimit {
		return web.Refuse(http.StatusBadRequest, "The search text is too long.", "The beginning of a number or a name is enough.")
	}
	view := findView{Text: text}
	if text == "" {
		p.learn(r.Context()) // while the person is typing
		return r.Show("find", "Find a record", view)
	}
	how, err := r.Book().Searchable(r.Context())
	if err != nil {
		return err
	}
	if !how.Whole() {
		select {
		case <-p.learn(r.Context()):
		case <-time.After(learnWithin):
		case <-r.Context().Done():
		}
		if how, err = r.Book().Searchable(r.Context()); err != nil {
			return err
		}
	}
	view.How = how
	found, more, err := r.Book().Search(r.Context(), text, foundShown)
	if err != nil {
		return err
	}
	view.More = more
	runs := runs{}
	for _, f := range found {
		line, err := lineOf(r.Context(), f, runs)
		if err != nil {
			return err
		}
		view.Found = append(view.Found, line)
	}
	return r.Show("find", "Find a record", view)
}

func lineOf(ctx context.Context, f ledger.Found, runs runs) (foundLine, error) {
	line := foundLine{Found: f, Field: cmp.Or(fieldWords[f.Field], web.Words(f.Field))}
	known, err := web.Book(ctx).Known(ctx, f.Scope, []string{f.Key})
	if err != nil {
		return line, err
	}
	line.ID, line.Name = known[f.Key].ServiceID, payload.Title(known[f.Key].Payload)
	last, err := web.Book(ctx).History(ctx, f.Scope, f.Key, 1)
	if err != nil || len(last) == 0 {
		return line, err
	}
	r := last[0]
	line.Run, line.Outcome = r.Run, outcome.Of(r)
	line.Name = cmp.Or(line.Name, payload.Title(r.Payload))
	run, err := runs.of(ctx, r.Run)
	line.At = run.Started
	return line, err
}

const (
	// historyShown is how many runs of a record its page shows, historyMost how many if asked for more.
	historyShown, historyMost = 50, 2000
)

// historyView is the history of a record over all runs.
type historyView struct {
	Scope, Key string
	Name       string
	Known      *ledger.LastAccepted // what the service is known to hold, nil for nothing
	Holds      []planfile.Change
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
		if view.Holds, err = changes(ledger.Run{}, ledger.Record{}, k.Payload); err != nil {
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
