package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// planShown is how many records of a plan a page shows.
const planShown = 50

// PlanView is what a run would send: a dry run, or a run that its guards stopped. The template "send" asks whether to
// send it.
type PlanView struct {
	runLine
	Creates, Updates int
	Others           outcomes // the records that would not be sent
	Kinds            planfile.Kinds
	Kind             int // only the records of this kind, counted from 1; 0 for all
	Lines            []planLine
	Host             string // where it would be sent
	First            int    // the number of the first record shown
	Next             int64  // the next page begins after this record, 0 for the last page

	Plan    *SealedPlan // what can be sent exactly like this, nil for nothing
	Command string      // sends it on the command line
	File    string      // the upload that was read instead of the job's own source, "" for none
	Back    string      // where the answer leads, "" for the page of the job
	Guard   bool        // its guards stopped it
	Files   []download  // of its report, if its guards stopped it
	Accept  string      // why it cannot be accepted, "" if it can
	Last    *ledger.Run // the last run of the job, if that is another one
	After   string      // the last run of the job
}

// ToSend says what would be sent: "12 creates and 412 updates".
func (v PlanView) ToSend() string { return wording.ToSend(v.Creates, v.Updates) }

// planLine is one record that would be sent.
type planLine struct {
	ledger.Record
	Changes []planfile.Change // for an update what changes, for a create all that is sent
}

// wouldBeSent is the state of records that a run would send, or would have sent.
func wouldBeSent(run ledger.Run) ledger.State {
	if run.Kind == ledger.Plan {
		return ledger.Planned
	}
	return ledger.Held
}

func (p *Pages) plan(r *web.Request, run ledger.Run) error {
	if run.Kind != ledger.Plan && run.StopCode != stop.Guard {
		return web.Refuse(http.StatusNotFound, "This run has no plan.", "Its report shows what it sent.")
	}
	return r.Made("plan", "What would be sent")(p.PlanView(r, run))
}

// PlanView returns what a run would send.
func (p *Pages) PlanView(r *web.Request, run ledger.Run) (view PlanView, err error) {
	if view.runLine, err = p.runLine(r.Context(), run); err != nil {
		return view, err
	}
	if err := p.planCounts(r.Context(), &view); err != nil {
		return view, err
	}
	query := r.URL.Query()
	if view.Kinds, err = p.kindsOf(r.Context(), run); err != nil {
		return view, err
	}
	if view.Host, err = p.Work.Host(); err != nil {
		return view, err
	}
	if n, _ := strconv.Atoi(query.Get("kind")); n > 0 && n <= len(view.Kinds) {
		view.Kind = n
	}
	after, _ := strconv.ParseInt(query.Get("after"), 10, 64) // anything else means the beginning
	first, _ := strconv.Atoi(query.Get("first"))
	view.First = max(first, 1)
	if view.Lines, view.Next, err = p.planLines(r.Context(), run, view, after); err != nil {
		return view, err
	}
	last, err := p.lastRun(r.Context(), run.Job)
	if err != nil {
		return view, err
	}
	if last != nil {
		if view.After = last.ID; last.ID != run.ID {
			view.Last = last
		}
	}
	if view.Guard = run.StopCode == stop.Guard; view.Guard {
		if _, view.Accept, err = p.whyNotAccept(r.Context(), run, last); err == nil {
			view.Files, _ = p.shownFiles(r.Context(), run) // the run's page says what went wrong
		}
		return view, err
	}
	view.File, _ = p.uploadOf(r.Context(), run)
	sealed, err := p.Work.Sealed(run.ID)
	switch {
	case err == nil && run.Phase == ledger.Finished && sealed.Seal != "" && view.Creates+view.Updates > 0:
		view.Plan, view.Command = &sealed, p.Work.Command("run", "--plan", sealed.Path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	return view, err
}

// planCounts counts what would be sent, and what would not.
func (p *Pages) planCounts(ctx context.Context, view *PlanView) error {
	counts, err := p.tally(ctx, web.Book(ctx), view.Run)
	view.Others = outcomes{}
	for _, c := range counts {
		switch sent := c.State == wouldBeSent(view.Run); {
		case sent && c.Action == ledger.Create:
			view.Creates += c.N
		case sent:
			view.Updates += c.N
		default:
			view.Others[outcome.Of(ledger.Record{State: c.State, Action: c.Action})] += c.N
		}
	}
	return err
}

// kindsOf returns the kinds of change in a plan. Finding them reads all its records; a finished plan never changes.
func (p *Pages) kindsOf(ctx context.Context, run ledger.Run) (planfile.Kinds, error) {
	return p.kinds.of(fmt.Sprint(run.ID, run.Phase), summariesKept, func() (planfile.Kinds, bool, error) {
		kinds, err := planfile.KindsOf(ctx, web.Book(ctx), run, wouldBeSent(run), 0)
		return kinds, over(run), err
	})
}

// planLines reads a page of what would be sent.
func (p *Pages) planLines(ctx context.Context, run ledger.Run, view PlanView, after int64) (lines []planLine, next int64, err error) {
	filter := ledger.RecordFilter{States: []ledger.State{wouldBeSent(run)}, After: after}
	if view.Kind == 0 {
		filter.Limit = planShown + 1
	}
	for record, err := range web.Book(ctx).Records(ctx, run.ID, filter) {
		if err != nil {
			return nil, 0, err
		}
		kind, changes, err := planfile.KindOf(run, record)
		if err != nil {
			return nil, 0, err
		}
		if view.Kind > 0 && view.Kinds.Place(kind) != view.Kind-1 {
			continue
		}
		if len(lines) == planShown {
			return lines, lines[planShown-1].Seq, nil
		}
		lines = append(lines, planLine{record, planfile.Named(run, record, changes)})
	}
	return lines, 0, nil
}

// carryOutPlan sends exactly what a dry run planned.
func (p *Pages) carryOutPlan(r *web.Request, run ledger.Run) error {
	r.About(run.Job)
	r.Remark("plan " + r.PostFormValue("seal"))
	if run.Kind != ledger.Plan {
		return web.Refuse(http.StatusConflict, "This run is not a dry run.", "Start a dry run first, then review it.")
	}
	sealed, err := p.Work.Sealed(run.ID)
	if errors.Is(err, fs.ErrNotExist) || err == nil && sealed.Seal != r.PostFormValue("seal") {
		return web.Refuse(http.StatusConflict, "This plan no longer exists.", "Start a new dry run, then review it.")
	}
	if err != nil {
		return err
	}
	if len(run.Guards) > 0 && r.PostFormValue("confirmed") != "yes" {
		return errUnconfirmed
	}
	job, err := p.jobNamed(r.Context(), run.Job)
	if err != nil {
		return err
	}
	file, export := p.uploadOf(r.Context(), run)
	return p.order(r, job, queue.Order{Kind: ledger.Push, Approved: run.ID, File: file, Export: export})
}

// uploadOf returns the uploaded file that a run read instead of the job's own source, "" for none, and whether it is a
// whole export.
func (p *Pages) uploadOf(ctx context.Context, run ledger.Run) (file string, export bool) {
	if len(run.Sources) == 0 || !p.Uploads.Holds(run.Sources[0].File) {
		return "", false
	}
	if job, err := p.jobNamed(ctx, run.Job); err != nil || slices.Contains(job.Files, run.Sources[0].File) {
		return "", false
	}
	return run.Sources[0].File, !p.Uploads.IsCorrected(run.Sources[0].File)
}

// errUnconfirmed refuses to pass guards unless the person confirms that the export is correct.
var errUnconfirmed = web.Refuse(http.StatusBadRequest, "Please confirm that the export is correct.", "Review what would be sent, tick the box, and send the form again.")

// whyNotAccept finds the job of a run that its guards stopped, and says why the run cannot be accepted, "" if it can;
// last is the last run of the job. Whether the file is still among the rejected ones of an inbox is found out only when
// it is accepted.
func (p *Pages) whyNotAccept(ctx context.Context, run ledger.Run, last *ledger.Run) (job Job, why string, err error) {
	if last == nil || last.ID != run.ID {
		return job, "The job has run since then, so this is no longer what would be sent.", nil
	}
	job, err = p.jobNamed(ctx, run.Job)
	if errors.Is(err, errNoJob) {
		return job, "The configuration no longer has this job.", nil
	}
	return job, "", err
}

// acceptGuard runs a job past the guards that stopped a run, if that is still its last run.
func (p *Pages) acceptGuard(r *web.Request, run ledger.Run) error {
	r.About(run.Job)
	r.Remark("run " + run.ID)
	if run.StopCode != stop.Guard {
		return web.Refuse(http.StatusConflict, "This run was not stopped by a guard.", "There is nothing to accept.")
	}
	if r.PostFormValue("confirmed") != "yes" {
		return errUnconfirmed
	}
	last, err := p.lastRun(r.Context(), run.Job)
	if err != nil {
		return err
	}
	job, why, err := p.whyNotAccept(r.Context(), run, last)
	if err != nil {
		return err
	}
	if why != "" {
		return &web.Refusal{Status: http.StatusConflict, Message: "Nothing was accepted.", Hint: why, Path: web.JobPath(run.Job), Way: "View the job"}
	}
	return p.order(r, job, queue.Order{Kind: ledger.Push, Accept: run.ID})
}
