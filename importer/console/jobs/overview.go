package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
)

// overviewView is the state of the installation today.
type overviewView struct {
	Headline string
	Jobs     []jobView
	Doubts   int            // records that need a person, over all runs
	Begin    bool           // nothing has run yet, so the page says where to begin
	Trouble  signin.Trouble // why the configuration as it is now is not in use
}

// jobView is the state of a job.
type jobView struct {
	Job
	Last  *runLine           // its last run, nil if there was none
	Whole *runLine           // its last run of an export, nil if that is Last or there was none
	Due   *ledger.Occurrence // the last time it was due, nil if it is not scheduled
	Order *queue.Standing    // the last order that this console took for it, nil for none
	State standingWords      // the state of the job
	// Command does on the command line what State says has to be done; "" for none.
	Command string
}

// pressing returns 1 for a job that needs attention, otherwise 0, to sort by.
func (j jobView) pressing() int {
	if j.State.Tone == needsPerson {
		return 1
	}
	return 0
}

func (p *Pages) overview(r *web.Request) error {
	var view overviewView
	if web.SeesAll(r.Context()) {
		view.Trouble = p.Trouble()
	}
	jobs, err := p.Work.Jobs(r.Context())
	if err != nil && view.Trouble.Err == nil {
		return err
	}
	for _, job := range jobs {
		line, err := p.jobView(r, job)
		if err != nil {
			return err
		}
		view.Jobs = append(view.Jobs, line)
	}
	if view.Doubts, err = r.Book().Doubtful(r.Context()); err != nil {
		return err
	}
	view.Headline = headline(view.Jobs, view.Doubts)
	slices.SortStableFunc(view.Jobs, func(a, b jobView) int { return cmp.Compare(b.pressing(), a.pressing()) })
	view.Begin = !slices.ContainsFunc(view.Jobs, func(j jobView) bool { return j.Last != nil || j.State.Tone != nothingYet })
	if view.Trouble.Err != nil {
		view.Headline = "The configuration has errors."
	}
	return r.Show("overview", "Today", view)
}

func (p *Pages) jobView(r *web.Request, job Job) (jobView, error) {
	line := jobView{Job: job}
	last, err := p.lastRun(r.Context(), job.Name)
	if err != nil {
		return line, err
	}
	if last != nil {
		shown, err := p.runLine(r.Context(), *last)
		if err != nil {
			return line, err
		}
		line.Last = &shown
		if line.Whole, err = p.lastExport(r.Context(), *last); err != nil {
			return line, err
		}
	}
	dues, err := r.Book().Occurrences(r.Context(), ledger.OccurrenceFilter{Job: job.Name, Limit: 1})
	if err != nil {
		return line, err
	}
	if len(dues) > 0 {
		line.Due = &dues[0]
	}
	if line.Due != nil && !web.SeesAll(r.Context()) {
		line.Due.Note = tellable(r.Context(), errors.New(line.Due.Note)).Error()
	}
	if order, ok := p.Queue.Of(job.Name); ok {
		if order.Err != nil {
			order.Err = tellable(r.Context(), order.Err)
		}
		line.Order = &order
	}
	if line.State = standsNow(line); len(line.State.Args) > 0 {
		line.Command = p.Work.Command(line.State.Args...)
	}
	return line, nil
}

// lastExport returns the last run of an export of a job if the newest run was of some rows only, such as corrected
// rejects: that run does not deal with everything the export left. It returns nil if the newest run was of an export
// or is still in progress, or if no export has run.
func (p *Pages) lastExport(ctx context.Context, newest ledger.Run) (*runLine, error) {
	if newest.Export != nil || !over(newest) {
		return nil, nil
	}
	runs, err := web.Book(ctx).Runs(ctx, ledger.RunFilter{Job: newest.Job, Kinds: []ledger.Kind{ledger.Push}, Exports: true, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	line, err := p.runLine(ctx, runs[0])
	return &line, err
}

// standsNow returns the state of a job: from its last run, or from what has kept it from running since.
func standsNow(j jobView) standingWords {
	switch {
	case j.Order != nil && j.Order.Waits:
		return standingWords{Tone: underWay, Words: "waiting to start"}
	case j.Order != nil && j.Order.UnderWay():
		return standingWords{Tone: underWay, Words: "running"}
	case j.Order != nil && j.Order.Err != nil && !j.Order.NeverBegun() && (j.Last == nil || j.Last.Started.Before(j.Order.Taken)):
		return couldNotRun(j.Job, j.Order.Err)
	case j.Due != nil && j.Due.State == ledger.Broke && (j.Last == nil || j.Last.Started.Before(j.Due.At)):
		return couldNotRun(j.Job, errors.New(j.Due.Note))
	case j.Last == nil:
		return standingWords{Tone: nothingYet, Words: "not run yet"}
	}
	if j.Last.State.Tone == goesOn && j.Last.Outcomes[outcome.Held] > 0 && j.When == "" && j.Inbox == "" {
		return standingWords{needsPerson, j.Last.State.Words,
			remedy.Remedy{Do: "No run is scheduled that would send them.", Page: web.JobPath(j.Name), Way: "Start a dry run", Args: []string{"run", j.Name}}}
	}
	return j.Last.State
}

// couldNotRun returns the state of a job that could not be run.
func couldNotRun(job Job, why error) standingWords {
	r := remedy.NotRun(job.Name, why)
	return standingWords{needsPerson, r.Wrong, r}
}

// tone is how urgently a line needs attention; it is the name of a style.
type tone string

// The tones.
const (
	wentWell    tone = "well"
	needsPerson tone = "person" // somebody has to do something
	goesOn      tone = "later"  // the next run takes it up
	underWay    tone = "going"
	nothingYet  tone = "none"
)

// standingWords is the state of a run or a job, for somebody who reads nothing else.
type standingWords struct {
	Tone          tone
	Words         string
	remedy.Remedy // what a person has to do first; the zero value if nothing
}

// outcomes is how many records of a run ended in each outcome.
type outcomes map[outcome.Outcome]int

// Ordered returns the outcomes that occur, in the order of reports; what has not ended yet comes last.
func (o outcomes) Ordered() (list []report.OutcomeCount) {
	for _, outcome := range outcome.Present(o) {
		list = append(list, report.OutcomeCount{Outcome: outcome, Records: o[outcome]})
	}
	return list
}

// standsAfter returns the state of a run.
func standsAfter(f remedy.Facts) standingWords {
	if !over(f.Run) {
		return standingWords{Tone: underWay, Words: "in progress"}
	}
	list := remedy.After(f)
	said := make([]string, len(list))
	stands := standingWords{Tone: goesOn}
	for n, r := range list {
		said[n] = r.Wrong
		if r.Person && stands.Tone != needsPerson {
			stands.Tone, stands.Remedy = needsPerson, r
		}
	}
	stands.Words = strings.Join(said, "; ")
	switch {
	case len(list) > 0:
		return stands
	case len(f.Records) == 0:
		return standingWords{Tone: wentWell, Words: "nothing to do"}
	case f.Kind != ledger.Push:
		return standingWords{Tone: wentWell, Words: "no problems found"}
	}
	return standingWords{Tone: wentWell, Words: "no problems"}
}

// tellable returns why something could not be run, as the person asking may know it. Somebody who sees only some jobs
// is told about errors of the file; other errors may be about what other jobs share with it, such as the configuration.
func tellable(ctx context.Context, err error) error {
	if web.SeesAll(ctx) || errors.As(err, new(*format.Error)) || errors.As(err, new(*fs.PathError)) || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("ask whoever manages docketsync, whose log says why")
}

// headline returns one sentence about all jobs, and what is in doubt over all runs. If only one job needs attention, it
// says what is wrong.
func headline(jobs []jobView, doubts int) string {
	var person, going, ran int
	wrong := ""
	for _, job := range jobs {
		if job.Last != nil {
			ran++
		}
		switch job.State.Tone {
		case needsPerson:
			if person++; person > 1 {
				continue
			}
			wrong = fmt.Sprintf("%s needs attention: %s.", job.Name, job.State.Words)
		case underWay:
			going++
		}
	}
	switch {
	case len(jobs) == 0:
		return "There are no jobs yet."
	case person == 1:
		return wrong
	case person > 1:
		return strings.TrimSuffix(wrong, ".") + "; " + wording.Counted(person-1, "other job") + " " + wording.Plural(person-1, "does", "do") + " too."
	case doubts > 0:
		return fmt.Sprintf("%s %s in doubt and %s attention.", wording.Counted(doubts, "record"), wording.Plural(doubts, "is", "are"), wording.Plural(doubts, "needs", "need"))
	case going > 0:
		return "Nothing needs attention. A run is in progress."
	case ran == 0:
		return "No job has run yet."
	}
	return "Nothing needs attention."
}
