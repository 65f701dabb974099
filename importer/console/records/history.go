package records

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
)

const (
	// historyShown is how many runs of a record its page shows, historyMost how many it shows when it is asked for more.
	historyShown, historyMost = 50, 2000
)

// historyView is what became of a record in all runs.
type historyView struct {
	Scope, Key string
	Name       string
	Known      *ledger.LastAccepted // what the service is known to hold, nil for nothing
	Holds      []payload.Change
	Doubt      *ledger.Doubt
	ID         string // that the service gave, as far as it is known
	Entries    []historyEntry
	More       bool
	Most       int
}

// historyEntry is a record in one run; or, where several runs in a row found it unchanged, all of these.
type historyEntry struct {
	ledger.Record
	Outcome   outcome.Outcome
	Of        ledger.Run
	Where     []string
	Changes   []payload.Change
	Created   bool // Changes are all values, because there were none before
	Requests  []requestLine
	Decisions []ledger.Decided
	Unchanged int // how many runs found it unchanged; 0 for an entry of one run
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
			view.Known, view.Name = &k, titleOf(k.Payload)
		}
		if view.Holds, err = values(k.Payload); err != nil {
			return err
		}
	}
	if err := addEntries(r.Context(), &view, records); err != nil {
		return err
	}
	return r.Show("record", "Record "+view.Key, view)
}

func addEntries(ctx context.Context, view *historyView, records []ledger.Record) error {
	runs := map[string]ledger.Run{}
	for _, r := range records {
		run, err := runCached(ctx, r.Run, runs)
		if err != nil {
			return err
		}
		if run.Kind != ledger.Push {
			continue // nobody was told of it
		}
		if view.Name == "" {
			view.Name = titleOf(r.Payload)
		}
		last := len(view.Entries) - 1
		if r.State == ledger.Unchanged && last >= 0 && view.Entries[last].Unchanged > 0 {
			view.Entries[last].Unchanged++
			view.Entries[last].Since = run.Started
			continue
		}
		entry, err := entryOf(ctx, run, r)
		if err != nil {
			return err
		}
		view.Entries = append(view.Entries, entry)
	}
	return nil
}

func entryOf(ctx context.Context, run ledger.Run, r ledger.Record) (e historyEntry, err error) {
	e = historyEntry{Record: r, Of: run, Outcome: outcome.Of(r), Where: Places(run, r)}
	if r.State == ledger.Unchanged {
		e.Unchanged, e.Since = 1, run.Started
		return e, nil
	}
	if len(r.Previous) > 0 {
		e.Changes, err = payload.Changes(payload.Operation(run.Operation), r.Previous, r.Payload)
	} else {
		e.Created = true
		e.Changes, err = values(r.Payload)
	}
	if err != nil {
		return e, err
	}
	attempts, err := web.Book(ctx).Attempts(ctx, r.Run, r.Seq)
	if err != nil {
		return e, err
	}
	for _, a := range attempts {
		e.Requests = append(e.Requests, requestLine{a, seen(a)})
	}
	e.Decisions, err = web.Book(ctx).Decisions(ctx, r.Run, r.Seq)
	return e, err
}

// values are all values of a payload; none of an empty one.
func values(text json.RawMessage) ([]payload.Change, error) {
	return payload.Changes("", nil, text)
}

// titleOf is what a payload calls its record, "" when it does not say.
func titleOf(payload json.RawMessage) string {
	var fields struct {
		MarkText string `json:"mark_text"`
		Name     string `json:"name"`
	}
	if json.Unmarshal(payload, &fields) != nil {
		return ""
	}
	if fields.MarkText != "" {
		return fields.MarkText
	}
	return fields.Name
}

// fieldWords say where something was found.
func fieldWords(field string) string {
	switch field {
	case ledger.FieldCell:
		return "a cell in its row"
	case ledger.FieldID:
		return "its id"
	case ledger.FieldKey:
		return "its key"
	}
	return web.Words(field)
}

// Took is how long the service took to answer.
func (r requestLine) Took() string { return strconv.FormatInt(r.Duration.Milliseconds(), 10) + " ms" }

// placesShown is how many rows of a record are named.
const placesShown = 20

// Places says where the rows of a record stand.
func Places(run ledger.Run, r ledger.Record) (list []string) {
	for n, row := range r.Rows {
		if n == placesShown {
			return append(list, fmt.Sprintf("and %d more", len(r.Rows)-n))
		}
		where := fmt.Sprintf("row %d", row.Number)
		if row.Source < len(run.Sources) {
			from := run.Sources[row.Source]
			if from.Sheet != "" {
				where = "sheet " + from.Sheet + ", " + where
			}
			where = baseName(from.File) + ", " + where
		}
		list = append(list, where)
	}
	return list
}

func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }
