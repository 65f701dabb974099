// Package observers tells those who are to know what becomes of runs: people by the channels of notify, a dead man's switch, the
// metrics that Prometheus scrapes or reads from a file, and a collector of traces.
//
// Observers hear of a run three times: that it is about to begin, how far it is, and how it ended or why it could not be made. No
// failure of theirs is a failure of the run: what was sent was sent, so it is logged and counted. It imports the configuration,
// the ledger and the packages of the single channels; it does not know how runs are made.
package observers

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/metrics"
	"docketsync/importer/notify"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/remedy"
	"docketsync/importer/trace"
)

// Observers are told what becomes of runs: people, the dead man's switch, Prometheus. Nil tells nobody, which is how runs are
// that a person makes by hand from a file.
type Observers struct {
	Notifier *notify.Notifier
	Metrics  *metrics.Metrics

	config config.Metrics
	traces trace.Collector
	book   *ledger.Ledger
	log    *zap.Logger
}

// tracePatience is how long a collector may take for the trace of a run.
const tracePatience = 30 * time.Second

// New makes the observers of a configuration, who add to numbers that another may have begun. book is nil where the ledger
// cannot be opened.
func New(c *config.Config, site remedy.Site, book *ledger.Ledger, log *zap.Logger, numbers *metrics.Metrics, version string) (*Observers, error) {
	settings, err := Channels(c, site, book, log)
	if err != nil {
		return nil, err
	}
	settings.Sent = func(channel string, _ notify.Event, err error) { numbers.Message(channel, err) }
	return &Observers{
		Notifier: notify.New(settings), Metrics: numbers, config: c.Metrics, book: book, log: log,
		traces: trace.Collector{Endpoint: c.Metrics.Traces, HTTP: notify.NewHTTP(settings), Version: version},
	}, nil
}

// Began tells that a run of a job is about to begin.
func (o *Observers) Began(ctx context.Context, job string) {
	if o != nil {
		o.Notifier.Began(ctx, job)
	}
}

// Progress takes up how far a run is.
func (o *Observers) Progress(p importer.Progress) {
	if o != nil {
		o.Metrics.Queue(p.Job, max(0, p.To-p.Settled()))
	}
}

// Ended tells how a run of a job came out.
func (o *Observers) Ended(ctx context.Context, summary *report.Summary, files files.Paths) {
	if o != nil {
		o.tell(ctx, notify.Ended{Job: summary.Run.Job, Summary: summary, Files: files})
	}
}

// Failed tells that runs of jobs could not be made. An interrupt is nobody's failure; and that another run of the job is under
// way says nothing about how the job fares: that run will tell.
func (o *Observers) Failed(ctx context.Context, jobs []string, err error) {
	if channels, ok := errors.AsType[*ChannelsError](err); o != nil && ok {
		for _, job := range jobs {
			o.Metrics.Run(job, nil, err)
		}
		o.Notifier.Unusable(ctx, jobs, errors.New(channels.short()))
		o.writeMetrics()
		return
	}
	for _, job := range jobs {
		o.FailedRun(ctx, job, nil, files.Paths{}, err)
	}
}

// FailedRun is Failed for a job of whose failure there is a report.
func (o *Observers) FailedRun(ctx context.Context, job string, summary *report.Summary, files files.Paths, err error) {
	if o == nil || err == nil || ctx.Err() != nil || errors.Is(err, fault.ErrBusy) {
		return
	}
	o.tell(ctx, notify.Ended{Job: job, Summary: summary, Files: files, Err: errors.New(exit.Explain(err))})
}

func (o *Observers) tell(ctx context.Context, e notify.Ended) {
	o.Metrics.Run(e.Job, e.Summary, e.Err)
	o.Notifier.Run(ctx, e)
	if o.traces.Endpoint != "" && e.Summary != nil && e.Err == nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracePatience)
		defer cancel()
		if err := o.traces.Post(late, o.book.Reader, e.Summary); err != nil {
			o.log.Warn("the trace of a run could not be recorded", zap.String("run", e.Summary.Run.ID), zap.Error(err))
		}
	}
	o.writeMetrics()
}

// Firms takes up how many firms are served, and how many cannot be.
func (o *Observers) Firms(served, broken int) {
	if o.Metrics.Firms(served, broken) {
		o.writeMetrics()
	}
}

// Firm tells that a firm cannot be served, or that it can be again, where err is nil.
func (o *Observers) Firm(ctx context.Context, name string, err error) {
	o.Notifier.Run(ctx, notify.Ended{Job: "firm " + name, Firm: name, Err: err})
}

func (o *Observers) writeMetrics() {
	if file := o.config.Textfile; file != "" {
		if err := o.Metrics.WriteFile(file); err != nil {
			o.log.Error("the metrics could not be written", zap.String("file", file), zap.Error(err))
		}
	}
}
