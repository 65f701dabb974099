package console

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

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
func (s *Server) jobOf(v *visit) (Job, error) {
	jobs, err := s.Work.Jobs(v.ctx())
	if err != nil {
		return Job{}, err
	}
	for _, job := range jobs {
		if job.Name == v.r.PathValue("job") {
			return job, nil
		}
	}
	return Job{}, refuse(http.StatusNotFound, "The configuration has no such job.", "The first page lists those that it has.")
}

func (s *Server) job(v *visit) error {
	job, err := s.jobOf(v)
	if err != nil {
		return err
	}
	view, err := s.jobPage(v, job)
	if err != nil {
		return err
	}
	return v.show("job", job.Name, view)
}

func (s *Server) jobPage(v *visit, job Job) (view jobPage, err error) {
	if view.jobView, err = s.jobView(v, job); err != nil {
		return view, err
	}
	if view.Live, err = s.jobLive(v.ctx(), job.Name); err != nil {
		return view, err
	}
	view.Ended, view.Accepted, view.Limit = endedBadly(view.Order), acceptedFiles, megabytes(s.UploadLimit)
	runs, err := s.book(v.ctx()).Runs(v.ctx(), ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Limit: jobRuns})
	if err != nil {
		return view, err
	}
	for _, run := range runs {
		line, err := s.runLine(v.ctx(), run)
		if err != nil {
			return view, err
		}
		view.Runs = append(view.Runs, line)
	}
	if len(runs) > 0 {
		view.After = runs[0].ID
		_, next, err := s.liveRun(v.ctx(), runs[0])
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
	view.Plan, err = s.dryRunOf(v.ctx(), job.Name)
	return view, err
}

// dryRunOf is the dry run that there is of a job; nil for none. Each takes the place of the one before.
func (s *Server) dryRunOf(ctx context.Context, job string) (*runLine, error) {
	plans, err := s.book(ctx).Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Plan}, Limit: 1})
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	line, err := s.runLine(ctx, plans[0])
	return &line, err
}

// askRun has a job run.
func (s *Server) askRun(v *visit) error { return s.order(v, Order{Kind: ledger.Push}, nil) }

// askPlan has a dry run made of a job.
func (s *Server) askPlan(v *visit) error {
	return s.order(v, Order{Kind: ledger.Plan}, nil)
}

// order takes an order for the job that a post names. prepare, when not nil, completes it once nothing else stands against it, and
// says how to undo that.
func (s *Server) order(v *visit, order Order, prepare func(*Order) (undo func(), err error)) error {
	job, err := s.jobOf(v)
	if err != nil {
		return err
	}
	v.about(job.Name)
	order.Job, order.Who = job.Name, v.Person.Name
	if job.Inbox != "" && prepare == nil && order.Accept == "" {
		return refuse(http.StatusConflict, "This job runs what arrives in its inbox.", "Put a file into "+job.Inbox+", or upload one here.")
	}
	s.working.asking.Lock()
	defer s.working.asking.Unlock()
	if err := s.asShown(v, job.Name); err != nil {
		return err
	}
	undo := func() {}
	if prepare != nil {
		if undo, err = prepare(&order); err != nil {
			return err
		}
	}
	if err := s.orders.take(order); err != nil {
		undo()
		return err
	}
	notice := takenWords(order)
	if taken, ok := s.orders.of(job.Name); ok && taken.Waits {
		notice = "It was taken, and begins when what was asked for before has ended."
	}
	return v.seeOther(jobPath(job.Name), notice)
}

// takenWords is what somebody is told whose order has been taken.
func takenWords(o Order) string {
	switch {
	case o.Kind != ledger.Push:
		return "The dry run has begun. It sends nothing."
	case o.File != "":
		return "The run of " + filepath.Base(o.File) + " has begun."
	case o.Accept != "":
		return "The job has been let through, and runs."
	case o.Approved != "":
		return "The run has begun. It sends exactly what was planned, or nothing."
	}
	return "The run has begun."
}

// asShown makes sure that a job stands as it did when the form was made: a form that is sent twice, or found again with the back
// button, asks for nothing a second time.
func (s *Server) asShown(v *visit, job string) error {
	if order, ok := s.orders.of(job); ok && order.UnderWay() {
		return goingOn(order)
	}
	last, err := s.lastRun(v.ctx(), job)
	if err != nil {
		return err
	}
	if shown := v.r.PostFormValue("after"); last == nil && shown == "" || last != nil && last.ID == shown {
		return nil
	}
	return &refusal{Status: http.StatusConflict, Message: "The job has been run since that page was made.",
		Hint: "Nothing was begun. Look at how it stands now, and ask again if you still want it.", Path: jobPath(job), Way: "See the job"}
}

// stopOrder stops what this console began.
func (s *Server) stopOrder(v *visit) error {
	job, err := s.jobOf(v)
	if err != nil {
		return err
	}
	v.about(job.Name)
	var taken int64
	if _, err := fmt.Sscan(v.r.PostFormValue("order"), &taken); err != nil {
		return refuse(http.StatusBadRequest, "That form does not say what to stop.", "Open the page of the job again.")
	}
	if err := s.orders.stopOne(job.Name, taken, v.Person.Name); err != nil {
		return err
	}
	return v.seeOther(jobPath(job.Name), "It has been asked to stop. What is in flight is finished, the rest is held.")
}

// guardedLast tells whether a run is one that its guards stopped and the last of its job.
func (s *Server) guardedLast(ctx context.Context, run ledger.Run) (bool, error) {
	if run.StopCode != stop.Guard || run.Kind != ledger.Push {
		return false, nil
	}
	last, err := s.lastRun(ctx, run.Job)
	return last != nil && last.ID == run.ID, err
}
