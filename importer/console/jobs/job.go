package jobs

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"docketsync/importer/console/comparison"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

// jobRuns is how many of its runs the page of a job lists.
const jobRuns = 10

// jobPage is all about one job.
type jobPage struct {
	jobView
	Live     progressView
	Ended    string // why the last order could not be carried out, "" when it could
	Runs     []runLine
	Plan     *PlanView // the dry run that there is, nil for none
	Send     bool      // whether exactly that is to be sent is a question that can be answered
	Stopped  string    // the run that its guards stopped, when that is the last one; "" otherwise
	Rejects  string    // the run whose rows can be corrected, when that is the last one that read a whole export or a file; "" otherwise
	After    string    // the last run as this page shows it: what is asked for here is asked for knowing that one
	Upload   string    // the name of the upload that the job reads and that the next one replaces, "" for none
	Accepted string    // the kinds of file that can be uploaded
	Limit    string
	Compare  string // where the last plan is compared with one before, "" where there are no two
}

func (p *Pages) job(r *web.Request, job Job) error {
	return r.Made("job", job.Name)(p.jobPage(r, job))
}

func (p *Pages) jobPage(r *web.Request, job Job) (view jobPage, err error) {
	if view.jobView, err = p.jobView(r, job); err != nil {
		return view, err
	}
	if view.Live, err = p.jobLive(r.Context(), job.Name); err != nil {
		return view, err
	}
	view.Ended, view.Accepted, view.Limit = endedBadly(view.Order), acceptedFiles, web.Megabytes(p.Uploads.Limit)
	if p.readsUpload(job) {
		view.Upload = filepath.Base(job.Files[0])
	}
	runs, err := newest(r.Context(), job.Name, ledger.Push, jobRuns)
	if err != nil {
		return view, err
	}
	if view.Runs, err = p.runLines(r.Context(), runs); err != nil {
		return view, err
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
	plans, err := newest(r.Context(), job.Name, ledger.Plan, 1) // each takes the place of the one before
	view.Compare = twoPlans(append(runs, plans...))
	if err != nil || len(plans) == 0 {
		return view, err
	}
	plan, err := p.PlanView(r, plans[0])
	view.Plan, view.Send = &plan, plan.Plan != nil && (len(runs) == 0 || plans[0].Started.After(runs[0].Started))
	return view, err
}

// twoPlans is where the newest of some runs is compared with another, "" where no two can be compared.
func twoPlans(runs []ledger.Run) string {
	runs = slices.DeleteFunc(slices.Clone(runs), func(run ledger.Run) bool { return comparison.Path(run) == "" })
	if len(runs) < 2 {
		return ""
	}
	return comparison.Path(slices.MaxFunc(runs, func(a, b ledger.Run) int { return a.Started.Compare(b.Started) }))
}

// askPlan has a dry run made of a job, which is where every run begins.
func (p *Pages) askPlan(r *web.Request, job Job) error {
	return p.order(r, job, queue.Order{Kind: ledger.Plan})
}

// order takes an order for a job.
func (p *Pages) order(r *web.Request, job Job, order queue.Order) error {
	r.About(job.Name)
	order.Job, order.Who = job.Name, r.Person.Name
	if job.Inbox != "" && order.File == "" && order.Accept == "" {
		return web.Refuse(http.StatusConflict, "This job runs when a file arrives in its inbox.", "Put a file into "+job.Inbox+", or upload one here.")
	}
	if err := p.Take(r, order); err != nil {
		return err
	}
	to := signin.Inside(r.PostFormValue("to"))
	if to == "/" {
		to = web.JobPath(job.Name)
	}
	return r.SeeOther(to, "") // the page says how it goes; a notice would outlive the run
}

// Take hands an order over to the queue, if the job stands as the page showed it: every run, and every form that says so, is asked for
// knowing the last run.
func (p *Pages) Take(r *web.Request, order queue.Order) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	if order.Kind == ledger.Push || r.PostForm.Has("after") {
		if err := p.asShown(r, order.Job); err != nil {
			return err
		}
	}
	err := p.Queue.Take(order)
	if other, ok := errors.AsType[*queue.UnderWayError](err); ok {
		return goingOn(other.Standing)
	}
	if errors.Is(err, queue.ErrStopping) {
		return web.Refuse(http.StatusServiceUnavailable, "The console is shutting down and starts nothing new.", "Try again when it is back.")
	}
	return err
}

// goingOn tells somebody who asks for a job that it is being carried out, and leads there.
func goingOn(s queue.Standing) error {
	return &web.Refusal{Status: http.StatusConflict, Message: fmt.Sprintf("The job %s is already running, started by %s.", s.Job, s.Who),
		Hint: "Nothing was started. Wait until it has finished.", Path: web.JobPath(s.Job), Way: "View progress"}
}

// asShown makes sure that a job stands as it did when the form was made: a form that is sent twice, or found again with the back
// button, asks for nothing a second time.
func (p *Pages) asShown(r *web.Request, job string) error {
	if order, ok := p.Queue.Of(job); ok && order.UnderWay() {
		return goingOn(order)
	}
	last, err := p.lastRun(r.Context(), job)
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
func (p *Pages) stopOrder(r *web.Request, job Job) error {
	r.About(job.Name)
	taken, err := strconv.ParseInt(r.PostFormValue("order"), 10, 64)
	if err != nil {
		return web.Refuse(http.StatusBadRequest, "The form does not say what to stop.", "Reload the page of the job.")
	}
	if !p.Queue.Stop(job.Name, taken, r.Person.Name) {
		last, err := p.lastRun(r.Context(), job.Name)
		if err == nil && last != nil && last.Ended.IsZero() {
			err = web.Refuse(http.StatusConflict, "Nothing was stopped: this console did not start the last run.", "If it is still in progress, stop it where it was started.")
		}
		if err != nil {
			return err
		}
		return web.Refuse(http.StatusConflict, "The run has already ended.", "There was nothing to stop.")
	}
	return r.SeeOther(web.JobPath(job.Name), "Stopping: requests in progress are finished, the rest is held.")
}
