package console

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
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
	Outcome report.Outcome
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
func (f *finder) learn(ctx context.Context, s *Server) (finished <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := f.running
	if done == nil {
		done = make(chan struct{})
		f.running = done
		read := s.readings.hold(ctx)
		s.orders.wait.Go(func() {
			defer s.readings.done(read)
			defer func() {
				f.mu.Lock()
				f.running = nil
				f.mu.Unlock()
				close(done)
			}()
			if err := read.book.MakeSearchable(s.orders.ctx); err != nil {
				s.Log.Error("not all records could be made searchable", zap.Error(err))
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

func (s *Server) find(v *visit) error {
	text := strings.TrimSpace(v.r.URL.Query().Get("q"))
	if len(text) > questionLimit {
		return refuse(400, "That is too long to look for.", "The beginning of a number or of a name is enough.")
	}
	view := findView{Text: text}
	if text == "" {
		s.working.finder.learn(v.ctx(), s) // while it is being written what to look for
		return v.show("find", "Find a record", view)
	}
	how, err := s.book(v.ctx()).Searchable(v.ctx())
	if err != nil {
		return err
	}
	if !how.Whole() {
		await(v.ctx(), s.working.finder.learn(v.ctx(), s))
		if how, err = s.book(v.ctx()).Searchable(v.ctx()); err != nil {
			return err
		}
	}
	view.How = how
	found, more, err := s.book(v.ctx()).Search(v.ctx(), text, foundShown)
	if err != nil {
		return err
	}
	view.More = more
	runs := map[string]ledger.Run{}
	for _, f := range found {
		line, err := s.foundLine(v.ctx(), f, runs)
		if err != nil {
			return err
		}
		view.Found = append(view.Found, line)
	}
	return v.show("find", "Find a record", view)
}

func (s *Server) foundLine(ctx context.Context, f ledger.Found, runs map[string]ledger.Run) (foundLine, error) {
	line := foundLine{Found: f, Field: fieldWords(f.Field)}
	known, err := s.book(ctx).Known(ctx, f.Scope, []string{f.Key})
	if err != nil {
		return line, err
	}
	line.ID, line.Name = known[f.Key].ServiceID, titleOf(known[f.Key].Payload)
	last, err := s.book(ctx).History(ctx, f.Scope, f.Key, 1)
	if err != nil || len(last) == 0 {
		return line, err
	}
	r := last[0]
	line.Run, line.Outcome = r.Run, report.OutcomeOf(r)
	if line.Name == "" {
		line.Name = titleOf(r.Payload)
	}
	run, err := s.runCached(ctx, r.Run, runs)
	line.At, line.Job = run.Started, run.Job
	return line, err
}

func (s *Server) runCached(ctx context.Context, id string, runs map[string]ledger.Run) (ledger.Run, error) {
	run, known := runs[id]
	if known {
		return run, nil
	}
	run, err := s.book(ctx).Run(ctx, id)
	runs[id] = run
	return run, err
}
