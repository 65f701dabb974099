package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/metrics"
	"docketsync/importer/notify"
	"docketsync/importer/report"
	"docketsync/importer/trace"
)

// watch is who is told what becomes of runs: people, the dead man's switch, Prometheus. A nil watch tells nobody, which is
// how runs are that a person makes by hand from a file.
type watch struct {
	notifier *notify.Notifier
	metrics  *metrics.Metrics
	traces   trace.Collector
	in       *installation
}

// tracePatience is how long a collector may take for the trace of a run.
const tracePatience = 30 * time.Second

// startWatch makes the watch of an installation, from then on told of its runs. The ledger may be missing: that it cannot be
// opened is what people have to be told.
func (in *installation) startWatch(ctx context.Context) error {
	if err := in.watchWith(metrics.New(readVersion().Version)); err != nil {
		return err
	}
	if in.book == nil || in.config.Metrics == (config.Metrics{}) {
		return nil
	}
	var jobs []string
	for _, job := range in.config.Jobs {
		jobs = append(jobs, job.Name)
	}
	return in.watch.metrics.Restore(ctx, in.book, jobs)
}

// watchWith makes the watch of an installation, which adds to numbers that another may have begun.
func (in *installation) watchWith(numbers *metrics.Metrics) error {
	settings, err := notifySettings(in)
	if err != nil {
		return exitStatus{exitUsage, err}
	}
	settings.Sent = func(channel string, _ notify.Event, err error) { numbers.Message(channel, err) }
	in.watch = &watch{
		in: in, metrics: numbers, notifier: notify.New(settings),
		traces: trace.Collector{Endpoint: in.config.Metrics.Traces, HTTP: http.DefaultClient, Version: readVersion().Version},
	}
	return nil
}

func notifySettings(in *installation) (notify.Settings, error) {
	c := in.config.Notify
	service, err := in.config.Service.Address()
	if err != nil {
		return notify.Settings{}, err
	}
	host, _ := os.Hostname() // without it, messages do not say on which machine
	s := notify.Settings{
		Firm: c.Firm, Host: host, Rehearsal: report.Rehearsal(service), Link: c.Link, RejectsAbove: c.RejectsAbove, Timeout: c.Timeout,
		Ping:    notify.Ping{URL: c.Ping.URL.Reveal(), Always: c.Ping.On == "always", StartAndFail: c.Ping.StartAndFail},
		Secrets: in.config.Secrets(), Book: in.book, Log: in.log,
	}
	if in.config.Service.Proxy == "environment" {
		s.Proxy = http.ProxyFromEnvironment
	}
	for _, name := range c.ChannelNames() {
		s.Channels = append(s.Channels, channelOf(name, c.Channels[name]))
	}
	if c.CAFile == "" {
		return s, nil
	}
	text, err := os.ReadFile(c.CAFile)
	if err != nil {
		return s, fmt.Errorf("read the certificate authorities of notify.ca_file: %w", err)
	}
	if s.CAs, err = x509.SystemCertPool(); err != nil {
		s.CAs = x509.NewCertPool()
	}
	if !s.CAs.AppendCertsFromPEM(text) {
		return s, fmt.Errorf("%s holds no certificate in PEM form (notify.ca_file)", c.CAFile)
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

// began tells that a run of a job is about to begin.
func (w *watch) began(ctx context.Context, job string) {
	if w != nil {
		w.notifier.Began(ctx, job)
	}
}

// progress takes up how far a run is.
func (w *watch) progress(p importer.Progress) {
	if w != nil {
		w.metrics.Queue(p.Job, max(0, p.To-p.Settled()))
	}
}

// ended tells how a run of a job came out.
func (w *watch) ended(ctx context.Context, result runResult) {
	if w != nil {
		w.tell(ctx, notify.Ended{Job: result.Run.Job, Summary: result.Summary, Files: result.Reports})
	}
}

// failed tells that runs of jobs could not be made. An interrupt is nobody's failure; and that another run of the job is under
// way says nothing about how the job fares: that run will tell.
func (w *watch) failed(ctx context.Context, jobs []string, err error) {
	for _, job := range jobs {
		w.failedRun(ctx, job, runResult{}, err)
	}
}

// failedRun is failed for a job of whose failure there is a report.
func (w *watch) failedRun(ctx context.Context, job string, result runResult, err error) {
	if w == nil || err == nil || ctx.Err() != nil || errors.Is(err, ledger.ErrBusy) {
		return
	}
	w.tell(ctx, notify.Ended{Job: job, Summary: result.Summary, Files: result.Reports, Err: errors.New(explain(err))})
}

func (w *watch) tell(ctx context.Context, e notify.Ended) {
	w.metrics.Run(e.Job, e.Summary, e.Err)
	w.notifier.Run(ctx, e)
	if w.traces.Endpoint != "" && e.Summary != nil && e.Err == nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracePatience)
		defer cancel()
		if err := w.traces.Post(late, w.in.book, e.Summary); err != nil {
			w.in.log.Warn("the trace of a run was not taken", zap.String("run", e.Summary.Run.ID), zap.Error(err))
		}
	}
	if file := w.in.config.Metrics.Textfile; file != "" {
		if err := w.metrics.WriteFile(file); err != nil {
			w.in.log.Error("the metrics could not be written", zap.String("file", file), zap.Error(err))
		}
	}
}

// serve answers /metrics, /healthz and /readyz where the configuration says so, until the installation is closed, and returns
// the address; "" when it says nowhere. ready says what keeps the process from doing its work, beside the ledger.
func (w *watch) serve(ctx context.Context, ready metrics.Probe) (address string, err error) {
	if w.in.config.Metrics.Listen == "" {
		return "", nil
	}
	listener, err := net.Listen("tcp", w.in.config.Metrics.Listen)
	if err != nil {
		return "", fmt.Errorf("nobody can watch this process: %w\nChoose another address under metrics.listen, or leave it out", err)
	}
	pages := w.metrics.Mux(w.in.book.Writable, func(ctx context.Context) error { return errors.Join(w.in.book.Writable(ctx), ready(ctx)) })
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- metrics.Serve(serving, listener, pages) }()
	w.in.closers = append(w.in.closers, func() error { stop(); return <-ended })
	return listener.Addr().String(), nil
}

// namesOf are the names of the jobs that a command line means, without those that the configuration does not have: nobody is
// told of a slip of the hand.
func (in *installation) namesOf(names []string) []string {
	var meant []string
	for _, job := range in.config.Jobs {
		if len(names) == 0 || slices.Contains(names, job.Name) {
			meant = append(meant, job.Name)
		}
	}
	return meant
}
