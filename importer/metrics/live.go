package metrics

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"docketsync/apiclient"
	"docketsync/importer/ledger"
)

// watchClient registers the client's account of itself, which is asked for at the moment somebody wants to know. Without a client all
// numbers are 0.
func (m *Metrics) watchClient() {
	of := func(number func(apiclient.Stats) float64) func() float64 {
		return func() float64 {
			if ask := m.client.Load(); ask != nil && *ask != nil {
				return number((*ask)())
			}
			return 0
		}
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
	gauge("docketsync_request_rate", "Requests per second that the service is believed to take, 0 while no limit is known.", func(s apiclient.Stats) float64 { return s.Pace.Rate })
	gauge("docketsync_requests_busy", "Requests that are under way.", func(s apiclient.Stats) float64 { return float64(s.Pace.Busy) })
	gauge("docketsync_requests_waiting", "Requests that wait for their turn.", func(s apiclient.Stats) float64 { return float64(s.Pace.Waiting) })
	gauge("docketsync_pause_seconds", "How long no request will begin, 0 when all is well.", func(s apiclient.Stats) float64 { return s.Pace.PauseNS.Seconds() })
}

// doubts asks the ledger at the moment somebody wants to know, since people settle doubts with other processes.
type doubts struct{ book atomic.Pointer[ledger.Reader] }

var (
	inDoubtDesc = prometheus.NewDesc("docketsync_in_doubt_records", "Records in doubt, over all jobs, that wait for a person: docketsync resolve.", nil, nil)
	ledgerDesc  = prometheus.NewDesc("docketsync_ledger_up", "1 while the ledger answers.", nil, nil)
)

// askPatience is how long the ledger may take to answer a scrape.
const askPatience = 5 * time.Second

// Describe is for the registry.
func (d *doubts) Describe(into chan<- *prometheus.Desc) { into <- inDoubtDesc; into <- ledgerDesc }

// Collect is for the registry. What the ledger does not say is left out rather than told as 0.
func (d *doubts) Collect(into chan<- prometheus.Metric) {
	up := 0.0
	if book := d.book.Load(); book != nil {
		ctx, cancel := context.WithTimeout(context.Background(), askPatience)
		defer cancel()
		if n, err := book.Doubtful(ctx); err == nil {
			up = 1
			into <- prometheus.MustNewConstMetric(inDoubtDesc, prometheus.GaugeValue, float64(n))
		}
	}
	into <- prometheus.MustNewConstMetric(ledgerDesc, prometheus.GaugeValue, up)
}
