package apiclient

import "docketsync/apiclient/pace"

// Stats is the account of a client since it was made, and how fast it goes now.
type Stats struct {
	Records    int64      `json:"records"`    // payloads that were taken up
	Requests   int64      `json:"requests"`   // requests that were begun, sign-ins not counted
	Extra      int64      `json:"extra"`      // requests beyond the first of each record: retries and repetitions after a sign-in
	InDoubt    int64      `json:"in_doubt"`   // records that ended in doubt
	Renewals   int64      `json:"renewals"`   // sign-ins
	TooMany    int64      `json:"too_many"`   // answers 429
	Overloaded int64      `json:"overloaded"` // answers 503
	Troubled   int64      `json:"troubled"`   // other requests that the service did not do
	Pace       pace.State `json:"pace"`
}

// Stats returns the account so far. It may be called at any time, once a second say, to draw the pace over time.
func (c *Client) Stats() Stats {
	counts := c.pacer.Counts()
	s := Stats{TooMany: counts.TooMany, Overloaded: counts.Overloaded, Troubled: counts.Troubled, Pace: c.pacer.State()}
	s.Records = c.records.Load()
	s.Requests = c.requests.Load()
	s.Extra = c.extra.Load()
	s.InDoubt = c.inDoubt.Load()
	s.Renewals = int64(c.session.count())
	return s
}
