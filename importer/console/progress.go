package console

import (
	"context"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/stop"
)

// progressView is how far something is that goes on.
type progressView struct {
	Poll  string // where the same is asked for again, "" when nothing goes on
	Job   string
	Run   string // "" before it has begun, and on its own page
	Words string
	// Value of Max are done; Max is 0 while nobody knows how many there will be.
	Value, Max int
	Figures    []figure
	Paused     string // why nothing is sent at the moment
	Still      string // since when nothing has moved, "" when something has
	Stop       int64  // names the order that can be stopped here, 0 for none
	Stopping   string // who has asked for that
}

// figure is a number with what it counts.
type figure struct {
	Words string
	Value string
	Mark  report.Outcome // whose colour it has, "" for none
}

// stillAfter is how long nothing has to have moved before somebody is told of it.
const stillAfter = time.Minute

// nextView is what can be done with a run that is over.
type nextView struct {
	Guarded bool // its guards stopped it
	Planned bool // it is a dry run, whose plan can be looked at
	Rejects bool // rows of it can be corrected and uploaded
	Doubts  bool // records of it are in doubt
}

func (s *Server) liveRun(ctx context.Context, run ledger.Run) (progressView, nextView, error) {
	if over(run) {
		counts, err := s.tallies.of(ctx, s.book(ctx), run)
		next := nextView{Guarded: run.StopCode == stop.Guard, Planned: run.Kind == ledger.Plan}
		for _, c := range counts {
			next.Rejects = next.Rejects || run.Kind == ledger.Push && (c.State == ledger.Rejected || c.State == ledger.Refused)
			next.Doubts = next.Doubts || run.Kind == ledger.Push && c.State == ledger.InDoubt
		}
		return progressView{}, next, err
	}
	view, err := s.progressOf(ctx, run)
	view.Poll, view.Run = "/runs/"+run.ID+"/progress", ""
	return view, nextView{}, err
}

func over(run ledger.Run) bool { return run.Phase == ledger.Finished || run.Phase == ledger.Stopped }

// progressOf is how far a run is, whoever makes it.
func (s *Server) progressOf(ctx context.Context, run ledger.Run) (progressView, error) {
	if order, ok := s.orders.of(run.Job); ok && order.Run == run.ID && order.UnderWay() {
		return s.ordered(order), nil
	}
	now := s.now()
	p, err := s.working.pulses.of(ctx, s.book(ctx), run, now)
	view := progressView{Job: run.Job, Run: run.ID}
	view.fill(p.Progress, p.pace, now)
	if now.Sub(p.changed) >= stillAfter {
		view.Still = took(p.changed, now)
	}
	return view, err
}

// ordered is how far an order is.
func (s *Server) ordered(o Standing) progressView {
	view := progressView{Job: o.Job, Run: o.Run, Stop: o.Taken.UnixNano(), Stopping: o.Stopped}
	if o.Waits {
		view.Words = "Waiting for its turn: the console runs one job at a time"
		return view
	}
	view.fill(o.Progress, o.Pace, s.now())
	return view
}

// fill says a progress in words and figures.
func (v *progressView) fill(p importer.Progress, at pace, now time.Time) {
	rate, left := at.measure(now, p)
	switch p.Phase {
	case "":
		v.Words = "Getting ready"
		return
	case ledger.Pushing:
		v.Words, v.Value, v.Max, v.Paused = "Sending", p.Settled(), p.To, p.Paused
		v.add("of "+report.Thousands(p.To)+" settled", report.Thousands(p.Settled()), "")
		v.add("accepted", report.Thousands(p.Sent[ledger.Accepted]), report.Created)
		v.count("rejected", p.Sent[ledger.Refused]+p.Sent[ledger.Rejected], report.Rejected)
		v.count("failed", p.Sent[ledger.Failed], report.Failed)
		v.count("in doubt", p.Sent[ledger.InDoubt], report.InDoubt)
		v.count("held", p.Sent[ledger.Held], report.Held)
	default:
		v.Words = "Reading and planning"
		if p.Rows > 0 {
			v.add("rows read", report.Thousands(p.Rows), "")
		}
		v.add("records", report.Thousands(p.Records), "")
		v.add("to send", report.Thousands(p.To), "")
	}
	if rate != "" {
		v.add("pace", rate, "")
	}
	if left != "" {
		v.add("left", left, "")
	}
}

func (v *progressView) add(words, value string, mark report.Outcome) {
	v.Figures = append(v.Figures, figure{words, value, mark})
}

func (v *progressView) count(words string, n int, mark report.Outcome) {
	if n > 0 {
		v.add(words, report.Thousands(n), mark)
	}
}

// runProgress answers a page that shows a run going on.
func (s *Server) runProgress(v *visit) error {
	run, err := s.runOf(v)
	if err != nil {
		return err
	}
	if over(run) {
		return v.fragment("run", "over", nil)
	}
	view, _, err := s.liveRun(v.ctx(), run)
	if err != nil {
		return err
	}
	return v.fragment("run", "progress", view)
}

// jobProgress answers a page of a job on which something goes on.
func (s *Server) jobProgress(v *visit) error {
	job, err := s.jobOf(v)
	if err != nil {
		return err
	}
	view, err := s.jobLive(v.ctx(), job.Name)
	if err != nil {
		return err
	}
	if view.Poll == "" {
		return v.fragment("job", "over", nil)
	}
	return v.fragment("job", "progress", view)
}

// jobLive is what goes on with a job: an order taken here, or the last run, which another process makes.
func (s *Server) jobLive(ctx context.Context, job string) (view progressView, err error) {
	if order, ok := s.orders.of(job); ok && order.UnderWay() {
		view = s.ordered(order)
	} else {
		last, err := s.lastRun(ctx, job)
		if err != nil || last == nil || over(*last) {
			return view, err
		}
		if view, err = s.progressOf(ctx, *last); err != nil {
			return view, err
		}
	}
	view.Poll = jobPath(job) + "/progress"
	return view, nil
}

// lastRun is the newest run of a job that was made to send; nil for none.
func (s *Server) lastRun(ctx context.Context, job string) (*ledger.Run, error) {
	runs, err := s.book(ctx).Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

// endedBadly says why an order could not be carried out, "" when it could.
func endedBadly(o *Standing) string {
	switch {
	case o == nil || o.Err == nil || o.UnderWay():
		return ""
	case o.neverBegun():
		return "It was stopped before a run was made, as " + o.Stopped + " asked. Nothing was sent."
	}
	return o.Err.Error()
}
