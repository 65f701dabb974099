package console

import (
	"net/url"
	"sync"
)

// working is what the console remembers for the pages on which people work. All of it is gone when the process ends.
type working struct {
	asking  sync.Mutex // held from the look at how a job stands until an order is taken
	inquiry sync.Mutex // held while the service is asked about what is in doubt
	pulses  pulses
	answers answers
	finder  finder
}

func (s *Server) workRoutes() {
	s.get("/jobs/{job}", Viewer, s.job)
	s.poll("/jobs/{job}/progress", Viewer, s.jobProgress)
	s.post("/jobs/{job}/run", Operator, "run", s.askRun)
	s.post("/jobs/{job}/plan", Operator, "plan", s.askPlan)
	s.postWithin("/jobs/{job}/upload", Operator, "run_file", s.UploadLimit+formLimit, s.askFile)
	s.post("/jobs/{job}/stop", Operator, "stop", s.stopOrder)

	s.poll("/runs/{run}/progress", Viewer, s.runProgress)
	s.get("/runs/{run}/plan", Viewer, s.plan)
	s.post("/runs/{run}/carry-out", Operator, "run_plan", s.carryOutPlan)
	s.post("/runs/{run}/accept", Operator, "accept_guard", s.acceptGuard)

	s.get("/doubts", Viewer, s.doubts)
	s.post("/doubts", Operator, "resolve", s.settleDoubts)
	s.post("/doubts/ask", Operator, "ask", s.askService)

	s.get("/records", Viewer, s.find)
	s.get("/records/of", Viewer, s.history)
}

// jobPath is where the page of a job is.
func jobPath(job string) string { return "/jobs/" + url.PathEscape(job) }

// recordPath is where the page of a record is.
func recordPath(scope, key string) string {
	return "/records/of?" + url.Values{"scope": {scope}, "key": {key}}.Encode()
}
