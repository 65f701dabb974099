package jobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"docketsync/importer/console/comparison"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/stop"
)

// runsShown is how many runs the list shows at first, and how many more each time; runsMost is how many at most.
const (
	runsShown = 30
	runsMost  = 990
)

// runLine is a run with how its records ended. The numbers are those of 'docketsync runs --json'.
type runLine struct {
	ledger.Run
	Outcomes outcomes
	// Acknowledged is how many of the rejected records somebody accepts as they are.
	Acknowledged int
	accepted     string // tells acknowledgements apart from others of the same number
	// StillInDoubt is how many records of earlier runs are in doubt and not among this run's.
	StillInDoubt int
	State        standingWords
}

type runsView struct {
	Job      string // only runs of this job, "" for all
	Jobs     []string
	All      bool // also plans and checks
	Runs     []runLine
	Outcomes []outcome.Outcome // the columns
	More     int               // how many to ask for to see more, 0 if there are no more
}

// ComparePath is the address of the page that compares the run with an earlier one, or "" if there is none.
func (r runLine) ComparePath() string { return comparison.Path(r.Run) }

func (p *Pages) runLine(ctx context.Context, run ledger.Run) (line runLine, err error) {
	counts, err := p.tally(ctx, web.Book(ctx), run)
	line = runLine{Run: run, Outcomes: outcome.Tally(counts)}
	facts := remedy.Facts{Run: run, Records: line.Outcomes}
	if err == nil && over(run) {
		facts, line.accepted, err = p.facts(ctx, web.Book(ctx), facts)
	}
	line.Acknowledged, line.StillInDoubt, line.State = facts.Acknowledged, facts.StillInDoubt, standsAfter(facts)
	return line, err
}

// facts completes the facts about a finished run. accepted tells its acknowledgements apart from others.
func (p *Pages) facts(ctx context.Context, book *ledger.Reader, counted remedy.Facts) (f remedy.Facts, accepted string, err error) {
	run := counted.Run
	acknowledged, err := book.AcknowledgedIn(ctx, run)
	sum := sha256.Sum256(fmt.Append(nil, acknowledged))
	accepted = string(sum[:])
	if err == nil {
		f, err = p.left(ctx, book, run, counted.Records, acknowledged, accepted)
	}
	f.Run, f.Records = run, counted.Records
	for _, a := range acknowledged {
		if !a.Any() {
			f.Acknowledged++
		}
	}
	if err == nil && run.StopCode == stop.ServiceDown {
		f.Since, err = book.Silent(ctx, run.ID)
	}
	if err == nil && f.Records[outcome.Held] > 0 {
		f.Changed, err = book.CountConflicts(ctx, run.ID)
	}
	if err == nil && run.Kind != ledger.Check {
		var doubts []ledger.Record
		doubts, err = book.DoubtsBefore(ctx, run)
		f.StillInDoubt = len(doubts)
	}
	return f, accepted, err
}

func (p *Pages) runLines(ctx context.Context, runs []ledger.Run) (lines []runLine, err error) {
	for _, run := range runs {
		line, err := p.runLine(ctx, run)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (p *Pages) listRuns(r *web.Request) error {
	query := r.URL.Query()
	view := runsView{Job: query.Get("job"), All: query.Get("all") != "", Outcomes: outcome.All}
	shown, err := strconv.Atoi(query.Get("show"))
	if err != nil || shown < runsShown || shown > runsMost {
		shown = runsShown
	}
	filter := ledger.RunFilter{Job: view.Job, Limit: shown + 1, Kinds: []ledger.Kind{ledger.Push}}
	if view.All {
		filter.Kinds = nil
	}
	runs, err := r.Book().Runs(r.Context(), filter)
	if err != nil {
		return err
	}
	if len(runs) > shown {
		runs = runs[:shown]
		view.More = min(shown+runsShown, runsMost)
	}
	if view.Runs, err = p.runLines(r.Context(), runs); err != nil {
		return err
	}
	jobs, err := p.Work.Jobs(r.Context())
	if err != nil {
		return err
	}
	for _, job := range jobs {
		view.Jobs = append(view.Jobs, job.Name)
	}
	return r.Show("runs", "Runs", view)
}

// RunView is everything about one run.
type RunView struct {
	runLine
	// Summary is the summary of the run, as in its report; nil while it goes on, and if it was pruned.
	Summary *report.Summary
	Pruned  string // why there is no summary; "" if there is one
	Files   []download
	// Unwritten says why the files do not show the run as it ended; "" otherwise.
	Unwritten string
	Live      progressView
	Next      nextView // what can be done with the run
}

func (p *Pages) run(r *web.Request, run ledger.Run) error {
	return r.Made("run", "Run of "+run.Job)(p.RunView(r.Context(), run))
}

// RunView returns everything about a run.
func (p *Pages) RunView(ctx context.Context, run ledger.Run) (view RunView, err error) {
	if view.runLine, err = p.runLine(ctx, run); err != nil {
		return view, err
	}
	if view.Live, view.Next, err = p.liveRun(ctx, run); err != nil {
		return view, err
	}
	if view.State.Tone == underWay {
		return view, nil
	}
	view.Summary, err = p.summary(ctx, web.Book(ctx), view.runLine)
	if pruned, ok := errors.AsType[*report.PrunedError](err); ok {
		view.Pruned = pruned.Error()
		return view, nil
	}
	if err != nil {
		return view, err
	}
	view.Files, view.Unwritten = p.shownFiles(ctx, run)
	return view, nil
}
