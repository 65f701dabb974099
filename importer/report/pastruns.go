package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
)

// PastRun is a run of the job in a line: when it was, and how many of its records ended how.
type PastRun struct {
	ID       string                  `json:"id"`
	Name     string                  `json:"name"`
	Started  time.Time               `json:"started"`
	StopCode string                  `json:"stop_code,omitempty"`
	Records  map[outcome.Outcome]int `json:"records"`
}

// ShownRuns is how many runs of the job a report looks back on, its own among them: two weeks of nights.
const ShownRuns = 14

// lastRuns are the last runs of a job up to this one, oldest first: those that were made to send, and came to an end. This one is
// the last of them, unless it is only a plan or a check; tally is what the ledger counts of it. What was pruned since is counted all the same.
func lastRuns(ctx context.Context, led *ledger.Reader, run ledger.Run, tally []ledger.Count) ([]PastRun, error) {
	runs, err := led.Runs(ctx, ledger.RunFilter{Job: run.Job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished, ledger.Stopped},
		Before: run.Started, Limit: ShownRuns - 1})
	if err != nil {
		return nil, fmt.Errorf("list the earlier runs of job %s: %w", run.Job, err)
	}
	past := make([]PastRun, 0, len(runs)+1)
	add := func(r ledger.Run, tally []ledger.Count) {
		past = append(past, PastRun{ID: r.ID, Name: r.Name, Started: r.Started.UTC(), StopCode: r.StopCode, Records: outcome.Tally(tally)})
	}
	for _, r := range slices.Backward(runs) {
		counts, err := led.Tally(ctx, r.ID)
		if err != nil {
			return nil, fmt.Errorf("count the records of run %s: %w", r.ID, err)
		}
		add(r, counts)
	}
	if run.Kind == ledger.Push {
		add(run, tally)
	}
	return past, nil
}

// Arrived is how many records the run sent and the service took.
func (p PastRun) Arrived() int { return p.Records[outcome.Created] + p.Records[outcome.Updated] }

// Short is how many records did not come to where they were to go.
func (p PastRun) Short() int {
	total := 0
	for ended, n := range p.Records {
		if ended != outcome.Created && ended != outcome.Updated && ended != outcome.Unchanged {
			total += n
		}
	}
	return total
}

// Same is how many records the service held already.
func (p PastRun) Same() int { return p.Records[outcome.Unchanged] }

// PrunedError tells that there can be no report of a run, because most of its records are no longer in the ledger.
type PrunedError struct {
	Run   ledger.Run
	Tally []ledger.Count
}

// Error says what the run came to, and what of it is still there.
func (e *PrunedError) Error() string {
	counts := outcome.Tally(e.Tally)
	var parts []string
	for _, o := range outcome.All {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o.Words()))
		}
	}
	said := "It had no records"
	if len(parts) > 0 {
		said = "Of its records, " + strings.Join(parts, ", ")
	}
	return fmt.Sprintf("run %s of job %s, of %s, was pruned on %s: its report cannot be made again. %s. The ledger still has what it sent and what became "+
		"of that, but neither its rows nor its payloads",
		e.Run.ID, e.Run.Job, moment.Day(e.Run.Started), moment.Day(e.Run.Pruned), said)
}
