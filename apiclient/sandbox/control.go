package sandbox

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// control holds the faults of the moment with what they count.
type control struct {
	faults  Faults
	limiter *rate.Limiter
	workers chan struct{}
}

// SetFaults changes how the sandbox misbehaves from the next request on. Rate and workers start afresh.
func (s *Server) SetFaults(f Faults) {
	c := &control{faults: f}
	if f.Rate > 0 {
		c.limiter = rate.NewLimiter(rate.Limit(f.Rate), max(1, or(f.Burst, int(f.Rate/10))))
	}
	if f.Workers > 0 {
		c.workers = make(chan struct{}, f.Workers)
	}
	s.control.Store(c)
}

// Faults tells how the sandbox misbehaves now.
func (s *Server) Faults() Faults { return s.control.Load().faults }

// labour takes the place of a worker for as long as one request takes. The caller is not asked: a service goes on with
// what it has begun.
func (s *Server) labour(ctx context.Context, c *control) {
	if c.workers == nil {
		return
	}
	select {
	case c.workers <- struct{}{}:
		defer func() { <-c.workers }()
		s.wait(ctx, c.faults.WorkTime)
	case <-s.closed:
	case <-serving(ctx):
	}
}

// Waiting counts the requests that a fault holds up before they are acted on.
func (s *Server) Waiting() int { return int(s.waiting.Load()) }

// wait passes time, less when the sandbox closes.
func (s *Server) wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closed:
	case <-serving(ctx):
	}
}
