package jobs

import (
	"context"
	"fmt"
	"sync"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// summariesKept is how many accounts of runs are remembered. Each is of bounded size, however long the run was.
const summariesKept = 32

// summaries are the accounts of runs that are over. Making one reads all records of the run, so the last of them are kept for as
// long as nothing changes: a doubt that is settled changes the counts, and with them what the account is known by.
type summaries struct {
	mu    sync.Mutex
	order []string // the oldest first
	known map[string]*report.Summary
}

// of is the account of a run.
func (s *summaries) of(ctx context.Context, led *ledger.Reader, run runLine) (*report.Summary, error) {
	key := fmt.Sprint(run.ID, run.Phase, run.Ended, run.Pruned, run.Outcomes)
	s.mu.Lock()
	known := s.known[key]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	made, err := report.Build(ctx, led, run.ID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]*report.Summary{}
	}
	if s.known[key] == nil {
		s.known[key], s.order = made, append(s.order, key)
	}
	if len(s.order) > summariesKept {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
	return made, nil
}
