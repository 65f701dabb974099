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
