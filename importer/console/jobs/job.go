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

// jobRuns is how many of its runs a job's page lists.
const jobRuns = 10

// jobPage is everything about one job.
type jobPage struct {
	jobView
	Live     progressView
	Ended    string // why the last order could not be carried out; "" if it was
	Runs     []runLine
	Plan     *PlanView // the last dry run, nil for none
	Send     bool      // the page asks whether to send exactly this plan
	Stopped  string    // the last run, if its guards stopped it; "" otherwise
	Rejects  string    // the last run, if rows of it can be corrected; "" otherwise
	After    string    // the last run when the page was made: forms of this page count only while it is still the last
	Upload   string    // the name of the upload that the job reads and that the next one replaces; "" for none
	Accepted string    // the kinds of file that can be uploaded
	Limit    string
	Compare  string // where the newest plan is compared with an earlier one; "" if there are not two
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
	plans, err := newest(r.Context(), job.Name, ledger.Plan, 1) // each dry run replaces the one before
	view.Compare = twoPlans(append(runs, plans...))
	if err != nil || len(plans) == 0 {
		return view, err
	}
	plan, err := p.PlanView(r, plans[0])
	view.Plan, view.Send = &plan, plan.Plan != nil && (len(runs) == 0 || plans[0].Started.After(runs[0].Started))
	return view, err
}

// twoPlans returns where the newest of some runs is compared with another; "" if no two can be compared.
func twoPlans(runs []ledger.Run) string {
	runs = slices.DeleteFunc(slices.Clone(runs), func(run ledger.Run) bool { return comparison.Path(run) == "" })
	if len(runs) < 2 {
		return ""
	}
	return comparison.Path(slices.MaxFunc(runs, func(a, b ledger.Run) int { return a.Started.Compare(b.Started) }))
}

// askPlan starts a dry run of a job, which is how every run begins.
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
	return r.SeeOther(to, "") // the page shows the progress; a notice would outlast the run
}

// Take gives an order to the queue if the job is still as the page showed it. Every run, and every form with the field
// "after", must name the last run.
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

// goingOn tells somebody who asks for a job that it is already running, with a link to it.
func goingOn(s queue.Standing) error {
	return &web.Refusal{Status: http.StatusConflict, Message: fmt.Sprintf("The job %s is already running, started by %s.", s.Job, s.Who),
		Hint: "Nothing was started. Wait until it has finished.", Path: web.JobPath(s.Job), Way: "View progress"}
}

// asShown checks that a job is still as it was when the form was made. So a form that is sent twice, or found again
// with the back button, starts nothing the second time.
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

// stopOrder stops what this console started.
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
