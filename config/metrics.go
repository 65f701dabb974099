package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Metrics says how the installation can be watched.
type Metrics struct {
	// Listen is where schedule serves /metrics, /healthz and /readyz; empty for nowhere.
	Listen string `yaml:"listen" json:"listen,omitempty"`
	// Textfile is a file that every run writes its numbers to, for node_exporter's textfile collector.
	Textfile string `yaml:"textfile" json:"textfile,omitempty"`
	// Traces is where a trace of every run is posted to, as OTLP in JSON.
	Traces string `yaml:"traces" json:"traces,omitempty"`
}

func (v *validator) metrics(m Metrics) {
	if m.Listen != "" {
		_, port, err := net.SplitHostPort(m.Listen)
		v.require(err == nil && port != "", "listen is HOST:PORT", "such as 127.0.0.1:9180", "metrics", "listen")
	}
	if m.Textfile != "" {
		v.require(strings.HasSuffix(m.Textfile, ".prom"), "the textfile collector reads files that end in .prom", "such as /var/lib/node_exporter/docketsync.prom", "metrics", "textfile")
	}
	if m.Traces != "" {
		u, err := url.Parse(m.Traces)
		v.require(err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != "" && u.User == nil, "traces is no address of a collector",
			"such as http://127.0.0.1:4318/v1/traces", "metrics", "traces")
	}
}
