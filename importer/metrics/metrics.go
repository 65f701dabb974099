// Package metrics lets an installation be monitored: numbers for Prometheus, pages that say whether the process is
// healthy, and a trace of every run.
//
// What a process counts ends with it, and a nightly job from cron is another process each night. So every number that
// somebody would set an alarm on (how the last run ended, when the last good one ended, what is in doubt) is a gauge
// that is read from the ledger. It is the same whether one process runs for a year or one each night, and whichever of
// several nodes is asked (Restore, Dues). Counters, and gauges of what is happening now, are each process's own: they
// show what each node does.
//
// Success, here, is a run that came to its end. Rejected rows and doubts have gauges of their own, because firms
// tolerate different numbers of them. No number and no label contains anything from a row, a payload or a secret:
// labels are names of jobs, channels and firms, and the words of this program.
package metrics

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
)

// Metrics is what one process knows about its runs. Its methods are safe for concurrent use.
type Metrics struct {
	Registry *prometheus.Registry // of all numbers

	runs, rows, records, stops, messages, slices, settled     *prometheus.CounterVec
	duration                                                  *prometheus.HistogramVec
	lastRows, lastRecords, lastRun, lastDuration, lastOutcome *prometheus.GaugeVec
	lastSuccess, lastRequests, lastRepeated, nextDue, queue   *prometheus.GaugeVec
	inDoubt, ledgerUp, leading                                *prometheus.GaugeVec // without labels, and without a value while it is unknown
	firms                                                     *prometheus.GaugeVec

	firmsNow atomic.Pointer[[2]int]
	firmsMu  sync.Mutex
	ofFirms  map[string]*Metrics
	clients  clients

	mu   sync.Mutex // guards what is read from the ledger
	book *ledger.Reader
	jobs []string
	seen map[string]string // by job: which ending of which run the gauges are about
	dues func(context.Context) (map[string]time.Time, error)
}

// The results of a run; each is a value of the label of docketsync_last_run_result.
const (
	ok          = "ok"
	rejects     = "rejects"
	inDoubt     = "in_doubt"
	stopped     = "stopped"
	couldNotRun = "could_not_run"
)

var results = []string{ok, rejects, inDoubt, stopped, couldNotRun}

// New returns metrics with a registry of their own. version becomes a label of docketsync_build_info.
func New(version string) *Metrics {
	m := ofRuns()
	m.leading = gauge(m, "docketsync_leading", "1 while this process schedules, 0 while another node does.")
	m.firms = gauge(m, "docketsync_firms", "Firms that this process knows, by whether they can be served (served, broken).", "state")
	gauge(m, "docketsync_build_info", "1, with the version of docketsync.", "version").WithLabelValues(version).Set(1)
	m.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func gauge(m *Metrics, name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	m.Registry.MustRegister(g)
	return g
}

// ofRuns returns the metrics of runs, without those of the process.
func ofRuns() *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry(), seen: map[string]string{}, ofFirms: map[string]*Metrics{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.Registry.MustRegister(c)
		return c
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec { return gauge(m, name, help, labels...) }
	m.runs = counter("docketsync_runs_total", "Runs of this process, by how they came out.", "job", "result")
	m.rows = counter("docketsync_rows_total", "Rows read by runs of this process, by what became of them (in_records, skipped).", "job", "kind")
	m.records = counter("docketsync_records_total", "Records of runs of this process, by outcome.", "job", "outcome")
	m.stops = counter("docketsync_stops_total", "Runs of this process that were stopped, by the reason (guard, sign_in, service_down, interrupted, …).", "job", "code")
	m.messages = counter("docketsync_messages_total", "Messages of this process to people, by channel and whether they were taken (sent, failed).", "channel", "result")
	m.slices = counter("docketsync_slices_total", "What became of parts of runs on this node (taken, taken_over from a node that died, given_back, lost to another node, failed).", "event")
	m.settled = counter("docketsync_slice_records_total", "Records that this node has settled in parts of runs, by state.", "job", "state")
	m.lastRows = gauge("docketsync_last_run_rows", "Rows of the last run, by what became of them (in_records, skipped).", "job", "kind")
	m.lastRecords = gauge("docketsync_last_run_records", "Records of the last run, by outcome.", "job", "outcome")
	m.lastRun = gauge("docketsync_last_run_timestamp_seconds", "When the last run ended.", "job")
	m.lastDuration = gauge("docketsync_last_run_duration_seconds", "How long the last run took.", "job")
	m.lastOutcome = gauge("docketsync_last_run_result", "1 for how the last run came out, 0 for the others.", "job", "result")
	m.lastSuccess = gauge("docketsync_last_success_timestamp_seconds", "When the last run ended that was carried to its end.", "job")
	m.lastRequests = gauge("docketsync_last_run_requests", "Requests of the last run of this process.", "job")
	m.lastRepeated = gauge("docketsync_last_run_requests_repeated", "Requests of the last run of this process that were not the first for their record.", "job")
	m.nextDue = gauge("docketsync_next_run_timestamp_seconds", "When the job begins next, in the past while it is due and has not begun; only where docketsync schedules it.", "job")
	m.queue = gauge("docketsync_queue_records", "Records that the run under way has still to send.", "job")
	m.inDoubt = gauge("docketsync_in_doubt_records", "Records in doubt, over all jobs, that wait for a person: docketsync resolve.")
	m.ledgerUp = gauge("docketsync_ledger_up", "1 while the ledger answers.")
	m.ledgerUp.WithLabelValues().Set(0)
	m.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "docketsync_run_duration_seconds", Help: "How long runs of this process took.",
		Buckets: []float64{1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400}}, []string{"job"})
	m.Registry.MustRegister(m.duration)
	m.watchClients()
	return m
}

// Run records how a run of a job ended: its summary, or the error for which it could not be made.
func (m *Metrics) Run(job string, s *report.Summary, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue.WithLabelValues(job).Set(0)
	if s != nil {
		m.seen[job] = ending(s.Run)
	}
	if err != nil || s == nil {
		m.runs.WithLabelValues(job, couldNotRun).Inc()
		m.came(job, couldNotRun, time.Now())
		return
	}
	counts := map[outcome.Outcome]int{}
	for _, c := range s.Records.ByOutcome {
		counts[c.Outcome] = c.Records
		m.records.WithLabelValues(job, string(c.Outcome)).Add(float64(c.Records))
	}
	m.rows.WithLabelValues(job, "in_records").Add(float64(s.Rows.InRecords))
	m.rows.WithLabelValues(job, "skipped").Add(float64(s.Rows.SkippedRows()))
	m.runs.WithLabelValues(job, result(s.Run, counts)).Inc()
	if s.Run.StopCode != "" {
		m.stops.WithLabelValues(job, s.Run.StopCode).Inc()
	}
	if !s.Run.Ended.IsZero() {
		m.duration.WithLabelValues(job).Observe(s.Run.Ended.Sub(s.Run.Started).Seconds())
	}
	m.lastRequests.WithLabelValues(job).Set(float64(s.Requests.Total))
	m.lastRepeated.WithLabelValues(job).Set(float64(s.Requests.Repeated))
	m.last(s.Run, counts)
}

// last sets the gauges for the last run of a job.
func (m *Metrics) last(run ledger.Run, counts map[outcome.Outcome]int) {
	for _, outcome := range outcome.All {
		m.lastRecords.WithLabelValues(run.Job, string(outcome)).Set(float64(counts[outcome]))
	}
	skipped := 0
	for _, n := range run.Counts.Skipped {
		skipped += n
	}
	m.lastRows.WithLabelValues(run.Job, "in_records").Set(float64(run.Counts.InRecords))
	m.lastRows.WithLabelValues(run.Job, "skipped").Set(float64(skipped))
	if run.Ended.IsZero() {
		return
	}
	m.lastDuration.WithLabelValues(run.Job).Set(run.Ended.Sub(run.Started).Seconds())
	m.came(run.Job, result(run, counts), run.Ended)
	if run.Phase == ledger.Finished {
		m.lastSuccess.WithLabelValues(run.Job).Set(seconds(run.Ended))
	}
}

// came sets how the last run of a job ended, and when.
func (m *Metrics) came(job, how string, at time.Time) {
	for _, word := range results {
		value := 0.0
		if word == how {
			value = 1
		}
		m.lastOutcome.WithLabelValues(job, word).Set(value)
	}
	m.lastRun.WithLabelValues(job).Set(seconds(at))
}

func result(run ledger.Run, counts map[outcome.Outcome]int) string {
	switch {
	case run.Phase == ledger.Stopped && run.StopCode == stop.Input:
		return couldNotRun
	case run.Phase == ledger.Stopped:
		return stopped
	case counts[outcome.InDoubt] > 0:
		return inDoubt
	case counts[outcome.Rejected]+counts[outcome.Failed] > 0:
		return rejects
	}
	return ok
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// Restore reads the gauges of these jobs from the ledger, now and whenever the numbers are asked for: another process
// may run the jobs.
func (m *Metrics) Restore(ctx context.Context, book *ledger.Reader, jobs []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.book, m.jobs = book, jobs
	return m.readRuns(ctx)
}

// Dues sets the function that says when jobs begin next.
func (m *Metrics) Dues(ask func(context.Context) (map[string]time.Time, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dues = ask
}

// readRuns reads how the last runs of the jobs ended, if they are not the known ones.
func (m *Metrics) readRuns(ctx context.Context) error {
	for _, job := range m.jobs {
		filter := ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished, ledger.Stopped}, Limit: 1}
		ended, err := m.book.Runs(ctx, filter)
		if err != nil {
			return err
		}
		if len(ended) == 0 || m.seen[job] == ending(ended[0]) {
			continue
		}
		filter.Phases = []ledger.Phase{ledger.Finished}
		finished, err := m.book.Runs(ctx, filter)
		if err != nil {
			return err
		}
		tally, err := m.book.Tally(ctx, ended[0].ID)
		if err != nil {
			return err
		}
		m.last(ended[0], outcome.Tally(tally))
		for _, run := range finished {
			m.lastSuccess.WithLabelValues(job).Set(seconds(run.Ended))
		}
		m.seen[job] = ending(ended[0])
	}
	return nil
}

// ending names one ending of a run. A run may be stopped, resumed by another process, and end again.
func ending(run ledger.Run) string { return fmt.Sprint(run.ID, " ", run.Ended.UnixMicro()) }

// readPatience is how long the ledger may take to answer a request for the numbers.
const readPatience = 5 * time.Second

// read reads from the ledger what comes from it. What the ledger does not say is left out, not reported as 0, which
// would silence an alarm.
func (m *Metrics) read() {
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	m.inDoubt.Reset()
	m.nextDue.Reset()
	m.ledgerUp.WithLabelValues().Set(0)
	if m.dues != nil {
		dues, err := m.dues(ctx)
		if err != nil {
			return
		}
		for job, at := range dues {
			m.nextDue.WithLabelValues(job).Set(seconds(at))
		}
	}
	if m.book == nil {
		return
	}
	doubts, err := m.book.Doubtful(ctx)
	if err == nil {
		err = m.readRuns(ctx)
	}
	if err == nil {
		m.inDoubt.WithLabelValues().Set(float64(doubts))
		m.ledgerUp.WithLabelValues().Set(1)
	}
}

// gather reads from the ledger, and returns all numbers.
func (m *Metrics) gather() ([]*dto.MetricFamily, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
	all, err := m.Registry.Gather()
	if err != nil {
		return nil, err
	}
	return m.withFirms(all)
}

// Queue sets how many records the current run has still to send.
func (m *Metrics) Queue(job string, records int) { m.queue.WithLabelValues(job).Set(float64(records)) }

// Firms sets how many firms are served, and how many cannot be; changed reports whether these numbers are new.
func (m *Metrics) Firms(served, broken int) (changed bool) {
	now := [2]int{served, broken}
	if before := m.firmsNow.Swap(&now); before != nil && *before == now {
		return false
	}
	m.firms.WithLabelValues("served").Set(float64(served))
	m.firms.WithLabelValues("broken").Set(float64(broken))
	return true
}

// Leading sets whether this process schedules.
func (m *Metrics) Leading(so bool) {
	value := 0.0
	if so {
		value = 1
	}
	m.leading.WithLabelValues().Set(value)
}

// Sends says that this process sends parts of runs, and lists what may happen to them: what has not happened yet is
// reported as 0.
func (m *Metrics) Sends(events []string) {
	for _, event := range events {
		m.slices.WithLabelValues(event)
	}
}

// Slice counts what happened to a part of a run here.
func (m *Metrics) Slice(event string) { m.slices.WithLabelValues(event).Inc() }

// Settled counts records that a part of a job's run has settled here; firm is "" if there is one installation.
func (m *Metrics) Settled(firm, job string, state ledger.State, n int) {
	if firm != "" {
		m = m.Firm(firm)
	}
	m.settled.WithLabelValues(job, string(state)).Add(float64(n))
}

// Channels lists the channels for messages: what has not happened on one yet is reported as 0, because only what grows
// from a known number shows as an increase.
func (m *Metrics) Channels(names []string) {
	for _, name := range names {
		m.messages.WithLabelValues(name, "sent")
		m.messages.WithLabelValues(name, "failed")
	}
}

// Message counts whether a message to people was delivered.
func (m *Metrics) Message(channel string, err error) {
	how := "sent"
	if err != nil {
		how = "failed"
	}
	m.messages.WithLabelValues(channel, how).Inc()
}

// handler serves the numbers in Prometheus' text form.
func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(prometheus.GathererFunc(m.gather), promhttp.HandlerOpts{})
}

// WriteFile writes docketsync's own gauges to a file that node_exporter's textfile collector reads. Numbers of the
// process mean nothing once it has ended, and counters that begin anew with every process cannot be added up. The file
// appears whole or not at all.
func (m *Metrics) WriteFile(path string) error {
	return prometheus.WriteToTextfile(path, prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		all, err := m.gather()
		return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool {
			return !strings.HasPrefix(f.GetName(), "docketsync_") || f.GetType() != dto.MetricType_GAUGE
		}), err
	}))
}
