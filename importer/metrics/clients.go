package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"docketsync/apiclient"
)

// clients are the clients of this process: each run has its own, and a node has another one for parts of runs. Their
// counts are added up.
type clients struct {
	mu    sync.Mutex
	live  map[int]func() apiclient.Stats
	next  int
	ended apiclient.Stats // the sum of the clients that have ended
}

// Client adds a client's stats until done is called, when the client has ended.
func (m *Metrics) Client(stats func() apiclient.Stats) (done func()) {
	c := &m.clients
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	if c.live == nil {
		c.live = map[int]func() apiclient.Stats{}
	}
	c.live[id] = stats
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.live, id)
		c.ended = sum(c.ended, stats())
		c.ended.Pace = apiclient.Stats{}.Pace
	}
}

func (c *clients) stats() apiclient.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.ended
	for _, stats := range c.live {
		all = sum(all, stats())
	}
	return all
}

// sum adds up what is counted. Of the rate and the pause it takes the larger, because the clients of a node share them.
func sum(a, b apiclient.Stats) apiclient.Stats {
	a.Requests += b.Requests
	a.Extra += b.Extra
	a.TooMany += b.TooMany
	a.Overloaded += b.Overloaded
	a.Troubled += b.Troubled
	a.Renewals += b.Renewals
	a.Pace.Rate = max(a.Pace.Rate, b.Pace.Rate)
	a.Pace.Busy += b.Pace.Busy
	a.Pace.Waiting += b.Pace.Waiting
	a.Pace.PauseNS = max(a.Pace.PauseNS, b.Pace.PauseNS)
	return a
}

// watchClients registers the clients' stats, which are read whenever somebody asks for them. Without a client, all
// gauges are 0.
func (m *Metrics) watchClients() {
	of := func(number func(apiclient.Stats) float64) func() float64 {
		return func() float64 { return number(m.clients.stats()) }
	}
	counter := func(name, help string, number func(apiclient.Stats) int64) {
		m.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, of(func(s apiclient.Stats) float64 { return float64(number(s)) })))
	}
	gauge := func(name, help string, number func(apiclient.Stats) float64) {
		m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, of(number)))
	}
	counter("docketsync_requests_total", "Requests to the service, sign-ins not counted.", func(s apiclient.Stats) int64 { return s.Requests })
	counter("docketsync_requests_extra_total", "Requests beyond the first of each record: retries, and repetitions after a sign-in.", func(s apiclient.Stats) int64 { return s.Extra })
	counter("docketsync_requests_too_many_total", "Requests that the service answered with 429.", func(s apiclient.Stats) int64 { return s.TooMany })
	counter("docketsync_requests_overloaded_total", "Requests that the service answered with 503.", func(s apiclient.Stats) int64 { return s.Overloaded })
	counter("docketsync_requests_troubled_total", "Other requests that the service did not do.", func(s apiclient.Stats) int64 { return s.Troubled })
	counter("docketsync_sign_ins_total", "Sign-ins to the service.", func(s apiclient.Stats) int64 { return s.Renewals })
	gauge("docketsync_request_rate", "Requests per second that the service was found to take, or pace.rate before that; 0 while neither is known.", func(s apiclient.Stats) float64 { return s.Pace.Rate })
	gauge("docketsync_requests_busy", "Requests that are under way.", func(s apiclient.Stats) float64 { return float64(s.Pace.Busy) })
	gauge("docketsync_requests_waiting", "Requests that wait for their turn.", func(s apiclient.Stats) float64 { return float64(s.Pace.Waiting) })
	gauge("docketsync_pause_seconds", "How long no request will begin, 0 when all is well.", func(s apiclient.Stats) float64 { return s.Pace.PauseNS.Seconds() })
}
