package apiclient

import (
	"math"
	"time"
)

// Stats is the account of a client since it was made, and how fast it goes now.
type Stats struct {
	Records    int64 `json:"records"`    // payloads that were taken up
	Requests   int64 `json:"requests"`   // requests that were begun, sign-ins not counted
	Extra      int64 `json:"extra"`      // requests beyond the first of each record: retries and repetitions after a sign-in
	InDoubt    int64 `json:"in_doubt"`   // records that ended in doubt
	Renewals   int64 `json:"renewals"`   // sign-ins
	TooMany    int64 `json:"too_many"`   // answers 429
	Overloaded int64 `json:"overloaded"` // answers 503
	Troubled   int64 `json:"troubled"`   // other requests that the service did not do
	Pace       Pace  `json:"pace"`
}

// Pace is how fast requests may begin at one moment.
type Pace struct {
	Rate    float64       `json:"rate"`     // requests per second that the service is believed to take; 0 while no limit is known
	Window  int           `json:"window"`   // requests that may be under way at once
	Busy    int           `json:"busy"`     // requests that are under way
	Waiting int           `json:"waiting"`  // requests that wait for their turn
	PauseNS time.Duration `json:"pause_ns"` // how long no request will begin; 0 when all is well
	Tripped bool          `json:"tripped"`  // the service failed so often in a row that single requests probe it
}

// Stats returns the account so far. It may be called at any time, once a second say, to draw the pace over time.
func (c *Client) Stats() Stats {
	s := c.pacer.stats()
	s.Records = c.records.Load()
	s.Requests = c.requests.Load()
	s.Extra = c.extra.Load()
	s.InDoubt = c.inDoubt.Load()
	s.Renewals = int64(c.session.count())
	return s
}

func (p *Pacer) stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	pace := Pace{Rate: p.rate(now), Window: p.window.Size(), Busy: p.busy, Waiting: p.waiting.len(), PauseNS: max(p.pauseEnds.Sub(now), 0), Tripped: p.tripped}
	if math.IsInf(pace.Rate, 1) {
		pace.Rate = 0
	}
	return Stats{TooMany: p.tooMany, Overloaded: p.overloaded, Troubled: p.troubled, Pace: pace}
}
