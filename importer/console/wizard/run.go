package wizard

import (
	"errors"
	"net/http"

	"docketsync/config/diagnostic"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

type runView struct {
	stepsView
	Standing *queue.Standing // the state of the last order of the job
	Last     *jobs.RunView   // its run, once it has ended
	Unsaved  bool            // the draft differs from the saved job
	Plan     *jobs.PlanView  // the new plan, if it can be sent; nil for none
}

func (p *Pages) run(r *web.Request, up *upload.Upload) error {
	return r.Made("importrun", up.Name)(p.runView(r, up))
}

// standing answers with the progress of the order.
func (p *Pages) standing(r *web.Request, up *upload.Upload) error {
	view, err := p.runView(r, up)
	if err != nil {
		return err
	}
	return r.Fragment("importrun", "standing", view)
}

func (p *Pages) runView(r *web.Request, up *upload.Upload) (view runView, err error) {
	view.stepsView = viewOf(up, "/run")
	if up.Job == "" {
		return view, nil
	}
	if view.Unsaved, err = p.unsaved(r, up); err != nil {
		return view, err
	}
	standing, ok := p.Jobs.Queue.Of(up.Job)
	if !ok {
		return view, nil
	}
	view.Standing = &standing
	if standing.UnderWay() || standing.Run == "" {
		return view, nil
	}
	run, err := r.Book().Run(r.Context(), standing.Run)
	if err != nil {
		return view, err
	}
	last, err := p.Jobs.RunView(r.Context(), run)
	if view.Last = &last; err != nil || run.Kind != ledger.Plan {
		return view, err
	}
	plan, err := p.Jobs.PlanView(r, run)
	if plan.Plan != nil {
		plan.Back = "/import/" + up.ID + "/run"
		view.Plan = &plan
	}
	return view, err
}

// unsaved reports whether the draft differs from the saved job, which runs use.
func (p *Pages) unsaved(r *web.Request, up *upload.Upload) (bool, error) {
	job, err := p.newJob(r, up, up.Job)
	if _, ok := errors.AsType[diagnostic.Faults](err); ok {
		return true, nil // a mapping with errors is never saved
	}
	if err != nil {
		return false, err
	}
	planned, err := p.plan(job)
	return len(planned.Taken) > 0, err
}

func (p *Pages) orderRun(r *web.Request, up *upload.Upload) error {
	kind := ledger.Kind(r.PostFormValue("kind"))
	if up.Job == "" || kind != ledger.Check && kind != ledger.Plan {
		return web.Refuse(http.StatusBadRequest, "This cannot be started.", "Save the job first. What its plan would send is sent when you confirm it.")
	}
	r.About(up.Job)
	r.Remark(string(kind))
	first, err := p.firstFile(r, up)
	if err != nil {
		return err
	}
	if err := p.Jobs.Take(r, queue.Order{Job: up.Job, Kind: kind, File: first, Export: first != "", Who: r.Person.Name}); err != nil {
		return err
	}
	return r.SeeOther("/import/"+up.ID+"/run", "")
}
