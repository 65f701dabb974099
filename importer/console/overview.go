package console

import (
	"docketsync/importer/ledger"
)

// overviewView is how the installation stands today.
type overviewView struct {
	Headline string
	Jobs     []jobView
	Doubts   int     // records that wait for a person, over all runs
	Trouble  trouble // why the configuration as it is by now does not count
}

// jobView is how a job stands.
type jobView struct {
	Job
	Last  *runLine      // its last run, nil when there was none
	Due   *ledger.Due   // its last due, nil when it is not scheduled
	Order *Standing     // what this console was asked for last, nil for nothing
	State standingWords // how the job stands
}

func (s *Server) overview(v *visit) error {
	view := overviewView{Trouble: s.roster.told()}
	jobs, err := s.Work.Jobs(v.ctx())
	if err != nil && view.Trouble.Err == nil {
		return err
	}
	for _, job := range jobs {
		line, err := s.jobView(v, job)
		if err != nil {
			return err
		}
		view.Jobs = append(view.Jobs, line)
	}
	if view.Doubts, err = s.book(v.ctx()).Doubtful(v.ctx()); err != nil {
		return err
	}
	view.Headline = headline(view.Jobs, view.Doubts)
	if view.Trouble.Err != nil {
		view.Headline = "The configuration has errors."
	}
	return v.show("overview", "Today", view)
}

func (s *Server) jobView(v *visit, job Job) (jobView, error) {
	line := jobView{Job: job}
	runs, err := s.book(v.ctx()).Runs(v.ctx(), ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if err != nil {
		return line, err
	}
	if len(runs) > 0 {
		last, err := s.runLine(v.ctx(), runs[0])
		if err != nil {
			return line, err
		}
		line.Last = &last
	}
	dues, err := s.book(v.ctx()).Dues(v.ctx(), ledger.DueFilter{Job: job.Name, Limit: 1})
	if err != nil {
		return line, err
	}
	if len(dues) > 0 {
		line.Due = &dues[0]
	}
	if order, ok := s.orders.of(job.Name); ok {
		line.Order = &order
	}
	line.State = standsNow(line)
	return line, nil
}

// standsNow is how a job stands: by its last run, or by what kept one from being made since.
func standsNow(j jobView) standingWords {
	switch {
	case j.Order != nil && j.Order.Waits:
		return standingWords{underWay, "waits for its turn"}
	case j.Order != nil && j.Order.UnderWay():
		return standingWords{underWay, "is being carried out"}
	case j.Order != nil && j.Order.Err != nil && !j.Order.neverBegun() && (j.Last == nil || j.Last.Started.Before(j.Order.Taken)):
		return standingWords{needsPerson, "could not be run: " + firstLine(j.Order.Err.Error())}
	case j.Due != nil && j.Due.State == ledger.Broke && (j.Last == nil || j.Last.Started.Before(j.Due.At)):
		return standingWords{needsPerson, "could not be run: " + firstLine(j.Due.Note)}
	case j.Last == nil:
		return standingWords{nothingYet, "has not been run yet"}
	}
	return j.Last.State
}
