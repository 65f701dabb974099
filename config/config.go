package config

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"strings"
	"time"

	"docketsync/config/document"
)

// Config is the settings of one installation. Load fills it; paths in it are absolute or relative to the working
// directory, not to the file.
//
// The structs of this package are the only table of the settings, and the package comment is their reference: it says
// what a setting means, and a field has only a comment that a reader of the code needs besides. Of the tags, yaml is
// the key (",short" marks the one that a block may be abbreviated to); default is the value if the file does not set
// one; oneof lists the allowed words (or none, if there is no default); least is the lower bound; path marks files and
// folders, which are relative to the folder of the configuration; and jsonschema is for editors.
type Config struct {
	Service      Service           `yaml:"service"` // required except in the configuration of a fleet
	Retry        Retry             `yaml:"retry"`
	Pace         Pace              `yaml:"pace"`
	Guards       Guards            `yaml:"guards"`
	StopAfter    StopAfter         `yaml:"stop_after"`
	Ledger       DSN               `yaml:"ledger" default:"docketsync.db"`
	LedgerServer LedgerServer      `yaml:"ledger_server"`
	Reports      string            `yaml:"reports" default:"reports" path:"true"`
	CopyReports  string            `yaml:"copy_reports"` // an address as in RemotePath
	Remotes      map[string]remote `yaml:"remotes"`
	Retention    Retention         `yaml:"retention"`
	SecretFiles  SecretFiles       `yaml:"secret_files"`
	Log          Log               `yaml:"log"`
	Schedule     Schedule          `yaml:"schedule"`
	Notify       Notify            `yaml:"notify"`
	Certificate  certificate       `yaml:"certificate"`
	Metrics      Metrics           `yaml:"metrics"`
	Console      Console           `yaml:"console"`
	Jobs         []Job             `yaml:"jobs"`
	Sandbox      Sandbox           `yaml:"sandbox"`
	Labels       map[string]string `yaml:"labels"`
	Firms        string            `yaml:"firms" path:"true"`

	place place
	// liveURL and liveLists are the base URL and the folder of lists of the service that a rehearsal replaces; see
	// Rehearse.
	liveURL, liveLists string
}

// Default returns the settings that apply if the file does not set them.
func Default() (c Config) {
	document.SetDefaults(&c)
	return c
}

// Retry says when a request is sent again.
type Retry struct {
	Creates       string        `yaml:"creates" default:"never" oneof:"never always"`
	Refused       again         `yaml:"refused" default:"24h"`
	FirstDelay    time.Duration `yaml:"first_delay" default:"500ms" least:"1ms"`
	MaxDelay      time.Duration `yaml:"max_delay" default:"30s" least:"1ms"`
	Total         time.Duration `yaml:"total" default:"5m" least:"0s"`
	RetryAfterCap time.Duration `yaml:"retry_after_cap" default:"2m" least:"0s"`
}

// Pace says how much is sent at a time. Concurrency is also the maximum number of records that a crash can leave in
// doubt.
type Pace struct {
	Concurrency int     `yaml:"concurrency" default:"8"`
	Rate        float64 `yaml:"rate"`
}

// StopAfter holds the limits for how much of a run the service may refuse, fail or leave in doubt. A run that reaches
// one is stopped, and what was not sent is held. Guards look at the export; these limits look at the answers. They
// leave room for the trouble of a bad hour, but none for a service that does not work: a person has to look into every
// doubt. 0 means no limit.
type StopAfter struct {
	SameRefusal    int     `yaml:"same_refusal" default:"5" least:"0"`
	SameDifference int     `yaml:"same_difference" default:"5" least:"0"`
	InDoubt        int     `yaml:"in_doubt" default:"50" least:"0"`
	Failed         int     `yaml:"failed" default:"200" least:"0"`
	Rejected       percent `yaml:"rejected" default:"50%"`
}

// LedgerServer says how docketsync deals with the server of a PostgreSQL ledger.
type LedgerServer struct {
	Outage         time.Duration `yaml:"outage" default:"1m" least:"0s"`
	LaggingStandby string        `yaml:"lagging_standby" default:"refuse" oneof:"refuse accept"`
	CAFile         string        `yaml:"ca_file" path:"true"`
	Unverified     string        `yaml:"unverified" default:"refuse" oneof:"refuse accept"`
	Schema         string        `yaml:"schema" default:"address" oneof:"address folder"`
}

// Retention says how long to keep what is no longer needed; 0 means for ever. What decides what is sent is never
// removed.
type Retention struct {
	Runs    Days `yaml:"runs"`
	Reports Days `yaml:"reports"`
}

// Log says what is logged.
type Log struct {
	Level  string `yaml:"level" default:"info" oneof:"debug info warn error"`
	Format string `yaml:"format" default:"console" oneof:"console json"`
}

// certificate says with which key certificates are signed, or which command prints it. If neither is set, certificates
// are not signed.
type certificate struct {
	PrivateKey Secret   `yaml:"private_key"`
	Command    []string `yaml:"command"`
}

// Schedule holds the settings of docketsync schedule as a whole.
type Schedule struct {
	StopWithin time.Duration `yaml:"stop_within" default:"1m"`
}

// Metrics says how the installation can be monitored.
type Metrics struct {
	Listen   string `yaml:"listen"`
	Textfile string `yaml:"textfile" path:"true"`
	Traces   string `yaml:"traces"`
}

// Sandbox says what the sandbox holds. If base_url names a real service, only the sandbox command uses it.
type Sandbox struct {
	Data      string `yaml:"data" default:"sandbox.db" path:"true"`
	Directory string `yaml:"directory" path:"true"`
}

// Dir returns the folder of the configuration file, to which paths in the file are relative.
func (c *Config) Dir() string {
	return cmp.Or(c.place.dir, ".")
}

// beside returns the path of something that belongs to the ledger: beside its file, or beside the configuration if the
// ledger is a database on a server.
func (c *Config) beside(ending string) string {
	if c.Ledger.IsFile() {
		return c.Ledger.Reveal() + ending
	}
	return filepath.Join(c.Dir(), "docketsync"+ending)
}

// SpoolFolder returns the folder for files fetched from remotes, with a subfolder for each job.
func (c *Config) SpoolFolder() string { return c.beside(".spool") }

// ListFolder returns the folder where fetched lists are kept.
func (c *Config) ListFolder() string {
	if c.liveLists != "" {
		return c.liveLists
	}
	return c.beside(".lists")
}

// Rehearse turns the settings into those of a rehearsal. The service is the sandbox inside the process. The ledger, the
// sandbox's records and the reports are the rehearsal's own, beside those of the installation. Nothing that others
// watch is affected: no ping, no metrics, no copies of reports. A rehearsal needs none of the service's secrets; names
// come from the service's lists as they were last fetched.
func (c *Config) Rehearse() {
	c.liveURL, c.liveLists = c.Service.BaseURL, c.ListFolder()
	book := c.DefaultLedger()
	if c.Ledger.IsFile() {
		book = c.Ledger.Reveal()
	}
	stem := strings.TrimSuffix(book, filepath.Ext(book)) + ".rehearsal"
	c.Ledger = DSN(stem + filepath.Ext(book))
	c.Sandbox.Data = stem + "-sandbox.db"
	c.Reports += ".rehearsal"
	c.Service.BaseURL, c.Service.SignIn, c.Service.CAFile = InProcess, nil, ""
	c.Service.SubscriptionKey, c.Service.AuthCookie = Secret{}, Secret{}
	c.CopyReports, c.Notify.Ping, c.Metrics = "", Ping{}, Metrics{}
	delete(c.place.missing, OfService)
}

// DefaultLedger returns where the ledger is if the configuration does not say.
func (c *Config) DefaultLedger() string { return filepath.Join(c.Dir(), "docketsync.db") }

// Rehearses reports whether the settings are those of a rehearsal.
func (c *Config) Rehearses() bool { return c.liveURL != "" }

// ListService returns the base URL of the service whose lists are used.
func (c *Config) ListService() string {
	if c.Rehearses() {
		return c.liveURL
	}
	return c.Service.BaseURL
}

// Documentation is the source of the package comment, whose part "Reference" describes every setting. The schema for
// editors and the guide take their descriptions from it, so that they are written once.
//
//go:embed doc.go
var Documentation string
