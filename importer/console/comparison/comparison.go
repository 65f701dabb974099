// Package comparison has the page that shows what changed from one plan of a job to another, and why. It compares the
// plans that the ledger keeps: the last dry run, and every run that was not pruned.
//
// Comparing two plans takes about as long as a check of the export, seconds for 100,000 records, so no request waits
// for it. It runs in the background, one comparison at a time, and the page updates itself when it is done. A
// comparison that takes too long is stopped; the page says so and shows the command that has no limit. The result is
// kept for a minute, in which the browser fetches it, and only as much of it as the page shows, because it contains
// values of records. Once any record is forgotten, earlier results are no longer shown. To download all records that
// differ, the plans are compared once more, because nothing keeps what the page does not show; that request does wait.
package comparison

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/compare"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

//go:embed pages/*.html
var pages embed.FS

// Work is what the page does beyond reading the ledger.
type Work interface {
	// Command returns a command line with these arguments that works on this machine.
	Command(args ...string) string
}

// Pages are the pages that compare two plans.
type Pages struct {
	Work      Work
	Snapshots *web.Snapshots
	// Background runs something that outlasts a request, until its context ends.
	Background func(func(ctx context.Context))
	// Within is how long a comparison may take.
	Within time.Duration
	Log    *zap.Logger
	Now    func() time.Time

	desk desk
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(pages)
	f.Get("/runs/{run}/compare", signin.Viewer, web.Of(web.RunOf, p.compare))
	f.Poll("/runs/{run}/compare/progress", signin.Viewer, web.Of(web.RunOf, p.progress))
	f.Get("/runs/{run}/compare/records.csv", signin.Viewer, web.Of(web.RunOf, p.download))
}

// Path is the address of the page that compares a run with another; "" if the run has no plan to compare.
func Path(run ledger.Run) string {
	if !run.Pruned.IsZero() || compare.Kept(run) != nil {
		return ""
	}
	return "/runs/" + run.ID + "/compare"
}

// choicesShown is how many runs can be chosen from.
const choicesShown = 100

// view is a comparison, or the question what to compare.
type view struct {
	Run            ledger.Run
	Choices        []ledger.Run // runs that can be compared with each other, newest first
	Earlier, Later string       // the ids of the chosen ones
	Poll           string       // where to ask whether the comparison is done, "" if none is in progress
	Found          *found       // nil if nothing was compared
	Trouble        string       // why there is no result
	Command        string       // compares the same on the command line
	Download       string       // where to download all records that differ
}

func (p *Pages) compare(r *web.Request, run ledger.Run) error {
	query := r.URL.Query()
	if later := query.Get("later"); later != "" && later != run.ID && later != run.Name {
		return r.SeeOther("/runs/"+url.PathEscape(later)+"/compare?"+url.Values{"with": {query.Get("with")}}.Encode(), "")
	}
	if Path(run) == "" {
		why := "It was pruned."
		if err := compare.Kept(run); err != nil {
			why = wording.UpperFirst(err.Error())
		}
		return web.Refuse(http.StatusNotFound, "The plan of this run is not kept, so it cannot be compared.", why)
	}
	v := view{Run: run, Later: run.ID}
	var err error
	if v.Choices, err = choices(r, run); err != nil {
		return err
	}
	if query.Get("with") == "" {
		v.Earlier = before(v.Choices, run)
		return r.Show("compare", "Compare "+run.Job, v)
	}
	old, now, err := p.chosen(r, run)
	if err != nil {
		return err
	}
	v.Earlier, v.Later, v.Command = old.ID, now.ID, p.Work.Command("compare", old.Name, now.Name)
	e, err := p.entryOf(r, old, now)
	if err != nil {
		return err
	}
	if e.over() {
		v.Found, v.Trouble, err = e.found, e.trouble, e.err
	} else {
		v.Poll = Path(run) + "/progress?" + url.Values{"with": {query.Get("with")}}.Encode()
	}
	v.Download = Path(run) + "/records.csv?" + url.Values{"with": {query.Get("with")}}.Encode()
	if err != nil {
		return err
	}
	return r.Show("compare", "Compare "+run.Job, v)
}

// progress answers a page that waits for a comparison.
func (p *Pages) progress(r *web.Request, run ledger.Run) error {
	old, now, err := p.chosen(r, run)
	if err != nil {
		return err
	}
	of, err := pairOf(r, old, now)
	if err != nil {
		return err
	}
	if e := p.desk.of(of, p.Now()); e == nil || e.over() {
		return r.Fragment("compare", "over", nil)
	}
	return r.Fragment("compare", "progress", view{Poll: r.URL.RequestURI(), Run: run})
}

// chosen returns the two runs of a request, the older first.
func (p *Pages) chosen(r *web.Request, run ledger.Run) (old, now ledger.Run, err error) {
	other, err := r.RunNamed(r.URL.Query().Get("with"))
	switch {
	case err == nil && (other.Job != run.Job || other.Operation != run.Operation || other.Scope != run.Scope):
		return old, now, web.Refuse(http.StatusConflict, "These two plans have nothing in common.", "Compare two plans of one job.")
	case err != nil:
		return old, now, err
	case other.ID == run.ID:
		return old, now, &web.Refusal{Status: http.StatusBadRequest, Message: "This is one plan, not two.", Hint: "Choose another one to compare it with.", Path: Path(run), Way: "Choose again"}
	case Path(run) == "" || Path(other) == "":
		return old, now, web.Refuse(http.StatusConflict, "The plan of one of these runs is not kept, so they cannot be compared.", "Choose another one.")
	case other.Started.After(run.Started):
		return run, other, nil
	}
	return other, run, nil
}

// choices returns the runs of a job that can be compared.
func choices(r *web.Request, run ledger.Run) ([]ledger.Run, error) {
	list, err := r.Book().Runs(r.Context(), ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push, ledger.Plan}, Unpruned: true, Limit: choicesShown})
	list = slices.DeleteFunc(list, func(o ledger.Run) bool { return Path(o) == "" || o.Operation != run.Operation })
	if !slices.ContainsFunc(list, func(o ledger.Run) bool { return o.ID == run.ID }) {
		list = append(list, run)
	}
	return list, err
}

// before returns the run before another, or the next one if there is none before; "" if there is no other.
func before(list []ledger.Run, run ledger.Run) (id string) {
	for _, o := range list {
		if o.ID != run.ID {
			id = o.ID
			if o.Started.Before(run.Started) {
				break
			}
		}
	}
	return id
}

// troubleOf sorts the error of a comparison: trouble is for the person, if nothing is wrong with the machine; otherwise
// err.
func (p *Pages) troubleOf(err error) (trouble string, unexpected error) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "The comparison took longer than " + wording.Lasted(p.Within) + " and was stopped. On the command line it may take as long as it needs.", nil
	case errors.Is(err, context.Canceled):
		return "The console is shutting down, so the comparison was stopped.", nil
	case errors.As(err, new(*report.PrunedError)), errors.Is(err, ledger.ErrNotFound):
		return "One of the two runs was pruned meanwhile.", nil
	}
	return "", err
}
