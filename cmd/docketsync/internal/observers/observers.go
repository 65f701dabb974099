// Package observers tells those who should know about runs: people through the channels of notify, a dead man's switch,
// the metrics that Prometheus scrapes or reads from a file, and a trace collector.
//
// Observers hear of a run three times: that it is about to begin, how far it is, and how it ended or why it could not
// be made. If an observer fails, the run does not: what was sent stays sent, so the failure is logged and counted. It
// imports the configuration, the ledger and the packages of the single channels; it does not know how runs are made.
package observers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/metrics"
	"docketsync/importer/notify"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/trace"
)

// Observers are told about runs: people, the dead man's switch, Prometheus. Nil tells nobody, as for runs of a file
// that a person makes by hand.
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

// New returns the observers of a configuration; they add to numbers, which may exist already. book is nil if the ledger
// cannot be opened.
func New(c *config.Config, site remedy.Site, book *ledger.Ledger, log *zap.Logger, numbers *metrics.Metrics, version string) (*Observers, error) {
	settings, err := Channels(c, site, book, log)
	if err != nil {
		return nil, err
	}
	numbers.Channels(c.Notify.ChannelNames())
	settings.Sent = func(channel string, _ notify.Event, err error) { numbers.Message(channel, err) }
	return &Observers{
		Notifier: notify.New(settings), Metrics: numbers, config: c.Metrics, book: book, log: log,
		traces: trace.Collector{Endpoint: c.Metrics.Traces, HTTP: notify.NewHTTP(settings), Version: version},
	}, nil
}

// Began says that a run of a job is about to begin.
func (o *Observers) Began(ctx context.Context, job string) {
	if o != nil {
		o.Notifier.Began(ctx, job)
	}
}

// Progress says how far a run is.
func (o *Observers) Progress(p importer.Progress) {
	if o != nil {
		o.Metrics.Queue(p.Job, max(0, p.To-p.Settled()))
	}
}

// Ended says how a run of a job ended.
func (o *Observers) Ended(ctx context.Context, summary *report.Summary, files files.Paths) {
	if o != nil {
		o.tell(ctx, notify.Ended{Job: summary.Run.Job, Summary: summary, Files: files})
	}
}

// Failed says that runs of jobs could not be made. An interrupt does not count as a failure; nor does another run of
// the job in progress, which will report its own end.
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

// FailedRun is Failed for a job with a report of its failure.
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

// Firms sets how many firms are served, and how many cannot be.
func (o *Observers) Firms(served, broken int) {
	if o.Metrics.Firms(served, broken) {
		o.writeMetrics()
	}
}

// Firm says that a firm cannot be served or, if err is nil, that it can be again.
func (o *Observers) Firm(ctx context.Context, name string, err error) {
	o.Notifier.Run(ctx, notify.Ended{Job: "firm " + name, Firm: name, Err: err})
}

// Gone reports that the folder of a firm is no longer there.
func (o *Observers) Gone(ctx context.Context, name string) {
	o.Notifier.Run(ctx, notify.Ended{Job: "firm " + name, Firm: name, Gone: true})
}

func (o *Observers) writeMetrics() {
	if file := o.config.Textfile; file != "" {
		if err := o.Metrics.WriteFile(file); err != nil {
			o.log.Error("the metrics could not be written", zap.String("file", file), zap.Error(err))
		}
	}
}

// ChannelsError says that secrets of channels are missing, so that people would not be told about jobs.
type ChannelsError struct{ Faults error }

func (e *ChannelsError) Error() string { return e.Faults.Error() }
func (e *ChannelsError) Unwrap() error { return e.Faults }

// short is the error without the lines of the file, for messages.
func (e *ChannelsError) short() string {
	var faults diagnostic.Faults
	if !errors.As(e.Faults, &faults) {
		return e.Faults.Error()
	}
	said := make([]string, len(faults))
	for n, fault := range faults {
		said[n] = fmt.Sprintf("%s (line %d of %s)", fault.Message, fault.Line, filepath.Base(fault.File))
	}
	return strings.Join(said, "; ")
}

// Channels returns the channels of a configuration, and what every message says.
func Channels(settings *config.Config, site remedy.Site, book *ledger.Ledger, log *zap.Logger) (notify.Settings, error) {
	c := settings.Notify
	service, err := settings.Service.Address()
	if err != nil {
		return notify.Settings{}, err
	}
	host, _ := os.Hostname() // without it, messages do not say on which machine
	s := notify.Settings{
		Firm: c.Firm, Host: host, Rehearsal: wording.Rehearsal(service), Link: c.Link, Site: site, RejectsAbove: c.RejectsAbove, Timeout: c.Timeout,
		Ping:    notify.Ping{URL: c.Ping.URL.Reveal(), Always: c.Ping.On == "always", StartAndFail: c.Ping.StartAndFail},
		Secrets: settings.Secrets(), Book: book, Log: log,
	}
	if settings.Service.Proxy == "environment" {
		s.Proxy = http.ProxyFromEnvironment
	}
	for _, name := range c.ChannelNames() {
		if channel := channelOf(name, c.Channels[name]); channel.URL != "" || channel.Mail != nil && (channel.Mail.User == "" || channel.Mail.Password != "") {
			s.Channels = append(s.Channels, channel) // the others lack their secret, see ChannelsError
		}
	}
	if s.CAs, err = apiclient.Authorities(c.CAFile); err != nil {
		return s, fmt.Errorf("notify.ca_file: %w", err)
	}
	return s, nil
}

func channelOf(name string, c config.Channel) notify.Channel {
	made := notify.Channel{Name: name, Form: c.Form(), URL: c.URL().Reveal()}
	for _, word := range c.On {
		made.On = append(made.On, notify.Event(word))
	}
	if c.Mail != nil {
		made.Mail = &notify.Mail{Server: c.Mail.Server, TLS: c.Mail.TLS, User: c.Mail.User, Password: c.Mail.Password.Reveal(),
			From: c.Mail.From, To: c.Mail.To, Attach: c.Mail.Attach, AttachLimit: int64(c.Mail.AttachLimit)}
	}
	return made
}
