package jobs

import (
	"cmp"
	"errors"
	"slices"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
)

// overviewView is how the installation stands today.
type overviewView struct {
	Headline string
	Jobs     []jobView
	Doubts   int            // records that wait for a person, over all runs
	Begin    bool           // nothing has been run, so the page says where to begin
	Trouble  signin.Trouble // why the configuration as it is by now does not count
}

// jobView is how a job stands.
type jobView struct {
	Job
	Last  *runLine           // its last run, nil when there was none
	Due   *ledger.Occurrence // its last due, nil when it is not scheduled
	Order *queue.Standing    // what this console was asked for last, nil for nothing
	State standingWords      // how the job stands
	// Command does on the command line what State says is to be done, "" for none.
	Command string
}

// pressing is 1 for a job that somebody has to do something about, 0 for the others.
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

// standsNow is how a job stands: by its last run, or by what kept one from being made since.
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

// couldNotRun is how a job stands that could not be run.
func couldNotRun(job Job, why error) standingWords {
	r := remedy.NotRun(job.Name, why)
	return standingWords{needsPerson, r.Wrong, r}
}
