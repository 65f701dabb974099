package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// jobRuns is how many of its runs the page of a job lists.
const jobRuns = 10

// jobPage is all about one job.
type jobPage struct {
	jobView
	Live     progressView
	Ended    string // why the last order could not be carried out, "" when it could
	Runs     []runLine
	Plan     *runLine // the dry run that there is, nil for none
	Stopped  string   // the run that its guards stopped, when that is the last one; "" otherwise
	Rejects  string   // the run whose rows can be corrected, when that is the last one that read a whole export or a file; "" otherwise
	After    string   // the last run as this page shows it: what is asked for here is asked for knowing that one
	Accepted string   // the kinds of file that can be uploaded
	Limit    string
}

// jobOf finds the job that a request names.
func (p *Pages) jobOf(r *web.Request) (Job, error) {
	jobs, err := p.Work.Jobs(r.Context())
	if err != nil {
		return Job{}, err
	}
	for _, job := range jobs {
		if job.Name == r.PathValue("job") {
			return job, nil
		}
	}
	return Job{}, web.Refuse(http.StatusNotFound, "Job not found.", "The first page lists all jobs.")
}

func (p *Pages) job(r *web.Request) error {
	job, err := p.jobOf(r)
	if err != nil {
		return err
	}
	view, err := p.jobPage(r, job)
	if err != nil {
		return err
	}
	return r.Show("job", job.Name, view)
}

func (p *Pages) jobPage(r *web.Request, job Job) (view jobPage, err error) {
	if view.jobView, err = p.jobView(r, job); err != nil {
		return view, err
	}
	if view.Live, err = p.jobLive(r.Context(), job.Name); err != nil {
		return view, err
	}
	view.Ended, view.Accepted, view.Limit = endedBadly(view.Order), acceptedFiles, web.Megabytes(p.Uploads.Limit)
	runs, err := r.Book().Runs(r.Context(), ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Limit: jobRuns})
	if err != nil {
		return view, err
	}
	for _, run := range runs {
		line, err := p.runLine(r.Context(), run)
		if err != nil {
			return view, err
		}
		view.Runs = append(view.Runs, line)
	}
	if len(runs) > 0 {
		view.After = runs[0].ID
		_, next, err := p.liveRun(r.Context(), runs[0])
		if err != nil {
			return view, err
		}
		if next.Guarded {
			view.Stopped = runs[0].ID
		}
		if next.Rejects {
			view.Rejects = runs[0].ID
		}
	}
	view.Plan, err = p.dryRunOf(r.Context(), job.Name)
	return view, err
}

// dryRunOf is the dry run that there is of a job; nil for none. Each takes the place of the one before.
func (p *Pages) dryRunOf(ctx context.Context, job string) (*runLine, error) {
	plans, err := web.Book(ctx).Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Plan}, Limit: 1})
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	line, err := p.runLine(ctx, plans[0])
	return &line, err
}

// askRun has a job run.
func (p *Pages) askRun(r *web.Request) error { return p.order(r, queue.Order{Kind: ledger.Push}, nil) }

// askPlan has a dry run made of a job.
func (p *Pages) askPlan(r *web.Request) error {
	return p.order(r, queue.Order{Kind: ledger.Plan}, nil)
}

// order takes an order for the job that a post names. prepare, when not nil, completes it once nothing else stands against it, and
// says how to undo that.
func (p *Pages) order(r *web.Request, order queue.Order, prepare func(*queue.Order) (undo func(), err error)) error {
	job, err := p.jobOf(r)
	if err != nil {
		return err
	}
	r.About(job.Name)
	order.Job, order.Who = job.Name, r.Person.Name
	if job.Inbox != "" && prepare == nil && order.Accept == "" {
		return web.Refuse(http.StatusConflict, "This job runs when a file arrives in its inbox.", "Put a file into "+job.Inbox+", or upload one here.")
	}
	if err := p.Take(r, order, prepare); err != nil {
		return err
	}
	notice := takenWords(order)
	if taken, ok := p.Queue.Of(job.Name); ok && taken.Waits {
		notice = "Queued. It starts when the run before it has finished."
	}
	return r.SeeOther(web.JobPath(job.Name), notice)
}

// Take hands an order over to the queue, if the job stands as the page showed it: every run, and every form that says so, is asked for
// knowing the last run. prepare is that of order.
func (p *Pages) Take(r *web.Request, order queue.Order, prepare func(*queue.Order) (undo func(), err error)) (err error) {
	p.asking.Lock()
	defer p.asking.Unlock()
	if order.Kind == ledger.Push || r.PostForm.Has("after") {
		if err := p.asShown(r, order.Job); err != nil {
			return err
		}
	}
	undo := func() {}
	if prepare != nil {
		if undo, err = prepare(&order); err != nil {
			return err
		}
	}
	if err = p.Queue.Take(order); err != nil {
		undo()
	}
	return notTaken(err)
}

// notTaken tells somebody why an order was not taken.
func notTaken(err error) error {
	var other *queue.UnderWayError
	switch {
	case errors.As(err, &other):
		return goingOn(other.Standing)
	case errors.Is(err, queue.ErrStopping):
		return web.Refuse(http.StatusServiceUnavailable, "The console is shutting down and starts nothing new.", "Try again when it is back.")
	}
	return err
}

// goingOn tells somebody who asks for a job that it is being carried out, and leads there.
func goingOn(s queue.Standing) error {
	return &web.Refusal{Status: http.StatusConflict, Message: fmt.Sprintf("The job %s is already running, started by %s.", s.Job, s.Who),
		Hint: "Nothing was started. Wait until it has finished.", Path: web.JobPath(s.Job), Way: "View progress"}
}

// takenWords is what somebody is told whose order has been taken.
func takenWords(o queue.Order) string {
	switch {
	case o.Kind != ledger.Push:
		return "Dry run started. Nothing is sent."
	case o.File != "":
		return "Run of " + filepath.Base(o.File) + " started."
	case o.Accept != "":
		return "Accepted. The run has started."
	case o.Approved != "":
		return "Run started. It sends exactly what was planned, or nothing."
	}
	return "Run started."
}

// asShown makes sure that a job stands as it did when the form was made: a form that is sent twice, or found again with the back
// button, asks for nothing a second time.
func (p *Pages) asShown(r *web.Request, job string) error {
	if order, ok := p.Queue.Of(job); ok && order.UnderWay() {
		return goingOn(order)
	}
	last, err := p.LastRun(r.Context(), job)
	if err != nil {
		return err
	}
	if shown := r.PostFormValue("after"); last == nil && shown == "" || last != nil && last.ID == shown {
		return nil
	}
	return &web.Refusal{Status: http.StatusConflict, Message: "The job has run since this page was loaded.",
		Hint: "Nothing was started. Look at the job as it is now, and try again if you still want to.", Path: web.JobPath(job), Way: "View the job"}
}

// stopOrder stops what this console began.
func (p *Pages) stopOrder(r *web.Request) error {
	job, err := p.jobOf(r)
	if err != nil {
		return err
	}
	r.About(job.Name)
	var taken int64
	if _, err := fmt.Sscan(r.PostFormValue("order"), &taken); err != nil {
		return web.Refuse(http.StatusBadRequest, "The form does not say what to stop.", "Reload the page of the job.")
	}
	if p.Queue.Stop(job.Name, taken, r.Person.Name) != nil {
		return web.Refuse(http.StatusConflict, "The run has already ended.", "There was nothing to stop.")
	}
	return r.SeeOther(web.JobPath(job.Name), "Stopping: requests in progress are finished, the rest is held.")
}

// guardedLast tells whether a run is one that its guards stopped and the last of its job.
func (p *Pages) guardedLast(ctx context.Context, run ledger.Run) (bool, error) {
	if run.StopCode != stop.Guard || run.Kind != ledger.Push {
		return false, nil
	}
	last, err := p.LastRun(ctx, run.Job)
	return last != nil && last.ID == run.ID, err
}
