package jobs

import (
	"context"
	"time"

	"docketsync/importer"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/web"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// progressView is how far a run or an order is.
type progressView struct {
	Poll  string // where to ask for this again, "" if nothing goes on
	Job   string
	Run   string // "" before it has started, and on its own page
	Words string
	// Value of Max are done; Max is 0 until it is known how many there are.
	Value, Max int
	Figures    []figure
	Paused     string // why nothing is being sent
	Still      string // how long nothing has moved, "" if something has
	Stop       int64  // the order that can be stopped here, 0 for none
	Stopping   string // who asked to stop it
}

// figure is a number and what it counts.
type figure struct {
	Words string
	Value string
	Mark  outcome.Outcome // the outcome whose colour it has, "" for none
}

// stillAfter is how long nothing has to move before the page says so.
const stillAfter = time.Minute

// nextView is what can be done with a run that is over.
type nextView struct {
	Guarded bool // its guards stopped it
	Planned bool // a dry run, whose plan can be viewed
	Rejects bool // rows of it can be corrected and uploaded
	Doubts  bool // it has records in doubt
}

func (p *Pages) liveRun(ctx context.Context, run ledger.Run) (progressView, nextView, error) {
	if over(run) {
		counts, err := p.tally(ctx, web.Book(ctx), run)
		next := nextView{Guarded: run.StopCode == stop.Guard, Planned: run.Kind == ledger.Plan}
		for _, c := range counts {
			next.Rejects = next.Rejects || run.Kind == ledger.Push && (c.State == ledger.Rejected || c.State == ledger.Refused)
			next.Doubts = next.Doubts || run.Kind == ledger.Push && c.State == ledger.InDoubt
		}
		return progressView{}, next, err
	}
	view, err := p.progressOf(ctx, run)
	view.Poll, view.Run = "/runs/"+run.ID+"/progress", ""
	return view, nextView{}, err
}

func over(run ledger.Run) bool { return run.Phase == ledger.Finished || run.Phase == ledger.Stopped }

// progressOf returns how far a run is, whichever process makes it.
func (p *Pages) progressOf(ctx context.Context, run ledger.Run) (progressView, error) {
	if order, ok := p.Queue.Of(run.Job); ok && order.Run == run.ID && order.UnderWay() {
		return ordered(order, p.Now()), nil
	}
	now := p.Now()
	pulse, err := p.pulses.Of(ctx, web.Book(ctx), run, now)
	view := progressView{Job: run.Job, Run: run.ID}
	view.fill(pulse.Progress, pulse.Course, now)
	if now.Sub(pulse.Changed) >= stillAfter {
		view.Still = web.Took(pulse.Changed, now)
	}
	return view, err
}

// ordered returns how far an order is.
func ordered(o queue.Standing, now time.Time) progressView {
	view := progressView{Job: o.Job, Run: o.Run, Stop: o.Taken.UnixNano(), Stopping: o.Stopped}
	if o.Waits {
		view.Words = "Waiting: runs start one at a time"
		return view
	}
	view.fill(o.Progress, o.Course, now)
	return view
}

// fill puts a progress into words and figures.
func (v *progressView) fill(p importer.Progress, at forecast.Course, now time.Time) {
	switch p.Phase {
	case "":
		v.Words = "Preparing"
		return
	case ledger.Pushing:
		v.Words, v.Value, v.Max, v.Paused = "Sending", p.Settled(), p.To, p.Paused
		v.add("of "+wording.Thousands(p.To)+" done", wording.Thousands(p.Settled()), "")
		v.add("accepted", wording.Thousands(p.Sent[ledger.Accepted]), outcome.Created)
		v.count("rejected", p.Sent[ledger.Refused]+p.Sent[ledger.Rejected], outcome.Rejected)
		v.count("failed", p.Sent[ledger.Failed], outcome.Failed)
		v.count("in doubt", p.Sent[ledger.InDoubt], outcome.InDoubt)
		v.count("held", p.Sent[ledger.Held], outcome.Held)
	default:
		v.Words = "Reading and planning"
		if p.Rows > 0 {
			v.add("rows read", wording.Thousands(p.Rows), "")
		}
		v.add("records", wording.Thousands(p.Records), "")
		v.add("to send", wording.Thousands(p.To), "")
	}
	if perSecond, ok := at.Rate(now); ok {
		v.add("rate", forecast.Rate(perSecond), "")
	}
	if e, ok := at.Ends(now, p.Rest()); ok {
		ends, _ := e.Words(now)
		v.add("forecast", ends, "")
	}
}

func (v *progressView) add(words, value string, mark outcome.Outcome) {
	v.Figures = append(v.Figures, figure{words, value, mark})
}

func (v *progressView) count(words string, n int, mark outcome.Outcome) {
	if n > 0 {
		v.add(words, wording.Thousands(n), mark)
	}
}

// runProgress answers a page that shows a run in progress.
func (p *Pages) runProgress(r *web.Request, run ledger.Run) error {
	if over(run) {
		return r.Fragment("run", "over", nil)
	}
	view, _, err := p.liveRun(r.Context(), run)
	if err != nil {
		return err
	}
	return r.Fragment("run", "progress", view)
}

// jobProgress answers a page of a job that is running.
func (p *Pages) jobProgress(r *web.Request, job Job) error {
	view, err := p.jobLive(r.Context(), job.Name)
	if err != nil {
		return err
	}
	if view.Poll == "" {
		return r.Fragment("job", "over", nil)
	}
	return r.Fragment("job", "progress", view)
}

// jobLive returns what a job is doing: an order taken here, or its last run, which another process makes.
func (p *Pages) jobLive(ctx context.Context, job string) (view progressView, err error) {
	if order, ok := p.Queue.Of(job); ok && order.UnderWay() {
		view = ordered(order, p.Now())
	} else {
		last, err := p.lastRun(ctx, job)
		if err != nil || last == nil || over(*last) {
			return view, err
		}
		if view, err = p.progressOf(ctx, *last); err != nil {
			return view, err
		}
	}
	view.Poll = web.JobPath(job) + "/progress"
	return view, nil
}

// endedBadly says why an order could not be carried out; "" if it was.
func endedBadly(o *queue.Standing) string {
	switch {
	case o == nil || o.Err == nil || o.UnderWay():
		return ""
	case o.NeverBegun():
		return "Stopped by " + o.Stopped + " before the run started. Nothing was sent."
	}
	return o.Err.Error()
}
