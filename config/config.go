package config

import (
	_ "embed"
	"path/filepath"
	"strings"
	"time"

	"docketsync/config/document"
)

// Config is the settings of one installation. Load fills it; paths in it are absolute or relative to the working
// directory, no longer to the file.
//
// The structs of this package are the one table of the settings, and the package comment is their reference: what a setting means
// stands there, and beside its field only what a reader of the code has to know besides. Of the tags, yaml is the key (",short"
// for the one that a block may be written as), default what holds where the file says nothing, oneof the words that it may be (or
// none, where there is no default), least the bound that it may not fall below, path marks files and folders, which start from the
// folder of the configuration, and jsonschema what an editor asks for.
type Config struct {
	Service      Service           `yaml:"service"` // required but in the configuration of a fleet
	Retry        Retry             `yaml:"retry"`
	Pace         Pace              `yaml:"pace"`
	Guards       Guards            `yaml:"guards"`
	StopAfter    StopAfter         `yaml:"stop_after"`
	Ledger       DSN               `yaml:"ledger" default:"docketsync.db"`
	LedgerServer LedgerServer      `yaml:"ledger_server"`
	Reports      string            `yaml:"reports" default:"reports" path:"true"`
	CopyReports  string            `yaml:"copy_reports"` // an address as of RemotePath
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

	place *place
	// liveURL and liveLists are the base URL and the lists of the service that a rehearsal stands in for; see Rehearse.
	liveURL, liveLists string
}

// Default returns the settings that hold where the file says nothing.
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

// Pace says how much is sent at a time. Concurrency is also how many records a crash can leave in doubt.
type Pace struct {
	Concurrency int     `yaml:"concurrency" default:"8"`
	Rate        float64 `yaml:"rate"`
}

// StopAfter are the limits within which a service may refuse, fail or leave in doubt what it is sent, for a run as a whole. A run
// that reaches one is stopped, and what was not sent is held. Unlike guards, which look at the export, these look at the answers.
// They leave room for the trouble of a bad hour, and none for a service that does not work: each doubt is a matter that a person
// looks up. 0 is for any number.
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

// Retention says how long what is no longer needed is kept; 0 is for ever. What decides what is sent is never removed.
type Retention struct {
	Runs    Days `yaml:"runs"`
	Reports Days `yaml:"reports"`
}

// Log says what is logged.
type Log struct {
	Level  string `yaml:"level" default:"info" oneof:"debug info warn error"`
	Format string `yaml:"format" default:"console" oneof:"console json"`
}

// certificate says with which key certificates are signed, or which command prints it; neither for not at all.
type certificate struct {
	PrivateKey Secret   `yaml:"private_key"`
	Command    []string `yaml:"command"`
}

// Schedule says how docketsync schedule behaves as a whole.
type Schedule struct {
	StopWithin time.Duration `yaml:"stop_within" default:"1m"`
}

// Metrics says how the installation can be watched.
type Metrics struct {
	Listen   string `yaml:"listen"`
	Textfile string `yaml:"textfile" path:"true"`
	Traces   string `yaml:"traces"`
}

// Sandbox says what the sandbox holds; unused where base_url names a real service, except by the sandbox command.
type Sandbox struct {
	Data      string `yaml:"data" default:"sandbox.db" path:"true"`
	Directory string `yaml:"directory" path:"true"`
}

// Dir is the folder of the configuration file, which relative paths in it start from.
func (c *Config) Dir() string {
	if c.place == nil {
		return "."
	}
	return c.place.dir
}

// beside is where something is kept that belongs to the ledger: beside its file, or beside the configuration where the ledger is
// a database on a server.
func (c *Config) beside(ending string) string {
	if c.Ledger.IsFile() {
		return c.Ledger.Reveal() + ending
	}
	return filepath.Join(c.Dir(), "docketsync"+ending)
}

// SpoolFolder is where files of remotes are fetched to, in a folder for each job.
func (c *Config) SpoolFolder() string { return c.beside(".spool") }

// ListFolder is where lists that were fetched are kept.
func (c *Config) ListFolder() string {
	if c.liveLists != "" {
		return c.liveLists
	}
	return c.beside(".lists")
}

// Rehearse turns the settings into those of a rehearsal: the service is the sandbox inside the process, and ledger, records of the
// sandbox and reports are its own, beside those of the installation. Nothing that others watch is told of it: no ping, no metrics,
// no copies of reports. It needs none of the service's secrets; names come from the service's lists as they were last fetched.
func (c *Config) Rehearse() {
	c.liveURL, c.liveLists = c.Service.BaseURL, c.ListFolder()
	book := filepath.Join(c.Dir(), "docketsync.db")
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
	if c.place != nil {
		delete(c.place.missing, OfService)
	}
}

// Rehearses tells whether the settings are those of a rehearsal.
func (c *Config) Rehearses() bool { return c.liveURL != "" }

// ListService is the base URL of the service whose lists are looked up.
func (c *Config) ListService() string {
	if c.Rehearses() {
		return c.liveURL
	}
	return c.Service.BaseURL
}

// Documentation is the source of the package comment, whose part "Reference" describes every setting. The schema for editors and the guide
// take their descriptions from there, so that they are written once.
//
//go:embed doc.go
var Documentation string
