package records

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
)

const (
	// foundShown is how many records a search shows.
	foundShown = 50
	// learnWithin is how long a search waits for what is not searchable yet; what takes longer goes on behind the pages.
	learnWithin = 700 * time.Millisecond
	// questionLimit is how long a text may be that is searched for, in bytes.
	questionLimit = 200
)

// findView is what a search found.
type findView struct {
	Text  string
	Found []foundLine
	More  bool
	How   ledger.Searchable
}

// foundLine is a record with how it stands after the last run that had something to say about it.
type foundLine struct {
	ledger.Found
	Field   string
	Name    string // what it is called
	ID      string
	Outcome outcome.Outcome
	Run     string
	At      time.Time
	Job     string
}

// finder makes records searchable behind the pages, one at a time.
type finder struct {
	mu      sync.Mutex
	running chan struct{} // closed when that is done; nil while nothing is done
}

// learn begins to make records searchable, unless that goes on, and says when that is done.
func (p *Pages) learn(ctx context.Context) (finished <-chan struct{}) {
	f := &p.finder
	f.mu.Lock()
	defer f.mu.Unlock()
	done := f.running
	if done == nil {
		done = make(chan struct{})
		f.running = done
		read := p.Snapshots.Hold(ctx)
		p.Background(func(ctx context.Context) {
			defer p.Snapshots.Release(read)
			defer func() {
				f.mu.Lock()
				f.running = nil
				f.mu.Unlock()
				close(done)
			}()
			if err := read.Book().MakeSearchable(ctx); err != nil {
				p.Log.Error("not all records could be made searchable", zap.Error(err))
			}
		})
	}
	return done
}

// await waits for the end of learning, but not for long.
func await(ctx context.Context, done <-chan struct{}) {
	late := time.NewTimer(learnWithin)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (p *Pages) find(r *web.Request) error {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(text) > questionLimit {
		return web.Refuse(400, "The search text is too long.", "The beginning of a number or a name is enough.")
	}
	view := findView{Text: text}
	if text == "" {
		p.learn(r.Context()) // while it is being written what to look for
		return r.Show("find", "Find a record", view)
	}
	how, err := r.Book().Searchable(r.Context())
	if err != nil {
		return err
	}
	if !how.Whole() {
		await(r.Context(), p.learn(r.Context()))
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
	runs := map[string]ledger.Run{}
	for _, f := range found {
		line, err := lineOf(r.Context(), f, runs)
		if err != nil {
			return err
		}
		view.Found = append(view.Found, line)
	}
	return r.Show("find", "Find a record", view)
}

func lineOf(ctx context.Context, f ledger.Found, runs map[string]ledger.Run) (foundLine, error) {
	line := foundLine{Found: f, Field: fieldWords(f.Field)}
	known, err := web.Book(ctx).Known(ctx, f.Scope, []string{f.Key})
	if err != nil {
		return line, err
	}
	line.ID, line.Name = known[f.Key].ServiceID, titleOf(known[f.Key].Payload)
	last, err := web.Book(ctx).History(ctx, f.Scope, f.Key, 1)
	if err != nil || len(last) == 0 {
		return line, err
	}
	r := last[0]
	line.Run, line.Outcome = r.Run, outcome.Of(r)
	if line.Name == "" {
		line.Name = titleOf(r.Payload)
	}
	run, err := runCached(ctx, r.Run, runs)
	line.At, line.Job = run.Started, run.Job
	return line, err
}

func runCached(ctx context.Context, id string, runs map[string]ledger.Run) (ledger.Run, error) {
	run, known := runs[id]
	if known {
		return run, nil
	}
	run, err := web.Book(ctx).Run(ctx, id)
	runs[id] = run
	return run, err
}
