package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"docketsync/apiclient"
	"docketsync/importer/ledger"
)

// Probe says why something is not as it should be, nil when it is.
type Probe func(context.Context) error

// probePatience is how long a probe may take.
const probePatience = 5 * time.Second

// Mux serves /metrics; /healthz, whether the process does its work at all; and /readyz, whether it is set up to. The pages
// answer 200 "ok", or 503 with the reason.
func (m *Metrics) Mux(healthy, ready Probe) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.Handle("GET /healthz", page(healthy))
	mux.Handle("GET /readyz", page(ready))
	return mux
}

func page(probe Probe) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		ctx, cancel := context.WithTimeout(r.Context(), probePatience)
		defer cancel()
		if err := probe(ctx); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, err)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}

// Serve answers on a listener until ctx ends, and then lets answers that are under way be finished.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: probePatience, WriteTimeout: 2 * probePatience, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), probePatience)
		defer cancel()
		_ = server.Shutdown(late) // what does not end by then ends with the process
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

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
