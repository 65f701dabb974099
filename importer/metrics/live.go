package metrics

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"docketsync/apiclient"
	"docketsync/importer/ledger"
)

// client asks the client of the service at the moment somebody wants to know.
type client struct {
	mu    sync.Mutex
	stats func() apiclient.Stats
}

func (c *client) watch(stats func() apiclient.Stats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats = stats
}

// clientNumber is one number of the client's account.
type clientNumber struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(apiclient.Stats) float64
}

func number(name, help string, kind prometheus.ValueType, of func(apiclient.Stats) float64) clientNumber {
	return clientNumber{prometheus.NewDesc(name, help, nil, nil), kind, of}
}

var clientNumbers = []clientNumber{
	number("docketsync_requests_total", "Requests to the service, sign-ins not counted.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.Requests) }),
	number("docketsync_requests_extra_total", "Requests beyond the first of each record: retries, and repetitions after a sign-in.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.Extra) }),
	number("docketsync_requests_too_many_total", "Requests that the service answered with 429.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.TooMany) }),
	number("docketsync_requests_overloaded_total", "Requests that the service answered with 503.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.Overloaded) }),
	number("docketsync_requests_troubled_total", "Other requests that the service did not do.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.Troubled) }),
	number("docketsync_sign_ins_total", "Sign-ins to the service.", prometheus.CounterValue,
		func(s apiclient.Stats) float64 { return float64(s.Renewals) }),
	number("docketsync_request_rate", "Requests per second that the service is believed to take, 0 while no limit is known.", prometheus.GaugeValue,
		func(s apiclient.Stats) float64 { return s.Pace.Rate }),
	number("docketsync_requests_busy", "Requests that are under way.", prometheus.GaugeValue,
		func(s apiclient.Stats) float64 { return float64(s.Pace.Busy) }),
	number("docketsync_requests_waiting", "Requests that wait for their turn.", prometheus.GaugeValue,
		func(s apiclient.Stats) float64 { return float64(s.Pace.Waiting) }),
	number("docketsync_pause_seconds", "How long no request will begin, 0 when all is well.", prometheus.GaugeValue,
		func(s apiclient.Stats) float64 { return s.Pace.PauseNS.Seconds() }),
}

// Describe is for the registry.
func (c *client) Describe(into chan<- *prometheus.Desc) {
	for _, n := range clientNumbers {
		into <- n.desc
	}
}

// Collect is for the registry. Without a client all numbers are 0.
func (c *client) Collect(into chan<- prometheus.Metric) {
	c.mu.Lock()
	ask := c.stats
	c.mu.Unlock()
	var stats apiclient.Stats
	if ask != nil {
		stats = ask()
	}
	for _, n := range clientNumbers {
		into <- prometheus.MustNewConstMetric(n.desc, n.kind, n.of(stats))
	}
}

// doubts asks the ledger at the moment somebody wants to know, since people settle doubts with other processes.
type doubts struct {
	mu   sync.Mutex
	book *ledger.Reader
}

func (d *doubts) watch(book *ledger.Reader) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.book = book
}

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
	d.mu.Lock()
	book := d.book
	d.mu.Unlock()
	up := 0.0
	if book != nil {
		ctx, cancel := context.WithTimeout(context.Background(), askPatience)
		defer cancel()
		if n, err := book.Doubtful(ctx); err == nil {
			up = 1
			into <- prometheus.MustNewConstMetric(inDoubtDesc, prometheus.GaugeValue, float64(n))
		}
	}
	into <- prometheus.MustNewConstMetric(ledgerDesc, prometheus.GaugeValue, up)
}

// prefix begins the names of docketsync's own metrics.
const prefix = "docketsync_"

// lasting gathers docketsync's own gauges. Those of the process say nothing once it has ended, and counters that begin anew
// with every process cannot be added up.
func (m *Metrics) lasting() prometheus.GathererFunc {
	return func() ([]*dto.MetricFamily, error) {
		all, err := m.registry.Gather()
		return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool {
			return !strings.HasPrefix(f.GetName(), prefix) || f.GetType() != dto.MetricType_GAUGE
		}), err
	}
}

// names lists docketsync's own metrics, whether they have a value yet or not.
func names(m *Metrics) []string {
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		m.registry.Describe(described)
	}()
	var list []string
	for desc := range described {
		_, name, _ := strings.Cut(desc.String(), `fqName: "`)
		name, _, _ = strings.Cut(name, `"`)
		if strings.HasPrefix(name, prefix) {
			list = append(list, name)
		}
	}
	return list
}
