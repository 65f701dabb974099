package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// PastRun is a run of the job in a line: when it was, and how many of its records ended in each outcome.
type PastRun struct {
	ID       string                  `json:"id"`
	Name     string                  `json:"name"`
	Started  time.Time               `json:"started"`
	StopCode string                  `json:"stop_code,omitempty"`
	Records  map[outcome.Outcome]int `json:"records"`
}

// ShownRuns is how many runs of the job a report shows, including its own: two weeks of nights.
const ShownRuns = 14

// lastRuns returns the last runs of a job up to this one, oldest first: those that sent, and came to an end. This run
// is the last of them, unless it is only a plan or a check; tally is the ledger's count of it. Runs that have been
// pruned since count too.
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

// Arrived is how many records the run sent and the service accepted.
func (p PastRun) Arrived() int { return p.Records[outcome.Created] + p.Records[outcome.Updated] }

// Short is how many records did not go in.
func (p PastRun) Short() int {
	total := 0
	for ended, n := range p.Records {
		if ended != outcome.Created && ended != outcome.Updated && ended != outcome.Unchanged {
			total += n
		}
	}
	return total
}

// Same is how many records the service had already.
func (p PastRun) Same() int { return p.Records[outcome.Unchanged] }

// PrunedError says that a run can have no report, because most of its records are no longer in the ledger.
type PrunedError struct {
	Run   ledger.Run
	Tally []ledger.Count
}

// Error says how the run ended, and what of it is still there.
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

// Gone are the records of the last run that are no longer in the export.
type Gone struct {
	Records int    `json:"records"`
	Last    string `json:"last_seen"` // the run that they were last seen in
	Seen    string `json:"last_seen_on"`
	// Keys are the first of them; the file vanished.csv has all.
	Keys []string `json:"keys"`
	// Pruned is when the run that had them last was pruned, zero if it was not. Without that run they cannot be named,
	// except for those that a person has decided about.
	Pruned time.Time `json:"pruned,omitzero"`
}

// keysNamed is how many vanished records a summary names.
const keysNamed = 20

// gone finds what vanished, nil for nothing. The keys are missing if the ledger no longer has the records of the run
// that had them last.
func gone(ctx context.Context, led *ledger.Reader, run ledger.Run) (*Gone, error) {
	if run.Export == nil || run.Export.Vanished == 0 {
		return nil, nil
	}
	g := &Gone{Records: run.Export.Vanished, Last: run.Export.Base, Keys: []string{}}
	last, err := led.Run(ctx, run.Export.Base)
	if err != nil {
		return g, nil //nolint:nilerr // the run is no longer kept, but its count is
	}
	g.Seen, g.Pruned = last.Started.Local().Format(time.DateOnly), last.Pruned
	for key, err := range led.Vanished(ctx, run.Export.Base, run.ID) {
		if err != nil {
			return nil, err
		}
		if g.Keys = append(g.Keys, key); len(g.Keys) == keysNamed {
			break
		}
	}
	return g, nil
}

// String returns it as a line.
func (g Gone) String() string {
	text := wording.Counted(g.Records, "record") + " of the last run" + wording.Plural(g.Records, " is", " are") + " no longer in the export"
	if g.Seen != "" {
		text += " (last seen on " + g.Seen + ")"
	}
	if len(g.Keys) > 0 {
		text += ": " + strings.Join(g.Keys, ", ")
	}
	switch more := g.Records - len(g.Keys); {
	case more > 0 && !g.Pruned.IsZero():
		text += "; " + g.Lost()
	case more > 0 && len(g.Keys) > 0:
		text += " and " + wording.Thousands(more) + " more in " + VanishedFile
	}
	return text
}

// Lost says why not all of them can be named, "" if they can.
func (g Gone) Lost() string {
	if g.Pruned.IsZero() {
		return ""
	}
	return "the run that they were last seen in was pruned on " + moment.Day(g.Pruned) +
		", so that not all of them can be named any more"
}

// Guarded says, for a run that guards did not stop, that they would have, or who accepted it; "" for nothing.
func (s *Summary) Guarded() string {
	if len(s.Run.Guards) == 0 || cause.HeldByGuard(s.Run) {
		return ""
	}
	text := "guards would stop a run: "
	if p := s.Run.Passed; p != nil {
		text = "let through its guards by " + p.By + " on " + moment.Of(p.At) + ": "
	}
	return text + remedy.Guards(s.Run)
}
